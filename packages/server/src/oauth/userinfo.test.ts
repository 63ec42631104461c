import assert from 'node:assert/strict'
import { eachService } from '../testing.ts'
import { assertError, makeApplication, post, signUp, tokensFor, userinfo } from './testing.ts'

const path = '/api/oauth2/userinfo'

eachService('checks 116 and 122: userinfo answers GET and POST, header and form', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const { access_token: token } = await tokensFor(service, ada, app)
  const header = { authorization: `Bearer ${token}` }
  const expected = {
    sub: ada.id,
    preferred_username: 'ada',
    name: 'Name of ada',
    picture: `${service.url}/images/users/${ada.id}/default`,
  }
  for (const reply of [
    await userinfo(service, token),
    await service.client().get(path, { authorization: `bearer ${token}` }),
    await service.client().send(path, { method: 'POST', headers: header }),
    await post(service, path, {}, header),
    await post(service, path, { access_token: token }),
  ]) {
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual(reply.body, expected)
    assert.match(reply.headers.get('content-type') ?? '', /^application\/json/)
    assert.equal(reply.headers.get('access-control-allow-origin'), '*')
    assert.match(reply.headers.get('cache-control') ?? '', /no-store/)
  }
})

eachService('checks 117 and 118: not in the address, not in two places', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const { access_token: token } = await tokensFor(service, ada, app)
  const header = { authorization: `Bearer ${token}` }
  assertError(await service.client().get(`${path}?access_token=${token}`), 400, 'invalid_request')
  assertError(await service.client().get(`${path}?access_token=${token}`, header), 400, 'invalid_request')
  assertError(await post(service, path, { access_token: token }, header), 400, 'invalid_request')
  const twice = await service.client().send(path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `access_token=${token}&access_token=${token}`,
  })
  assertError(twice, 400, 'invalid_request')
})

eachService('check 119: without a token the challenge stands alone', async (_t, service) => {
  for (const reply of [await service.client().get(path), await post(service, path, {})]) {
    assert.equal(reply.status, 401)
    assert.equal(reply.headers.get('www-authenticate'), 'Bearer')
  }
})

eachService('check 120: a token that does not hold is invalid_token', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const { access_token: token } = await tokensFor(service, ada, app)
  const attempts = [
    await userinfo(service, 'x'),
    await userinfo(service, `${token.slice(0, -1)}x`),
    await userinfo(service, token.replace('gat_', 'grt_')),
    await service.client().get(path, { authorization: `Bot ${token}` }),
    await service.client().get(path, { authorization: 'Bearer' }),
    await post(service, path, { access_token: 'x' }),
  ]
  await post(service, '/api/oauth2/token/revoke', { token })
  attempts.push(await userinfo(service, token))
  for (const reply of attempts) {
    assertError(reply, 401, 'invalid_token')
    assert.match(reply.headers.get('www-authenticate') ?? '', /^Bearer error="invalid_token"/)
  }
})

eachService('checks 121 and 124: identify is needed, however the token arrives', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const { access_token: token } = await tokensFor(service, ada, app, { scope: 'openid email servers' })
  for (const reply of [await userinfo(service, token), await post(service, path, { access_token: token })]) {
    assertError(reply, 403, 'insufficient_scope')
    assert.match(reply.headers.get('www-authenticate') ?? '', /error="insufficient_scope".*scope="identify"/)
  }
  const me = await service.client().get('/api/users/@me', { authorization: `Bearer ${token}` })
  assert.equal(me.status, 403)
  const servers = await service.client().get('/api/users/@me/servers', { authorization: `Bearer ${token}` })
  assert.equal(servers.status, 200)
})

eachService(
  'checks 122 and 123: email comes with its scope, and email_verified is a boolean',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const { access_token: token } = await tokensFor(service, ada, app, { scope: 'identify email' })
    const { body } = await userinfo(service, token)
    assert.equal(body.email, ada.email)
    assert.equal(body.email_verified, false)
    assert.match(body.picture, /^http:\/\//)
    const me = await service.client().get('/api/users/@me', { authorization: `Bearer ${token}` })
    assert.equal(me.body.email, ada.email)
    const { access_token: plain } = await tokensFor(service, ada, app)
    assert.deepEqual(Object.keys((await userinfo(service, plain)).body).sort(), [
      'name',
      'picture',
      'preferred_username',
      'sub',
    ])
    const own = await service.client().get('/api/users/@me', { authorization: `Bearer ${plain}` })
    assert.equal('email' in own.body, false)
  },
)

eachService(
  'D15: with USERINFO_SCOPE=openid a token with openid alone gets sub',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const openid = await tokensFor(service, ada, app, { scope: 'openid' })
    assert.deepEqual((await userinfo(service, openid.access_token)).body, { sub: ada.id })
    const neither = await tokensFor(service, ada, app, { scope: 'servers' })
    assertError(await userinfo(service, neither.access_token), 403, 'insufficient_scope')
    const both = await tokensFor(service, ada, app, { scope: 'openid identify' })
    assert.equal((await userinfo(service, both.access_token)).body.preferred_username, 'ada')
  },
  { env: { USERINFO_SCOPE: 'openid' } },
)
