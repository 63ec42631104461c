import assert from 'node:assert/strict'
import type { TestUser } from '@gatehouse/testkit/community'
import { eachService, type TestClient, type TestResponse, type TestService } from '@gatehouse/testkit/service'
import { mailToken } from '../accounts/users/users-testing.ts'
import {
  authorizePath,
  basic,
  challenge,
  decide,
  exchangeCode,
  follow,
  formOf,
  locationOf,
  makeApplication,
  parametersOf,
  post,
  refresh,
  signInAt,
  signUp,
  type TestApplication,
  type Tokens,
  token,
  verifier,
} from './oauth-testing.ts'

/** Records the Location headers of all responses. */
function recordLocations(client: TestClient, locations: string[]): TestClient {
  const record = async (reply: Promise<TestResponse>) => {
    locations.push((await reply).headers.get('location') ?? '')
    return reply
  }
  return {
    ...client,
    send: (path, init) => record(client.send(path, init)),
    get: (path, headers) => record(client.get(path, headers)),
    json: (method, path, body, headers) => record(client.json(method, path, body, headers)),
    form: (path, fields, headers) => record(client.form(path, fields, headers)),
  }
}

/** A sign-in up to the tokens, with all errors that an application can cause on the way. */
async function signIn(
  service: TestService,
  user: TestUser,
  app: TestApplication,
): Promise<{ code: string; tokens: Tokens; forms: string[] }> {
  const fields = { scope: 'openid identify email', code_challenge: challenge, nonce: 'n' }
  const path = authorizePath(app, { ...fields, prompt: 'login consent' })
  const away = await user.client.get(path)
  service.clock.advance(1000)
  const page = await follow(user.client, await signInAt(user.client, away, user))
  const denied = await decide(user.client, page, { decision: 'deny' })
  assert.equal(parametersOf(denied).error, 'access_denied')
  const forged = await decide(user.client, page, { token: 'x' })
  assert.equal(forged.status, 403)
  const code = parametersOf(await decide(user.client, page)).code ?? ''
  const wrong = { ...app, secret: `${app.secret ?? 'none'}x` }
  await exchangeCode(service, wrong, code, { code_verifier: verifier })
  await exchangeCode(service, app, code, { code_verifier: `${verifier}x` })
  await exchangeCode(service, app, code, { code_verifier: verifier, redirect_uri: 'https://evil.example/' })
  const reply = await exchangeCode(service, app, code, { code_verifier: verifier })
  assert.equal(reply.status, 200, reply.text)
  return { code, tokens: reply.body, forms: [formOf(page).token] }
}

/** Sends valid and invalid requests with the tokens. Returns the tokens that were issued. */
async function useTokens(
  service: TestService,
  app: TestApplication,
  { code, tokens }: { code: string; tokens: Tokens },
): Promise<string[]> {
  const get = (path: string, authorization: string) => service.client().get(path, { authorization })
  for (const path of ['/api/oauth2/userinfo', '/api/users/@me', '/api/users/@me/servers']) {
    await get(path, `Bearer ${tokens.access_token}`)
    await get(path, `Bearer ${tokens.access_token}x`)
    await get(path, `Bot ${tokens.access_token}`)
    await get(`${path}?access_token=${tokens.access_token}`, 'Bearer')
  }
  await post(service, '/api/oauth2/userinfo', { access_token: tokens.refresh_token })
  await post(
    service,
    '/api/oauth2/introspect',
    { token: tokens.access_token },
    basic(app.id, app.secret ?? 'x'),
  )
  await token(service, { grant_type: 'password', username: 'ada', password: 'password of ada' })
  const next = (await refresh(service, app, tokens.refresh_token)).body
  await refresh(service, app, next.refresh_token, { client_secret: `${next.refresh_token}` })
  await post(service, '/api/oauth2/token/revoke', { token: next.access_token })
  // Reuse revokes the token family.
  await refresh(service, app, tokens.refresh_token)
  await exchangeCode(service, app, code, { code_verifier: verifier })
  await post(service, '/api/oauth2/token/revoke', { token: next.refresh_token })
  return [next.access_token, next.refresh_token, next.id_token]
}

eachService(
  'sign-in/secrets-not-logged: no secret is in the log, and none but the code is in a URL',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const locations: string[] = []
    const user = { ...ada, client: recordLocations(ada.client, locations) }
    const secrets = [ada.password, verifier]
    const codes: string[] = []
    for (const type of ['confidential', 'public'] as const) {
      const app = await makeApplication(ada, { type, backchannelLogoutUri: 'https://app.invalid/out' })
      const signedIn = await signIn(service, user, app)
      codes.push(signedIn.code)
      const { access_token, refresh_token, id_token = '' } = signedIn.tokens
      secrets.push(app.secret ?? verifier, access_token, refresh_token, id_token, ...signedIn.forms)
      secrets.push(...(await useTokens(service, app, signedIn)))
      const cookies = [...ada.client.cookies.values()]
      secrets.push(...cookies)
      await user.client.get(`/oauth2/logout?id_token_hint=${id_token}`)
      const back = await user.client.json('POST', '/api/auth/login', {
        login: 'ada',
        password: ada.password,
      })
      assert.equal(back.status, 200)
    }
    await ada.client.json('POST', '/api/auth/password/forgot', { email: ada.email })
    const mailed = await mailToken(service, ada.email, 2)
    await ada.client.get(`/reset-password?token=${mailed}`)
    secrets.push(mailed)

    const log = service.log.join('')
    assert.ok(log.includes('/api/oauth2/token'), 'the log contains the requests')
    for (const secret of [...secrets, ...codes]) {
      assert.ok(secret !== undefined && secret.length >= 10)
      assert.equal(log.includes(secret), false, `${secret} is in the log`)
    }
    assert.doesNotMatch(log, /g(at|rt|ac|cs|bt|st)_[0-9A-Za-z]{20}/)
    const urls = locations.join('\n')
    for (const code of codes) assert.ok(urls.includes(code))
    for (const secret of secrets) assert.equal(urls.includes(secret), false, `${secret} is in a URL`)
  },
)

eachService(
  'sign-in/secrets-not-logged: the redirect after a logout contains no token',
  async (_t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada, { postLogoutRedirectUris: ['https://app.example/bye'] })
    const { tokens } = await signIn(service, ada, app)
    const reply = await ada.client.get(
      `/oauth2/logout?id_token_hint=${tokens.id_token}&post_logout_redirect_uri=https://app.example/bye`,
    )
    assert.equal(locationOf(reply).href, 'https://app.example/bye')
  },
)

for (const [name, env, expected] of [
  ['http', {}, /^gatehouse_session=\w+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/],
  [
    'https',
    { BASE_URL: 'https://chat.example.org' },
    /^__Host-gatehouse_session=\w+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/,
  ],
] as const) {
  eachService(
    `sign-in/issuer: forwarded headers change neither cookies nor URLs (${name})`,
    async (_t, service) => {
      const ada = service.client()
      const body = { username: 'ada', email: 'ada@example.org', password: 'password of ada' }
      const spoofed = {
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': name === 'http' ? 'https' : 'http',
        'x-forwarded-port': '8443',
        forwarded: 'host=evil.example;proto=https',
      }
      const made = await ada.json('POST', '/api/auth/register', body, spoofed)
      assert.equal(made.status, 201, made.text)
      const login = await service
        .client()
        .json('POST', '/api/auth/login', { login: 'ada', password: body.password }, spoofed)
      for (const reply of [made, login]) {
        const cookies = reply.headers.getSetCookie()
        const session = cookies.find(cookie => /^(__Host-)?gatehouse_session=/.test(cookie))
        assert.match(session ?? '', expected)
        assert.doesNotMatch(cookies.join(), /Domain=|evil\.example/i)
      }
      const page = await service.client().get('/login', spoofed)
      assert.doesNotMatch(page.text + [...page.headers].join(), /evil\.example/)
    },
    { env },
  )
}
