import assert from 'node:assert/strict'
import { access, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTestNats, testNatsUrl } from '@gatehouse/testkit/bus'
import { createTestClock } from '@gatehouse/testkit/clock'
import { eachDatabase, openTestDatabase } from '@gatehouse/testkit/databases'
import { freePort, startService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import { compose, type Overrides } from './compose.ts'
import { type Config, readConfig } from './config.ts'
import { createLogger } from './http/log.ts'
import { openDatabase } from './storage/open.ts'

const logger = createLogger('silent')

async function configOf(url: string, env: Record<string, string> = {}): Promise<Config> {
  const secretKey = Buffer.alloc(32, 1).toString('base64')
  return {
    ...readConfig({ SECRET_KEY: secretKey, PORT: String(await freePort()), ...env }),
    databaseUrl: url,
  }
}

/**
 * Open connections to the database, without the one for this query. SQLite has a WAL file while the database is open.
 */
async function countConnections(url: string): Promise<number> {
  if (url.startsWith('sqlite:')) {
    return access(`${url.slice('sqlite:'.length)}-wal`).then(
      () => 1,
      () => 0,
    )
  }
  const db = await openDatabase(url)
  try {
    const row = await db.get<{ n: number }>`
      SELECT count(*) AS n FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'gatehouse' AND pid <> pg_backend_pid()`
    return Number(row?.n)
  } finally {
    await db.close()
  }
}

/** The server may end a closed connection later, also that of the last count. */
async function assertClosed(url: string): Promise<void> {
  await waitUntil(async () => (await countConnections(url)) === 0, 'connections are still open')
}

eachDatabase('closes the database if the bus is not reachable', async (_t, { db, url }) => {
  await db.close()
  const config = await configOf(url, { NATS_URL: `nats://127.0.0.1:${await freePort()}` })
  await assert.rejects(compose(config, logger))
  await assertClosed(url)
})

eachDatabase('closes everything if no node number is free', async (_t, { db, url }) => {
  const clock = createTestClock()
  await db.transaction(async tx => {
    for (let id = 0; id < 1024; id++) {
      await tx.run`INSERT INTO nodes (id, holder, expires_at) VALUES (${id}, 'other', ${clock.now() + 60_000})`
    }
  })
  await db.close()
  await assert.rejects(compose(await configOf(url), logger, { clock: clock.now }), /node numbers are leased/)
  await assertClosed(url)
})

eachDatabase('closes everything once if the last step of the start fails', async (_t, { db, url }) => {
  await db.close()
  const clock = createTestClock()
  let closeCount = 0
  const mailer = {
    async send() {},
    deliver: async () => undefined,
    async close() {
      closeCount++
    },
  }
  const overrides: Overrides = {
    clock: clock.now,
    mailer,
    timers: {
      after(ms, f) {
        // The renewal of the node's lease is the last timer.
        if (ms === 20_000) throw new Error('no more timers')
        return clock.timers.after(ms, f)
      },
    },
  }
  await assert.rejects(compose(await configOf(url), logger, overrides), { message: 'no more timers' })
  assert.equal(closeCount, 1)
  await assertClosed(url)
  const again = await openDatabase(url)
  const [node] = await again.all<{ holder: string }>`SELECT holder FROM nodes`
  assert.deepEqual({ ...node }, { holder: '' })
  await again.close()
})

eachDatabase(
  'closes all other parts if one fails to close, and rejects with its error',
  async (_t, { db, url }) => {
    await db.close()
    const mailer = {
      async send() {},
      deliver: async () => undefined,
      async close() {
        throw new Error('the mailer does not close')
      },
    }
    const service = await compose(await configOf(url), logger, { mailer })
    await assert.rejects(service.close(), { message: 'the mailer does not close' })
    await assertClosed(url)
    await service.close()
  },
)

test('the nodes of a cluster do not learn of a command', async t => {
  const nats = await openTestNats(t)
  if (nats === undefined) return
  const options = { natsPrefix: nats.prefix, env: { NATS_URL: testNatsUrl } }
  const service = await startService(t, options)
  const announcements: unknown[] = []
  const [bus] = nats.nodes
  await bus.subscribe('nodes', announcement => announcements.push(announcement))
  const command = await compose(service.config, logger, { isCommand: true, natsPrefix: nats.prefix })
  await command.close()
  // Resolves after the announcements.
  await bus.subscribe('later', () => {})
  assert.deepEqual(announcements, [])
})

test('startService leaves no files if the service cannot listen', async t => {
  // Before TMPDIR changes, because the template database for the tests is created once and remains.
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
