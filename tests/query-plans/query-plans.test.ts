import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Database, eachDatabase, openTestDatabase } from '@gatehouse/testkit/databases'
import { fillTables, listTables } from './fill.ts'
import { explain, listKeysWithoutIndex } from './plans.ts'
import { listStatements, type Statement } from './statements.ts'

/** Acceptable full scans: `file function table`, or a partial index, and why it stays small. */
const allowed: Record<string, string> = {
  'oauth/signing-key-store.ts listSigningKeys oauth_signing_keys':
    'one new key per year; the JWKS contains all keys',
  'storage/node-lease.ts acquire nodes': 'at most 1,024 rows (community/ids), read once when a node starts',
  'storage/node-lease.ts listNodes nodes': 'at most 1,024 rows, read when an administrator looks',
  interactions_pending: 'interactions of the last seconds, and those of a node that crashed',
  interactions_deferred: 'deferred responses of the last 15 minutes',
  users_administrators: 'the administrators of the instance',
  authenticator_apps_unconfirmed: 'unconfirmed enrolments; a sweep deletes them',
}

const planted = (text: string): Statement => ({ place: 'planted', parts: text.split('?') })

async function findForbiddenScans(db: Database, statements: readonly Statement[]): Promise<string[]> {
  const tables = new Set((await listTables(db)).map(({ name }) => name))
  const found: string[] = []
  for (const statement of statements) {
    const { place } = statement
    for (const { table, index = '', isFullScan, plan } of await explain(db, statement)) {
      const isAllowed = index in allowed || `${place.replace(/:\d+/, '')} ${table}` in allowed
      if (isFullScan && tables.has(table) && !isAllowed) found.push(`${place}: ${table} (${plan})`)
    }
  }
  return found
}

eachDatabase('no statement of the service scans a growing table', async (_t, database) => {
  const statements = listStatements()
  assert.ok(statements.length > 200, `found only ${statements.length} statements`)
  await fillTables(database, 'all')
  assert.deepEqual(await findForbiddenScans(database.db, statements), [])
})

eachDatabase('reports statements that no index supports', async (_t, database) => {
  const unindexedStatements = [
    'SELECT id FROM messages WHERE content = ?',
    'SELECT m.id FROM messages m JOIN users u ON u.id = m.author_id WHERE u.display_name = ?',
    'UPDATE users SET avatar = NULL WHERE avatar = ?',
    'DELETE FROM oauth_grants WHERE issued_at <= ?',
    'SELECT id FROM interactions WHERE user_id = ? ORDER BY id DESC',
    'SELECT COUNT(*) FROM members',
  ]
  await fillTables(database, 'all')
  for (const text of unindexedStatements)
    assert.notDeepEqual(await findForbiddenScans(database.db, [planted(text)]), [], text)
  const indexedStatements = [
    'SELECT id FROM messages WHERE channel_id = ? AND id < ? ORDER BY id DESC LIMIT ?',
    'SELECT id FROM users WHERE id IN ?',
    'DELETE FROM oauth_grants WHERE id IN (SELECT id FROM oauth_grants WHERE expires_at <= ? LIMIT ?)',
  ]
  for (const text of indexedStatements)
    assert.deepEqual(await findForbiddenScans(database.db, [planted(text)]), [], text)
})

/** The tables of the lists in a statement: `FROM table … ORDER BY … LIMIT`. */
function listedTables({ parts }: Statement): string[] {
  const lists = parts
    .join('?')
    .split(/\bORDER BY\b[^()]*\bLIMIT\b/)
    .slice(0, -1)
  return lists.map(before => [...before.matchAll(/\bFROM (\w+)/g)].at(-1)?.[1] ?? '')
}

/** The indexes of the table that the statement uses. */
async function findIndexes(db: Database, statement: Statement, table: string): Promise<Set<string>> {
  const steps = await explain(db, statement)
  const indexes = steps.filter(step => step.table === table).map(({ index }) => index)
  return new Set(indexes.filter(index => index !== undefined))
}

/** Lists that use another index of their table if the rows are skewed. */
async function findChangedPlans(uniform: Database, skewed: Database, statements: readonly Statement[]) {
  const found: string[] = []
  for (const statement of statements) {
    for (const table of listedTables(statement)) {
      const expected = await findIndexes(uniform, statement, table)
      const used = await findIndexes(skewed, statement, table)
      const [missing, other] = [expected.difference(used), used.difference(expected)]
      if (missing.size > 0 && other.size > 0)
        found.push(`${statement.place}: ${[...other]} for ${[...missing]}`)
    }
  }
  return found
}

for (const distinct of ['first column of keys', 'last column of keys'] as const) {
  const name = `a list reads the same index if most rows have the same parent and only the ${distinct} differs`
  eachDatabase(name, async (t, skewed) => {
    const uniform = await openTestDatabase(skewed.db.engine)
    t.after(() => uniform.close())
    await fillTables(uniform, 'all')
    await fillTables(skewed, distinct)
    const lists = listStatements().filter(statement => listedTables(statement).length > 0)
    assert.ok(lists.length > 20, `found only ${lists.length} lists`)
    assert.deepEqual(await findChangedPlans(uniform.db, skewed.db, lists), [])
    // The planner of SQLite does not make this mistake.
    if (skewed.db.engine === 'sqlite') return
    const list =
      'SELECT id, content FROM messages WHERE channel_id = ? AND id > ? AND id < ? ORDER BY id DESC LIMIT ?'
    const changed = await findChangedPlans(uniform.db, skewed.db, [planted(list)])
    assert.deepEqual(changed, ['planted: messages_pkey for messages_of_channel'])
  })
}

test('foreign keys to tables with deletions have an index', async t => {
  const database = await openTestDatabase('sqlite')
  t.after(() => database.close())
  const deletions = listStatements().flatMap(({ parts }) => [
    ...parts.join('?').matchAll(/DELETE FROM (\w+)/g),
  ])
  const deletedFrom = new Set(deletions.map(([, table]) => table))
  assert.ok(deletedFrom.has('channels') && deletedFrom.has('oauth_grants'))
  const unindexed = await listKeysWithoutIndex(database.db)
  const violations = unindexed.filter(({ parent }) => deletedFrom.has(parent))
  assert.deepEqual(violations, [])
  await database.db.run`CREATE TABLE planted (id TEXT PRIMARY KEY, channel_id TEXT REFERENCES channels (id))`
  const found = (await listKeysWithoutIndex(database.db)).map(({ key }) => key)
  assert.ok(found.includes('planted (channel_id) of channels'))
})
