import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { TestContext } from 'node:test'
import type { ServerBindingInput } from '@gatehouse/protocol/applications'
import { createApplication, createBotApplication } from '@gatehouse/testkit/applications'
import { register, type TestUser } from '@gatehouse/testkit/community'
import { listenHttp } from '@gatehouse/testkit/listen'
import type { TestClient, TestResponse, TestService } from '@gatehouse/testkit/service'
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose'

/** Registers a user whose password and display name differ from those of other users. */
export function signUp(service: TestService, username: string): Promise<TestUser> {
  const displayName = `Name of ${username}`
  return register(service, username, `password of ${username}`, { displayName })
}

export interface TestApplication {
  id: string
  /** Undefined for a public application. */
  secret: string | undefined
  redirectUri: string
}

export const redirectUri = 'https://app.example/callback'

/** `bot` is the username of the bot; without it, the application has no bot. */
export async function makeApplication(
  owner: TestUser,
  options: {
    type?: 'confidential' | 'public'
    redirectUris?: string[]
    allowLoopbackPort?: boolean
    postLogoutRedirectUris?: string[]
    backchannelLogoutUri?: string
    name?: string
    bot?: string
    public?: boolean
  } = {},
): Promise<TestApplication> {
  const {
    type = 'confidential',
    redirectUris = [redirectUri],
    name = 'An application',
    bot,
    ...more
  } = options
  const fields = { name, redirectUris, ...more }
  const uri = redirectUris[0] ?? ''
  if (bot !== undefined) {
    const created = await createBotApplication(owner.client, fields, { username: bot })
    return { id: created.applicationId, secret: created.clientSecret, redirectUri: uri }
  }
  const created = await createApplication(owner.client, { ...fields, type })
  return { id: created.id, secret: created.clientSecret, redirectUri: uri }
}

/** Binds the application to a server of its owner. */
export async function bindServer(
  owner: TestUser,
  application: TestApplication,
  server: ServerBindingInput | null,
): Promise<void> {
  const reply = await owner.client.json('PATCH', `/api/applications/${application.id}`, { server })
  assert.equal(reply.status, 200, reply.text)
}

/** Creates a role and gives it to the members. Returns its id. */
export async function giveRole(
  owner: TestUser,
  serverId: string,
  name: string,
  ...members: TestUser[]
): Promise<string> {
  const { id } = await owner.client.call('createRole', { id: serverId, body: { name, permissions: '0' } })
  for (const { id: userId } of members) {
    await owner.client.call('addMemberRole', { id: serverId, userId, roleId: id })
  }
  return id
}

export const verifier = 'a-code-verifier-of-more-than-forty-three-characters'
export const challenge = createHash('sha256').update(verifier).digest('base64url')

type Fields = Readonly<Record<string, string | undefined>>

/** The parameters of an authorization request. An undefined value removes a parameter. */
export function requestOf(application: TestApplication, more: Fields = {}): Record<string, string> {
  return withoutUndefined({
    client_id: application.id,
    redirect_uri: application.redirectUri,
    response_type: 'code',
    scope: 'identify',
    state: 'state of the application',
    ...(application.secret === undefined ? { code_challenge: challenge, code_challenge_method: 'S256' } : {}),
    ...more,
  })
}

export function authorizePath(application: TestApplication, more: Fields = {}): string {
  return `/oauth2/authorize?${new URLSearchParams(requestOf(application, more))}`
}

/** The action and the form token of a consent or logout page. */
export function formOf(page: TestResponse): { action: string; token: string } {
  assert.equal(page.status, 200, page.text)
  const action = /<form method="post" action="([^"]*)"/.exec(page.text)?.[1]
  const token = /name="token" value="([^"]*)"/.exec(page.text)?.[1]
  assert.ok(action !== undefined && token !== undefined, page.text)
  return { action: unescaped(action), token: unescaped(token) }
}

function unescaped(html: string): string {
  return html
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}

/** Submits the consent page. `allow` are the selected optional scopes; by default all of them. */
export async function decide(
  client: TestClient,
  page: TestResponse,
  fields: Readonly<Record<string, string | readonly string[]>> = {},
): Promise<TestResponse> {
  const { action, token } = formOf(page)
  const body = new URLSearchParams()
  for (const [name, value] of Object.entries({
    token,
    decision: 'allow',
    allow: ['email', 'servers'],
    ...fields,
  })) {
    for (const one of [value].flat()) body.append(name, one)
  }
  return client.send(action, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
      origin: 'null',
    },
    body: body.toString(),
  })
}

export function locationOf(reply: TestResponse): URL {
  assert.equal(reply.status, 303, reply.text)
  const location = reply.headers.get('location')
  assert.ok(location !== null)
  return new URL(location, 'http://service.invalid')
}

export function parametersOf(reply: TestResponse): Record<string, string> {
  return Object.fromEntries(locationOf(reply).searchParams)
}

/**
 * Sends an authorization request, allows it if the consent page is shown, and returns the parameters of the redirect.
 */
export async function allow(
  user: TestUser,
  application: TestApplication,
  more: Fields = {},
  fields: Readonly<Record<string, string | readonly string[]>> = {},
): Promise<Record<string, string>> {
  const reply = await user.client.get(authorizePath(application, more))
  return parametersOf(reply.status === 200 ? await decide(user.client, reply, fields) : reply)
}

export async function codeFor(
  user: TestUser,
  application: TestApplication,
  more: Fields = {},
): Promise<string> {
  const { code } = await allow(user, application, more)
  assert.ok(code !== undefined)
  return code
}

export function credentialsOf(application: TestApplication): Record<string, string> {
  return withoutUndefined({ client_id: application.id, client_secret: application.secret })
}

/** Exchanges a code. An undefined value in `more` removes a parameter. */
export async function exchangeCode(
  service: TestService,
  application: TestApplication,
  code: string,
  more: Fields = {},
): Promise<TestResponse> {
  return token(service, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: application.redirectUri,
    ...credentialsOf(application),
    ...(application.secret === undefined ? { code_verifier: verifier } : {}),
    ...more,
  })
}

export async function refresh(
  service: TestService,
  application: TestApplication,
  refreshToken: string,
  more: Fields = {},
): Promise<TestResponse> {
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken, ...credentialsOf(application) }
  return token(service, { ...form, ...more })
}

export interface Tokens {
  access_token: string
  refresh_token: string
  scope: string
  id_token?: string
}

/** Requests a code and exchanges it. */
export async function tokensFor(
  service: TestService,
  user: TestUser,
  application: TestApplication,
  more: Fields = {},
): Promise<Tokens> {
  const reply = await exchangeCode(service, application, await codeFor(user, application, more))
  assert.equal(reply.status, 200, reply.text)
  return reply.body
}

/** Sends a token request, without cookies. */
export async function token(
  service: TestService,
  fields: Fields,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestResponse> {
  return post(service, '/api/oauth2/token', fields, headers)
}

export async function post(
  service: TestService,
  path: string,
  fields: Fields,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestResponse> {
  return service.client().send(path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(withoutUndefined(fields)).toString(),
  })
}

export async function userinfo(service: TestService, accessToken: string): Promise<TestResponse> {
  return service.client().get('/api/oauth2/userinfo', { authorization: `Bearer ${accessToken}` })
}

export function basic(id: string, secret: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` }
}

/** Signs in on the page that `reply` redirects to. Returns the response to the form. */
export async function signInAt(
  client: TestClient,
  reply: TestResponse,
  user: TestUser,
): Promise<TestResponse> {
  const location = locationOf(reply)
  assert.equal(location.pathname, '/login')
  const page = await client.get(location.pathname + location.search)
  assert.equal(page.status, 200)
  const fields: Record<string, string> = { login: user.username, password: user.password }
  for (const [, name = '', value = ''] of page.text.matchAll(
    /type="hidden" name="([^"]*)" value="([^"]*)"/g,
  )) {
    fields[name] = unescaped(value)
  }
  return client.form('/login', fields)
}

/** Follows the redirects within the service. Returns the first response that redirects to another host or is a page. */
export async function follow(client: TestClient, reply: TestResponse): Promise<TestResponse> {
  let last = reply
  for (let turn = 0; turn < 5 && last.status === 303; turn++) {
    const location = last.headers.get('location') ?? ''
    if (!location.startsWith('/')) break
    last = await client.get(location)
  }
  return last
}

/**
 * Asserts an error response of RFC 6749 §5.2 whose description has only the allowed characters
 * (sign-in/error-description-characters).
 */
export function assertError(reply: TestResponse, status: number, error: string): void {
  assert.equal(reply.status, status, reply.text)
  assert.equal(reply.body?.error, error, reply.text)
  assert.match(reply.body.error_description, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
}

function withoutUndefined(fields: Fields): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

/** The back-channel logout endpoint of an application. */
export interface LogoutReceiver {
  uri: string
  requests: { type: string | undefined; body: string }[]
  /** The status of the responses, by default 200. */
  status: number
  /** Responses wait until this resolves. */
  delay: Promise<unknown>
  /** Resolves when `count` requests have arrived in total. */
  waitForRequests(count: number): Promise<void>
}

export async function startLogoutReceiver(t: TestContext): Promise<LogoutReceiver> {
  const waiting: { count: number; resolve: () => void }[] = []
  const { url } = await listenHttp(t, async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    receiver.requests.push({ type: request.headers['content-type'], body })
    for (const { count, resolve } of waiting) if (receiver.requests.length >= count) resolve()
    await receiver.delay
    response.writeHead(receiver.status).end()
  })
  const receiver: LogoutReceiver = {
    uri: `${url}/signed-out`,
    requests: [],
    status: 200,
    delay: Promise.resolve(),
    waitForRequests: count =>
      receiver.requests.length >= count
        ? Promise.resolve()
        : new Promise(resolve => {
            waiting.push({ count, resolve })
          }),
  }
  return receiver
}

/** Validates a logout token as a client does (Back-Channel Logout §2.6). */
export async function readLogoutToken(
  service: TestService,
  body: string | undefined,
  audience: string,
): Promise<JWTPayload> {
  const token = new URLSearchParams(body).get('logout_token') ?? ''
  const keys = createRemoteJWKSet(new URL(`${service.url}/api/oauth2/keys`))
  const { payload } = await jwtVerify(token, keys, {
    issuer: service.url,
    audience,
    typ: 'logout+jwt',
    algorithms: ['RS256'],
    currentDate: new Date(service.clock.now()),
    requiredClaims: ['iat', 'exp', 'jti', 'events'],
  })
  return payload
}
