import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createTestDatabase, skipIfUnavailable } from '@gatehouse/testkit/databases'
import { startPgBouncer } from '@gatehouse/testkit/local-servers'
import { openDatabase } from '../open.ts'

async function startPooler(t: TestContext, poolMode: 'session' | 'transaction') {
  if (await skipIfUnavailable(t, 'postgres')) return undefined
  const database = await createTestDatabase('postgres')
  t.after(() => database.remove())
  const pooler = await startPgBouncer(database.url, poolMode)
  if (!pooler) {
    const reason = 'PgBouncer is not installed'
    if (process.env.REQUIRE_SERVICES === '1') throw new Error(reason)
    t.skip(reason)
    return undefined
  }
  t.after(() => pooler.remove())
  return pooler.url
}

test('works through PgBouncer with session pooling', async t => {
  const url = await startPooler(t, 'session')
  if (url === undefined) return
  for (let run = 0; run < 2; run++) {
    const db = await openDatabase(url)
    const settings = await db.transaction(async tx => {
      await tx.run`INSERT INTO nodes (id, holder, expires_at) VALUES (${run}, 'x', 0)`
      return tx.get`SELECT current_setting('statement_timeout') AS statement_timeout`
    })
    assert.deepEqual(settings, { statementTimeout: '10s' })
    const rows = await Promise.all(
      Array.from({ length: 100 }, () => db.all`SELECT id FROM nodes ORDER BY id`),
    )
    assert.ok(rows.every(({ length }) => length === run + 1))
    await db.close()
  }
})

test('refuses PgBouncer with transaction pooling, with a message', async t => {
  const url = await startPooler(t, 'transaction')
  if (url === undefined) return
  await assert.rejects(openDatabase(url), /pools transactions\. The service needs session pooling/)
})
