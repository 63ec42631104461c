import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createTestDatabase, type EngineName, engines, skipIfUnavailable } from '@gatehouse/testkit/databases'
import { startService } from '@gatehouse/testkit/service'
import { totpCode } from '../../accounts/second-factor/second-factor-testing.ts'
import { password } from '../../accounts/users/users-testing.ts'
import { refresh } from '../../oauth/oauth-testing.ts'
import { openMigrated } from '../open.ts'
import { copyDatabase } from './copy.ts'
import { populate, readAll } from './populated.fixture.ts'

async function listTableNames(url: string): Promise<string[]> {
  const db = await openMigrated(url)
  const rows =
    db.engine === 'sqlite'
      ? await db.all<{ name: string }>`SELECT name FROM sqlite_schema WHERE type = 'table'`
      : await db.all<{ name: string }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`
  await db.close()
  const names = rows.map(({ name }) => name)
  return names.filter(name => name !== 'migrations').toSorted()
}

async function createTarget(t: TestContext, engine: EngineName): Promise<string> {
  if (engine === 'postgres') {
    const { url, remove } = await createTestDatabase(engine)
    t.after(remove)
    return url
  }
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-copy-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return `sqlite:${join(folder, 'new', 'gatehouse.db')}`
}

for (const { name: from } of engines) {
  for (const { name: to } of engines) {
    test(`community/copy: a service on the copy has the same responses and credentials (${from} to ${to})`, async t => {
      if ((await skipIfUnavailable(t, from)) || (await skipIfUnavailable(t, to))) return
      const service = await startService(t, { engine: from })
      const target = await createTarget(t, to)
      const populated = await populate(service)
      const before = await readAll(service, populated)
      assert.deepEqual(await readAll(service, populated), before, 'the requests change no response')
      await service.stop()

      const tables = await copyDatabase({
        from: service.config.databaseUrl,
        to: target,
        clock: service.clock.now,
        onProgress: () => undefined,
      })
      assert.deepEqual(tables.map(({ name }) => name).toSorted(), await listTableNames(target))
      const empty = tables.filter(table => table.from.rows === 0).map(({ name }) => name)
      assert.deepEqual(empty, [], 'populate() must fill every table')
      assert.deepEqual(
        tables.filter(({ isEqual }) => !isEqual),
        [],
      )

      await service.restart(target)
      assert.deepEqual(await readAll(service, populated), before)
      const refreshed = await refresh(service, populated.application, populated.refreshToken)
      assert.equal(refreshed.status, 200, refreshed.text)
      const posted = await service.client().json('POST', populated.webhookPath, { content: 'Still here' })
      assert.equal(posted.status, 204, posted.text)
      const client = service.client()
      const login = await client.json('POST', '/api/auth/login', { login: 'ana', password })
      const code = await totpCode(service, populated.totpSecret)
      const signedIn = await client.json('POST', '/api/auth/login/second-factor', {
        ticket: login.body.ticket,
        code,
      })
      assert.equal(signedIn.status, 200, signedIn.text)
    })
  }
}
