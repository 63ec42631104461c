import assert from 'node:assert/strict'
import type { Locale } from '@gatehouse/protocol/locales'
import { Permission, permissionNames } from '@gatehouse/protocol/permissions'
import type { TestClient, TestResponse, TestService } from '@gatehouse/testkit/service'
import {
  addPasskey,
  addTotp,
  createAuthenticator,
  totpCode,
} from '../accounts/second-factor/second-factor-testing.ts'
import { mailToken, password, register, submit } from '../accounts/users/users-testing.ts'
import {
  authorizePath,
  bindServer,
  decide,
  follow,
  formOf,
  giveRole,
  makeApplication,
  signUp,
  tokensFor,
} from '../oauth/oauth-testing.ts'

/** Responses by the name of the page and its state. */
export type RenderedPages = Map<string, TestResponse>

const everyPermission = Object.values(Permission).reduce((set, bit) => set | bit, 0n)
const description = '1 – 2 – 3\n4 – 5 – 6'

/** One page of each kind. */
const referencePages = ['/docs', '/docs/api', '/docs/gateway', '/docs/errors', '/docs/guides/bots/commands']

/** Requests every page of a service with open registration, with every form error, in `locale`. */
export async function renderEveryPage(service: TestService, locale: Locale): Promise<RenderedPages> {
  const rendered: RenderedPages = new Map()
  const createBrowser = () => {
    const client = service.client()
    client.cookies.set('gatehouse_locale', locale)
    return client
  }
  function record(name: string, reply: TestResponse, status = 200): TestResponse {
    assert.equal(reply.status, status, `${name}: ${reply.text}`)
    assert.equal(rendered.has(name), false, name)
    rendered.set(name, reply)
    return reply
  }

  const client = createBrowser()
  for (const notice of ['', 'took-too-long', 'signed-out', 'password-changed']) {
    record(`login, ${notice}`, await client.get(`/login?notice=${notice}`))
  }
  record('login, wrong', await submit(client, '/login', { login: 'nobody', password }), 401)
  record('login, empty', await submit(client, '/login', { login: '', password: '' }), 400)
  record('register', await client.get('/register'))
  record('register, with invite', await client.get('/register?return_to=%2Finvite%2F123'))
  const fields = { username: 'ada', email: 'ada@example.org', password }
  for (const [name, wrong] of Object.entries({
    username: { username: 'A B' },
    displayName: { displayName: '\u200b' },
    email: { email: 'nonsense' },
    short: { password: '1' },
    long: { password: 'x'.repeat(257) },
    common: { password: '12345678' },
    invite: { invite: '0' },
    everything: { username: '', email: '', password: '', invite: 'x'.repeat(65) },
  })) {
    record(`register, wrong ${name}`, await submit(client, '/register', { ...fields, ...wrong }), 400)
  }
  await register(createBrowser(), 'ada')
  const verify = `/verify-email?token=${await mailToken(service, fields.email, 1)}`
  record('register, username taken', await submit(client, '/register', fields), 409)
  const other = { ...fields, username: 'grace' }
  record('register, email taken', await submit(client, '/register', other), 409)

  record('forgot password', await client.get('/forgot-password'))
  record('forgot password, wrong', await submit(client, '/forgot-password', { email: '1' }), 400)
  const sent = await submit(client, '/forgot-password', { email: fields.email })
  record('forgot password, sent', await follow(client, sent))
  record('verify email', await client.get(verify))
  record('verify email, done', await follow(client, await submit(client, verify, {})))
  record('verify email, invalid token', await client.get(verify), 400)
  const mover = createBrowser()
  await register(mover, 'mover')
  await mover.json('PATCH', '/api/users/@me', { email: 'grace@example.org', currentPassword: password })
  const change = `/verify-email?token=${await mailToken(service, 'grace@example.org', 1)}`
  await register(service.client(), 'grace')
  record('verify email, signed out', await client.get(change))
  record('verify email, address taken', await submit(mover, change, {}), 409)
  const reset = `/reset-password?token=${await mailToken(service, fields.email, 2)}`
  record('reset password', await client.get(reset))
  record('reset password, short', await submit(client, reset, { password: '1' }), 400)
  await submit(client, reset, { password })
  record('reset password, invalid token', await client.get(reset), 400)

  const ada = createBrowser()
  record('logout, not signed in', await ada.get('/logout'))
  await submit(ada, '/login', { login: 'ada', password })
  record('login, signed in already', await ada.get('/login'))
  record('login, again', await ada.get('/login?reauthenticate=1'))
  record('logout', await ada.get('/logout'))

  await renderConsent(service, ada, record)
  await renderErrors(ada, record)
  await renderSecondFactor(service, createBrowser, ada, record)
  for (const path of referencePages) record(path, await ada.get(path))
  record('API reference, not found', await ada.get('/docs/nothing'), 404)

  const guesser = createBrowser()
  for (let i = 0; i < 10; i++) await submit(guesser, '/login', { login: 'ada', password: 'wrong' })
  record('login, rate limited', await submit(guesser, '/login', { login: 'ada', password }), 429)
  for (let i = 0; i < 20; i++) await submit(guesser, '/register', { ...fields, username: `ada${i}` })
  record('register, rate limited', await submit(guesser, '/register', fields), 429)
  return rendered
}

type RecordPage = (name: string, reply: TestResponse, status?: number) => TestResponse

async function renderConsent(service: TestService, client: TestClient, record: RecordPage): Promise<void> {
  const me = (await client.get('/api/users/@me')).body
  const user = { client, id: me.id, username: 'ada', email: 'ada@example.org', password }
  const back = 'https://app.example/bye'
  const app = await makeApplication(user, { name: '123', postLogoutRedirectUris: [back] })
  await client.json('PATCH', `/api/applications/${app.id}`, { description })
  const oidcParameters = { scope: 'openid identify email servers' }
  record('consent', await client.get(authorizePath(app, oidcParameters)))
  const native = await makeApplication(user, {
    name: '456',
    type: 'public',
    redirectUris: ['com.example.app:/cb'],
  })
  record('consent, native', await client.get(authorizePath(native)))

  const botApp = await makeApplication(user, { name: '123', bot: 'dice', redirectUris: [] })
  const bot = {
    scope: 'bot applications.commands',
    permissions: String(everyPermission),
    redirect_uri: undefined,
    response_type: undefined,
  }
  record('add bot, no server', await client.get(authorizePath(botApp, bot)))
  await client.json('POST', '/api/servers', { name: '789' })
  const page = record('add bot', await client.get(authorizePath(botApp, bot)))
  assert.ok(permissionNames(everyPermission).length > 10)
  record('add bot, no server selected', await decide(client, page), 400)
  record('add bot, server not managed', await decide(client, page, { server_id: botApp.id }), 400)
  const cancelled = await decide(client, page, { decision: 'deny' })
  record('add bot, cancelled', await follow(client, cancelled))
  const commands = { ...bot, scope: 'applications.commands' }
  record('add commands, bot on no managed server', await client.get(authorizePath(botApp, commands)), 400)
  const [server] = (await client.get('/api/users/@me/servers')).body
  record('add bot, done', await follow(client, await decide(client, page, { server_id: server.id })))
  record(
    'add bot, application error',
    await client.get(authorizePath(botApp, { ...bot, permissions: 'x' })),
    400,
  )

  const groups = { scope: 'identify groups servers.members.read' }
  const own = await makeApplication(user, { name: '123' })
  const roleId = await giveRole(user, server.id, '1')
  await bindServer(user, own, { id: server.id, groups: [{ roleId }] })
  record('consent, groups', await client.get(authorizePath(own, groups)))
  const eve = await signUp(service, 'eve')
  for (const [name, value] of client.cookies) if (name.endsWith('locale')) eve.client.cookies.set(name, value)
  await eve.client.json('PATCH', '/api/users/@me', { displayName: '1' })
  record('consent, groups of others', await eve.client.get(authorizePath(own, groups)))
  await bindServer(user, own, { id: server.id, membersOnly: true })
  record('not admitted', await eve.client.get(authorizePath(own)))
  await client.json('DELETE', `/api/servers/${server.id}/bound-applications/${own.id}`)
  record('nobody admitted', await eve.client.get(authorizePath(own)))
  const settings = { server: null, emailRequired: true, emailVerifiedOnly: true }
  await client.json('PATCH', `/api/applications/${own.id}`, settings)
  const unverified = record(
    'unverified',
    await eve.client.get(authorizePath(own, { scope: 'identify email' })),
  )
  record('unverified, mail sent', await decide(eve.client, unverified, { decision: 'resend' }))

  const { id_token: hint = '' } = await tokensFor(service, user, app, { scope: 'openid' })
  const logout = (query: Record<string, string>) => client.get(`/oauth2/logout?${new URLSearchParams(query)}`)
  record('logout by application', await logout({ client_id: app.id }))
  record('logout without application', await logout({}))
  const unregistered = { client_id: app.id, post_logout_redirect_uri: 'https://2.example' }
  record('logout, unregistered redirect URI', await logout(unregistered))
  const otherBrowser = service.client()
  for (const [name, value] of client.cookies)
    if (name.endsWith('locale')) otherBrowser.cookies.set(name, value)
  const path = new URLSearchParams({ client_id: app.id, post_logout_redirect_uri: back })
  record('logged out by application', await otherBrowser.get(`/oauth2/logout?${path}`))
  for (const [name, query] of Object.entries({
    'unknown hint': { id_token_hint: '1' },
    'foreign hint': { id_token_hint: hint, client_id: native.id },
    'unknown client': { client_id: '1' },
  })) {
    record(`logout, ${name}`, await logout(query), 400)
  }
  record('logout, repeated', await client.get('/oauth2/logout?state=1&state=2'), 400)
  for (const [name, query] of Object.entries({
    'no client': { client_id: undefined },
    'unknown client': { client_id: '1' },
    'unknown redirect URI': { redirect_uri: 'https://2.example' },
  })) {
    record(`authorize, ${name}`, await client.get(authorizePath(app, query)), 400)
  }
  const long = { state: 'x'.repeat(30_000) }
  record('authorize, too long', await client.form('/oauth2/authorize', long), 400)
  record('authorize, two clients', await client.get(`${authorizePath(app)}&client_id=1`), 400)
  record('authorize, two redirect URIs', await client.get(`${authorizePath(app)}&redirect_uri=1`), 400)
  const two = await makeApplication(user, {
    name: '123',
    redirectUris: ['https://1.example', 'https://2.example'],
  })
  record('authorize, no redirect URI', await client.get(authorizePath(two, { redirect_uri: undefined })), 400)
  const { action } = formOf(await client.get(authorizePath(two)))
  record('form token invalid', await client.form(action, { decision: 'allow', token: '1' }), 403)
}

async function renderErrors(client: TestClient, record: RecordPage): Promise<void> {
  record('error, form without token', await client.form('/forgot-password', {}), 403)
  const crossSite = { 'sec-fetch-site': 'cross-site' }
  record('error, cross-site', await client.form('/login', {}, crossSite), 403)
  record('error, method', await client.send('/login', { method: 'DELETE' }), 405)
  record('error, format', await client.json('POST', '/login', {}), 415)
  record('error, language', await client.get('/language?locale=xx'), 400)
}

async function renderSecondFactor(
  service: TestService,
  createBrowser: () => TestClient,
  owner: TestClient,
  record: RecordPage,
): Promise<void> {
  const path = '/login/second-factor'
  const postPassword = async () => {
    const client = createBrowser()
    await submit(client, '/login', { login: 'ada', password })
    return client
  }
  const { secret } = await addTotp(service, owner)
  const client = await postPassword()
  record('second factor, code', await client.get(path))
  record('second factor, recovery code', await client.get(`${path}?recovery=1`))
  record('second factor, no code', await submit(client, path, { code: '' }), 400)
  record('second factor, wrong code', await submit(client, path, { code: '000000' }), 401)
  await addPasskey(service, owner, createAuthenticator(service.url))
  record('second factor, passkey', await (await postPassword()).get(path))
  const guesser = await postPassword()
  for (let i = 0; i < 20; i++) await submit(guesser, path, { code: '000000' })
  const code = await totpCode(service, secret, 1)
  record('second factor, rate limited', await submit(guesser, path, { code }), 429)
  const passkey = await submit(await postPassword(), path, { passkey: '{}', code: '' })
  record('second factor, wrong passkey', passkey, 400)
  const loginPage = await createBrowser().get('/login')
  assert.match(loginPage.text, /data-cancelled=/)
}
