import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createTestDatabase, type EngineName, engines, skipIfUnavailable } from '@gatehouse/testkit/databases'
import { startService, type TestService } from '@gatehouse/testkit/service'
import { totpCode } from '../../accounts/second-factor/second-factor-testing.ts'
import { password } from '../../accounts/users/users-testing.ts'
import { refresh } from '../../oauth/oauth-testing.ts'
import { openMigrated } from '../open.ts'
import { copyDatabase } from './copy.ts'
import { type Populated, populate } from './populated.fixture.ts'

/** The responses differ in each process, or are forms with a new token. */
const changing = ['/metrics', '/oauth2/authorize', '/oauth2/logout']

type Responses = Record<string, { status: number; type: string | null; text: string }>

/** Sends every GET request of the API document as every caller. */
async function readAll(service: TestService, { callers, parameters }: Populated): Promise<Responses> {
  const { paths } = (await service.client().get('/api/openapi.json')).body
  const templates = Object.keys(paths).filter(path => paths[path].get && !changing.includes(path))
  const responses: Responses = {}
  for (const template of templates) {
    const path = fill(template, parameters)
    const requests = Object.entries(callers).map(async ([name, { client, headers }]) => {
      const reply = await client.get(path, headers)
      const type = reply.headers.get('content-type')
      responses[`${template} ${name}`] = { status: reply.status, type, text: reply.text }
    })
    await Promise.all(requests)
    const succeeded = Object.keys(callers).some(
      name => (responses[`${template} ${name}`]?.status ?? 400) < 400,
    )
    assert.ok(succeeded, `${path}: ${JSON.stringify(responses[`${template} ana`])}`)
  }
  assert.ok(templates.length > 40, `${templates.length} operations`)
  return responses
}

function fill(template: string, parameters: Readonly<Record<string, string>>): string {
  return template.replace(/\{\w+\}/g, (name, start: number) => {
    const value = parameters[template.slice(0, start + name.length)]
    assert.ok(value, `${template} has a parameter that the test does not know`)
    return value
  })
}

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
