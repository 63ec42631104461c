import assert from 'node:assert/strict'
import type { Reply, TestService } from '../../testing.ts'
import { eachService } from '../../testing.ts'
import {
  allow,
  authorizePath,
  challenge,
  decide,
  makeApplication,
  parametersOf,
  requestOf,
  signUp,
  type TestApplication,
  type TestPerson,
} from '../testing.ts'

async function start(
  service: TestService,
): Promise<{ person: TestPerson; app: TestApplication; native: TestApplication }> {
  const person = await signUp(service, 'ada')
  const app = await makeApplication(person)
  const native = await makeApplication(person, { type: 'public', redirectUris: ['com.example.app:/cb'] })
  return { person, app, native }
}

/** A page of our own, and no way out of it (check 15). */
function assertDead(reply: Reply): void {
  assert.equal(reply.status, 400, reply.text)
  assert.match(reply.headers.get('content-type') ?? '', /^text\/html/)
  assert.equal(reply.headers.get('location'), null)
  assert.doesNotMatch(reply.text, /evil|http-equiv|<script|javascript:/i)
}

eachService(
  'checks 1, 2 and 9: a request without a known application or address gets a page',
  async (_t, service) => {
    const { person, app } = await start(service)
    const get = (path: string) => person.client.get(path)
    assertDead(await get(authorizePath(app, { client_id: undefined })))
    assertDead(await get(authorizePath(app, { client_id: '' })))
    assertDead(await get(authorizePath(app, { client_id: '1234567890123456789' })))
    assertDead(await get(authorizePath(app, { client_id: 'no id' })))
    assertDead(await get(`${authorizePath(app)}&client_id=${app.id}`))
    assertDead(await get(`${authorizePath(app)}&redirect_uri=${encodeURIComponent(app.redirectUri)}`))
    const two = await makeApplication(person, { redirectUris: ['https://a.example/', 'https://b.example/'] })
    assertDead(await get(authorizePath(two, { redirect_uri: undefined })))
  },
)

eachService('check 2: the address may be left out where exactly one is registered', async (_t, service) => {
  const { person, app } = await start(service)
  const { code, state } = await allow(person, app, { redirect_uri: undefined })
  assert.ok(code)
  assert.equal(state, 'state of the application')
})

eachService(
  'checks 3 to 8, 11 and 15: an address that is not registered gets a page',
  async (_t, service) => {
    const { person, app } = await start(service)
    for (const uri of [
      'https://evil.example/callback',
      `${app.redirectUri}/abc`,
      `${app.redirectUri}?x=1`,
      `${app.redirectUri}/`,
      `${app.redirectUri}#fragment`,
      'https://app.example:443/callback',
      'https://app.example/./callback',
      'https://app.example%2Fcallback',
      'https://app.example@evil.example/callback',
      'https://app.example.evil.example/callback',
      'javascript:alert(1)',
      'JavaScript:alert(1)',
      'java\tscript:alert(1)',
      'data:text/html,<script>alert(1)</script>',
    ]) {
      const reply = await person.client.get(authorizePath(app, { redirect_uri: uri }))
      assertDead(reply)
    }
  },
)

eachService('checks 8, 10, 11 and 14: such an address cannot be registered', async (_t, service) => {
  const { person } = await start(service)
  for (const uri of [
    'https://a.example/#x',
    'http://a.example/',
    'javascript:alert(1)',
    'Java\tScript:x',
    'data:text/html,x',
    'blob:https://a.example/x',
    'file:///etc/passwd',
    'myapp:/cb',
  ]) {
    const body = { name: 'Bad', type: 'public', redirectUris: [uri] }
    const reply = await person.client.json('POST', '/api/applications', body)
    assert.equal(reply.status, 400, uri)
    assert.equal(reply.body.code, 'validation_failed')
  }
})

eachService(
  'check 12: with allowLoopbackPort any port of the loopback literal is fine',
  async (_t, service) => {
    const { person } = await start(service)
    const own = { type: 'public', redirectUris: ['http://127.0.0.1/cb'] } as const
    const free = await makeApplication(person, {
      ...own,
      redirectUris: [...own.redirectUris],
      allowLoopbackPort: true,
    })
    const fixed = await makeApplication(person, { ...own, redirectUris: [...own.redirectUris] })
    const uri = 'http://127.0.0.1:49152/cb'
    assert.ok((await allow(person, free, { redirect_uri: uri })).code)
    assertDead(await person.client.get(authorizePath(free, { redirect_uri: 'http://127.0.0.1:49152/other' })))
    assertDead(await person.client.get(authorizePath(fixed, { redirect_uri: uri })))
  },
)

eachService('check 137: an application without an address cannot start a sign-in', async (_t, service) => {
  const { person } = await start(service)
  const none = await makeApplication(person, { redirectUris: [] })
  assertDead(await person.client.get(authorizePath(none, { redirect_uri: undefined })))
})

const refusals: readonly (readonly [string, Record<string, string | undefined>, string])[] = [
  ['check 16: a missing response_type', { response_type: undefined }, 'invalid_request'],
  ['check 17: response_type=token', { response_type: 'token' }, 'unsupported_response_type'],
  ['check 17: response_type=id_token', { response_type: 'id_token' }, 'unsupported_response_type'],
  ['check 17: response_type=code token', { response_type: 'code token' }, 'unsupported_response_type'],
  ['check 17: response_type=foo', { response_type: 'foo' }, 'unsupported_response_type'],
  ['check 19: a malformed scope', { scope: 'identify "x"' }, 'invalid_scope'],
  ['check 19: no known scope', { scope: 'nothing known' }, 'invalid_scope'],
  ['check 19: a missing scope', { scope: undefined }, 'invalid_scope'],
  ['check 29: an empty scope is none', { scope: '' }, 'invalid_scope'],
  ['check 20: a bot where the application has none', { scope: 'identify bot' }, 'invalid_scope'],
  ['check 33: another response_mode', { response_mode: 'fragment' }, 'invalid_request'],
  ['check 35: request', { request: 'x.y.z' }, 'request_not_supported'],
  ['check 35: request_uri', { request_uri: 'https://a.example' }, 'request_uri_not_supported'],
  ['check 35: registration', { registration: '{}' }, 'registration_not_supported'],
  ['check 36: plain', { code_challenge: challenge, code_challenge_method: 'plain' }, 'invalid_request'],
  ['check 38: a short challenge', { code_challenge: challenge.slice(1) }, 'invalid_request'],
  ['check 38: a long challenge', { code_challenge: `${challenge}A` }, 'invalid_request'],
  [
    'check 38: a challenge of other characters',
    { code_challenge: `${challenge.slice(1)}=` },
    'invalid_request',
  ],
  ['check 52: prompt=none login', { prompt: 'none login' }, 'invalid_request'],
  ['an unknown prompt', { prompt: 'dance' }, 'invalid_request'],
  ['check 55: a negative max_age', { max_age: '-1' }, 'invalid_request'],
  ['check 55: a max_age that is no number', { max_age: 'soon' }, 'invalid_request'],
  ['check 57: an id_token_hint that is none', { id_token_hint: 'x.y.z' }, 'invalid_request'],
  ['D8: U+0000 in a nonce', { nonce: 'a\u0000b' }, 'invalid_request'],
]

eachService('what is wrong with a request goes back by redirect', async (t, service) => {
  const { person, app } = await start(service)
  for (const [name, more, error] of refusals) {
    await t.test(name, async () => {
      const reply = await person.client.get(authorizePath(app, more))
      const parameters = parametersOf(reply)
      assert.equal(parameters.error, error)
      assert.equal(parameters.state, 'state of the application')
      // Checks 24 to 27.
      assert.equal(parameters.iss, service.url)
      assert.match(parameters.error_description ?? '', /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
      assert.deepEqual(Object.keys(parameters).sort(), ['error', 'error_description', 'iss', 'state'])
      assert.ok(reply.headers.get('location')?.startsWith(`${app.redirectUri}?`))
      assert.equal(reply.headers.get('cache-control'), 'no-store')
    })
  }
})

eachService('check 39: a public application needs a code_challenge', async (_t, service) => {
  const { person, native } = await start(service)
  const without = { code_challenge: undefined, code_challenge_method: undefined }
  const parameters = parametersOf(await person.client.get(authorizePath(native, without)))
  assert.equal(parameters.error, 'invalid_request')
  assert.equal(parameters.error_description, 'code challenge required')
})

eachService(
  'check 23: state comes back unchanged, and not at all where none was sent',
  async (_t, service) => {
    const { person, app } = await start(service)
    for (const state of ['a'.repeat(600), 'ünï©ode 🦊', '+ % & = # ? / "', '%2B%20', 'a+b']) {
      const reply = await person.client.get(authorizePath(app, { state, prompt: 'none' }))
      assert.equal(parametersOf(reply).state, state)
      assert.equal((await allow(person, app, { state })).state, state)
      await person.client.json('DELETE', `/api/users/@me/authorizations/${app.id}`)
    }
    assert.equal('state' in (await allow(person, app, { state: undefined })), false)
  },
)

eachService(
  'check 28: a repeated parameter is refused, an unknown one is not looked at',
  async (_t, service) => {
    const { person, app } = await start(service)
    for (const name of ['scope', 'state', 'nonce', 'code_challenge', 'response_type', 'prompt']) {
      const reply = await person.client.get(`${authorizePath(app, { [name]: 'a' })}&${name}=b`)
      assert.equal(parametersOf(reply).error, 'invalid_request', name)
    }
    const reply = await person.client.get(`${authorizePath(app)}&unknown=1&unknown=2&resource=x`)
    assert.equal(reply.status, 200)
  },
)

eachService(
  'checks 29, 30, 31 and 59: empty, unknown and tolerated parameters do no harm',
  async (_t, service) => {
    const { person, app } = await start(service)
    const tolerated = {
      display: 'popup',
      ui_locales: 'fr-CA fr en',
      claims_locales: 'ru',
      acr_values: '1 2',
      claims: '{}',
      login_hint: 'somebody',
      unknown: 'x',
      nonce: '',
      prompt: '',
      max_age: '',
      code_challenge: '',
    }
    const turned = Object.entries(requestOf(app, { ...tolerated, scope: 'email identify unknown' })).reverse()
    const page = await person.client.get(`/oauth2/authorize?${new URLSearchParams(turned)}`)
    assert.equal(page.status, 200, page.text)
    assert.ok(parametersOf(await decide(person.client, page)).code)
  },
)

eachService(
  'checks 32 and 33: the own query of an address is kept, parameters are added',
  async (_t, service) => {
    const { person } = await start(service)
    const app = await makeApplication(person, { redirectUris: ['https://app.example/cb?tenant=%2Fa&b'] })
    const page = await person.client.get(authorizePath(app))
    const done = await decide(person.client, page)
    const location = done.headers.get('location') ?? ''
    assert.ok(location.startsWith('https://app.example/cb?tenant=%2Fa&b&code=gac_'), location)
    assert.doesNotMatch(location, /#/)
  },
)

eachService('check 34: a post is taken like a get', async (_t, service) => {
  const { person, app } = await start(service)
  const posted = await person.client.send('/oauth2/authorize', {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      origin: 'https://app.example',
      'sec-fetch-site': 'cross-site',
    },
    body: new URLSearchParams(requestOf(app, { state: 'ü & more' })).toString(),
  })
  assert.equal(posted.status, 303)
  const page = await person.client.get(posted.headers.get('location') ?? '')
  assert.equal(parametersOf(await decide(person.client, page)).state, 'ü & more')
  const wrong = await person.client.send('/oauth2/authorize', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(requestOf(app, { response_type: 'token' })).toString(),
  })
  const answer = await person.client.get(wrong.headers.get('location') ?? '')
  assert.equal(parametersOf(answer).error, 'unsupported_response_type')
})

eachService('a request that is too long for an address gets a page', async (_t, service) => {
  const { person, app } = await start(service)
  assertDead(await person.client.get(authorizePath(app, { state: 'x'.repeat(7000) })))
  const body = new URLSearchParams(requestOf(app, { state: 'x'.repeat(50_000) })).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  assertDead(await person.client.send('/oauth2/authorize', { method: 'POST', headers, body }))
})

eachService('check 37: a challenge without a method is S256', async (_t, service) => {
  const { person, app } = await start(service)
  assert.ok((await allow(person, app, { code_challenge: challenge })).code)
})
