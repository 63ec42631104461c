import assert from 'node:assert/strict'
import { eachService } from '../../testing.ts'
import {
  assertError,
  basic,
  codeFor,
  exchangeCode,
  makeApplication,
  post,
  redirectUri,
  refresh,
  signUp,
  token,
  tokensFor,
} from '../testing.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const unknown = '1234567890123456789'

eachService('check 75: other methods are 405 with Allow', async (_t, service) => {
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
    const reply = await service.client().send('/api/oauth2/token', { method })
    assertError(reply, 405, 'invalid_request')
    assert.equal(reply.headers.get('allow'), 'POST')
  }
})

eachService('check 76: a body that is no form is refused', async (_t, service) => {
  for (const [type, body] of [
    ['application/json', '{"grant_type":"refresh_token"}'],
    ['text/plain', 'grant_type=refresh_token'],
    ['application/x-www-form-urlencoded; charset=utf-8', ''],
    ['application/x-www-form-urlencoded', '%ff'],
  ] as const) {
    const reply = await service
      .client()
      .send('/api/oauth2/token', { method: 'POST', headers: { 'content-type': type }, body })
    assertError(reply, 400, 'invalid_request')
  }
  assertError(await service.client().send('/api/oauth2/token', { method: 'POST' }), 400, 'invalid_request')
})

eachService('check 77: what stands in the address is not read', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const code = await codeFor(ada, app)
  const query = new URLSearchParams({ client_id: app.id, client_secret: app.secret ?? '', code })
  const fields = { grant_type: 'authorization_code', redirect_uri: redirectUri }
  assertError(await post(service, `/api/oauth2/token?${query}`, fields), 401, 'invalid_client')
  assert.equal((await exchangeCode(service, app, code)).status, 200)
})

eachService('check 78: a repeated parameter is refused, an empty one is none', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const code = await codeFor(ada, app)
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    client_id: app.id,
    client_secret: app.secret ?? '',
  })
  for (const name of ['code', 'client_id', 'client_secret', 'grant_type', 'redirect_uri']) {
    const twice = `${body}&${name}=${encodeURIComponent(body.get(name) ?? '')}`
    const reply = await service
      .client()
      .send('/api/oauth2/token', { method: 'POST', headers: form, body: twice })
    assertError(reply, 400, 'invalid_request')
  }
  const reply = await exchangeCode(service, app, code, { code_verifier: '', scope: '', refresh_token: '' })
  assert.equal(reply.status, 200, reply.text)
})

eachService('checks 79, 83 and 94: the grant_type is there and one of two', async (_t, service) => {
  const app = await makeApplication(await signUp(service, 'ada'))
  const credentials = { client_id: app.id, client_secret: app.secret }
  assertError(await token(service, credentials), 400, 'invalid_request')
  assertError(await token(service, { ...credentials, grant_type: '' }), 400, 'invalid_request')
  for (const type of [
    'password',
    'implicit',
    'client_credentials',
    'toString',
    '__proto__',
    'refresh_token ',
  ]) {
    const reply = await token(service, { ...credentials, grant_type: type, username: 'ada', password: 'x' })
    assertError(reply, 400, 'unsupported_grant_type')
  }
})

eachService('check 81: errors are kept by no cache either', async (_t, service) => {
  for (const reply of [await token(service, {}), await token(service, { grant_type: 'refresh_token' })]) {
    assert.equal(reply.headers.get('cache-control'), 'no-store')
    assert.equal(reply.headers.get('pragma'), 'no-cache')
    assert.match(reply.headers.get('content-type') ?? '', /^application\/json/)
  }
})

eachService(
  'checks 84, 85, 88, 89 and 91: whoever the client is not, the answer is the same 401',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const other = await makeApplication(ada)
    const secret = app.secret ?? ''
    const wrong = other.secret ?? ''
    const grant = { grant_type: 'refresh_token', refresh_token: 'x' }
    const header = (value: string) => ({ authorization: value })
    const replies = [
      await token(service, grant),
      await token(service, { ...grant, client_id: app.id }),
      await token(service, { ...grant, client_id: app.id, client_secret: wrong }),
      await token(service, { ...grant, client_id: app.id, client_secret: `${secret} ` }),
      await token(service, { ...grant, client_id: unknown, client_secret: wrong }),
      await token(service, { ...grant, client_id: 'no id', client_secret: wrong }),
      await token(service, { ...grant, client_secret: secret }),
      await token(service, grant, basic(app.id, wrong)),
      await token(service, grant, basic(unknown, wrong)),
      await token(service, grant, basic(app.id, '')),
      await token(service, grant, basic('', secret)),
      await token(service, grant, basic(app.id, '%zz')),
      await token(service, grant, header('Basic')),
      await token(service, grant, header('Basic !!!')),
      await token(service, grant, header(`Basic ${Buffer.from('no colon').toString('base64')}`)),
      await token(service, grant, header('Basic /w==')),
      await token(service, grant, header(`Bearer ${secret}`)),
      await token(service, { ...grant, client_id: app.id, client_secret: secret }, header('Bearer x')),
    ]
    for (const [index, reply] of replies.entries()) {
      assertError(reply, 401, 'invalid_client')
      assert.equal(reply.text, replies[0]?.text, String(index))
      assert.match(reply.headers.get('www-authenticate') ?? '', /^Basic realm="/)
    }
  },
)

eachService('checks 86 and 87: one way to show the secret, and one client', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const other = await makeApplication(ada)
  const secret = app.secret ?? ''
  const only = { client_id: undefined, client_secret: undefined }
  const fields = (code: string, more: Record<string, string | undefined>) => ({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    ...only,
    ...more,
  })
  const code = await codeFor(ada, app)
  const header = basic(app.id, secret)
  assertError(await token(service, fields(code, { client_secret: secret }), header), 400, 'invalid_request')
  assertError(await token(service, fields(code, { client_id: other.id }), header), 400, 'invalid_request')
  assert.equal((await token(service, fields(code, { client_id: app.id }), header)).status, 200)
})

eachService('check 88: the header is read as RFC 6749 and RFC 7617 write it', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const secret = app.secret ?? ''
  assert.match(secret, /^[A-Za-z0-9_-]+$/)
  const encoded = [...secret].map(c => `%${c.charCodeAt(0).toString(16)}`).join('')
  for (const [scheme, value] of [
    ['Basic', secret],
    ['basic', secret],
    ['BASIC', secret],
    ['Basic', encoded],
  ] as const) {
    const code = await codeFor(ada, app)
    const authorization = `${scheme} ${Buffer.from(`${app.id}:${value}`).toString('base64')}`
    const fields = { grant_type: 'authorization_code', code, redirect_uri: redirectUri }
    assert.equal((await token(service, fields, { authorization })).status, 200, `${scheme} ${value.length}`)
  }
})

eachService('check 90: a public application has no secret to show', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada, { type: 'public' })
  const code = await codeFor(ada, app)
  assertError(await exchangeCode(service, app, code, { client_secret: 'x' }), 401, 'invalid_client')
  const bare = { grant_type: 'authorization_code', code, redirect_uri: redirectUri }
  assertError(await token(service, bare, basic(app.id, '')), 401, 'invalid_client')
  assertError(await token(service, bare, basic(app.id, 'x')), 401, 'invalid_client')
  assert.equal((await exchangeCode(service, app, code)).status, 200)
})

eachService('check 92: after 60 wrong secrets in a minute the client waits', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const other = await makeApplication(ada)
  const code = await codeFor(ada, app)
  const guess = { grant_type: 'authorization_code', code, client_id: app.id, client_secret: other.secret }
  const replies = await Promise.all(Array.from({ length: 80 }, () => token(service, guess)))
  assert.equal(replies.filter(reply => reply.status === 401).length, 60)
  const refused = replies.filter(reply => reply.status === 429)
  assert.equal(refused.length, 20)
  for (const reply of refused) {
    assert.equal(reply.body.error, 'temporarily_unavailable')
    assert.equal(reply.headers.get('retry-after'), '60')
    assert.equal(reply.headers.get('cache-control'), 'no-store')
  }
  assert.equal((await exchangeCode(service, app, code)).status, 429, 'the right one at this moment too')
  assert.equal((await exchangeCode(service, other, 'x')).status, 400, 'another client is not held up')
  service.clock.advance(60_000)
  assert.equal((await exchangeCode(service, app, code)).status, 200)
})

eachService(
  'RATE_LIMITS=off lifts that',
  async (_t, service) => {
    const app = await makeApplication(await signUp(service, 'ada'))
    const guess = { grant_type: 'refresh_token', client_id: app.id, client_secret: 'x' }
    const replies = await Promise.all(Array.from({ length: 80 }, () => token(service, guess)))
    assert.equal(replies.filter(reply => reply.status === 401).length, 80)
  },
  { env: { RATE_LIMITS: 'off' } },
)

eachService('check 93: no secret, code, token or verifier stands in the log', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada, { type: 'public' })
  const confidential = await makeApplication(ada)
  const tokens = await tokensFor(service, ada, app, { scope: 'openid identify' })
  await refresh(service, app, tokens.refresh_token)
  await refresh(service, app, tokens.refresh_token)
  await exchangeCode(service, confidential, 'gac_wrong')
  await service.client().get(`/api/oauth2/userinfo?access_token=${tokens.access_token}`)
  const log = service.log.join('')
  assert.ok(log.length > 0)
  assert.doesNotMatch(log, /g(at|rt|ac|cs|st)_[0-9A-Za-z]{20}|a-code-verifier/)
  for (const secret of [tokens.id_token ?? '', ada.password]) assert.equal(log.includes(secret), false)
})

eachService('check 95: other sites may call it without credentials', async (_t, service) => {
  for (const path of [
    '/api/oauth2/token',
    '/api/oauth2/token/revoke',
    '/api/oauth2/userinfo',
    '/api/oauth2/keys',
  ]) {
    const preflight = await service.client().send(path, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://spa.example',
        'access-control-request-method': path.endsWith('keys') ? 'GET' : 'POST',
        'access-control-request-headers': 'authorization',
      },
    })
    assert.equal(preflight.status, 204, path)
    assert.equal(preflight.headers.get('access-control-allow-origin'), '*')
    assert.equal(preflight.headers.get('access-control-allow-credentials'), null)
    assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /authorization/i)
  }
  const reply = await token(service, {}, { origin: 'https://spa.example' })
  assert.equal(reply.headers.get('access-control-allow-origin'), '*')
})
