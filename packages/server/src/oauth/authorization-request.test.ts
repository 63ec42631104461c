import assert from 'node:assert/strict'
import type { TestUser } from '@gatehouse/testkit/community'
import type { TestResponse, TestService } from '@gatehouse/testkit/service'
import { eachService } from '@gatehouse/testkit/service'
import {
  allow,
  authorizePath,
  challenge,
  codeFor,
  decide,
  exchangeCode,
  follow,
  makeApplication,
  parametersOf,
  post,
  requestOf,
  signInAt,
  signUp,
  type TestApplication,
  verifier,
} from './oauth-testing.ts'

async function start(
  service: TestService,
): Promise<{ user: TestUser; app: TestApplication; native: TestApplication }> {
  const user = await signUp(service, 'ada')
  const app = await makeApplication(user)
  const native = await makeApplication(user, { type: 'public', redirectUris: ['com.example.app:/cb'] })
  return { user, app, native }
}

/** An error page that does not redirect and repeats nothing dangerous (sign-in/errors-without-redirect). */
function assertErrorPage(reply: TestResponse): void {
  assert.equal(reply.status, 400, reply.text)
  assert.match(reply.headers.get('content-type') ?? '', /^text\/html/)
  assert.equal(reply.headers.get('location'), null)
  // The URI is shown as text only.
  const rest = reply.text.replace(/<code lang="en" dir="ltr">[^<]*<\/code>/, '')
  assert.doesNotMatch(rest, /evil|http-equiv|<script|javascript:/i)
}

eachService(
  'sign-in/errors-without-redirect: a request with an invalid client_id or redirect_uri shows an error page',
  async (_t, service) => {
    const { user, app } = await start(service)
    const get = (path: string) => user.client.get(path)
    assertErrorPage(await get(authorizePath(app, { client_id: undefined })))
    assertErrorPage(await get(authorizePath(app, { client_id: '' })))
    assertErrorPage(await get(authorizePath(app, { client_id: '1234567890123456789' })))
    assertErrorPage(await get(authorizePath(app, { client_id: 'no id' })))
    assertErrorPage(await get(`${authorizePath(app)}&client_id=${app.id}`))
    assertErrorPage(await get(`${authorizePath(app)}&redirect_uri=${encodeURIComponent(app.redirectUri)}`))
    const two = await makeApplication(user, { redirectUris: ['https://a.example/', 'https://b.example/'] })
    assertErrorPage(await get(authorizePath(two, { redirect_uri: undefined })))
  },
)

eachService(
  'sign-in/errors-without-redirect: the redirect_uri may be omitted if exactly one is registered',
  async (_t, service) => {
    const { user, app } = await start(service)
    const { code, state } = await allow(user, app, { redirect_uri: undefined })
    assert.ok(code)
    assert.equal(state, 'state of the application')
  },
)

eachService(
  'sign-in/errors-without-redirect, sign-in/redirect-uri-exact, ' +
    'sign-in/redirect-uri-registration: an unregistered redirect_uri shows an error page',
  async (_t, service) => {
    const { user, app } = await start(service)
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
      const reply = await user.client.get(authorizePath(app, { redirect_uri: uri }))
      assertErrorPage(reply)
    }
  },
)

eachService(
  'sign-in/redirect-uri-registration: invalid redirect URIs cannot be registered',
  async (_t, service) => {
    const { user } = await start(service)
    for (const uri of [
      'https://a.example/#x',
      'http://a.example/',
      'javascript:alert(1)',
      'Java\tScript:x',
      'data:text/html,x',
      'blob:https://a.example/x',
      'file:///etc/passwd',
      'myapp:cb',
    ]) {
      const body = { name: 'Bad', type: 'public', redirectUris: [uri] }
      const reply = await user.client.json('POST', '/api/applications', body)
      assert.equal(reply.status, 400, uri)
      assert.equal(reply.body.code, 'validation_failed')
    }
  },
)

eachService(
  'sign-in/redirect-uri-loopback-port: allowLoopbackPort allows any port of a loopback IP literal',
  async (_t, service) => {
    const { user } = await start(service)
    const own = { type: 'public', redirectUris: ['http://127.0.0.1/cb'] } as const
    const free = await makeApplication(user, {
      ...own,
      redirectUris: [...own.redirectUris],
      allowLoopbackPort: true,
    })
    const fixed = await makeApplication(user, { ...own, redirectUris: [...own.redirectUris] })
    const uri = 'http://127.0.0.1:49152/cb'
    assert.ok((await allow(user, free, { redirect_uri: uri })).code)
    assertErrorPage(
      await user.client.get(authorizePath(free, { redirect_uri: 'http://127.0.0.1:49152/other' })),
    )
    assertErrorPage(await user.client.get(authorizePath(fixed, { redirect_uri: uri })))
  },
)

eachService(
  'sign-in/client-without-redirect-uri: an application without a redirect URI cannot start a sign-in',
  async (_t, service) => {
    const { user } = await start(service)
    const none = await makeApplication(user, { redirectUris: [] })
    assertErrorPage(await user.client.get(authorizePath(none, { redirect_uri: undefined })))
  },
)

const refusals: readonly (readonly [string, Record<string, string | undefined>, string])[] = [
  ['sign-in/response-type: a missing response_type', { response_type: undefined }, 'invalid_request'],
  ['sign-in/response-type: response_type=token', { response_type: 'token' }, 'unsupported_response_type'],
  [
    'sign-in/response-type: response_type=id_token',
    { response_type: 'id_token' },
    'unsupported_response_type',
  ],
  [
    'sign-in/response-type: response_type=code token',
    { response_type: 'code token' },
    'unsupported_response_type',
  ],
  ['sign-in/response-type: response_type=foo', { response_type: 'foo' }, 'unsupported_response_type'],
  ['sign-in/scope-syntax: a malformed scope', { scope: 'identify "x"' }, 'invalid_scope'],
  ['sign-in/scope-syntax: no known scope', { scope: 'nothing known' }, 'invalid_scope'],
  ['sign-in/scope-syntax: a missing scope', { scope: undefined }, 'invalid_scope'],
  ['sign-in/empty-and-unknown-parameters: an empty scope counts as missing', { scope: '' }, 'invalid_scope'],
  [
    'sign-in/unknown-scopes: scope bot of an application without a bot',
    { scope: 'identify bot' },
    'invalid_scope',
  ],
  ['sign-in/response-in-query: another response_mode', { response_mode: 'fragment' }, 'invalid_request'],
  ['sign-in/request-objects: request', { request: 'x.y.z' }, 'request_not_supported'],
  ['sign-in/request-objects: request_uri', { request_uri: 'https://a.example' }, 'request_uri_not_supported'],
  ['sign-in/request-objects: registration', { registration: '{}' }, 'registration_not_supported'],
  [
    'sign-in/pkce-s256-only: plain',
    { code_challenge: challenge, code_challenge_method: 'plain' },
    'invalid_request',
  ],
  [
    'sign-in/pkce-challenge-format: a short challenge',
    { code_challenge: challenge.slice(1) },
    'invalid_request',
  ],
  ['sign-in/pkce-challenge-format: a long challenge', { code_challenge: `${challenge}A` }, 'invalid_request'],
  [
    'sign-in/pkce-challenge-format: a challenge with invalid characters',
    { code_challenge: `${challenge.slice(1)}=` },
    'invalid_request',
  ],
  ['sign-in/prompt-none: prompt=none login', { prompt: 'none login' }, 'invalid_request'],
  ['an unknown prompt', { prompt: 'dance' }, 'invalid_request'],
  ['sign-in/max-age: a negative max_age', { max_age: '-1' }, 'invalid_request'],
  ['sign-in/max-age: a max_age that is not a number', { max_age: 'soon' }, 'invalid_request'],
  [
    'sign-in/id-token-hint: an id_token_hint that is not an id_token',
    { id_token_hint: 'x.y.z' },
    'invalid_request',
  ],
  ['limits/text-length: U+0000 in a nonce', { nonce: 'a\u0000b' }, 'invalid_request'],
]

eachService('errors of a request are sent to the redirect URI', async (t, service) => {
  const { user, app } = await start(service)
  for (const [name, more, error] of refusals) {
    await t.test(name, async () => {
      const reply = await user.client.get(authorizePath(app, more))
      const parameters = parametersOf(reply)
      assert.equal(parameters.error, error)
      assert.equal(parameters.state, 'state of the application')
      // sign-in/issuer-parameter, sign-in/error-description-characters, sign-in/errors-with-redirect.
      assert.equal(parameters.iss, service.url)
      assert.match(parameters.error_description ?? '', /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
      assert.deepEqual(Object.keys(parameters).sort(), ['error', 'error_description', 'iss', 'state'])
      assert.ok(reply.headers.get('location')?.startsWith(`${app.redirectUri}?`))
      assert.equal(reply.headers.get('cache-control'), 'no-store')
    })
  }
})

eachService('sign-in/pkce-required: a public application must send a code_challenge', async (_t, service) => {
  const { user, native } = await start(service)
  const without = { code_challenge: undefined, code_challenge_method: undefined }
  const parameters = parametersOf(await user.client.get(authorizePath(native, without)))
  assert.equal(parameters.error, 'invalid_request')
  assert.equal(parameters.error_description, 'code challenge required')
})

eachService(
  'sign-in/state: a state of more than 8,000 bytes is invalid_request, with the state',
  async (_t, service) => {
    const { user, app } = await start(service)
    for (const state of ['x'.repeat(8001), 'x'.repeat(11_000)]) {
      const parameters = parametersOf(await user.client.get(authorizePath(app, { state })))
      assert.equal(parameters.error, 'invalid_request')
      assert.equal(parameters.error_description, 'The state has more than 8000 bytes.')
      assert.equal(parameters.state, state)
    }
    const parameters = parametersOf(
      await user.client.get(authorizePath(app, { state: 'x', unknown: 'x'.repeat(28_000) })),
    )
    assert.equal(parameters.error, 'invalid_request')
    assert.match(parameters.error_description ?? '', /^The request has 28... characters/)
    assert.equal(parameters.state, 'x')
  },
)

eachService(
  'sign-in/pkce-required: an application with a secret may omit the code_challenge, whatever its redirect URI',
  async (_t, service) => {
    const { user } = await start(service)
    for (const redirectUri of ['com.example.app:/cb', 'myapp://cb', 'http://nas.local/cb']) {
      const app = await makeApplication(user, { redirectUris: [redirectUri] })
      const code = await codeFor(user, app)
      const withoutSecret = await exchangeCode(service, app, code, { client_secret: undefined })
      assert.equal(withoutSecret.body.error, 'invalid_client', redirectUri)
      const withVerifier = await exchangeCode(service, app, code, { code_verifier: verifier })
      assert.equal(withVerifier.body.error, 'invalid_grant', redirectUri)
      assert.equal((await exchangeCode(service, app, code)).status, 200, redirectUri)

      const challenged = await codeFor(user, app, { code_challenge: challenge })
      const withoutVerifier = await exchangeCode(service, app, challenged)
      assert.equal(withoutVerifier.body.error, 'invalid_grant', redirectUri)
      const tokens = await exchangeCode(service, app, challenged, { code_verifier: verifier })
      assert.equal(tokens.status, 200, tokens.text)
    }
  },
)

eachService(
  'sign-in/pkce-required: a code without a challenge is not exchanged by an application that lost its secret',
  async (_t, service) => {
    const { user } = await start(service)
    const app = await makeApplication(user)
    const code = await codeFor(user, app)
    await service.db.run`UPDATE applications SET type = 'public', secret_hash = NULL WHERE id = ${app.id}`
    for (const code_verifier of [undefined, verifier]) {
      const reply = await exchangeCode(service, { ...app, secret: undefined }, code, { code_verifier })
      assert.equal(reply.body.error, 'invalid_grant', reply.text)
    }
  },
)

eachService(
  'sign-in/redirect-uri-international: a Unicode host matches its punycode form, at both endpoints',
  async (_t, service) => {
    const { user } = await start(service)
    const [unicode, ascii] = ['https://пример.рф/cb', 'https://xn--e1afmkfd.xn--p1ai/cb']
    for (const registered of [unicode, ascii]) {
      const app = await makeApplication(user, { redirectUris: [registered] })
      for (const [requested, sent] of [
        [unicode, unicode],
        [unicode, ascii],
        [ascii, unicode],
      ]) {
        const page = await user.client.get(authorizePath(app, { redirect_uri: requested }))
        const done = page.status === 200 ? await decide(user.client, page) : page
        assert.ok(done.headers.get('location')?.startsWith(`${ascii}?`), done.headers.get('location') ?? '')
        const more = { redirect_uri: sent }
        const tokens = await exchangeCode(service, app, parametersOf(done).code ?? '', more)
        assert.equal(tokens.status, 200, tokens.text)
      }
      const other = { redirect_uri: 'https://примэр.рф/cb' }
      assertErrorPage(await user.client.get(authorizePath(app, other)))
    }
  },
)

eachService(
  'sign-in/errors-without-redirect: the page for an unregistered redirect URI shows it and the name of the application',
  async (_t, service) => {
    const user = await signUp(service, 'ada')
    const app = await makeApplication(user, { name: '<b>Dice</b> א' })
    const shown = async (redirect_uri: string, language = 'en') => {
      const headers = { 'accept-language': language }
      const page = await user.client.get(authorizePath(app, { redirect_uri }), headers)
      assertErrorPage(page)
      return page.text
    }
    const text = await shown('https://app.example/callback/')
    assert.match(text, /not registered for \u2068&lt;b&gt;Dice&lt;\/b&gt; א\u2069:/)
    assert.match(text, /<code lang="en" dir="ltr">https:\/\/app\.example\/callback\/<\/code>/)
    assert.match(await shown('https://x.example', 'ru'), /не зарегистрирован для приложения \u2068&lt;b&gt;/)
    assert.match(await shown('https://пример.рф/"><b>'), />https:\/\/пример\.рф\/&quot;&gt;&lt;b&gt;</)
    assert.match(
      await shown('https://a\u202eb\u2066c\n \u200bd'),
      />https:\/\/a%E2%80%AEb%E2%81%A6c%0A%20%E2%80%8Bd</,
    )
    assert.match(await shown(`https://${'a'.repeat(7000)}`), />https:\/\/a{292}…</)
  },
)

eachService(
  'sign-in/state: state is returned unchanged, and omitted if the request has none',
  async (_t, service) => {
    const { user, app } = await start(service)
    for (const state of [
      '',
      'a'.repeat(600),
      'ünï©ode 🦊',
      '+ % & = # ? / "',
      '%2B%20',
      'a+b',
      '\u0000\r\n',
    ]) {
      const reply = await user.client.get(authorizePath(app, { state, prompt: 'none' }))
      assert.equal(parametersOf(reply).state, state)
      assert.equal((await allow(user, app, { state })).state, state)
      await user.client.json('DELETE', `/api/users/@me/authorizations/${app.id}`)
    }
    assert.equal('state' in (await allow(user, app, { state: undefined })), false)
  },
)

eachService(
  'sign-in/repeated-parameter: a repeated parameter is rejected, an unknown one is ignored',
  async (_t, service) => {
    const { user, app } = await start(service)
    for (const name of ['scope', 'state', 'nonce', 'code_challenge', 'response_type', 'prompt']) {
      const reply = await user.client.get(`${authorizePath(app, { [name]: 'a' })}&${name}=b`)
      assert.equal(parametersOf(reply).error, 'invalid_request', name)
    }
    const ignored = 'unknown=1&unknown=2&unknown=%FF&resource=https://a.example&resource=https://b.example'
    const reply = await user.client.get(`${authorizePath(app)}&${ignored}`)
    assert.equal(reply.status, 200)
  },
)

eachService(
  'sign-in/empty-and-unknown-parameters, sign-in/scope-order, sign-in/tolerated-parameters: ' +
    'empty, unknown and tolerated parameters are ignored',
  async (_t, service) => {
    const { user, app } = await start(service)
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
    const reversed = Object.entries(
      requestOf(app, { ...tolerated, scope: 'email identify unknown' }),
    ).reverse()
    const page = await user.client.get(`/oauth2/authorize?${new URLSearchParams(reversed)}`)
    assert.equal(page.status, 200, page.text)
    assert.ok(parametersOf(await decide(user.client, page)).code)
  },
)

eachService(
  'sign-in/response-in-query: parameters are added to the query of the redirect URI',
  async (_t, service) => {
    const { user } = await start(service)
    const app = await makeApplication(user, { redirectUris: ['https://app.example/cb?tenant=%2Fa&b'] })
    const page = await user.client.get(authorizePath(app))
    const done = await decide(user.client, page)
    const location = done.headers.get('location') ?? ''
    assert.ok(location.startsWith('https://app.example/cb?tenant=%2Fa&b&code=gac_'), location)
    assert.doesNotMatch(location, /#/)
  },
)

eachService(
  'sign-in/authorize-get-and-post: a POST request is handled like a GET request',
  async (_t, service) => {
    const { user, app } = await start(service)
    const posted = await user.client.send('/oauth2/authorize', {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: 'https://app.example',
        'sec-fetch-site': 'cross-site',
      },
      body: new URLSearchParams(requestOf(app, { state: 'ü & more' })).toString(),
    })
    assert.equal(posted.status, 303)
    const page = await user.client.get(posted.headers.get('location') ?? '')
    assert.equal(parametersOf(await decide(user.client, page)).state, 'ü & more')
    const wrong = await user.client.send('/oauth2/authorize', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(requestOf(app, { response_type: 'token' })).toString(),
    })
    const response = await user.client.get(wrong.headers.get('location') ?? '')
    assert.equal(parametersOf(response).error, 'unsupported_response_type')
  },
)

eachService(
  'sign-in/state, sign-in/nonce: a malformed value is rejected also if the user signs in first',
  async (_t, service) => {
    const { user, app } = await start(service)
    await allow(user, app)
    for (const name of ['state', 'nonce']) {
      const path = `${authorizePath(app, { [name]: undefined })}&${name}=%E4`
      const expected = parametersOf(await user.client.get(path))
      assert.equal(expected.error, 'invalid_request')
      const anonymous = service.client()
      const reply = await signInAt(anonymous, await anonymous.get(path), user)
      assert.deepEqual(parametersOf(await follow(anonymous, reply)), expected)
      const posted = await post(service, path, {})
      assert.deepEqual(parametersOf(await user.client.get(posted.headers.get('location') ?? '')), expected)
    }
  },
)

eachService(
  'sign-in/state: a request that is too long for a URL shows an error page',
  async (_t, service) => {
    const { app } = await start(service)
    const user = { client: service.client() }
    const page = await user.client.get(authorizePath(app, { state: 'x'.repeat(30_000) }))
    assertErrorPage(page)
    assert.match(page.text, /The limit is 28000, and 8000 bytes for state/)
    const body = new URLSearchParams(requestOf(app, { state: 'x'.repeat(50_000) })).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    assertErrorPage(await user.client.send('/oauth2/authorize', { method: 'POST', headers, body }))
  },
)

eachService('sign-in/pkce-s256-only: the default code_challenge_method is S256', async (_t, service) => {
  const { user, app } = await start(service)
  assert.ok((await allow(user, app, { code_challenge: challenge })).code)
})
