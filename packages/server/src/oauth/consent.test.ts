import assert from 'node:assert/strict'
import { eachService, type TestResponse } from '@gatehouse/testkit/service'
import { mailToken, submit } from '../accounts/users/users-testing.ts'
import {
  allow,
  authorizePath,
  codeFor,
  decide,
  exchangeCode,
  follow,
  formOf,
  locationOf,
  makeApplication,
  parametersOf,
  signInAt,
  signUp,
  tokensFor,
  userinfo,
} from './oauth-testing.ts'

eachService(
  'sign-in/sign-in-before-redirect: a user without a session signs in first and returns to the request',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const browser = service.client()
    // Errors redirect to the application only after the sign-in.
    for (const more of [{}, { response_type: 'token' }]) {
      const to = locationOf(await browser.get(authorizePath(app, more)))
      assert.equal(to.pathname, '/login')
      assert.ok(to.searchParams.get('return_to')?.startsWith('/oauth2/authorize?'))
    }
    const back = await signInAt(browser, await browser.get(authorizePath(app)), ada)
    const page = await follow(browser, back)
    assert.match(page.text, /Name of ada/)
    assert.ok(parametersOf(await decide(browser, page)).code)
  },
)

eachService(
  'the page shows the application, the account and the scopes, and can change the account',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const grace = await signUp(service, 'grace')
    const app = await makeApplication(ada, { name: '<b>Bold & "quoted"</b>' })
    const page = await ada.client.get(
      authorizePath(app, { scope: 'openid identify email servers offline_access' }),
    )
    assert.match(page.text, /&lt;b&gt;Bold &amp; &quot;quoted&quot;&lt;\/b&gt;/)
    assert.doesNotMatch(page.text, /<b>/)
    assert.match(page.text, /Name of ada/)
    assert.match(page.text, /value="email" checked/)
    assert.match(page.text, /value="servers" checked/)
    assert.doesNotMatch(page.text, /value="identify"/)
    const change = /<a href="([^"]*)">Not you\?/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    assert.match(change, /^\/login\?return_to=.*&reauthenticate=1$/)
    service.clock.advance(1000)
    const fake = { ...page, status: 303, headers: new Headers({ location: change }) }
    const other = await follow(ada.client, await signInAt(ada.client, fake, grace))
    assert.match(other.text, /Name of grace/)
  },
)

eachService(
  'sign-in/access-denied, sign-in/errors-with-redirect: denying redirects with access_denied and without a code',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const page = await ada.client.get(authorizePath(app))
    const parameters = parametersOf(await decide(ada.client, page, { decision: 'deny' }))
    assert.equal(parameters.error, 'access_denied')
    assert.deepEqual(Object.keys(parameters).sort(), ['error', 'error_description', 'iss', 'state'])
    assert.equal((await ada.client.get(authorizePath(app))).status, 200, 'no consent is recorded')
  },
)

eachService(
  'sign-in/issuer-parameter, sign-in/redirect-status, sign-in/page-headers: the redirect ' +
    'with the code is 303, has iss, and is not cached',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const done = await decide(ada.client, await ada.client.get(authorizePath(app)))
    assert.equal(done.status, 303)
    assert.match(done.headers.get('cache-control') ?? '', /no-store/)
    assert.deepEqual(Object.keys(parametersOf(done)).sort(), ['code', 'iss', 'state'])
    assert.equal(parametersOf(done).iss, service.url)
    const silent = await ada.client.get(authorizePath(app))
    assert.equal(silent.status, 303)
    assert.match(silent.headers.get('cache-control') ?? '', /no-store/)
  },
)

eachService(
  'sign-in/consent-remembered: the page is skipped for the same scopes and shown for more',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    await allow(ada, app, { scope: 'identify email' })
    for (const scope of ['identify email', 'email', 'identify', 'profile', 'email profile offline_access']) {
      assert.ok(parametersOf(await ada.client.get(authorizePath(app, { scope }))).code, scope)
    }
    assert.equal((await ada.client.get(authorizePath(app, { scope: 'identify servers' }))).status, 200)
    const grace = await signUp(service, 'grace')
    assert.equal((await grace.client.get(authorizePath(app))).status, 200, 'per user')
    const other = await makeApplication(ada)
    assert.equal((await ada.client.get(authorizePath(other))).status, 200, 'per application')
  },
)

eachService(
  'sign-in/consent-remembered: email and servers can be deselected; then they are neither granted nor remembered',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const { code = '' } = await allow(ada, app, { scope: 'identify email servers' }, { allow: ['servers'] })
    const tokens = await exchangeCode(service, app, code)
    assert.equal(tokens.body.scope, 'identify servers')
    assert.equal((await ada.client.get(authorizePath(app, { scope: 'identify email' }))).status, 200)
    assert.equal((await ada.client.get(authorizePath(app, { scope: 'identify servers' }))).status, 303)
  },
)

eachService(
  'sign-in/email-required: the user cannot deselect email of an application that requires it',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const scope = 'identify email servers'
    const grant = async (reply: TestResponse) =>
      (await exchangeCode(service, app, parametersOf(reply).code ?? '')).body.scope
    const before = await ada.client.get(authorizePath(app, { scope }))
    assert.equal(await grant(await decide(ada.client, before, { allow: [] })), 'identify')

    await ada.client.request('PATCH', `/api/applications/${app.id}`, { emailRequired: true })
    const page = await ada.client.get(authorizePath(app, { scope }))
    assert.match(page.text, /<li><span>See your email address</)
    assert.doesNotMatch(page.text, /value="email"/)
    assert.match(page.text, /value="servers" checked/)
    assert.equal(await grant(await decide(ada.client, page, { allow: [] })), 'identify email')
    assert.equal((await tokensFor(service, ada, app)).scope, 'identify', 'a request without email has none')
  },
)

/** With an SMTP server that no mail reaches. */
const withSmtp = { env: { SMTP_URL: 'smtp://127.0.0.1:1' } }

eachService(
  'sign-in/email-verified-only: new applications have it where mails are sent, and it needs emailRequired',
  async (_t, service) => {
    const [ada, ben] = [await signUp(service, 'ada'), await signUp(service, 'ben')]
    const app = await makeApplication(ada)
    const path = `/api/applications/${app.id}`
    const { emailRequired, emailVerifiedOnly } = (await ada.client.get(path)).body
    assert.deepEqual([emailRequired, emailVerifiedOnly], [false, true])
    const scope = { scope: 'identify email' }
    assert.equal((await tokensFor(service, ben, app, scope)).scope, 'identify email')
    await ada.client.request('PATCH', path, { emailRequired: true })
    assert.match((await ben.client.get(authorizePath(app, scope))).text, /Verify your email address first/)
    await ada.client.request('PATCH', path, { emailVerifiedOnly: false })
    assert.equal((await tokensFor(service, ben, app, scope)).scope, 'identify email')
  },
  withSmtp,
)

eachService(
  'sign-in/email-verified-only: a user verifies the address with another mail, and returns to the authorization',
  async (_t, service) => {
    const [ada, ben] = [await signUp(service, 'ada'), await signUp(service, 'ben')]
    const app = await makeApplication(ada)
    const path = `/api/applications/${app.id}`
    assert.equal((await ada.client.get(path)).body.emailVerifiedOnly, false, 'no mail is sent')
    await ada.client.request('PATCH', path, { emailRequired: true, emailVerifiedOnly: true })
    assert.ok((await allow(ben, app)).code, 'a request without email')

    const request = { scope: 'identify email', state: 'of ben' }
    const silent = parametersOf(await ben.client.get(authorizePath(app, { ...request, prompt: 'none' })))
    assert.equal(silent.error, 'interaction_required')
    const page = await ben.client.get(authorizePath(app, request))
    assert.match(page.text, /Verify your email address first[\s\S]*ben@/)
    const forced = await decide(ben.client, page, { decision: 'allow' })
    assert.match(forced.text, /Verify your email address first/, 'no form replaces the verification')
    const resent = await decide(ben.client, page, { decision: 'resend' })
    assert.match(resent.text, /The mail is on its way/)

    const token = await mailToken(service, ben.email, 2)
    const verify = `/verify-email?token=${token}`
    const done = await follow(ben.client, await submit(ben.client, verify, {}))
    const next = /class="button primary" href="([^"]+)"/.exec(done.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const consent = await ben.client.get(next)
    const { code = '', state } = parametersOf(await decide(ben.client, consent))
    assert.equal(state, 'of ben')
    const tokens = (await exchangeCode(service, app, code)).body
    const { email, email_verified } = (await userinfo(service, tokens.access_token)).body
    assert.deepEqual([email, email_verified], [ben.email, true])

    // The page that still shows the form.
    assert.match(locationOf(await decide(ben.client, page, { decision: 'resend' })).pathname, /authorize/)
    const denied = await decide(ben.client, page, { decision: 'deny' })
    assert.equal(parametersOf(denied).error, 'access_denied')
  },
)

eachService(
  'sign-in/consent-remembered: the consent to a scope ends if the user deselects it later; tokens keep the scope',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const first = await tokensFor(service, ada, app, { scope: 'identify email servers' })
    const request = { scope: 'identify email', prompt: 'consent' }
    await allow(ada, app, request, { decision: 'deny', allow: [] })
    const silent = async (scope: string) =>
      parametersOf(await ada.client.get(authorizePath(app, { scope, prompt: 'none' })))
    assert.ok((await silent('identify email')).code, 'after a denied request')
    const { code = '' } = await allow(ada, app, request, { allow: [] })
    assert.equal((await exchangeCode(service, app, code)).body.scope, 'identify')
    assert.equal((await silent('identify email')).error, 'consent_required')
    assert.ok((await silent('identify servers')).code, 'the request did not have the scope servers')
    assert.equal((await userinfo(service, first.access_token)).body.email, ada.email)
  },
)

eachService(
  'sign-in/consent-remembered: required scopes are granted even if the form omits them',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const { code = '' } = await allow(ada, app, { scope: 'openid identify' }, { allow: [] })
    assert.equal((await exchangeCode(service, app, code)).body.scope, 'openid identify')
    const alone = await allow(ada, app, { scope: 'email' }, { allow: [] })
    assert.equal((await exchangeCode(service, app, alone.code ?? '')).body.scope, 'email')
  },
)

eachService('sign-in/unknown-scopes: scopes are returned with the requested names', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const tokens = await tokensFor(service, ada, app, { scope: 'profile unknown offline_access openid' })
  assert.equal(tokens.scope, 'profile offline_access openid')
  const me = await service.client().get('/api/users/@me', { authorization: `Bearer ${tokens.access_token}` })
  assert.equal(me.status, 200, 'profile is a synonym of identify')
})

eachService(
  'sign-in/page-headers, sign-in/no-cors-on-authorize: the page has security headers and no CORS headers',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const page = await ada.client.get(authorizePath(app), { origin: 'https://evil.example' })
    const policy = page.headers.get('content-security-policy') ?? ''
    assert.match(policy, /frame-ancestors 'none'/)
    assert.match(policy, /form-action 'self' https:\/\/app\.example(;|$)/)
    assert.doesNotMatch(policy, /script-src|unsafe-inline/)
    assert.equal(page.headers.get('x-frame-options'), 'DENY')
    assert.equal(page.headers.get('referrer-policy'), 'no-referrer')
    assert.match(page.headers.get('cache-control') ?? '', /no-store/)
    assert.equal(page.headers.get('access-control-allow-origin'), null)
    assert.doesNotMatch(page.text, /(src|href)="https?:/)
    const preflight = await service.client().send('/oauth2/authorize', {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'GET' },
    })
    assert.ok(preflight.status >= 400)
    assert.equal(preflight.headers.get('access-control-allow-origin'), null)
    const native = await makeApplication(ada, { type: 'public', redirectUris: ['com.example.app:/cb'] })
    const other = await ada.client.get(authorizePath(native))
    assert.match(other.headers.get('content-security-policy') ?? '', /form-action 'self' com\.example\.app:;/)
  },
)

eachService(
  'an invalid host of an old redirect URI does not get into the Content-Security-Policy',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const redirectUri = 'https://x;sandbox;y.example/cb'
    await service.db.run`
      UPDATE applications SET redirect_uris = ${JSON.stringify([redirectUri])},
        post_logout_redirect_uris = ${JSON.stringify([redirectUri])}
      WHERE id = ${app.id}`
    const query = new URLSearchParams({ client_id: app.id, post_logout_redirect_uri: redirectUri })
    const page = await ada.client.get(authorizePath({ ...app, redirectUri }))
    const signIn = await follow(
      service.client(),
      await service.client().get(authorizePath({ ...app, redirectUri })),
    )
    const signOut = await ada.client.get(`/oauth2/logout?${query}`)
    for (const reply of [page, signIn, signOut]) {
      assert.equal(reply.status, 200, reply.text)
      const policy = reply.headers.get('content-security-policy') ?? ''
      assert.match(policy, /; form-action 'self' https:; frame-ancestors 'none'; base-uri 'none'$/)
      assert.doesNotMatch(policy, /sandbox/)
    }
    // The redirect URI still works.
    assert.ok(parametersOf(await decide(ada.client, page)).code)
  },
)

eachService(
  'sign-in/form-token: a form of another session, user, request or site is rejected',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const grace = await signUp(service, 'grace')
    const app = await makeApplication(ada)
    const page = await ada.client.get(authorizePath(app))
    const { action, token } = formOf(page)
    const others = await grace.client.get(authorizePath(app))
    const post = (client: typeof ada.client, path: string, fields: Record<string, string>, headers = {}) =>
      client.form(path, { decision: 'allow', ...fields }, headers)
    const rejected = [
      await post(ada.client, action, {}),
      await post(ada.client, action, { token: 'x' }),
      await post(ada.client, action, { token: formOf(others).token }),
      await post(grace.client, formOf(others).action, { token }),
      await post(ada.client, action, { token }, { 'sec-fetch-site': 'cross-site' }),
      await post(ada.client, action, { token }, { 'sec-fetch-site': 'same-site' }),
      await decide(ada.client, await ada.client.get(authorizePath(app, { state: 'other' })), { token }),
    ]
    for (const [index, reply] of rejected.entries()) {
      assert.equal(reply.status, 403, `${index}: ${reply.text}`)
      assert.equal(reply.headers.get('location'), null)
    }
    // Another session of the same user.
    const browser = service.client()
    await browser.json('POST', '/api/auth/login', { login: ada.username, password: ada.password })
    assert.equal((await post(browser, action, { token })).status, 403)
    assert.ok(parametersOf(await post(ada.client, action, { token })).code)
  },
)

eachService('submitting the form after signing out redirects to the sign-in page', async (_t, service) => {
  const ada = await signUp(service, 'ada')
  const app = await makeApplication(ada)
  const page = await ada.client.get(authorizePath(app))
  await ada.client.json('POST', '/api/auth/logout')
  assert.equal(locationOf(await decide(ada.client, page)).pathname, '/login')
})

eachService(
  'sign-in/consent-parameters: the form is valid only for the displayed parameters',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada, { redirectUris: ['https://a.example/', 'https://b.example/'] })
    const page = await ada.client.get(authorizePath(app, { redirect_uri: 'https://a.example/' }))
    const { action, token } = formOf(page)
    for (const [from, to] of [
      ['scope=identify', 'scope=identify%20email'],
      [encodeURIComponent('https://a.example/'), encodeURIComponent('https://b.example/')],
      ['state%20of', 'state%20off'],
    ] as const) {
      const changed = action.replace(from, to).replace(from.replaceAll('%20', '+'), to)
      assert.notEqual(changed, action, from)
      const reply = await ada.client.form(changed, { token, decision: 'allow' })
      assert.equal(reply.status, 403, from)
    }
    const added = await ada.client.form(action, {
      token,
      decision: 'allow',
      scope: 'email',
      redirect_uri: 'https://b.example/',
    })
    const location = locationOf(added)
    assert.equal(location.origin, 'https://a.example')
    const exchanged = await exchangeCode(service, app, location.searchParams.get('code') ?? '', {
      redirect_uri: 'https://a.example/',
    })
    assert.equal(exchanged.body.scope, 'identify')
  },
)

eachService('sign-in/session-cookie: the session cookie is Lax and HttpOnly', async (_t, service) => {
  const { client } = await signUp(service, 'ada')
  const reply = await client.json('POST', '/api/auth/login', { login: 'ada', password: 'password of ada' })
  const cookie = reply.headers.getSetCookie().find(line => line.startsWith('gatehouse_session=')) ?? ''
  assert.match(cookie, /; HttpOnly/)
  assert.match(cookie, /; SameSite=Lax/)
  assert.match(cookie, /; Path=\//)
})

eachService(
  'sign-in/session-cookie: with https the session cookie is Secure and has the __Host- prefix',
  async (_t, service) => {
    const { client } = await signUp(service, 'ada')
    const reply = await client.json('POST', '/api/auth/login', { login: 'ada', password: 'password of ada' })
    const cookie =
      reply.headers.getSetCookie().find(line => line.startsWith('__Host-gatehouse_session=')) ?? ''
    assert.match(cookie, /; HttpOnly/)
    assert.match(cookie, /; SameSite=Lax/)
    assert.match(cookie, /; Secure/)
    assert.doesNotMatch(cookie, /Domain=/)
  },
  { env: { BASE_URL: 'https://chat.example.org' } },
)

eachService(
  'sign-in/confirm-unverified-apps: with CONFIRM_UNVERIFIED_APPS the page is always shown ' +
    'for a public application without an https redirect URI',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const native = await makeApplication(ada, { type: 'public', redirectUris: ['com.example.app:/cb'] })
    const web = await makeApplication(ada, { type: 'public' })
    await allow(ada, native)
    await allow(ada, web)
    assert.equal((await ada.client.get(authorizePath(native))).status, 200)
    assert.equal(
      parametersOf(await ada.client.get(authorizePath(native, { prompt: 'none' }))).error,
      'consent_required',
    )
    assert.equal((await ada.client.get(authorizePath(web))).status, 303)
  },
  { env: { CONFIRM_UNVERIFIED_APPS: 'on' } },
)

eachService(
  'sign-in/consent-remembered: by default the page is skipped for such an application',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const native = await makeApplication(ada, { type: 'public', redirectUris: ['com.example.app:/cb'] })
    await allow(ada, native)
    assert.equal((await ada.client.get(authorizePath(native))).status, 303)
  },
)

eachService(
  'sign-in/code-ends-with-session, sign-in/refresh-ends: revoking an authorization deletes ' +
    'its codes, tokens and consent',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const code = await codeFor(ada, app)
    const revoked = await ada.client.json('DELETE', `/api/users/@me/authorizations/${app.id}`)
    assert.equal(revoked.status, 204)
    assert.equal((await exchangeCode(service, app, code)).body.error, 'invalid_grant')
    assert.equal((await ada.client.get(authorizePath(app))).status, 200)
  },
)

eachService(
  'POST /oauth2/consent: redirects to the sign-in page if the session has ended',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const { action } = formOf(await ada.client.get(authorizePath(app)))
    assert.match(action, /^\/oauth2\/consent\?/)
    const reply = await service.client().form(action, { decision: 'allow', token: 'x' })
    assert.equal(locationOf(reply).pathname, '/login')
    const page = await service.client().form('/oauth2/consent', { decision: 'allow' })
    assert.equal(page.status, 400, 'a form without a request')
  },
)
