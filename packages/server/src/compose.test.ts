import assert from 'node:assert/strict'
import { access, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { compose, type Given } from './compose.ts'
import { type Config, readConfig } from './config.ts'
import { createLogger } from './http/log.ts'
import { createTestClock } from './kit/testing.ts'
import { openDatabase } from './storage/open.ts'
import { eachDatabase, openTestDatabase } from './storage/testing.ts'
import { freePort, startService } from './testing.ts'

const logger = createLogger('silent')

async function configOf(url: string, env: Record<string, string> = {}): Promise<Config> {
  const secretKey = Buffer.alloc(32, 1).toString('base64')
  return {
    ...readConfig({ SECRET_KEY: secretKey, PORT: String(await freePort()), ...env }),
    databaseUrl: url,
  }
}

/** How many connections to the database there are beside the one that asks; a file of SQLite has its log while open. */
async function connections(url: string): Promise<number> {
  if (url.startsWith('sqlite:')) {
    return access(`${url.slice('sqlite:'.length)}-wal`).then(
      () => 1,
      () => 0,
    )
  }
  const db = await openDatabase(url)
  try {
    const row = await db.get<{ n: number }>`
      SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
    return Number(row?.n)
  } finally {
    await db.close()
  }
}

/** What the process still waits for; a connection that was closed is gone within a turn of the loop or a few. */
async function assertClosed(url: string): Promise<void> {
  for (let turn = 0; turn < 100 && (await connections(url)) > 0; turn++) {
    await new Promise(resolve => setImmediate(resolve))
  }
  assert.equal(await connections(url), 0)
}

eachDatabase('a start without its bus leaves no connection to the database', async (_t, { db, url }) => {
  await db.close()
  const config = await configOf(url, { NATS_URL: `nats://127.0.0.1:${await freePort()}` })
  await assert.rejects(compose(config, logger))
  await assertClosed(url)
})

eachDatabase('a start for which no node number is left closes what it opened', async (_t, { db, url }) => {
  const clock = createTestClock()
  await db.transaction(async tx => {
    for (let id = 0; id < 1024; id++) {
      await tx.run`INSERT INTO nodes (id, holder, expires_at) VALUES (${id}, 'other', ${clock.now() + 60_000})`
    }
  })
  await db.close()
  await assert.rejects(compose(await configOf(url), logger, { clock: clock.now }), /node numbers are held/)
  await assertClosed(url)
})

eachDatabase('a start that fails at its last step closes everything, each once', async (_t, { db, url }) => {
  await db.close()
  const clock = createTestClock()
  let closings = 0
  const mailer = {
    async send() {},
    async close() {
      closings++
    },
  }
  const given: Given = {
    clock: clock.now,
    mailer,
    timers: {
      after(ms, f) {
        // Of all turns, the renewal of the node's lease is set last.
        if (ms === 20_000) throw new Error('no more timers')
        return clock.timers.after(ms, f)
      },
    },
  }
  await assert.rejects(compose(await configOf(url), logger, given), { message: 'no more timers' })
  assert.equal(closings, 1)
  await assertClosed(url)
  const again = await openDatabase(url)
  const [node] = await again.all<{ holder: string }>`SELECT holder FROM nodes`
  assert.deepEqual({ ...node }, { holder: '' })
  await again.close()
})

eachDatabase('a part that fails to close keeps no other open, and is told of', async (_t, { db, url }) => {
  await db.close()
  const mailer = {
    async send() {},
    async close() {
      throw new Error('the mailer does not close')
    },
  }
  const service = await compose(await configOf(url), logger, { mailer })
  await assert.rejects(service.close(), { message: 'the mailer does not close' })
  await assertClosed(url)
  await service.close()
})

test('a service for a test that cannot listen leaves neither data nor connections', async t => {
  // Before the folder changes: the empty database from which those of the tests are copied outlives them.
  await (await openTestDatabase('sqlite')).close()
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-compose-'))
  const { TMPDIR } = process.env
  t.after(async () => {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
    await rm(folder, { recursive: true, force: true })
  })
  process.env.TMPDIR = folder
  await assert.rejects(startService(t, { env: { HOST: '203.0.113.1' } }), { code: 'EADDRNOTAVAIL' })
  assert.deepEqual(await readdir(folder), [])
})
