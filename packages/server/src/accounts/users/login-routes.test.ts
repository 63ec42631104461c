import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldErrorsOf } from '@gatehouse/testkit/field-errors'
import { eachService, startNodes } from '@gatehouse/testkit/service'
import { password, register, submit } from './users-testing.ts'

const path = '/api/auth/login'

eachService(
  'POST login returns 200 with a new session for a username or an email address in any case',
  async (_t, service) => {
    const user = (await register(service.client(), 'ada')).body
    const secrets = new Set<string | undefined>()
    for (const login of ['ada', 'ADA', 'ada@example.org', 'Ada@Example.ORG', '  ada  ']) {
      const client = service.client()
      const reply = await client.json('POST', path, { login, password })
      assert.equal(reply.status, 200, login)
      assert.deepEqual(reply.body, user)
      assert.deepEqual((await client.get('/api/users/@me')).body, user)
      secrets.add(client.cookies.get('gatehouse_session'))
    }
    assert.equal(secrets.size, 5)
  },
)

eachService(
  'POST login accepts a stored email address that registration would reject',
  async (_t, service) => {
    const { id } = (await register(service.client(), 'ada')).body
    for (const email of ['a\u0001b@x.y', 'a,b@x.y', 'a;b@x.y']) {
      await service.db.run`UPDATE users SET email = ${email}, email_key = ${email} WHERE id = ${id}`
      const reply = await service.client().json('POST', path, { login: email, password })
      assert.equal(reply.status, 200, email)
      assert.equal(reply.body.email, email)
    }
  },
)

eachService(
  'sign-in/session-secret: POST login of the same user retains the session, with a new cookie',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    const before = client.cookieHeader()
    const [session] = (await client.get('/api/users/@me/sessions')).body
    assert.equal((await client.json('POST', path, { login: 'ada', password })).status, 200)
    assert.notEqual(client.cookieHeader(), before)
    assert.equal((await service.client().get('/api/users/@me', { cookie: before })).status, 401)
    const sessions = (await client.get('/api/users/@me/sessions')).body
    assert.deepEqual(
      sessions.map((one: { id: string }) => one.id),
      [session.id],
    )
  },
)

eachService(
  'every response of 5 concurrent logins in one browser has a cookie that works',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    const headers = { cookie: client.cookieHeader() }
    const replies = await Promise.all(
      Array.from({ length: 5 }, () =>
        service.client().json('POST', path, { login: 'ada', password }, headers),
      ),
    )
    for (const { status, headers } of replies) {
      assert.equal(status, 200)
      const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? ''
      assert.equal((await service.client().get('/api/users/@me', { cookie })).status, 200)
    }
  },
)

eachService('POST login returns 400 for missing, unknown and malformed fields', async (_t, service) => {
  const cases: [object, string[]][] = [
    [{ login: 'ada' }, ['password required']],
    [{ password }, ['login required']],
    [{ login: '', password }, ['login too_short']],
    [{ login: 'ada', password, remember: true }, ['remember unknown_member']],
    [{ login: 'ada\u0000', password }, ['login invalid_text']],
    [{ login: 'ada', password: ['x'] }, ['password invalid_type']],
  ]
  for (const [body, expected] of cases) {
    const reply = await service.client().json('POST', path, body)
    assert.equal(reply.status, 400)
    assert.deepEqual(fieldErrorsOf(reply), expected)
  }
})

eachService(
  'POST login returns the same 401 response for a wrong password and an unknown login',
  async (_t, service) => {
    await register(service.client(), 'ada')
    const responses = []
    for (const login of ['ada', 'ada@example.org', 'nobody', 'nobody@example.org']) {
      const reply = await service.client().json('POST', path, { login, password: 'wrong horse battery' })
      assert.equal(reply.status, 401)
      assert.equal(reply.body.code, 'invalid_credentials')
      assert.deepEqual(reply.headers.getSetCookie(), [])
      responses.push([reply.text, reply.headers.get('www-authenticate'), reply.headers.get('content-length')])
    }
    assert.equal(new Set(responses.map(response => JSON.stringify(response))).size, 1)
  },
)

eachService('POST login does not trim the password', async (_t, service) => {
  await register(service.client(), 'ada', { password: ' correct horse ' })
  const trimmed = await service.client().json('POST', path, { login: 'ada', password: 'correct horse' })
  assert.equal(trimmed.status, 401)
  const exact = await service.client().json('POST', path, { login: 'ada', password: ' correct horse ' })
  assert.equal(exact.status, 200)
})

eachService('POST login returns 415 for any Content-Type other than JSON', async (_t, service) => {
  const reply = await service.client().form(path, { login: 'ada', password })
  assert.equal(reply.status, 415)
})

eachService(
  'POST login returns 429 after ten wrong passwords, for ten minutes (sign-in/password-guessing)',
  async (_t, service) => {
    await register(service.client(), 'ada')
    await register(service.client(), 'bob')
    for (let i = 0; i < 10; i++) {
      const reply = await service.client().json('POST', path, { login: 'ada', password: `wrong horse ${i}` })
      assert.equal(reply.status, 401)
    }
    const limited = await service.client().json('POST', path, { login: 'Ada', password })
    assert.equal(limited.status, 429)
    assert.equal(limited.body.code, 'rate_limited')
    assert.equal(limited.headers.get('retry-after'), '600')
    assert.equal((await service.client().json('POST', path, { login: 'bob', password })).status, 200)
    service.clock.advance(10 * 60 * 1000)
    assert.equal((await service.client().json('POST', path, { login: 'ada', password })).status, 200)
  },
)

eachService(
  'POST login: the limit does not show which username and email address belong together (limits/sign-in-key)',
  async (_t, service) => {
    await register(service.client(), 'ada')
    const logIn = async (login: string) =>
      (await service.client().json('POST', path, { login, password: 'wrong horse' })).status
    for (const login of ['ada', 'nobody']) {
      for (let i = 0; i < 10; i++) assert.equal(await logIn(login), 401)
      assert.equal(await logIn(login), 429)
    }
    assert.equal(await logIn('ada@example.org'), 401)
    assert.equal(await logIn('nobody@example.org'), 401)
  },
)

eachService(
  'POST login returns 429 after 30 sign-ins from one IP address in a minute, for correct and ' +
    'wrong passwords (limits/sign-ins)',
  async (_t, service) => {
    await register(service.client(), 'ada')
    const logIn = (given = password) => service.client().json('POST', path, { login: 'ada', password: given })
    assert.equal((await logIn('wrong horse')).status, 401)
    for (let i = 0; i < 30; i++) assert.equal((await logIn()).status, 200)
    for (const reply of [await logIn(), await logIn('wrong horse')]) {
      assert.deepEqual([reply.status, reply.body.code], [429, 'rate_limited'])
      assert.equal(reply.headers.get('retry-after'), '60')
    }
    service.clock.advance(60_000)
    assert.equal((await logIn()).status, 200)
  },
  { env: { RATE_LIMITS: 'on' } },
)

eachService(
  'requests that send an email: 429 after ten from one IP address in a minute, whether or ' +
    'not the account exists (limits/mail-requests)',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    const forgot = (email: string) => service.client().json('POST', '/api/auth/password/forgot', { email })
    const requests = [
      () => forgot('ada@example.org'),
      () => forgot('nobody@example.org'),
      () => client.json('POST', '/api/auth/email/resend'),
      () => client.json('PATCH', '/api/users/@me', { email: 'new@example.org', currentPassword: password }),
    ]
    for (let i = 0; i < 8; i++) assert.equal((await forgot(`nobody${i}@example.org`)).status, 202)
    assert.equal((await forgot('ada@example.org')).status, 202)
    assert.equal((await client.json('POST', '/api/auth/email/resend')).status, 202)
    for (const request of requests) {
      const reply = await request()
      assert.deepEqual([reply.status, reply.headers.get('retry-after')], [429, '60'], reply.text)
    }
    const sent = await submit(service.client(), '/forgot-password', { email: 'ada@example.org' })
    assert.equal(sent.status, 429)
    assert.match(sent.text, /Too many requested emails/)
    service.clock.advance(60_000)
    assert.equal((await forgot('ada@example.org')).status, 202)
  },
  { env: { RATE_LIMITS: 'on' } },
)

test('wrong passwords count over all nodes of a cluster (limits/rates)', async t => {
  const [first, second] = (await startNodes(t)) ?? []
  if (!first || !second) return
  await register(first.client(), 'ada')
  const statuses = await Promise.all(
    Array.from({ length: 24 }, async (_, i) => {
      const client = (i % 2 === 0 ? first : second).client()
      return (await client.json('POST', path, { login: 'ada', password: 'wrong horse' })).status
    }),
  )
  assert.equal(statuses.filter(status => status === 401).length, 10)
  assert.equal(statuses.filter(status => status === 429).length, 14)
})

eachService(
  'POST login ignores X-Forwarded-For from an untrusted client for its limits',
  async (_t, service) => {
    await register(service.client(), 'ada')
    for (let i = 0; i < 10; i++) {
      const headers = { 'x-forwarded-for': `192.0.2.${i}` }
      await service.client().json('POST', path, { login: 'ada', password: 'wrong horse' }, headers)
    }
    const headers = { 'x-forwarded-for': '192.0.2.99' }
    assert.equal((await service.client().json('POST', path, { login: 'ada', password }, headers)).status, 429)
  },
)

eachService(
  'limits/client-address: behind a proxy that adds the port or no address, each client has its own rate',
  async (_t, service) => {
    const forgot = async (address: string) => {
      const headers = { 'x-forwarded-for': address }
      const body = { email: 'nobody@example.org' }
      return (await service.client().json('POST', '/api/auth/password/forgot', body, headers)).status
    }
    const clients = ['198.51.100.7:', '[2001:db8::1]:', '_hidden', 'unknown', '198.51.100.8']
    for (const client of clients) {
      const address = (port: number) => (client.endsWith(':') ? `${client}${port}` : client)
      for (let i = 0; i < 10; i++) assert.equal(await forgot(address(40_000 + i)), 202, client)
      assert.equal(await forgot(address(50_000)), 429, client)
    }
    assert.equal(await forgot(''), 202)
  },
  { env: { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' } },
)
