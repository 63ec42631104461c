import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Database } from '../../packages/server/src/storage/database.ts'
import { eachEngine, openTestDatabase } from '../../packages/server/src/storage/testing.ts'
import { fillTables, findScans, listKeysWithoutIndex, listTables } from './plans.ts'
import { listStatements, type Statement } from './statements.ts'

const root = join(import.meta.dirname, '../..')

/** What may be read whole: a table by the function that does it, or a partial index; and why it stays small. */
const allowed: Record<string, string> = {
  'oauth/signing-keys/store.ts listSigningKeys oauth_signing_keys': 'one key a year; all are published',
  'storage/node-lease.ts take nodes': '1,024 rows at most (D5), read once at the start of a node',
  interactions_pending: 'what is seconds old, and what a dead node has left',
  interactions_deferred: 'what was put off in the last 15 minutes',
  authenticator_apps_unconfirmed: 'what was begun and not finished; swept',
}

async function scansOf(db: Database, statements: readonly Statement[]): Promise<string[]> {
  const tables = new Set(await listTables(db))
  const found: string[] = []
  for (const statement of statements) {
    for (const { place, table, index, plan } of await findScans(db, statement)) {
      const isAllowed = [`${place.replace(/:\d+/, '')} ${table}`, index ?? ''].some(name => name in allowed)
      if (tables.has(table) && !isAllowed) found.push(`${place}: ${table} (${plan})`)
    }
  }
  return found
}

eachEngine('no statement of the service reads a table that grows from end to end', async (_t, db) => {
  const statements = listStatements(root)
  assert.ok(statements.length > 200, `only ${statements.length} statements were found`)
  await fillTables(db)
  assert.deepEqual(await scansOf(db, statements), [])
})

eachEngine('a statement without a key is found', async (_t, db) => {
  const planted = (text: string): Statement => ({ place: 'planted.ts:1 f', parts: text.split('?') })
  const whole = [
    'SELECT id FROM messages WHERE content = ?',
    'SELECT m.id FROM messages m JOIN users u ON u.id = m.author_id WHERE u.display_name = ?',
    'UPDATE users SET avatar = NULL WHERE avatar = ?',
    'DELETE FROM oauth_grants WHERE issued_at <= ?',
    'SELECT id FROM interactions WHERE user_id = ? ORDER BY id DESC',
    'SELECT COUNT(*) FROM members',
  ]
  await fillTables(db)
  for (const text of whole) assert.notDeepEqual(await scansOf(db, [planted(text)]), [], text)
  const keyed = [
    'SELECT id FROM messages WHERE channel_id = ? AND id < ? ORDER BY id DESC LIMIT ?',
    'SELECT id FROM users WHERE id IN ?',
    'DELETE FROM oauth_grants WHERE id IN (SELECT id FROM oauth_grants WHERE expires_at <= ? LIMIT ?)',
  ]
  for (const text of keyed) assert.deepEqual(await scansOf(db, [planted(text)]), [], text)
})

test('what goes with a row that is deleted is found by an index', async t => {
  const database = await openTestDatabase('sqlite')
  t.after(() => database.close())
  const deletedFrom = new Set(
    listStatements(root).flatMap(({ parts }) =>
      [...parts.join('?').matchAll(/DELETE FROM (\w+)/g)].map(([, table]) => table),
    ),
  )
  assert.ok(deletedFrom.has('channels') && deletedFrom.has('oauth_grants'))
  const unindexed = await listKeysWithoutIndex(database.db)
  const slow = unindexed.filter(({ parent }) => deletedFrom.has(parent))
  assert.deepEqual(slow, [])
  await database.db.run`CREATE TABLE planted (id TEXT PRIMARY KEY, channel_id TEXT REFERENCES channels (id))`
  const found = (await listKeysWithoutIndex(database.db)).map(({ key }) => key)
  assert.ok(found.includes('planted (channel_id) of channels'))
})
