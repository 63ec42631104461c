import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { eachService } from '@gatehouse/testkit/service'
import { parseToken, secretPrefixes } from '../../kit/secret.ts'
import { exchangeCode as storeTokens } from '../grant-store.ts'
import {
  assertError,
  challenge,
  codeFor,
  exchangeCode,
  makeApplication,
  refresh,
  signUp,
  userinfo,
  verifier,
} from '../oauth-testing.ts'

const minute = 60_000

eachService(
  'sign-in/code-format, sign-in/token-response, sign-in/token-no-store: exchanging a code ' +
    'returns the specified token response',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const code = await codeFor(ada, app)
    assert.match(code, /^gac_[0-9A-Za-z]{49}$/)
    service.clock.advance(5 * minute - 1)
    const reply = await exchangeCode(service, app, code)
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual(Object.keys(reply.body).sort(), [
      'access_token',
      'expires_in',
      'refresh_token',
      'scope',
      'token_type',
    ])
    assert.match(reply.body.access_token, /^gat_[0-9A-Za-z]{49}$/)
    assert.match(reply.body.refresh_token, /^grt_[0-9A-Za-z]{49}$/)
    assert.equal(reply.body.token_type, 'Bearer')
    assert.equal(reply.body.expires_in, 604_800)
    assert.equal(reply.body.scope, 'identify')
    assert.equal(reply.headers.get('content-type'), 'application/json')
    assert.equal(reply.headers.get('cache-control'), 'no-store')
    assert.equal(reply.headers.get('pragma'), 'no-cache')
    assert.equal((await userinfo(service, reply.body.access_token)).status, 200)
  },
)

eachService(
  'sign-in/code-single-use: a reused code is rejected and revokes its tokens',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const code = await codeFor(ada, app)
    const first = await exchangeCode(service, app, code)
    const second = await refresh(service, app, first.body.refresh_token)
    assert.equal(second.status, 200)
    service.clock.advance(60 * minute)
    assertError(await exchangeCode(service, app, code), 400, 'invalid_grant')
    assert.equal((await userinfo(service, second.body.access_token)).status, 401)
    assertError(await refresh(service, app, second.body.refresh_token), 400, 'invalid_grant')
  },
)

eachService(
  'sign-in/code-single-use: of two requests that have read an unused code, one stores its tokens',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const code = parseToken(secretPrefixes.authorizationCode, await codeFor(ada, await makeApplication(ada)))
    const now = service.clock.now()
    const store = (name: string) =>
      storeTokens(service.db, code?.id ?? '', now, {
        accessHash: `access hash of ${name}`,
        accessScope: 'identify',
        accessExpiresAt: now + minute,
        refreshHash: `refresh hash of ${name}`,
        issuedAt: now,
        refreshExpiresAt: now + minute,
      })
    assert.deepEqual([await store('the first'), await store('the second')], [true, false])
  },
)

for (const [scope, what] of [
  ['openid identify', ''],
  ['identify', ', without an id_token'],
] as const) {
  eachService(
    'sign-in/code-parallel-use: of 200 parallel redemptions of one code exactly one ' +
      `succeeds, and its tokens are revoked${what}`,
    async (_t, service) => {
      const ada = await signUp(service, 'ada')
      const app = await makeApplication(ada)
      const code = await codeFor(ada, app, { scope })
      const replies = await Promise.all(Array.from({ length: 200 }, () => exchangeCode(service, app, code)))
      const [first, ...others] = replies.filter(reply => reply.status === 200)
      assert.ok(first)
      assert.deepEqual(others, [])
      assert.equal((await userinfo(service, first.body.access_token)).status, 401)
      assertError(await refresh(service, app, first.body.refresh_token), 400, 'invalid_grant')
      for (const reply of replies) if (reply.status !== 200) assertError(reply, 400, 'invalid_grant')
    },
  )
}

eachService('sign-in/code-format: a code expires after five minutes', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const code = await codeFor(ada, app)
  service.clock.advance(5 * minute)
  assertError(await exchangeCode(service, app, code), 400, 'invalid_grant')
})

eachService(
  'sign-in/code-format: a request that has read a code before it expires stores no tokens after',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const code = parseToken(secretPrefixes.authorizationCode, await codeFor(ada, await makeApplication(ada)))
    const expiry = service.clock.now() + 5 * minute
    const store = (now: number) =>
      storeTokens(service.db, code?.id ?? '', now, {
        accessHash: 'access hash',
        accessScope: 'identify',
        accessExpiresAt: now + minute,
        refreshHash: 'refresh hash',
        issuedAt: now,
        refreshExpiresAt: now + minute,
      })
    assert.deepEqual([await store(expiry), await store(expiry - 1)], [false, true])
  },
)

eachService(
  "sign-in/code-of-another-client: another application's code is rejected and remains valid",
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const other = await makeApplication(ada)
    const code = await codeFor(ada, app)
    assertError(await exchangeCode(service, other, code), 400, 'invalid_grant')
    const first = await exchangeCode(service, app, code)
    assert.equal(first.status, 200)
    assertError(await exchangeCode(service, other, code), 400, 'invalid_grant')
    assert.equal(
      (await userinfo(service, first.body.access_token)).status,
      200,
      'reuse by another application revokes nothing',
    )
  },
)

eachService(
  'sign-in/code-redirect-uri: the redirect_uri must be the one of the authorization request',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const code = await codeFor(ada, app)
    assertError(await exchangeCode(service, app, code, { redirect_uri: undefined }), 400, 'invalid_request')
    assertError(
      await exchangeCode(service, app, code, { redirect_uri: `${app.redirectUri}/` }),
      400,
      'invalid_grant',
    )
    assert.equal((await exchangeCode(service, app, code)).status, 200)
  },
)

eachService(
  'sign-in/code-redirect-uri: the redirect_uri may be omitted if the authorization request omitted it',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const omitted = { redirect_uri: undefined }
    assert.equal((await exchangeCode(service, app, await codeFor(ada, app, omitted), omitted)).status, 200)
    assert.equal((await exchangeCode(service, app, await codeFor(ada, app, omitted))).status, 200)
    const wrong = { redirect_uri: 'https://app.example/other' }
    assertError(
      await exchangeCode(service, app, await codeFor(ada, app, omitted), wrong),
      400,
      'invalid_grant',
    )
  },
)

eachService('sign-in/code-ends-with-session: a changed password invalidates a code', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const code = await codeFor(ada, app)
  const changed = await ada.client.json('PATCH', '/api/users/@me', {
    password: 'another password',
    currentPassword: ada.password,
  })
  assert.equal(changed.status, 200, changed.text)
  assertError(await exchangeCode(service, app, code), 400, 'invalid_grant')
})

eachService('sign-in/pkce-verifier: the verifier is required and compared', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada, { type: 'public' })
  const code = await codeFor(ada, app)
  const attempt = (codeVerifier: string | undefined) =>
    exchangeCode(service, app, code, { code_verifier: codeVerifier })
  assertError(await attempt(undefined), 400, 'invalid_grant')
  assertError(await attempt(''), 400, 'invalid_grant')
  assertError(await attempt(`${verifier}x`), 400, 'invalid_grant')
  assertError(await attempt(challenge), 400, 'invalid_grant')
  assertError(await attempt(verifier.slice(0, 42)), 400, 'invalid_request')
  assertError(await attempt(verifier.padEnd(129, 'x')), 400, 'invalid_request')
  assertError(await attempt(`${verifier}+`), 400, 'invalid_request')
  assert.equal((await attempt(verifier)).status, 200)
})

for (const length of [43, 128]) {
  eachService(
    `sign-in/pkce-verifier: a verifier of ${length} characters is accepted`,
    async (_t, service) => {
      const ada = await signUp(service, 'ada')
      const app = await makeApplication(ada, { type: 'public' })
      const own = 'v._~-'.padEnd(length, '0')
      const code = await codeFor(ada, app, {
        code_challenge: createHash('sha256').update(own).digest('base64url'),
      })
      assert.equal((await exchangeCode(service, app, code, { code_verifier: own })).status, 200)
    },
  )
}

eachService(
  'sign-in/pkce-downgrade, sign-in/pkce-verifier: challenge and verifier require each other ' +
    'for applications with a secret too',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const plain = await codeFor(ada, app)
    assertError(await exchangeCode(service, app, plain, { code_verifier: verifier }), 400, 'invalid_grant')
    assert.equal((await exchangeCode(service, app, plain)).status, 200)
    const challenged = await codeFor(ada, app, { code_challenge: challenge })
    assertError(await exchangeCode(service, app, challenged), 400, 'invalid_grant')
    assertError(
      await exchangeCode(service, app, challenged, { code_verifier: `${verifier}x` }),
      400,
      'invalid_grant',
    )
    assert.equal((await exchangeCode(service, app, challenged, { code_verifier: verifier })).status, 200)
  },
)

eachService('sign-in/token-kinds: other kinds of tokens are not accepted as a code', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const tokens = (await exchangeCode(service, app, await codeFor(ada, app))).body
  for (const wrong of [tokens.access_token, tokens.refresh_token, 'x', 'gac_', 'é']) {
    assertError(await exchangeCode(service, app, wrong), 400, 'invalid_grant')
  }
  assertError(await exchangeCode(service, app, ''), 400, 'invalid_request')
  assertError(await exchangeCode(service, app, '\u0000'), 400, 'invalid_request')
})
