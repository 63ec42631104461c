import assert from 'node:assert/strict'
import { eachService, type TestClient, type TestResponse, type TestService } from '@gatehouse/testkit/service'
import {
  authorizePath,
  codeFor,
  exchangeCode,
  formOf,
  makeApplication,
  signInAt,
  signUp,
  type TestApplication,
  tokensFor,
  userinfo,
} from './oauth-testing.ts'

const returnUri = 'https://app.example/signed-out'

async function prepare(service: TestService) {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada, {
    name: 'Lighthouse',
    postLogoutRedirectUris: [returnUri, 'https://app.example/bye?from=gatehouse'],
  })
  const idToken = async () => (await tokensFor(service, ada, app, { scope: 'openid' })).id_token ?? ''
  return { ada, app, hint: await idToken(), idToken }
}

function pathOf(fields: Record<string, string>): string {
  return `/oauth2/logout?${new URLSearchParams(fields)}`
}

async function isSignedIn(client: TestClient): Promise<boolean> {
  return (await client.get('/api/users/@me')).status === 200
}

/** Submits the confirmation page. */
function confirm(client: TestClient, page: TestResponse): Promise<TestResponse> {
  const { action, token } = formOf(page)
  return client.form(action, { token }, { origin: 'null' })
}

function assertPage(reply: TestResponse, status: number): void {
  assert.equal(reply.status, status, reply.text)
  assert.equal(reply.headers.get('location'), null)
  assert.match(reply.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
  assert.equal(reply.headers.get('cache-control'), 'no-store')
}

eachService(
  'GET /oauth2/logout 303: an id_token of the signed-in user signs out without a page',
  async (_t, service) => {
    const { ada, app, hint } = await prepare(service)
    const reply = await ada.client.get(
      pathOf({
        id_token_hint: hint,
        client_id: app.id,
        post_logout_redirect_uri: returnUri,
        state: 'a b&c=%',
      }),
    )
    assert.equal(reply.status, 303)
    assert.equal(reply.headers.get('location'), `${returnUri}?state=a%20b%26c%3D%25`)
    assert.equal(reply.headers.get('cache-control'), 'no-store')
    assert.match(reply.headers.getSetCookie().join(), /^gatehouse_session=; .*Max-Age=0/)
    assert.equal(await isSignedIn(ada.client), false)
  },
)

eachService('GET /oauth2/logout 303: an expired id_token is accepted', async (_t, service) => {
  const { ada, hint } = await prepare(service)
  service.clock.advance(3 * 3_600_000)
  const reply = await ada.client.get(pathOf({ id_token_hint: hint, post_logout_redirect_uri: returnUri }))
  assert.equal(reply.headers.get('location'), returnUri)
  assert.equal(await isSignedIn(ada.client), false)
})

eachService('GET /oauth2/logout 303: an empty or long state is returned unchanged', async (_t, service) => {
  const { ada, app, idToken } = await prepare(service)
  for (const state of ['', 'x'.repeat(8000)]) {
    const reply = await ada.client.get(
      pathOf({ id_token_hint: await idToken(), post_logout_redirect_uri: returnUri, state }),
    )
    assert.equal(reply.headers.get('location'), `${returnUri}?state=${state}`)
    await signInAt(ada.client, await ada.client.get(authorizePath(app)), ada)
  }
})

eachService('GET /oauth2/logout 303: the query of the redirect URI is kept', async (_t, service) => {
  const { ada, hint } = await prepare(service)
  const own = 'https://app.example/bye?from=gatehouse'
  const reply = await ada.client.get(
    pathOf({ id_token_hint: hint, post_logout_redirect_uri: own, state: '1' }),
  )
  assert.equal(reply.headers.get('location'), `${own}&state=1`)
})

eachService(
  'GET /oauth2/logout 200: without a redirect URI a page confirms the logout',
  async (_t, service) => {
    const { ada, hint } = await prepare(service)
    const reply = await ada.client.get(pathOf({ id_token_hint: hint }))
    assertPage(reply, 200)
    assert.match(reply.text, /You are signed out/)
    assert.equal(await isSignedIn(ada.client), false)
  },
)

for (const [name, fields] of [
  ['no parameters', () => ({})],
  ['a client_id', (app: TestApplication) => ({ client_id: app.id, post_logout_redirect_uri: returnUri })],
] as const) {
  eachService(`GET /oauth2/logout 200: with ${name} it asks for confirmation first`, async (_t, service) => {
    const { ada, app } = await prepare(service)
    const page = await ada.client.get(pathOf(fields(app)))
    assertPage(page, 200)
    assert.match(page.text, /@ada/)
    assert.equal(await isSignedIn(ada.client), true)
    const done = await confirm(ada.client, page)
    assert.equal(await isSignedIn(ada.client), false)
    if (name === 'no parameters') {
      assertPage(done, 200)
      assert.match(done.text, /You are signed out/)
    } else {
      assert.match(page.text, /Lighthouse requests this/)
      assert.match(
        page.headers.get('content-security-policy') ?? '',
        /form-action 'self' https:\/\/app.example;/,
      )
      assert.equal(done.status, 303)
      assert.equal(done.headers.get('location'), returnUri)
    }
  })
}

eachService("GET /oauth2/logout 200: another user's id_token does not sign out", async (_t, service) => {
  const { hint } = await prepare(service)
  const bob = await signUp(service, 'bob')
  const page = await bob.client.get(pathOf({ id_token_hint: hint, post_logout_redirect_uri: returnUri }))
  assertPage(page, 200)
  assert.match(page.text, /@bob/)
  assert.equal(await isSignedIn(bob.client), true)
})

eachService(
  'GET /oauth2/logout: without a session it redirects with an id_token, otherwise it shows a link',
  async (_t, service) => {
    const { app, hint } = await prepare(service)
    const anonymous = service.client()
    const known = await anonymous.get(
      pathOf({ id_token_hint: hint, post_logout_redirect_uri: returnUri, state: 'x' }),
    )
    assert.equal(known.status, 303)
    assert.equal(known.headers.get('location'), `${returnUri}?state=x`)
    // Otherwise the endpoint would be an open redirector.
    const unknown = await anonymous.get(pathOf({ client_id: app.id, post_logout_redirect_uri: returnUri }))
    assertPage(unknown, 200)
    assert.match(unknown.text, /<a [^>]*href="https:\/\/app.example\/signed-out">Continue to Lighthouse</)
  },
)

eachService(
  'sign-in/post-logout-unregistered: GET /oauth2/logout 200: asks for confirmation, and never redirects',
  async (_t, service) => {
    const { ada, app, hint } = await prepare(service)
    await makeApplication(ada, { postLogoutRedirectUris: ['https://other.example/'] })
    const anonymous = service.client()
    for (const fields of [
      { id_token_hint: hint, post_logout_redirect_uri: 'https://other.example/' },
      { id_token_hint: hint, post_logout_redirect_uri: `${returnUri}/`, state: 'x' },
      { id_token_hint: hint, post_logout_redirect_uri: app.redirectUri },
      { id_token_hint: hint, post_logout_redirect_uri: 'javascript:alert(1)' },
      { client_id: app.id, post_logout_redirect_uri: 'https://evil.example/' },
      // Without an application, no address is registered.
      { post_logout_redirect_uri: returnUri },
    ]) {
      const page = await ada.client.get(pathOf(fields))
      assertPage(page, 200)
      assert.match(page.text, /Sign out of this service\?/)
      assert.match(page.text, /After signing out you stay here: the address to return to is not registered\./)
      const signedOut = await anonymous.get(pathOf(fields))
      assertPage(signedOut, 200)
      assert.match(signedOut.text, /You are signed out/)
      for (const { text } of [page, signedOut]) assert.doesNotMatch(text, /href="(https|javascript):/)
    }
    assert.equal(await isSignedIn(ada.client), true)
    const page = await ada.client.get(
      pathOf({ id_token_hint: hint, post_logout_redirect_uri: 'https://evil.example/' }),
    )
    const done = await confirm(ada.client, page)
    assertPage(done, 200)
    assert.doesNotMatch(done.text, /evil\.example/)
    assert.equal(await isSignedIn(ada.client), false)
  },
)

eachService(
  'GET /oauth2/logout 400: an invalid request shows an error page and does not sign out',
  async (_t, service) => {
    const { ada, hint } = await prepare(service)
    const other = await makeApplication(ada, { postLogoutRedirectUris: ['https://other.example/'] })
    const [head, body, signature = ''] = hint.split('.')
    const forged = [head, body, `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`].join('.')
    for (const fields of [
      { id_token_hint: 'x.y.z' },
      { id_token_hint: forged, post_logout_redirect_uri: returnUri },
      { id_token_hint: hint, client_id: other.id },
      { client_id: '1000000000000000000', post_logout_redirect_uri: returnUri },
    ]) {
      assertPage(await ada.client.get(pathOf(fields)), 400)
    }
    assertPage(await ada.client.get(`${pathOf({ id_token_hint: hint, state: 'a' })}&state=b`), 400)
    assert.equal(await isSignedIn(ada.client), true)
  },
)

eachService(
  'POST /oauth2/logout 303: redirects to GET with the parameters, so that the browser sends the session cookie',
  async (_t, service) => {
    const { ada, hint } = await prepare(service)
    const posted = await service.client().send('/oauth2/logout', {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: 'https://app.example',
        'sec-fetch-site': 'cross-site',
      },
      body: new URLSearchParams({
        id_token_hint: hint,
        post_logout_redirect_uri: returnUri,
        ui_locales: 'de',
      }).toString(),
    })
    assert.equal(posted.status, 303)
    const reply = await ada.client.get(posted.headers.get('location') ?? '')
    assert.equal(reply.headers.get('location'), returnUri)
    assert.equal(await isSignedIn(ada.client), false)
  },
)

eachService('POST /oauth2/logout 400: a request that is too long for a URL', async (_t, service) => {
  const reply = await service.client().form('/oauth2/logout', { state: 'x'.repeat(30_000) })
  assertPage(reply, 400)
})

eachService(
  'POST /oauth2/logout/confirm 403: rejects a form of another session, request or site',
  async (_t, service) => {
    const { ada, app } = await prepare(service)
    const bob = await signUp(service, 'bob')
    const path = pathOf({ client_id: app.id })
    const own = formOf(await ada.client.get(path))
    const foreign = formOf(await bob.client.get(path))
    const wrong = [
      ada.client.form(own.action, { token: foreign.token }),
      ada.client.form(own.action, {}),
      ada.client.form('/oauth2/logout/confirm', { token: own.token }),
      ada.client.form(own.action, { token: own.token }, { 'sec-fetch-site': 'cross-site' }),
    ]
    for (const reply of await Promise.all(wrong)) assertPage(reply, 403)
    assert.equal(await isSignedIn(ada.client), true)
  },
)

eachService('POST /oauth2/logout/confirm 200: if the session has already ended', async (_t, service) => {
  const { ada } = await prepare(service)
  const page = await ada.client.get('/oauth2/logout')
  await ada.client.json('POST', '/api/auth/logout')
  const reply = await confirm(ada.client, page)
  assertPage(reply, 200)
  assert.match(reply.text, /You are signed out/)
})

eachService('a logout invalidates codes but not tokens', async (_t, service) => {
  const { ada, app } = await prepare(service)
  const tokens = await tokensFor(service, ada, app)
  const code = await codeFor(ada, app)
  await ada.client.json('POST', '/api/auth/logout')
  assert.equal((await userinfo(service, tokens.access_token)).status, 200)
  assert.equal((await exchangeCode(service, app, code)).body.error, 'invalid_grant')
})
