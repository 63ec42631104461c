import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { has, Permission } from '@gatehouse/protocol/permissions'
import { createTestClock } from '@gatehouse/testkit/clock'
import { type EngineName, engines, skipIfUnavailable } from '@gatehouse/testkit/databases'
import { PostgresClient } from '@gatehouse/testkit/postgres-client'
import { createDurableDatabase } from '@gatehouse/testkit/postgres-databases'
import { startService, type TestClient, type TestService } from '@gatehouse/testkit/service'
import { totpCode } from '../accounts/second-factor/second-factor-testing.ts'
import { password } from '../accounts/users/users-testing.ts'
import { refresh } from '../oauth/oauth-testing.ts'
import { openSide } from './copy/open-side.ts'
import { type Populated, readAll } from './copy/populated.fixture.ts'
import { listTables } from './copy/tables.ts'
import { listPendingMigrations, migrate } from './migrate.ts'
import { openMigrated } from './open.ts'

// `upgrade/` has a database of 0.3.0 for each engine, with rows in every table, and a JSON file with its secrets.
// tools/record-database.ts wrote them.

const folder = join(import.meta.dirname, 'upgrade')

interface Recorded extends Omit<Populated, 'callers'> {
  now: number
  /** By the name of the caller. */
  headers: Record<string, Record<string, string>>
}

const recorded: Record<EngineName, Recorded> & { secretKey: string } = JSON.parse(
  readFileSync(join(folder, '0.3.0.json'), 'utf8'),
)

function createFolder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'gatehouse-upgrade-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** Resolves to the URL of a copy of the database. */
async function restore(t: TestContext, engine: EngineName): Promise<string> {
  if (engine === 'sqlite') {
    const path = join(createFolder(t), 'gatehouse.db')
    writeFileSync(path, gunzipSync(readFileSync(join(folder, '0.3.0.sqlite.gz'))))
    return `sqlite:${path}`
  }
  const { url, drop } = await createDurableDatabase()
  t.after(drop)
  const client = new PostgresClient(url)
  await client.query(gunzipSync(readFileSync(join(folder, '0.3.0.postgres.sql.gz'))).toString())
  await client.close()
  return url
}

/** The tables with their columns, and the foreign keys. */
async function describe(url: string): Promise<unknown> {
  const side = await openSide(url, { lock: false })
  try {
    const byText = (rows: readonly unknown[]) => rows.map(row => JSON.stringify(row)).toSorted()
    return { columns: byText(await side.describeColumns()), references: byText(await side.listReferences()) }
  } finally {
    await side.close()
  }
}

async function listEmptyTables(url: string): Promise<string[]> {
  const side = await openSide(url, { lock: false })
  try {
    const empty: string[] = []
    for (const { name } of await listTables(side, [])) {
      if ((await side.query(`SELECT 1 AS one FROM ${name} LIMIT 1`)).length === 0) empty.push(name)
    }
    return empty
  } finally {
    await side.close()
  }
}

/** Signs in again: the recorded sessions are cookies of clients that no longer exist. */
async function signIn(service: TestService, login: string, totpSecret?: string): Promise<TestClient> {
  const client = service.client()
  const { status, body } = await client.json('POST', '/api/auth/login', { login, password })
  if (totpSecret === undefined) assert.equal(status, 200)
  else {
    assert.deepEqual([status, body.code], [401, 'second_factor_required'])
    const code = await totpCode(service, totpSecret)
    const reply = await client.json('POST', '/api/auth/login/second-factor', { ticket: body.ticket, code })
    assert.equal(reply.status, 200, reply.text)
  }
  return client
}

for (const { name: engine } of engines) {
  test(`a database of 0.3.0 is migrated and serves all that it contains (${engine})`, async t => {
    if (await skipIfUnavailable(t, engine)) return
    const { now, headers, ...written } = recorded[engine]
    const databaseUrl = await restore(t, engine)
    assert.deepEqual(await listEmptyTables(databaseUrl), [])
    // The migrations that were added since.
    assert.deepEqual(await listPendingMigrations(databaseUrl), [
      '0002-sign-in-settings',
      '0003-audit-log',
      '0004-blocks',
      '0005-administration',
      '0006-server-safety',
      '0007-channels',
      '0008-reports',
      '0009-instance',
      '0010-security-log',
      '0011-health',
      '0012-discord',
      '0013-verified-email',
      '0014-sign-in-failures',
      '0020-invite-channels',
      '0021-webhook-applications',
      '0022-commands-not-registered',
    ])

    const env = { SECRET_KEY: recorded.secretKey }
    const service = await startService(t, { engine, env, clock: createTestClock(now) })
    await service.restart(databaseUrl)
    assert.deepEqual(await describe(databaseUrl), await describe(service.config.databaseUrl))
    const ana = await signIn(service, 'ana', written.totpSecret)
    const ben = await signIn(service, 'ben')
    const callers = Object.fromEntries(
      Object.entries(headers).map(([name, credential]) => {
        const client = name === 'ana' ? ana : name === 'ben' ? ben : service.client()
        return [name, { client, headers: credential }]
      }),
    )
    await readAll(service, { ...written, callers })
    // Every member can still create invites.
    const everyone = await service.db.all<{ permissions: string }>`
      SELECT permissions FROM roles WHERE id = server_id`
    assert.ok(everyone.length > 0)
    for (const role of everyone) assert.ok(has(BigInt(role.permissions), Permission.CREATE_INVITE))

    const channel = `/api/channels/${written.parameters['/api/channels/{id}']}/messages`
    const sent = await ana.json('POST', channel, { content: 'Still here' })
    assert.equal(sent.status, 201, sent.text)
    const posted = await service.client().json('POST', written.webhookPath, { content: 'Deployed again' })
    assert.equal(posted.status, 204, posted.text)
    const refreshed = await refresh(service, written.application, written.refreshToken)
    assert.equal(refreshed.status, 200, refreshed.text)
  })

  test(`a new migration changes the rows of a database of 0.3.0 (${engine})`, async t => {
    if (await skipIfUnavailable(t, engine)) return
    const databaseUrl = await restore(t, engine)
    await migrate(databaseUrl)
    const planted = join(createFolder(t), 'migrations')
    mkdirSync(planted)
    cpSync(join(import.meta.dirname, 'migrations'), planted, { recursive: true })
    writeFileSync(
      join(planted, '9999-planted.sql'),
      'ALTER TABLE messages ADD COLUMN pinned SMALLINT NOT NULL DEFAULT 0; UPDATE messages SET pinned = 1',
    )
    const migrations = pathToFileURL(`${planted}/`)
    assert.deepEqual(await listPendingMigrations(databaseUrl, migrations), ['9999-planted'])
    assert.deepEqual(await migrate(databaseUrl, { folder: migrations }), ['9999-planted'])
    assert.deepEqual(await migrate(databaseUrl, { folder: migrations }), [])
    const db = await openMigrated(databaseUrl)
    t.after(() => db.close())
    const rows = await db.all<{ pinned: number }>`SELECT pinned FROM messages`
    assert.deepEqual(new Set(rows.map(({ pinned }) => pinned)), new Set([1]))
    await assert.rejects(listPendingMigrations(databaseUrl), /newer than this version.*9999-planted/)
  })
}
