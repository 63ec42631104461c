import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mergedBatch, mergedSelect, toArrays } from './postgres-merge.ts'
import { sql } from './sql-template.ts'

/** A template with parameters, which `sql` does not accept. */
function template(text: string): TemplateStringsArray {
  const parts = text.split('?')
  return Object.assign(parts, { raw: parts })
}

const uses = (types: string) =>
  `unnest(${types}) WITH ORDINALITY AS merged(${types.split(', ').map((_, i) => `value_${i + 1}`)}, use)`.replaceAll(
    /,(?=value_)/g,
    ', ',
  )

test('toArrays writes one literal for each parameter, with quotes and nulls', () => {
  assert.deepEqual(
    toArrays([
      ['a"b', 1, null],
      ['c\\d,{}', -2, 'NULL'],
    ]),
    ['{"a\\"b","c\\\\d,{}"}', '{1,-2}', '{NULL,"NULL"}'],
  )
})

test('a merged SELECT runs the statement for each use', () => {
  assert.equal(
    mergedSelect(template('SELECT a FROM t WHERE id = ?'), ['text'], { limit: 'first' }),
    `SELECT merged.use, q.* FROM ${uses('(SELECT $1::text[])')} CROSS JOIN LATERAL ` +
      '(SELECT * FROM (SELECT a FROM t WHERE id = merged.value_1) AS b LIMIT 1) AS q',
  )
})

test('a merged batch accepts UPDATE … WHERE, INSERT … VALUES and SELECT', () => {
  const text = mergedBatch(
    [
      template("UPDATE t SET a = COALESCE(?, ' WHERE ') WHERE id = ? AND b IN (SELECT b FROM c WHERE d = 1)"),
      template("INSERT INTO t (id, note) VALUES (?, UPPER(')')) ON CONFLICT (id) DO NOTHING"),
    ],
    [['text', 'text'], ['text']],
  )
  const [first, second] = [uses('(SELECT $1::text[]), (SELECT $2::text[])'), uses('(SELECT $3::text[])')]
  assert.ok(
    text.includes(`COALESCE(merged.value_1, ' WHERE ')  FROM ${first} WHERE id = merged.value_2 AND b IN (`),
    text,
  )
  assert.ok(
    text.includes(
      `(id, note)  SELECT merged.value_1, UPPER(')') FROM ${second} WHERE true  ON CONFLICT (id) DO NOTHING`,
    ),
    text,
  )
  assert.ok(text.includes('(SELECT COUNT(*) FROM s1) = $4::bigint'), text)
})

test('a merged batch rejects statements that it cannot merge', () => {
  for (const statement of [
    sql`DELETE FROM t WHERE id = 1`,
    sql`UPDATE t SET a = 1`,
    sql`UPDATE t SET a = 1 WHERE id = 2 RETURNING a`,
    sql`INSERT INTO t SELECT 1`,
  ]) {
    assert.throws(() => mergedBatch([statement], [[]]), /a batch accepts/)
  }
})
