import assert from 'node:assert/strict'
import { assertRoundTrips } from '@gatehouse/testkit/round-trips'
import { eachService } from '@gatehouse/testkit/service'
import { assertError, makeApplication, post, signUp, tokensFor, userinfo } from './oauth-testing.ts'

const path = '/api/oauth2/userinfo'

eachService(
  'sign-in/bearer-token-location, sign-in/userinfo-claims: userinfo accepts GET and POST, ' +
    'with the token in the header or the form',
  async (_t, service) => {
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
  },
)

eachService(
  'sign-in/bearer-token-location: a token in the query or in two places is rejected',
  async (_t, service) => {
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
  },
)

eachService('sign-in/bearer-challenge: an invalid token is invalid_token', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const { access_token: token } = await tokensFor(service, ada, app)
  const attempts = [
    await userinfo(service, 'x'),
    await userinfo(service, `${token.slice(0, -1)}${token.endsWith('x') ? 'y' : 'x'}`),
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

eachService(
  'sign-in/userinfo-scope, sign-in/same-scope-rules: the scope identify is required, wherever the token is',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const { access_token: token } = await tokensFor(service, ada, app, { scope: 'openid email servers' })
    for (const reply of [
      await userinfo(service, token),
      await post(service, path, { access_token: token }),
    ]) {
      assertError(reply, 403, 'insufficient_scope')
      assert.match(
        reply.headers.get('www-authenticate') ?? '',
        /error="insufficient_scope".*scope="identify"/,
      )
      for (const text of [reply.headers.get('www-authenticate') ?? '', reply.body.error_description]) {
        assert.match(text, /request openid profile email\./)
        assert.match(text, /USERINFO_SCOPE=openid/)
      }
    }
    const me = await service.client().get('/api/users/@me', { authorization: `Bearer ${token}` })
    assert.equal(me.status, 403)
    const servers = await service.client().get('/api/users/@me/servers', { authorization: `Bearer ${token}` })
    assert.equal(servers.status, 200)
  },
)

eachService(
  'sign-in/userinfo-claims: email requires its scope, and email_verified is a boolean',
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
  'sign-in/userinfo-scope: with USERINFO_SCOPE=openid a token with only openid gets sub',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const openid = await tokensFor(service, ada, app, { scope: 'openid' })
    assert.deepEqual((await userinfo(service, openid.access_token)).body, { sub: ada.id })
    const neither = await tokensFor(service, ada, app, { scope: 'servers' })
    const rejected = await userinfo(service, neither.access_token)
    assertError(rejected, 403, 'insufficient_scope')
    assert.match(rejected.body.error_description, /lacks the scopes openid and identify/)
    const both = await tokensFor(service, ada, app, { scope: 'openid identify' })
    assert.equal((await userinfo(service, both.access_token)).body.preferred_username, 'ada')
  },
  { env: { USERINFO_SCOPE: 'openid' } },
)

eachService('userinfo waits once for PostgreSQL', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const { access_token: token } = await tokensFor(service, ada, app)
  await assertRoundTrips(service, 1, async () => {
    const reply = await userinfo(service, token)
    assert.deepEqual([reply.status, reply.body.sub], [200, ada.id])
  })
})
