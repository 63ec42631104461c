import assert from 'node:assert/strict'
import { fieldErrorsOf } from '@gatehouse/testkit/field-errors'
import { eachService } from '@gatehouse/testkit/service'
import { password, register } from '../testing.ts'

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

eachService('POST login retains the current session of the same user', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  const before = client.cookies.get('gatehouse_session')
  assert.equal((await client.json('POST', path, { login: 'ada', password })).status, 200)
  assert.equal(client.cookies.get('gatehouse_session'), before)
  assert.equal((await client.get('/api/users/@me/sessions')).body.length, 1)
})

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

eachService(
  'POST login returns 403 for a cross-site request with and without a session',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    for (const from of [client, service.client()]) {
      const reply = await from.json(
        'POST',
        path,
        { login: 'ada', password },
        { 'sec-fetch-site': 'cross-site' },
      )
      assert.equal(reply.status, 403)
      assert.equal(reply.body.code, 'cross_site')
    }
  },
)

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
    const limited = await service.client().json('POST', path, { login: 'ada@example.org', password })
    assert.equal(limited.status, 429)
    assert.equal(limited.body.code, 'rate_limited')
    assert.equal(limited.headers.get('retry-after'), '600')
    assert.equal((await service.client().json('POST', path, { login: 'bob', password })).status, 200)
    service.clock.advance(10 * 60 * 1000)
    assert.equal((await service.client().json('POST', path, { login: 'ada', password })).status, 200)
  },
)

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
