import assert from 'node:assert/strict'
import { eachService } from '../../../testing.ts'
import { faultsOf, password, register } from '../testing.ts'

const path = '/api/auth/login'

eachService(
  'POST login 200: by username or address, in any case, with a session of its own',
  async (_t, service) => {
    const own = (await register(service.client(), 'ada')).body
    const secrets = new Set<string | undefined>()
    for (const login of ['ada', 'ADA', 'ada@example.org', 'Ada@Example.ORG', '  ada  ']) {
      const client = service.client()
      const reply = await client.json('POST', path, { login, password })
      assert.equal(reply.status, 200, login)
      assert.deepEqual(reply.body, own)
      assert.deepEqual((await client.get('/api/users/@me')).body, own)
      secrets.add(client.cookies.get('session'))
    }
    assert.equal(secrets.size, 5)
  },
)

eachService('POST login 200: who is signed in already keeps the session', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  const before = client.cookies.get('session')
  assert.equal((await client.json('POST', path, { login: 'ada', password })).status, 200)
  assert.equal(client.cookies.get('session'), before)
  assert.equal((await client.get('/api/users/@me/sessions')).body.length, 1)
})

eachService('POST login 400: fields that are missing, too many, or no text', async (_t, service) => {
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
    assert.deepEqual(faultsOf(reply), expected)
  }
})

eachService(
  'POST login 401: the same answer for a wrong password and for an unknown login',
  async (_t, service) => {
    await register(service.client(), 'ada')
    const answers = []
    for (const login of ['ada', 'ada@example.org', 'nobody', 'nobody@example.org']) {
      const reply = await service.client().json('POST', path, { login, password: 'wrong horse battery' })
      assert.equal(reply.status, 401)
      assert.equal(reply.body.code, 'invalid_credentials')
      assert.deepEqual(reply.headers.getSetCookie(), [])
      answers.push([reply.text, reply.headers.get('www-authenticate'), reply.headers.get('content-length')])
    }
    assert.equal(new Set(answers.map(answer => JSON.stringify(answer))).size, 1)
  },
)

eachService('POST login 401: a password is not trimmed', async (_t, service) => {
  await register(service.client(), 'ada', { password: ' correct horse ' })
  const trimmed = await service.client().json('POST', path, { login: 'ada', password: 'correct horse' })
  assert.equal(trimmed.status, 401)
  const whole = await service.client().json('POST', path, { login: 'ada', password: ' correct horse ' })
  assert.equal(whole.status, 200)
})

eachService('POST login 403: from another site, with or without a session', async (_t, service) => {
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
})

eachService('POST login 415: another type than JSON', async (_t, service) => {
  const reply = await service.client().form(path, { login: 'ada', password })
  assert.equal(reply.status, 415)
})

eachService(
  'POST login 429: after ten wrong passwords, until ten minutes have passed',
  async (_t, service) => {
    await register(service.client(), 'ada')
    await register(service.client(), 'bob')
    for (let i = 0; i < 10; i++) {
      const reply = await service.client().json('POST', path, { login: 'ada', password: `wrong horse ${i}` })
      assert.equal(reply.status, 401)
    }
    const refused = await service.client().json('POST', path, { login: 'ada@example.org', password })
    assert.equal(refused.status, 429)
    assert.equal(refused.body.code, 'rate_limited')
    assert.equal(refused.headers.get('retry-after'), '600')
    assert.equal((await service.client().json('POST', path, { login: 'bob', password })).status, 200)
    service.clock.advance(10 * 60 * 1000)
    assert.equal((await service.client().json('POST', path, { login: 'ada', password })).status, 200)
  },
)

eachService(
  'POST login 429: addresses that a stranger claims to forward count for nothing',
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
