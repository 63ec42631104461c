import assert from 'node:assert/strict'
import { maxUsedRefreshTokens } from '@gatehouse/protocol/limits'
import { eachService } from '@gatehouse/testkit/service'
import { decodeJwt } from 'jose'
import { createToken, parseToken, secretPrefixes } from '../../kit/secret.ts'
import {
  assertError,
  basic,
  credentialsOf,
  makeApplication,
  post,
  refresh,
  signUp,
  token,
  tokensFor,
  userinfo,
} from '../oauth-testing.ts'

const day = 24 * 60 * 60_000

eachService(
  'sign-in/refresh-rotation: a refresh returns a new token pair and invalidates the old one',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const first = await tokensFor(service, ada, app, { scope: 'identify email' })
    const second = await refresh(service, app, first.refresh_token)
    assert.equal(second.status, 200, second.text)
    assert.notEqual(second.body.refresh_token, first.refresh_token)
    assert.notEqual(second.body.access_token, first.access_token)
    assert.equal(second.body.expires_in, 604_800)
    assert.equal(second.body.scope, 'identify email')
    assert.equal((await userinfo(service, first.access_token)).status, 401)
    assert.equal((await userinfo(service, second.body.access_token)).status, 200)
    const third = await refresh(service, app, second.body.refresh_token)
    assert.equal(third.status, 200)
  },
)

eachService(
  'sign-in/refresh-reuse: reuse revokes the token family, also after a restart',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const first = await tokensFor(service, ada, app)
    const other = await tokensFor(service, ada, app)
    const second = (await refresh(service, app, first.refresh_token)).body
    await service.restart()
    assertError(await refresh(service, app, first.refresh_token), 400, 'invalid_grant')
    assert.equal((await userinfo(service, second.access_token)).status, 401)
    assertError(await refresh(service, app, second.refresh_token), 400, 'invalid_grant')
    assert.equal(
      (await refresh(service, app, other.refresh_token)).status,
      200,
      'another token family is not affected',
    )
  },
)

eachService(
  'sign-in/refresh-reuse: a grant remembers its last 100 used tokens, and an older one revokes nothing',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    // A refresh with an ID token uses other statements on PostgreSQL.
    for (const scope of ['identify', 'openid']) {
      const used: string[] = []
      let current = (await tokensFor(service, ada, app, { scope })).refresh_token
      for (let i = 0; i <= maxUsedRefreshTokens; i++) {
        used.push(current)
        current = (await refresh(service, app, current)).body.refresh_token
      }
      const kept = await service.db.get`SELECT COUNT(*) AS n FROM oauth_used_refresh_tokens`
      assert.deepEqual(kept, { n: maxUsedRefreshTokens })
      assertError(await refresh(service, app, used[0] ?? ''), 400, 'invalid_grant')
      current = (await refresh(service, app, current)).body.refresh_token
      assertError(await refresh(service, app, used[2] ?? ''), 400, 'invalid_grant')
      assertError(await refresh(service, app, current), 400, 'invalid_grant')
    }
  },
)

eachService(
  'sign-in/refresh-rate: a grant is refreshed 60 times a minute, and wrong tokens do not count',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const other = await tokensFor(service, ada, app)
    let { refresh_token: current } = await tokensFor(service, ada, app)
    const wrong = createToken(secretPrefixes.refreshToken, parseToken('grt_', current)?.id ?? '')
    for (let i = 0; i < 60; i++) assertError(await refresh(service, app, wrong), 400, 'invalid_grant')
    for (let i = 0; i < 60; i++) {
      const reply = await refresh(service, app, current)
      assert.equal(reply.status, 200, reply.text)
      current = reply.body.refresh_token
    }
    const rejected = await refresh(service, app, current)
    assertError(rejected, 429, 'temporarily_unavailable')
    assert.equal(rejected.headers.get('retry-after'), '60')
    assertError(await refresh(service, { ...app, secret: 'wrong' }, current), 401, 'invalid_client')
    assert.equal((await refresh(service, app, other.refresh_token)).status, 200)
    service.clock.advance(60_000)
    assert.equal((await refresh(service, app, current)).status, 200)
  },
  { env: { RATE_LIMITS: 'on' } },
)

eachService(
  'sign-in/refresh-parallel: of 200 parallel refreshes of one token exactly one succeeds',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const first = await tokensFor(service, ada, app, { scope: 'openid identify' })
    const replies = await Promise.all(
      Array.from({ length: 200 }, () => refresh(service, app, first.refresh_token)),
    )
    assert.equal(replies.filter(reply => reply.status === 200).length, 1)
    for (const reply of replies) if (reply.status !== 200) assertError(reply, 400, 'invalid_grant')
  },
)

eachService(
  'sign-in/refresh-grace: reuse within the grace period returns the same response, later it revokes the token family',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const other = await makeApplication(ada)
    const first = await tokensFor(service, ada, app, { scope: 'openid identify' })
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => refresh(service, app, first.refresh_token)),
    )
    const [one] = replies
    assert.ok(one)
    for (const reply of replies) {
      assert.equal(reply.status, 200, reply.text)
      assert.deepEqual(reply.body, one.body)
    }
    service.clock.advance(9_999)
    assert.deepEqual((await refresh(service, app, first.refresh_token)).body, one.body)
    assertError(await refresh(service, other, first.refresh_token), 400, 'invalid_grant')
    assert.equal((await userinfo(service, one.body.access_token)).status, 200)
    service.clock.advance(1)
    assertError(await refresh(service, app, first.refresh_token), 400, 'invalid_grant')
    assert.equal((await userinfo(service, one.body.access_token)).status, 401)
    assertError(await refresh(service, app, one.body.refresh_token), 400, 'invalid_grant')
  },
  { env: { REFRESH_GRACE_SECONDS: '10' } },
)

for (const [service_, env, seconds] of [
  ['none for the service', {}, 10],
  ['a shorter one for the service', { REFRESH_GRACE_SECONDS: '3' }, 10],
  ['a longer one for the service', { REFRESH_GRACE_SECONDS: '20' }, 20],
] as const) {
  eachService(
    `sign-in/refresh-grace: an application with refreshGrace has a grace period of 10 s, with ${service_}`,
    async (_t, service) => {
      const ada = await signUp(service, 'ada')
      const app = await makeApplication(ada)
      await ada.client.request('PATCH', `/api/applications/${app.id}`, { refreshGrace: true })
      const first = await tokensFor(service, ada, app)
      const second = (await refresh(service, app, first.refresh_token)).body
      const other = await makeApplication(ada)
      const used = (await tokensFor(service, ada, other)).refresh_token
      await refresh(service, other, used)
      service.clock.advance(seconds * 1000 - 1)
      assert.deepEqual((await refresh(service, app, first.refresh_token)).body, second)
      if (seconds === 10) assertError(await refresh(service, other, used), 400, 'invalid_grant')
      service.clock.advance(1)
      assertError(await refresh(service, app, first.refresh_token), 400, 'invalid_grant')
      assert.equal((await userinfo(service, second.access_token)).status, 401)
    },
    { env },
  )
}

eachService(
  "sign-in/refresh-of-another-client: another application's token is rejected and remains valid",
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const other = await makeApplication(ada)
    const first = await tokensFor(service, ada, app)
    assertError(await refresh(service, other, first.refresh_token), 400, 'invalid_grant')
    const second = (await refresh(service, app, first.refresh_token)).body
    assertError(await refresh(service, other, first.refresh_token), 400, 'invalid_grant')
    assert.equal((await userinfo(service, second.access_token)).status, 200)
  },
)

eachService(
  'sign-in/refresh-rotation: a confidential application must send its secret, a public one has none',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const native = await makeApplication(ada, { type: 'public' })
    const first = await tokensFor(service, ada, app)
    const without = { client_secret: undefined }
    assertError(await refresh(service, app, first.refresh_token, without), 401, 'invalid_client')
    const header = { grant_type: 'refresh_token', refresh_token: first.refresh_token }
    assert.equal((await token(service, header, basic(app.id, app.secret ?? ''))).status, 200)
    const own = await tokensFor(service, ada, native)
    assert.equal((await refresh(service, native, own.refresh_token)).status, 200)
  },
)

eachService(
  'sign-in/refresh-scope: the scope can be narrowed but not widened, and is complete again at the next refresh',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const first = await tokensFor(service, ada, app, { scope: 'identify email openid' })
    for (const scope of ['identify servers', 'servers', 'identify unknown', 'identify "x"', ' ']) {
      assertError(await refresh(service, app, first.refresh_token, { scope }), 400, 'invalid_scope')
    }
    const narrow = await refresh(service, app, first.refresh_token, { scope: 'identify' })
    assert.equal(narrow.body.scope, 'identify')
    assert.equal('id_token' in narrow.body, false)
    assert.equal('email' in (await userinfo(service, narrow.body.access_token)).body, false)
    const whole = await refresh(service, app, narrow.body.refresh_token)
    assert.equal(whole.body.scope, 'identify email openid')
    assert.equal((await userinfo(service, whole.body.access_token)).body.email, ada.email)
    const reordered = await refresh(service, app, whole.body.refresh_token, { scope: 'email identify' })
    assert.equal(reordered.body.scope, 'email identify')
  },
)

eachService(
  'sign-in/refresh-lifetime: a refresh token is valid for 60 days, and each refresh extends them',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const first = await tokensFor(service, ada, app)
    service.clock.advance(60 * day - 1)
    const second = (await refresh(service, app, first.refresh_token)).body
    service.clock.advance(60 * day - 1)
    const third = (await refresh(service, app, second.refresh_token)).body
    service.clock.advance(60 * day)
    assertError(await refresh(service, app, third.refresh_token), 400, 'invalid_grant')
  },
)

eachService(
  'sign-in/refresh-lifetime: a grant does not end, however often its tokens are refreshed',
  async (_t, service) => {
    for (const [username, scope] of [
      ['ada', 'identify'],
      ['bob', 'openid identify'],
    ] as const) {
      const user = await signUp(service, username)
      const app = await makeApplication(user)
      let tokens = await tokensFor(service, user, app, { scope })
      const introspect = async (value: string) =>
        (await post(service, '/api/oauth2/introspect', { token: value, ...credentialsOf(app) })).body
      for (let days = 59; days < 3 * 365; days += 59) {
        service.clock.advance(59 * day)
        const reply = await refresh(service, app, tokens.refresh_token)
        assert.equal(reply.status, 200, `day ${days}`)
        assert.equal(reply.body.expires_in, 604_800, `day ${days}`)
        tokens = reply.body
      }
      const now = service.clock.now()
      assert.equal((await introspect(tokens.refresh_token)).exp, (now + 60 * day) / 1000)
      assert.equal((await introspect(tokens.access_token)).exp, (now + 7 * day) / 1000)
    }
  },
)

eachService('an access token is valid for 7 days', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const tokens = await tokensFor(service, ada, app)
  service.clock.advance(7 * day - 1)
  assert.equal((await userinfo(service, tokens.access_token)).status, 200)
  service.clock.advance(1)
  assert.equal((await userinfo(service, tokens.access_token)).status, 401)
  assert.equal((await refresh(service, app, tokens.refresh_token)).status, 200)
})

eachService(
  'sign-in/token-kinds: an access token is not accepted as a refresh token, nor the reverse',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const tokens = await tokensFor(service, ada, app)
    assertError(await refresh(service, app, tokens.access_token), 400, 'invalid_grant')
    assertError(await refresh(service, app, ''), 400, 'invalid_request')
    assert.equal((await userinfo(service, tokens.refresh_token)).status, 401)
  },
)

eachService(
  'sign-in/refresh-ends: revocation, a reset secret, a deleted application and a changed password revoke the tokens',
  async (_t, service) => {
    const owner = await signUp(service, 'owner')
    const ada = await signUp(service, 'ada')
    const endings = {
      revoked: (id: string) => ada.client.json('DELETE', `/api/users/@me/authorizations/${id}`),
      secret: (id: string) => owner.client.json('POST', `/api/applications/${id}/secret`),
      deleted: (id: string) => owner.client.json('DELETE', `/api/applications/${id}`),
      password: () =>
        ada.client.json('PATCH', '/api/users/@me', {
          password: 'another password',
          currentPassword: ada.password,
        }),
    }
    for (const [name, end] of Object.entries(endings)) {
      const app = await makeApplication(owner)
      const untouched = await tokensFor(service, owner, app)
      const tokens = await tokensFor(service, ada, app)
      const reply = await end(app.id)
      assert.ok(reply.status < 300, `${name} ${reply.text}`)
      assert.equal((await userinfo(service, tokens.access_token)).status, 401, name)
      const secret = name === 'secret' ? reply.body.clientSecret : app.secret
      const response = await refresh(service, app, tokens.refresh_token, { client_secret: secret })
      assert.ok(['invalid_grant', 'invalid_client'].includes(response.body.error), response.text)
      const others = await userinfo(service, untouched.access_token)
      assert.equal(others.status, name === 'revoked' || name === 'password' ? 200 : 401, name)
    }
  },
)

eachService(
  'sign-in/refresh-id-token: a refreshed id_token has the claims of the same sign-in',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const first = await tokensFor(service, ada, app, { scope: 'openid', nonce: 'n' })
    service.clock.advance(60_000)
    const second = await refresh(service, app, first.refresh_token)
    const before = decodeJwt(first.id_token ?? '')
    const after = decodeJwt(second.body.id_token)
    for (const claim of ['iss', 'sub', 'aud', 'auth_time'])
      assert.deepEqual(after[claim], before[claim], claim)
    assert.equal(Number(after.iat), Number(before.iat) + 60)
    assert.equal('nonce' in after, false)
    assert.notEqual(after.at_hash, before.at_hash)
  },
)

eachService('sign-in/refresh-reuse: revoking a used token revokes its token family', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const first = await tokensFor(service, ada, app)
  const second = (await refresh(service, app, first.refresh_token)).body
  await post(service, '/api/oauth2/token/revoke', { token: first.refresh_token })
  assert.equal((await userinfo(service, second.access_token)).status, 401)
  assertError(await refresh(service, app, second.refresh_token), 400, 'invalid_grant')
})
