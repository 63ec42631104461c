import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { eachService } from '../../testing.ts'
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
} from '../testing.ts'

const minute = 60_000

eachService(
  'checks 62, 80, 81 and 82: a code gives the token response of the specification',
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
    assert.match(reply.headers.get('content-type') ?? '', /^application\/json; ?charset=utf-8$/i)
    assert.equal(reply.headers.get('cache-control'), 'no-store')
    assert.equal(reply.headers.get('pragma'), 'no-cache')
    assert.equal((await userinfo(service, reply.body.access_token)).status, 200)
  },
)

eachService('check 63: a code presented again is refused and ends what it gave', async (_t, service) => {
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
})

eachService('check 64: of 200 parallel redemptions of one code exactly one succeeds', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const code = await codeFor(ada, app, { scope: 'openid identify' })
  const replies = await Promise.all(Array.from({ length: 200 }, () => exchangeCode(service, app, code)))
  assert.equal(replies.filter(reply => reply.status === 200).length, 1)
  for (const reply of replies) if (reply.status !== 200) assertError(reply, 400, 'invalid_grant')
})

eachService('check 65: a code is over after five minutes', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const code = await codeFor(ada, app)
  service.clock.advance(5 * minute)
  assertError(await exchangeCode(service, app, code), 400, 'invalid_grant')
})

eachService(
  "check 66: another application's code is refused and stays good for its own",
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
      'nor does a repeat by it end anything',
    )
  },
)

eachService('check 67: the redirect_uri is that of the request', async (_t, service) => {
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
})

eachService('D74: a redirect_uri that was left out may be left out again', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const left = { redirect_uri: undefined }
  assert.equal((await exchangeCode(service, app, await codeFor(ada, app, left), left)).status, 200)
  assert.equal((await exchangeCode(service, app, await codeFor(ada, app, left))).status, 200)
  const wrong = { redirect_uri: 'https://app.example/other' }
  assertError(await exchangeCode(service, app, await codeFor(ada, app, left), wrong), 400, 'invalid_grant')
})

eachService('check 68: a code of who changed the password meanwhile is refused', async (_t, service) => {
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

eachService('checks 69 to 71: the verifier is asked for and compared', async (_t, service) => {
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
  eachService(`check 71: a verifier of ${length} characters is fine`, async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada, { type: 'public' })
    const own = 'v._~-'.padEnd(length, '0')
    const code = await codeFor(ada, app, {
      code_challenge: createHash('sha256').update(own).digest('base64url'),
    })
    assert.equal((await exchangeCode(service, app, code, { code_verifier: own })).status, 200)
  })
}

eachService('checks 72 and 73: PKCE holds for applications with a secret, both ways', async (_t, service) => {
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
})

eachService('check 104: only a code is a code', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const tokens = (await exchangeCode(service, app, await codeFor(ada, app))).body
  for (const wrong of [tokens.access_token, tokens.refresh_token, 'x', 'gac_', 'é']) {
    assertError(await exchangeCode(service, app, wrong), 400, 'invalid_grant')
  }
  assertError(await exchangeCode(service, app, ''), 400, 'invalid_request')
  assertError(await exchangeCode(service, app, '\u0000'), 400, 'invalid_request')
})
