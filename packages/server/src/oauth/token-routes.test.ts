import assert from 'node:assert/strict'
import { eachService, type TestResponse, type TestService } from '@gatehouse/testkit/service'
import { createRateLimiter } from '../rate-limits/rate-limiter.ts'
import { createClientAuthentication } from './client-authentication.ts'
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
  userinfo,
} from './oauth-testing.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const unknown = '1234567890123456789'

eachService('sign-in/token-method: other methods return 405 with Allow', async (_t, service) => {
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
    const reply = await service.client().send('/api/oauth2/token', { method })
    assertError(reply, 405, 'invalid_request')
    assert.equal(reply.headers.get('allow'), 'POST')
  }
})

eachService('sign-in/token-media-type: a body that is not a form is rejected', async (_t, service) => {
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

eachService('sign-in/token-no-query: query parameters are ignored', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const code = await codeFor(ada, app)
  const query = new URLSearchParams({ client_id: app.id, client_secret: app.secret ?? '', code })
  const fields = { grant_type: 'authorization_code', redirect_uri: redirectUri }
  assertError(await post(service, `/api/oauth2/token?${query}`, fields), 401, 'invalid_client')
  assert.equal((await exchangeCode(service, app, code)).status, 200)
})

eachService(
  'sign-in/token-parameters: a repeated parameter is rejected, an empty one counts as missing',
  async (_t, service) => {
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
  },
)

eachService(
  'sign-in/repeated-parameter: token endpoint and introspection ignore repeated unknown parameters, and resource',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const ignored =
      'unknown=1&unknown=2&toString=1&toString=2&x=%00&resource=https://a.example&resource=https://b.example'
    const send = (path: string, fields: Record<string, string>, more: string) =>
      service.client().send(path, {
        method: 'POST',
        headers: { ...form, ...basic(app.id, app.secret ?? '') },
        body: `${new URLSearchParams(fields)}&${more}`,
      })
    const code = await codeFor(ada, app)
    const exchange = { grant_type: 'authorization_code', code, redirect_uri: redirectUri }
    const exchanged = await send('/api/oauth2/token', exchange, ignored)
    assert.equal(exchanged.status, 200, exchanged.text)
    const { refresh_token } = exchanged.body
    const refreshed = await send('/api/oauth2/token', { grant_type: 'refresh_token', refresh_token }, ignored)
    assert.equal(refreshed.status, 200, refreshed.text)
    const token = refreshed.body.access_token
    const introspected = await send('/api/oauth2/introspect', { token }, ignored)
    assert.equal(introspected.body.active, true, introspected.text)
    assertError(await send('/api/oauth2/introspect', { token }, `token=${token}`), 400, 'invalid_request')
  },
)

eachService(
  'sign-in/grant-types, sign-in/token-errors: the grant_type must be one of two',
  async (_t, service) => {
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
  },
)

eachService('sign-in/token-no-store: errors are not cached', async (_t, service) => {
  for (const reply of [await token(service, {}), await token(service, { grant_type: 'refresh_token' })]) {
    assert.equal(reply.headers.get('cache-control'), 'no-store')
    assert.equal(reply.headers.get('pragma'), 'no-cache')
    assert.match(reply.headers.get('content-type') ?? '', /^application\/json/)
  }
})

eachService(
  'sign-in/client-authentication, sign-in/client-credentials-required, ' +
    'sign-in/client-enumeration: all authentication failures have the same 401 response',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const other = await makeApplication(ada)
    const secret = app.secret ?? ''
    const wrong = other.secret ?? ''
    const fields = { grant_type: 'refresh_token', refresh_token: 'x' }
    const header = (value: string) => ({ authorization: value })
    const replies = [
      await token(service, fields),
      await token(service, { ...fields, client_id: app.id }),
      await token(service, { ...fields, client_id: app.id, client_secret: wrong }),
      await token(service, { ...fields, client_id: app.id, client_secret: `${secret} ` }),
      await token(service, { ...fields, client_id: unknown, client_secret: wrong }),
      await token(service, { ...fields, client_id: 'no id', client_secret: wrong }),
      await token(service, { ...fields, client_secret: secret }),
      await token(service, fields, basic(app.id, wrong)),
      await token(service, fields, basic(unknown, wrong)),
      await token(service, fields, basic(app.id, '')),
      await token(service, fields, basic('', secret)),
      await token(service, fields, basic(app.id, '%zz')),
      await token(service, fields, header('Basic')),
      await token(service, fields, header('Basic !!!')),
      await token(service, fields, header(`Basic ${Buffer.from('no colon').toString('base64')}`)),
      await token(service, fields, header('Basic /w==')),
      await token(service, fields, header(`Bearer ${secret}`)),
      await token(service, { ...fields, client_id: app.id, client_secret: secret }, header('Bearer x')),
    ]
    for (const [index, reply] of replies.entries()) {
      assertError(reply, 401, 'invalid_client')
      assert.equal(reply.text, replies[0]?.text, String(index))
      assert.match(reply.headers.get('www-authenticate') ?? '', /^Basic realm="/)
    }
  },
)

eachService(
  'sign-in/client-authentication: two authentication methods or two clients in one request are rejected',
  async (_t, service) => {
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
  },
)

eachService(
  'sign-in/client-authentication: the header follows RFC 6749 and RFC 7617',
  async (_t, service) => {
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
  },
)

eachService(
  'sign-in/client-credentials-required: a public application must not send a secret',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada, { type: 'public' })
    const code = await codeFor(ada, app)
    assertError(await exchangeCode(service, app, code, { client_secret: 'x' }), 401, 'invalid_client')
    const bare = { grant_type: 'authorization_code', code, redirect_uri: redirectUri }
    assertError(await token(service, bare, basic(app.id, '')), 401, 'invalid_client')
    assertError(await token(service, bare, basic(app.id, 'x')), 401, 'invalid_client')
    assert.equal((await exchangeCode(service, app, code)).status, 200)
  },
)

eachService(
  'sign-in/client-guessing: more than 60 wrong secrets in a minute are rate limited',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const other = await makeApplication(ada)
    const code = await codeFor(ada, app)
    const guess = { grant_type: 'authorization_code', code, client_id: app.id, client_secret: other.secret }
    const replies = await Promise.all(Array.from({ length: 80 }, () => token(service, guess)))
    assert.equal(replies.filter(reply => reply.status === 401).length, 60)
    const limited = replies.filter(reply => reply.status === 429)
    assert.equal(limited.length, 20)
    for (const reply of limited) {
      assert.equal(reply.body.error, 'temporarily_unavailable')
      assert.equal(reply.headers.get('retry-after'), '60')
      assert.equal(reply.headers.get('cache-control'), 'no-store')
    }
    assert.equal((await exchangeCode(service, app, code)).status, 429, 'the right secret is rate limited too')
    assert.equal((await exchangeCode(service, other, 'x')).status, 400, 'another client is not rate limited')
    service.clock.advance(60_000)
    assert.equal((await exchangeCode(service, app, code)).status, 200)
  },
)

eachService(
  'sign-in/client-guessing: requests with the right secret that arrive together are not rate limited',
  async (_t, service) => {
    const app = await makeApplication(await signUp(service, 'ada'))
    const rateLimiter = createRateLimiter({ clock: service.clock.now, limits: {} })
    const { authenticateClient } = createClientAuthentication({ db: service.db, rateLimiter })
    const credentials = { client_id: app.id, client_secret: app.secret ?? '', ip: '192.0.2.1' }
    // Not over HTTP, where the requests would arrive in several turns of the event loop.
    const clients = await Promise.all(
      Array.from({ length: 300 }, () => authenticateClient({ authorization: undefined, ...credentials })),
    )
    assert.deepEqual(new Set(clients.map(({ id }) => id)), new Set([app.id]))
  },
)

eachService(
  'RATE_LIMITS=off disables the rate limit',
  async (_t, service) => {
    const app = await makeApplication(await signUp(service, 'ada'))
    const guess = { grant_type: 'refresh_token', client_id: app.id, client_secret: 'x' }
    const replies = await Promise.all(Array.from({ length: 80 }, () => token(service, guess)))
    assert.equal(replies.filter(reply => reply.status === 401).length, 80)
  },
  { env: { RATE_LIMITS: 'off' } },
)

eachService(
  'sign-in/secrets-not-logged: the log contains no secret, code, token or verifier',
  async (_t, service) => {
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
  },
)

eachService('at LOG_LEVEL=debug the log says why a token request was rejected', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const [confidential, pub] = [await makeApplication(ada), await makeApplication(ada, { type: 'public' })]
  const wrong = { secret: 'gcs_not-the-client-secret', verifier: 'v'.repeat(43) }
  const code = await codeFor(ada, confidential)
  const challenged = await codeFor(ada, pub)
  service.log.splice(0)
  const replies = [
    await exchangeCode(service, confidential, code, { client_secret: wrong.secret }),
    await exchangeCode(service, pub, challenged, { code_verifier: wrong.verifier }),
  ]
  const lines = service.log.filter(line => line.includes('"rejected"'))
  assert.deepEqual(
    lines.map(line => {
      const { level, route, code, status, reason, reqId } = JSON.parse(line)
      assert.equal(typeof reqId, 'string')
      return [level, route, code, status, reason]
    }),
    [
      [20, '/api/oauth2/token', 'unauthenticated', 401, 'invalid_client: wrong client secret'],
      [
        20,
        '/api/oauth2/token',
        'validation_failed',
        400,
        'invalid_grant: The code_verifier does not match the code_challenge.',
      ],
    ],
  )
  for (const secret of [...Object.values(wrong), code, challenged, confidential.secret ?? '']) {
    assert.equal(lines.join('').includes(secret), false)
  }
  assert.doesNotMatch(replies.map(({ text }) => text).join(''), /wrong client secret/)
})

eachService(
  'at LOG_LEVEL=info the log has no line for a rejected request',
  async (_t, service) => {
    await token(service, { grant_type: 'authorization_code', client_id: unknown, code: 'x' })
    assert.doesNotMatch(service.log.join(''), /rejected/)
  },
  { env: { LOG_LEVEL: 'info' } },
)

eachService('sign-in/cors: other origins may send requests without credentials', async (_t, service) => {
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

const revokePath = '/api/oauth2/token/revoke'

function assertEmpty(reply: TestResponse): void {
  assert.equal(reply.status, 200, reply.text)
  assert.deepEqual(reply.body, {})
  assert.match(reply.headers.get('content-type') ?? '', /^application\/json/)
}

async function revoke(service: TestService, token: string, more: Record<string, string> = {}): Promise<void> {
  assertEmpty(await post(service, revokePath, { token, ...more }))
}

eachService(
  'sign-in/revocation, sign-in/revocation-family: revoking an access token does not revoke ' +
    'the refresh token, and needs no client authentication',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const tokens = await tokensFor(service, ada, app)
    await revoke(service, tokens.access_token)
    assert.equal((await userinfo(service, tokens.access_token)).status, 401)
    assert.equal((await refresh(service, app, tokens.refresh_token)).status, 200)
  },
)

eachService(
  'sign-in/revocation-family: revoking a refresh token revokes its access token',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const tokens = await tokensFor(service, ada, app)
    const others = await tokensFor(service, ada, app)
    await revoke(service, tokens.refresh_token)
    assert.equal((await userinfo(service, tokens.access_token)).status, 401)
    assertError(await refresh(service, app, tokens.refresh_token), 400, 'invalid_grant')
    assert.equal((await userinfo(service, others.access_token)).status, 200)
  },
)

eachService('sign-in/revocation: the response to any token is an empty object', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const tokens = await tokensFor(service, ada, app)
  await revoke(service, tokens.access_token)
  await revoke(service, tokens.access_token)
  for (const token of [
    'x',
    'gat_x',
    tokens.access_token.replace('gat_', 'gac_'),
    '\u0000',
    'ü'.repeat(1000),
  ]) {
    await revoke(service, token)
  }
})

eachService(
  'sign-in/revocation: the response is an empty object for every request, with or without a token',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const send = (headers: Record<string, string>, body?: string) =>
      service.client().send(revokePath, { method: 'POST', headers, ...(body === undefined ? {} : { body }) })
    const multipart = 'multipart/form-data; boundary=b'
    for (const reply of [
      await post(service, revokePath, {}),
      await post(service, revokePath, { token: '' }),
      await post(service, revokePath, { token_type_hint: 'access_token' }),
      await post(service, revokePath, {}, basic(app.id, app.secret ?? '')),
      await post(service, revokePath, { token: 'gat_x' }, basic(app.id, 'wrong')),
      await send({}),
      await send(form, ''),
      await send(form, 'token=%ff'),
      await send(form, '&x=1'.repeat(2000)),
      await send({ ...form, 'content-encoding': 'gzip' }, 'token=x'),
      await send({ 'content-type': 'nonsense' }, 'token=x'),
      await send({ 'content-type': 'application/json' }, '{"token":"gat_x"}'),
      await send({ 'content-type': 'application/json' }, '{"token":'),
      await send({ 'content-type': 'application/json' }, '{"token":[1,{}]}'),
      await send({ 'content-type': 'application/json' }, ''),
      await send({ 'content-type': 'text/plain' }, 'token=x'),
      await send({ 'content-type': 'image/png' }, '\u0000'),
      await send({ 'content-type': multipart }, '--b--'),
      await send({ 'content-type': 'multipart/form-data' }, 'token'),
    ]) {
      assertEmpty(reply)
      assert.equal(reply.headers.get('cache-control'), 'no-store')
    }
  },
)

eachService(
  'sign-in/revocation: a token in a JSON or multipart body or without a Content-Type is revoked too',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const bodies = (token: string): [string, string][] => [
      ['application/json', JSON.stringify({ token })],
      [
        'multipart/form-data; boundary=b',
        `--b\r\nContent-Disposition: form-data; name="token"\r\n\r\n${token}\r\n--b--`,
      ],
      ['', `token=${token}`],
    ]
    for (const [index] of bodies('').entries()) {
      const { access_token } = await tokensFor(service, ada, app)
      const [type = '', body = ''] = bodies(access_token)[index] ?? []
      assertEmpty(
        await service
          .client()
          .send(revokePath, { method: 'POST', headers: { 'content-type': type }, body: Buffer.from(body) }),
      )
      assert.equal((await userinfo(service, access_token)).status, 401, type)
    }
  },
)

eachService('sign-in/revocation: 405 and 413 have an empty object too', async (_t, service) => {
  const reply = await service.client().get(revokePath)
  assert.equal(reply.status, 405)
  assert.equal(reply.text, '{}')
  assert.equal(reply.headers.get('allow'), 'POST')
  const large = await post(service, revokePath, { token: 'x'.repeat(1024 * 1024) })
  assert.equal(large.status, 413)
  assert.equal(large.text, '{}')
})

eachService('sign-in/revocation-ignores-client: client credentials are ignored', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const other = await makeApplication(ada)
  const first = await tokensFor(service, ada, app)
  assertEmpty(await post(service, revokePath, { token: first.access_token }, basic(other.id, 'wrong')))
  assert.equal((await userinfo(service, first.access_token)).status, 401)
  const second = await tokensFor(service, ada, app)
  await revoke(service, second.access_token, { client_id: other.id, client_secret: 'wrong' })
  assert.equal((await userinfo(service, second.access_token)).status, 401)
})

eachService('sign-in/revocation-hint: a wrong token_type_hint is ignored', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const tokens = await tokensFor(service, ada, app)
  await revoke(service, tokens.access_token, { token_type_hint: 'refresh_token' })
  assert.equal((await userinfo(service, tokens.access_token)).status, 401)
  await revoke(service, tokens.refresh_token, { token_type_hint: 'something' })
  assertError(await refresh(service, app, tokens.refresh_token), 400, 'invalid_grant')
})
