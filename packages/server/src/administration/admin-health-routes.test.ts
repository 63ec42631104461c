import assert from 'node:assert/strict'
import { test } from 'node:test'
import { version } from '@gatehouse/protocol/version'
import { createOperator } from '@gatehouse/testkit/administration'
import { eachService, freePort, startNodes, startService } from '@gatehouse/testkit/service'
import { recordBackupTime } from '../cli/database-commands.ts'

const path = '/api/admin/health'

eachService(
  'an administrator sees version, nodes, database, mails, disk and last backup (administration/health)',
  async (_t, service) => {
    const { client, password } = await createOperator(service)
    const { engine } = service.db
    const { status, body } = await client.get(path)
    assert.equal(status, 200)
    assert.equal(body.version, version)
    assert.deepEqual(body.nodes, [{ id: 0, lastSeenAt: new Date(service.clock.now()).toISOString() }])
    const { database, disk } = body
    assert.deepEqual([database.engine, database.lastMigration], [engine, '0022-commands-not-registered'])
    assert.match(database.serverVersion, engine === 'sqlite' ? /^3\.\d+/ : /^1\d/)
    assert.ok(database.size > 100_000)
    // The clock of the test stands still.
    assert.equal(database.ok, false)
    assert.match(database.problem, /^The clock of this machine is [\d.]+ s behind that of the database\./)
    assert.deepEqual(body.bus, { ok: true, problem: null, kind: 'local' })
    assert.deepEqual(body.mail, { ok: true, problem: null, kind: 'files' })
    assert.ok(disk.free > 0)
    assert.equal(disk.ok, disk.problem === null)

    service.clock.advance(Date.now() - service.clock.now())
    // The session has expired.
    await client.request('POST', '/api/auth/login', { login: 'operator', password })
    const corrected = (await client.get(path)).body.database
    assert.deepEqual([corrected.ok, corrected.problem], [true, null])
  },
)

eachService(
  'the health has when the last backup was made (administration/backup-time)',
  async (_t, service) => {
    const { client } = await createOperator(service)
    const read = async () => (await client.get(path)).body.lastBackupAt
    assert.equal(await read(), null)
    const before = Date.now()
    await recordBackupTime(service.config.databaseUrl)
    const first = Date.parse(await read())
    assert.ok(first >= before && first <= Date.now())
    await recordBackupTime(service.config.databaseUrl)
    assert.ok(Date.parse(await read()) >= first)
  },
)

test('a mail server that is not reachable is a problem without its name (administration/health)', async t => {
  const port = await freePort()
  const service = await startService(t, { env: { SMTP_URL: `smtp://ada:s3cret@127.0.0.1:${port}` } })
  const { client } = await createOperator(service)
  const { text, body } = await client.get(path)
  assert.deepEqual(body.mail, {
    ok: false,
    problem: 'The mail server is not reachable: connect ECONNREFUSED (ESOCKET).',
    kind: 'smtp',
  })
  assert.doesNotMatch(text, /s3cret|127\.0\.0\.1/)
})

test('all nodes are listed with NATS (administration/health)', async t => {
  const nodes = await startNodes(t)
  if (!nodes) return
  const { client } = await createOperator(nodes[0])
  const { body } = await client.get(path)
  assert.deepEqual(
    body.nodes.map(({ id }: { id: number }) => id),
    [0, 1],
  )
  assert.deepEqual(body.bus, { ok: true, problem: null, kind: 'nats' })
})

eachService(
  'the test mail arrives at the address of the administrator, in their language (administration/test-mail)',
  async (_t, service) => {
    const { client } = await createOperator(service)
    service.mails.splice(0)
    const headers = { 'accept-language': 'ru' }
    assert.equal((await client.json('POST', `${path}/mail`, undefined, headers)).status, 204)
    const [mail, ...others] = service.mails
    assert.deepEqual([mail?.to, mail?.subject], ['operator@example.org', 'Проверка почты'])
    assert.match(mail?.text ?? '', /operator[\s\S]*localhost/)
    assert.deepEqual(others, [])
  },
)

test('a test mail that cannot be sent is 502 with the reason (administration/test-mail)', async t => {
  const service = await startService(t, { env: { SMTP_URL: `smtp://127.0.0.1:${await freePort()}` } })
  const { client } = await createOperator(service)
  const { status, body } = await client.json('POST', `${path}/mail`)
  const message = 'The mail server is not reachable: connect ECONNREFUSED (ESOCKET).'
  assert.deepEqual([status, body], [502, { code: 'mail_failed', message }])
})

eachService(
  'an administrator sends 10 test mails in 10 minutes (administration/test-mail)',
  async (_t, service) => {
    const { client } = await createOperator(service)
    const send = async () => (await client.json('POST', `${path}/mail`)).status
    for (let count = 0; count < 10; count++) assert.equal(await send(), 204)
    assert.equal(await send(), 429)
    service.clock.advance(600_000)
    assert.equal(await send(), 204)
  },
)
