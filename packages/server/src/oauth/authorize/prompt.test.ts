import assert from 'node:assert/strict'
import { decodeJwt } from 'jose'
import { eachService, type Reply } from '../../testing.ts'
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
} from '../testing.ts'

const openid = { scope: 'openid identify' }

function isSignIn(reply: Reply): boolean {
  return reply.status === 303 && locationOf(reply).pathname === '/login'
}

eachService('check 49: prompt=none without a session is login_required, at once', async (_t, service) => {
  const app = await makeApplication(await signUp(service, 'ada'))
  const nobody = service.client()
  const reply = await nobody.get(authorizePath(app, { prompt: 'none' }))
  assert.equal(parametersOf(reply).error, 'login_required')
  const wrong = await nobody.get(authorizePath(app, { prompt: 'none', response_type: 'token' }))
  assert.equal(parametersOf(wrong).error, 'unsupported_response_type')
})

eachService(
  'checks 50 and 51: prompt=none asks for the consent before it gives a code',
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

eachService('checks 53 and 56: prompt=login asks for the password again, once', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const before = decodeJwt((await tokensFor(service, ada, app, openid)).id_token ?? '')
  service.clock.advance(60_000)
  const asked = await ada.client.get(authorizePath(app, { ...openid, prompt: 'login' }))
  assert.ok(isSignIn(asked))
  assert.equal(locationOf(asked).searchParams.get('reauthenticate'), '1')
  // Going on without signing in leads nowhere.
  const returnTo = locationOf(asked).searchParams.get('return_to') ?? ''
  assert.ok(isSignIn(await ada.client.get(returnTo)))
  service.clock.advance(5000)
  const done = await follow(ada.client, await signInAt(ada.client, asked, ada))
  const exchanged = await exchangeCode(service, app, parametersOf(done).code ?? '')
  const after = decodeJwt(exchanged.body.id_token)
  assert.equal(Number(after.auth_time), Number(before.auth_time) + 65)
  service.clock.advance(1000)
  assert.ok(
    isSignIn(await ada.client.get(authorizePath(app, { ...openid, prompt: 'login' }))),
    'the next one asks again',
  )
})

eachService('prompt=login of one request does not count for another', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  await allow(ada, app)
  service.clock.advance(1000)
  const asked = await ada.client.get(authorizePath(app, { prompt: 'login' }))
  const returnTo = locationOf(asked).searchParams.get('return_to') ?? ''
  const started = new URL(returnTo, 'http://x.invalid').searchParams.get('_started') ?? ''
  service.clock.advance(1000)
  await signInAt(ada.client, asked, ada)
  const other = `${authorizePath(app, { prompt: 'login', state: 'another' })}&_started=${encodeURIComponent(started)}`
  assert.ok(isSignIn(await ada.client.get(other)))
  const invented = `${authorizePath(app, { prompt: 'login' })}&_started=0`
  assert.ok(isSignIn(await ada.client.get(invented)))
  service.clock.advance(2 * 60 * 60_000)
  assert.ok(isSignIn(await ada.client.get(returnTo)), 'nor for ever')
})

eachService(
  'check 54: prompt=consent and select_account show the page although it is remembered',
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
  'prompt=login consent asks for both, and the page may be read at leisure',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    await allow(ada, app)
    service.clock.advance(1000)
    const asked = await ada.client.get(authorizePath(app, { prompt: 'login consent', max_age: '1' }))
    service.clock.advance(1000)
    const page = await follow(ada.client, await signInAt(ada.client, asked, ada))
    assert.equal(page.status, 200)
    service.clock.advance(10 * 60_000)
    assert.ok(parametersOf(await decide(ada.client, page)).code)
  },
)

eachService('check 55: max_age asks again when the sign-in is older', async (_t, service) => {
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
    const asked = await ada.client.get(authorizePath(app, { max_age: maxAge }))
    service.clock.advance(5000)
    const back = await signInAt(ada.client, asked, ada)
    assert.ok(parametersOf(await follow(ada.client, back)).code, maxAge)
  }
})

eachService('check 57: an id_token_hint names the person that is meant', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const grace = await signUp(service, 'grace')
  const app = await makeApplication(ada)
  const other = await makeApplication(ada)
  const own = (await tokensFor(service, ada, app, openid)).id_token
  const hers = (await tokensFor(service, grace, app, openid)).id_token
  const ofOther = (await tokensFor(service, ada, other, openid)).id_token
  service.clock.advance(2 * 60 * 60_000)
  const ask = (more: Record<string, string | undefined>) =>
    ada.client.get(authorizePath(app, { ...openid, ...more }))
  assert.ok(parametersOf(await ask({ prompt: 'none', id_token_hint: own })).code, 'expired, and as good')
  assert.equal(parametersOf(await ask({ prompt: 'none', id_token_hint: hers })).error, 'login_required')
  const broken = `${own?.slice(0, -10)}AAAAAAAAAA`
  assert.equal(parametersOf(await ask({ prompt: 'none', id_token_hint: broken })).error, 'invalid_request')
  const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${own?.split('.')[1]}.`
  assert.equal(parametersOf(await ask({ prompt: 'none', id_token_hint: none })).error, 'invalid_request')
  assert.equal(parametersOf(await ask({ prompt: 'none', id_token_hint: ofOther })).error, 'invalid_request')
  // With a page: sign in as the other, and the same person again is not the one.
  const asked = await ask({ id_token_hint: hers })
  assert.equal(locationOf(asked).searchParams.get('login_hint'), 'grace')
  service.clock.advance(1000)
  const same = await follow(ada.client, await signInAt(ada.client, asked, ada))
  assert.equal(parametersOf(same).error, 'login_required')
  const again = await ask({ id_token_hint: hers })
  service.clock.advance(1000)
  const right = await follow(ada.client, await signInAt(ada.client, again, grace))
  assert.ok(parametersOf(right).code)
})

eachService('check 58: login_hint fills the form in', async (_t, service) => {
  const app = await makeApplication(await signUp(service, 'ada'))
  const nobody = service.client()
  const to = locationOf(await nobody.get(authorizePath(app, { login_hint: 'x"><b>@example.org' })))
  const page = await nobody.get(to.pathname + to.search)
  assert.match(page.text, /value="x&quot;&gt;&lt;b&gt;@example\.org"/)
})

eachService(
  'checks 60 and 61: nonce is copied unchanged, and without openid there is no id_token',
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
