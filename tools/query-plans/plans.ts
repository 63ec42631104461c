import { type Database, list, type SqlValue } from '../../packages/server/src/storage/database.ts'
import type { Statement } from './statements.ts'

/** A table that the engine reads from one end to the other, or an index without a key. */
export interface Scan {
  place: string
  table: string
  /** Undefined where no index is used. */
  index: string | undefined
  /** The engine's own words. */
  plan: string
}

/**
 * Makes every table of a database that is thrown away afterwards one with rows, each different from the others in every
 * column: PostgreSQL plans by what it knows of them. SQLite plans by the schema alone.
 */
export async function fillTables(db: Database): Promise<void> {
  if (db.engine === 'sqlite') return
  await db.run`
    DO $$
    DECLARE t record;
    BEGIN
      FOR t IN SELECT conrelid::regclass AS name, conname FROM pg_constraint
        WHERE contype = 'f' AND connamespace = current_schema()::regnamespace
      LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', t.name, t.conname);
      END LOOP;
      FOR t IN SELECT table_name AS name, string_agg(quote_ident(column_name), ', ') AS columns,
          string_agg(CASE data_type WHEN 'text' THEN quote_literal(column_name) || ' || i'
            WHEN 'bytea' THEN quote_literal('') || '::bytea' ELSE 'i' END, ', ') AS texts
        FROM information_schema.columns WHERE table_schema = current_schema() GROUP BY table_name
      LOOP
        EXECUTE format('INSERT INTO %I (%s) SELECT %s FROM generate_series(1, 500) AS i ON CONFLICT DO NOTHING',
          t.name, t.columns, t.texts);
      END LOOP;
    END $$`
  await db.run`ANALYZE`
}

/** Of tables only: what a list of values or a part of the statement gives is read whole, and small. */
export async function listTables(db: Database): Promise<string[]> {
  const rows =
    db.engine === 'sqlite'
      ? await db.all<{ name: string }>`SELECT name FROM sqlite_schema WHERE type = 'table'`
      : await db.all<{
          name: string
        }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`
  return rows.map(({ name }) => name)
}

/** Foreign keys, as `child (columns) of parent`, for which no index begins with their columns: SQLite alone tells. */
export async function listKeysWithoutIndex(db: Database): Promise<{ key: string; parent: string }[]> {
  return db.all<{ key: string; parent: string }>`
    SELECT k.child || ' (' || k.columns || ') of ' || k.parent AS key, k.parent FROM
      (SELECT t.name AS child, f."table" AS parent, group_concat(f."from", ', ') AS columns
       FROM sqlite_schema t, pragma_foreign_key_list(t.name) f WHERE t.type = 'table' GROUP BY t.name, f.id) k
    WHERE NOT EXISTS
      (SELECT 1 FROM pragma_index_list(k.child) l JOIN sqlite_schema s ON s.type = 'index' AND s.name = l.name
       WHERE (l.partial = 0 OR s.sql LIKE '% WHERE ' || k.columns || ' IS NOT NULL') AND
        (SELECT group_concat(i.name, ', ') FROM pragma_index_info(l.name) i) || ',' LIKE k.columns || ',%')`
}

/** What the engine would read whole to run the statement. Nothing is run. */
export async function findScans(db: Database, statement: Statement): Promise<Scan[]> {
  const found = db.engine === 'sqlite' ? await onSqlite(db, statement) : await onPostgres(db, statement)
  return found.map(scan => ({ place: statement.place, ...scan }))
}

type Found = Omit<Scan, 'place'>

async function onSqlite(db: Database, { parts }: Statement): Promise<Found[]> {
  const rows = await db.all<{ detail: string }>(template('EXPLAIN QUERY PLAN ', parts), ...valuesFor(parts))
  return rows.flatMap(({ detail }) => {
    const [, table, index] = /^SCAN (\w+)(?:.* INDEX (\w+))?/.exec(detail) ?? []
    return table === undefined ? [] : [{ table: realName(parts, table), index, plan: detail }]
  })
}

/** As far as we look into EXPLAIN (FORMAT JSON). */
interface Node {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Filter?: string
  Plans?: Node[]
}

async function onPostgres(db: Database, { parts }: Statement): Promise<Found[]> {
  const [answer] = await db.transaction(async tx => {
    // So that it shows whether an index can serve: a table of the tests is so small that reading it is cheapest.
    await tx.run`SET LOCAL enable_seqscan = off`
    await tx.run`SET LOCAL enable_hashjoin = off`
    await tx.run`SET LOCAL enable_mergejoin = off`
    return tx.all<{ 'QUERY PLAN': [{ Plan: Node }] }>(
      template('EXPLAIN (FORMAT JSON) ', parts),
      ...valuesFor(parts),
    )
  })
  return answer === undefined ? [] : scansIn(answer['QUERY PLAN'][0].Plan, '')
}

function scansIn(node: Node, tableAbove: string): Found[] {
  const table = node['Relation Name'] ?? tableAbove
  const type = node['Node Type']
  const below = (node.Plans ?? []).flatMap(child => scansIn(child, table))
  const isWhole =
    type === 'Seq Scan' || (/^(Bitmap )?Index (Only )?Scan$/.test(type) && node['Index Cond'] === undefined)
  const index = node['Index Name']
  const plan = [type, index, node.Filter].filter(Boolean).join(', ')
  return isWhole ? [{ table, index, plan }, ...below] : below
}

/** The port takes literals as a rule; here the text of one is put behind another. */
function template(prefix: string, [first = '', ...rest]: readonly string[]): TemplateStringsArray {
  const texts = [prefix + first, ...rest]
  return Object.assign(texts, { raw: texts })
}

/** Something for each place, so that nothing is decided by a null. */
function valuesFor(parts: readonly string[]): SqlValue[] {
  return parts.slice(0, -1).map(before => (/\bIN\s*$/i.test(before) ? list(['1']) : '1'))
}

/** SQLite names a table by its alias. */
function realName(parts: readonly string[], alias: string): string {
  const named = new RegExp(`\\b(?:FROM|JOIN|,)\\s+(\\w+)\\s+(?:AS\\s+)?${alias}\\b`).exec(parts.join('?'))
  return named?.[1] ?? alias
}
