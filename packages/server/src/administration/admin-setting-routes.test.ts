import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOperator } from '@gatehouse/testkit/administration'
import { createServer, register } from '@gatehouse/testkit/community'
import { png } from '@gatehouse/testkit/images'
import { sendWhileLocked } from '@gatehouse/testkit/locks'
import { eachService, startNodes, type TestService } from '@gatehouse/testkit/service'
import { compose } from '../compose.ts'
import { createLogger } from '../http/log.ts'

const path = '/api/admin/settings'
const tenMinutes = 600_000

function tryToRegister(service: Pick<TestService, 'client'>, username: string, more: object = {}) {
  const body = { username, email: `${username}@example.org`, password: 'correct horse', ...more }
  return service.client().json('POST', '/api/auth/register', body)
}

eachService(
  'an administrator who is demoted while they act does nothing (administration/act)',
  async (_t, service) => {
    const operator = await createOperator(service)
    const demoted = await register(service, 'demoted')
    const promote = (administrator: boolean) =>
      operator.client.json('PATCH', `/api/admin/users/${demoted.id}`, { administrator })
    assert.equal((await promote(true)).status, 200)
    const [demotion, act] = await sendWhileLocked(
      service,
      tx => tx.get`SELECT 1 AS one FROM users WHERE id = ${demoted.id} FOR UPDATE`,
      () => promote(false),
      () => demoted.client.json('PATCH', path, { name: 'Taken' }),
    )
    assert.equal(demotion.status, 200, demotion.text)
    // SQLite has no locks: there the act may be the first.
    if (service.db.engine === 'postgres') assert.equal(act.status, 404, act.text)
    const { name } = (await operator.client.get(path)).body
    assert.equal(name === 'Taken', act.status === 200, act.text)
  },
)

eachService(
  'who may register changes at once, for the API and the pages (administration/registration)',
  async (_t, service) => {
    const operator = await createOperator(service)
    const { server } = await createServer(operator)
    const { code } = await operator.client.call('createInvite', { id: server.id })
    const set = async (registration: string) =>
      assert.equal(
        (await operator.client.json('PATCH', path, { registration })).body.registration,
        registration,
      )
    const links = async () => {
      const login = (await service.client().get('/login')).text.includes('href="/register')
      const { mayRegister } = (await service.client().get(`/api/invites/${code}`)).body
      return [(await service.client().get('/register')).status, login, mayRegister]
    }
    assert.deepEqual(await links(), [200, true, true])
    await set('invite')
    const without = await tryToRegister(service, 'ada')
    assert.deepEqual([without.status, without.body.errors[0].path], [400, 'invite'])
    assert.equal((await tryToRegister(service, 'ada', { invite: code })).status, 201)
    assert.deepEqual(await links(), [200, true, true])
    await set('closed')
    const closed = await tryToRegister(service, 'ben', { invite: code })
    assert.deepEqual([closed.status, closed.body.code], [403, 'registration_closed'])
    assert.deepEqual(await links(), [403, false, false])
    await set('open')
    assert.equal((await tryToRegister(service, 'ben')).status, 201)
  },
)

eachService(
  'the stored setting wins over REGISTRATION (administration/registration)',
  async (_t, service) => {
    const command = await compose(service.config, createLogger('silent'), { isCommand: true })
    const { adminSettings } = command.parts
    assert.equal((await adminSettings.read()).registration, 'closed')
    await adminSettings.updateByOperator({ registration: 'open' })
    await assert.rejects(adminSettings.updateByOperator({ registration: 'maybe' }), {
      code: 'validation_failed',
    })
    await command.close()
    assert.equal((await tryToRegister(service, 'ada')).status, 201)
  },
  { env: { REGISTRATION: 'closed' } },
)

eachService(
  'only administrators create servers if they decide so (administration/server-creation)',
  async (_t, service) => {
    const [operator, ada] = [await createOperator(service), await register(service, 'ada')]
    const create = async ({ client }: typeof ada) => {
      const { status, body } = await client.json('POST', '/api/servers', { name: 'Server' })
      return [status, body.code]
    }
    await operator.client.json('PATCH', path, { serverCreation: 'administrators' })
    assert.deepEqual(await create(ada), [403, 'missing_permission'])
    assert.deepEqual(await create(operator), [201, undefined])
    await operator.client.json('PATCH', path, { serverCreation: 'everyone' })
    assert.deepEqual(await create(ada), [201, undefined])
  },
)

eachService(
  'a change needs a proof, and is in the audit log with what changed (administration/settings)',
  async (_t, service) => {
    const operator = await createOperator(service)
    service.clock.advance(tenMinutes)
    const without = await operator.client.json('PATCH', path, { name: 'Garden' })
    assert.deepEqual([without.status, without.body.errors[0].path], [400, 'currentPassword'])
    const { password: currentPassword } = operator
    const body = { name: ' Garden\n club ', registration: 'open', currentPassword }
    const reply = await operator.client.json('PATCH', path, body, { 'x-audit-log-reason': 'spring' })
    assert.deepEqual(reply.body, {
      registration: 'open',
      serverCreation: 'everyone',
      name: 'Garden club',
      logo: null,
    })
    assert.deepEqual((await operator.client.get(path)).body, reply.body)
    for (const invalid of [{ name: ' ' }, { name: 'x'.repeat(61) }, { registration: 'maybe' }]) {
      assert.equal((await operator.client.json('PATCH', path, { ...invalid, currentPassword })).status, 400)
    }
    const log = await operator.client.get('/api/admin/audit-log')
    assert.equal(log.status, 200)
    const [{ id: _id, createdAt: _createdAt, actor, ...entry }, ...older] = log.body
    assert.deepEqual(older, [])
    assert.equal(actor.id, operator.id)
    assert.deepEqual(entry, {
      serverId: null,
      action: 'INSTANCE_UPDATE',
      target: { type: 'instance', id: '10000000000000000', name: 'Garden club' },
      changes: [{ key: 'name', before: '"Gatehouse"', after: '"Garden club"' }],
      reason: 'spring',
    })
    assert.deepEqual((await operator.client.get('/api/admin/audit-log?action=USER_DISABLE')).body, [])
  },
)

eachService(
  'pages, mails and the web client show the name and the logo, as text (administration/name)',
  async (_t, service) => {
    const operator = await createOperator(service)
    const name = '<b>"Garden" & club'
    const escaped = '&#60;b&#62;&#34;Garden&#34; &#38; club'
    await operator.client.json('PATCH', path, { name })
    const { body } = await operator.client.send(`${path}/logo`, {
      method: 'PUT',
      headers: { 'content-type': 'image/png' },
      body: new Uint8Array(png),
    })
    assert.match(body.logo, /^\/images\/instance\/10000000000000000\/[0-9a-f]{32}$/)
    assert.equal((await service.client().get(body.logo)).headers.get('content-type'), 'image/png')
    const error = { accept: 'text/html' }
    for (const page of ['/login', '/register', '/oauth2/authorize?client_id=1']) {
      const { text } = await service.client().send(page, { headers: error })
      assert.match(text, /<title>[^<]* · &lt;b&gt;&quot;Garden&quot; &amp; club<\/title>/)
      assert.ok(text.includes(`<img src="${body.logo}"`), page)
    }
    const { text } = await service.client().get('/')
    assert.ok(text.includes(`<title>${escaped}</title>`), text)
    await register(service, 'ada')
    const mail = service.mails.find(({ to }) => to === 'ada@example.org')
    assert.equal(mail?.subject, `Verify your email address · ${name}`)
    assert.ok(mail?.text.endsWith(`\n${name}\n`))
    const removed = await operator.client.json('DELETE', `${path}/logo`)
    assert.deepEqual([removed.status, removed.body.logo], [200, null])
    assert.ok((await service.client().get('/login')).text.includes('<img src="/favicon.svg"'))
  },
)

eachService(
  'a node without NATS shows within 5 s what a command changes (administration/name)',
  async (_t, service) => {
    const command = await compose(service.config, createLogger('silent'), { isCommand: true })
    await command.parts.adminSettings.updateByOperator({ name: 'Garden club' })
    await command.close()
    service.clock.advance(5000)
    while (!(await service.client().get('/login')).text.includes('Garden club'));
  },
)

test('a change applies on the other nodes at once (administration/settings)', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (!a || !b) return
  const operator = await createOperator(a)
  const startedAt = performance.now()
  await operator.client.json('PATCH', path, { registration: 'closed', name: 'Garden club' })
  assert.equal((await tryToRegister(b, 'ada')).status, 403)
  while (!(await b.client().get('/login')).text.includes('Garden club'));
  assert.ok(performance.now() - startedAt < 1000)
})
