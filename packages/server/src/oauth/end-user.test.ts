import assert from 'node:assert/strict'
import type { TestUser } from '@gatehouse/testkit/community'
import { eachService, type TestClient, type TestResponse } from '@gatehouse/testkit/service'
import { decodeJwt } from 'jose'
import { hiddenFields } from '../accounts/users/users-testing.ts'
import {
  allow,
  authorizePath,
  decide,
  exchangeCode,
  follow,
  locationOf,
  makeApplication,
  parametersOf,
  signInAt,
  signUp,
  tokensFor,
} from './oauth-testing.ts'

const openid = { scope: 'openid identify' }

async function signInFields(client: TestClient, user: TestUser): Promise<Record<string, string>> {
  const { form_token = '' } = hiddenFields((await client.get('/login')).text)
  return { form_token, login: user.username, password: user.password }
}

function isSignIn(reply: TestResponse): boolean {
  return reply.status === 303 && locationOf(reply).pathname === '/login'
}

eachService(
  'sign-in/prompt-none: prompt=none without a session returns login_required',
  async (_t, service) => {
    const app = await makeApplication(await signUp(service, 'ada'))
    const anonymous = service.client()
    const reply = await anonymous.get(authorizePath(app, { prompt: 'none' }))
    assert.equal(parametersOf(reply).error, 'login_required')
    const wrong = await anonymous.get(authorizePath(app, { prompt: 'none', response_type: 'token' }))
    assert.equal(parametersOf(wrong).error, 'unsupported_response_type')
  },
)

eachService(
  'sign-in/prompt-none: prompt=none returns consent_required without a previous consent',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const first = await ada.client.get(authorizePath(app, { ...openid, prompt: 'none' }))
    assert.equal(parametersOf(first).error, 'consent_required')
    const before = decodeJwt((await tokensFor(service, ada, app, openid)).id_token ?? '')
    service.clock.advance(60_000)
    const silent = await tokensFor(service, ada, app, { ...openid, prompt: 'none' })
    const claims = decodeJwt(silent.id_token ?? '')
    assert.equal(claims.sub, ada.id)
    assert.equal(claims.auth_time, before.auth_time)
  },
)

eachService(
  'sign-in/prompt-login, sign-in/max-age: prompt=login requires one new sign-in',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const before = decodeJwt((await tokensFor(service, ada, app, openid)).id_token ?? '')
    service.clock.advance(60_000)
    const response = await ada.client.get(authorizePath(app, { ...openid, prompt: 'login' }))
    assert.ok(isSignIn(response))
    assert.equal(locationOf(response).searchParams.get('reauthenticate'), '1')
    // Returning without a sign-in shows the sign-in page again.
    const returnTo = locationOf(response).searchParams.get('return_to') ?? ''
    assert.ok(isSignIn(await ada.client.get(returnTo)))
    service.clock.advance(5000)
    const done = await follow(ada.client, await signInAt(ada.client, response, ada))
    const exchanged = await exchangeCode(service, app, parametersOf(done).code ?? '')
    const after = decodeJwt(exchanged.body.id_token)
    assert.equal(Number(after.auth_time), Number(before.auth_time) + 65)
    service.clock.advance(1000)
    assert.ok(
      isSignIn(await ada.client.get(authorizePath(app, { ...openid, prompt: 'login' }))),
      'the next request requires another sign-in',
    )
  },
)

eachService(
  'sign-in/session-secret: a sign-in for prompt=login renews the cookie, and an open consent page still works',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const before = ada.client.cookieHeader()
    const consentPage = await ada.client.get(authorizePath(app, openid))
    const response = await ada.client.get(authorizePath(app, { ...openid, prompt: 'login' }))
    await signInAt(ada.client, response, ada)
    assert.notEqual(ada.client.cookieHeader(), before)
    assert.equal((await service.client().get('/api/users/@me', { cookie: before })).status, 401)
    assert.ok(parametersOf(await decide(ada.client, consentPage)).code)
  },
)

eachService('a sign-in for prompt=login of one request does not count for another', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  await allow(ada, app)
  service.clock.advance(1000)
  const response = await ada.client.get(authorizePath(app, { prompt: 'login' }))
  const returnTo = locationOf(response).searchParams.get('return_to') ?? ''
  const started = new URL(returnTo, 'http://x.invalid').searchParams.get('_started') ?? ''
  service.clock.advance(1000)
  await signInAt(ada.client, response, ada)
  const other = `${authorizePath(app, { prompt: 'login', state: 'another' })}&_started=${encodeURIComponent(started)}`
  assert.ok(isSignIn(await ada.client.get(other)))
  const unsealed = `${authorizePath(app, { prompt: 'login' })}&_started=0`
  assert.ok(isSignIn(await ada.client.get(unsealed)))
  service.clock.advance(2 * 60 * 60_000)
  assert.ok(isSignIn(await ada.client.get(returnTo)), 'the start of the request expires')
})

eachService(
  'sign-in/request-start: the start of a request in another browser does not replace the sign-in for prompt=login',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    await allow(ada, app)
    for (const more of [{ prompt: 'login' }, { max_age: '1' }]) {
      // Another person opens the request first, and sends the link to a user who signs in afterwards.
      const started = locationOf(await service.client().get(authorizePath(app, more)))
      const link = started.searchParams.get('return_to') ?? ''
      service.clock.advance(1000)
      await ada.client.form('/login', await signInFields(ada.client, ada))
      service.clock.advance(5000)
      assert.ok(isSignIn(await ada.client.get(link)), JSON.stringify(more))
      const own = await ada.client.get(authorizePath(app, more))
      service.clock.advance(1000)
      assert.ok(parametersOf(await follow(ada.client, await signInAt(ada.client, own, ada))).code)
    }
  },
)

eachService(
  'sign-in/prompt-login: prompt=consent and select_account show the page despite a previous consent',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    await allow(ada, app)
    for (const prompt of ['consent', 'select_account', 'consent select_account']) {
      const page = await ada.client.get(authorizePath(app, { prompt }))
      assert.equal(page.status, 200)
      assert.ok(parametersOf(await decide(ada.client, page)).code)
    }
  },
)

eachService(
  'prompt=login consent requires both, and the sign-in does not expire on the consent page',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    await allow(ada, app)
    service.clock.advance(1000)
    const response = await ada.client.get(authorizePath(app, { prompt: 'login consent', max_age: '1' }))
    service.clock.advance(1000)
    const page = await follow(ada.client, await signInAt(ada.client, response, ada))
    assert.equal(page.status, 200)
    service.clock.advance(10 * 60_000)
    assert.ok(parametersOf(await decide(ada.client, page)).code)
  },
)

eachService(
  'sign-in/max-age: max_age requires a new sign-in if the last one is older',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    await allow(ada, app)
    service.clock.advance(2000)
    assert.ok(isSignIn(await ada.client.get(authorizePath(app, { max_age: '1' }))))
    assert.ok(isSignIn(await ada.client.get(authorizePath(app, { max_age: '0' }))))
    assert.ok(parametersOf(await ada.client.get(authorizePath(app, { max_age: '10000' }))).code)
    const silent = await ada.client.get(authorizePath(app, { max_age: '1', prompt: 'none' }))
    assert.equal(parametersOf(silent).error, 'login_required')
    for (const maxAge of ['0', '1']) {
      service.clock.advance(5000)
      const response = await ada.client.get(authorizePath(app, { max_age: maxAge }))
      service.clock.advance(5000)
      const back = await signInAt(ada.client, response, ada)
      assert.ok(parametersOf(await follow(ada.client, back)).code, maxAge)
    }
  },
)

eachService('sign-in/id-token-hint: the user of the id_token_hint must be signed in', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const grace = await signUp(service, 'grace')
  const app = await makeApplication(ada)
  const other = await makeApplication(ada)
  const own = (await tokensFor(service, ada, app, openid)).id_token
  const hers = (await tokensFor(service, grace, app, openid)).id_token
  const ofOther = (await tokensFor(service, ada, other, openid)).id_token
  service.clock.advance(2 * 60 * 60_000)
  const request = (more: Record<string, string | undefined>) =>
    ada.client.get(authorizePath(app, { ...openid, ...more }))
  assert.ok(
    parametersOf(await request({ prompt: 'none', id_token_hint: own })).code,
    'an expired id_token is accepted',
  )
  assert.equal(parametersOf(await request({ prompt: 'none', id_token_hint: hers })).error, 'login_required')
  const broken = `${own?.slice(0, -10)}AAAAAAAAAA`
  assert.equal(
    parametersOf(await request({ prompt: 'none', id_token_hint: broken })).error,
    'invalid_request',
  )
  const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${own?.split('.')[1]}.`
  assert.equal(parametersOf(await request({ prompt: 'none', id_token_hint: none })).error, 'invalid_request')
  assert.equal(
    parametersOf(await request({ prompt: 'none', id_token_hint: ofOther })).error,
    'invalid_request',
  )
  // With a page: the user must sign in as grace; ada signing in again is an error.
  const response = await request({ id_token_hint: hers })
  assert.equal(locationOf(response).searchParams.get('login_hint'), 'grace')
  service.clock.advance(1000)
  const same = await follow(ada.client, await signInAt(ada.client, response, ada))
  assert.equal(parametersOf(same).error, 'login_required')
  const again = await request({ id_token_hint: hers })
  service.clock.advance(1000)
  const right = await follow(ada.client, await signInAt(ada.client, again, grace))
  assert.ok(parametersOf(right).code)
})

eachService('sign-in/login-hint: login_hint prefills the sign-in form', async (_t, service) => {
  const app = await makeApplication(await signUp(service, 'ada'))
  const anonymous = service.client()
  const to = locationOf(await anonymous.get(authorizePath(app, { login_hint: 'x"><b>@example.org' })))
  const page = await anonymous.get(to.pathname + to.search)
  assert.match(page.text, /value="x&quot;&gt;&lt;b&gt;@example\.org"/)
})

eachService(
  'sign-in/nonce, sign-in/id-token-only-with-openid: the id_token has the unchanged nonce, and exists only with openid',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const nonce = 'ünï 🦊 +%&="x'
    const withNonce = decodeJwt((await tokensFor(service, ada, app, { ...openid, nonce })).id_token ?? '')
    assert.equal(withNonce.nonce, nonce)
    const without = decodeJwt((await tokensFor(service, ada, app, openid)).id_token ?? '')
    assert.equal('nonce' in without, false)
    assert.equal('id_token' in (await tokensFor(service, ada, app, { nonce })), false)
  },
)
