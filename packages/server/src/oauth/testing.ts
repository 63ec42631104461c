import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { Client, Reply, TestService } from '../testing.ts'

/** A person with a browser that is signed in. */
export interface TestPerson {
  client: Client
  id: string
  username: string
  email: string
  password: string
}

export async function signUp(service: TestService, username: string): Promise<TestPerson> {
  const client = service.client()
  const email = `${username}@example.org`
  const password = `password of ${username}`
  const reply = await client.json('POST', '/api/auth/register', {
    username,
    email,
    password,
    displayName: `Name of ${username}`,
  })
  assert.equal(reply.status, 201, reply.text)
  return { client, id: reply.body.id, username, email, password }
}

export interface TestApplication {
  id: string
  /** Undefined for a public application. */
  secret: string | undefined
  redirectUri: string
}

export const redirectUri = 'https://app.example/callback'

/** An application of `owner`; with a bot where `bot` is the bot's username. */
export async function makeApplication(
  owner: TestPerson,
  options: {
    type?: 'confidential' | 'public'
    redirectUris?: string[]
    allowLoopbackPort?: boolean
    postLogoutRedirectUris?: string[]
    backchannelLogoutUri?: string
    name?: string
    bot?: string
  } = {},
): Promise<TestApplication> {
  const {
    type = 'confidential',
    redirectUris = [redirectUri],
    name = 'An application',
    bot,
    ...more
  } = options
  const made = await owner.client.json('POST', '/api/applications', { name, type, redirectUris, ...more })
  assert.equal(made.status, 201, made.text)
  if (bot !== undefined) {
    const reply = await owner.client.json('POST', `/api/applications/${made.body.id}/bot`, { username: bot })
    assert.equal(reply.status, 201, reply.text)
  }
  return { id: made.body.id, secret: made.body.clientSecret, redirectUri: redirectUris[0] ?? '' }
}

export const verifier = 'a-code-verifier-of-more-than-forty-three-characters'
export const challenge = createHash('sha256').update(verifier).digest('base64url')

type Fields = Readonly<Record<string, string | undefined>>

/** The parameters of a request as an application makes it; undefined takes one away. */
export function requestOf(application: TestApplication, more: Fields = {}): Record<string, string> {
  return given({
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

/** The form of a consent page: where it posts to, and what it sends. */
export function formOf(page: Reply): { action: string; token: string } {
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

/** Posts the consent form; `allow` names the optional scopes that stay ticked, all of them unless said. */
export async function decide(
  client: Client,
  page: Reply,
  fields: Readonly<Record<string, string | readonly string[]>> = {},
): Promise<Reply> {
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

/** Where a redirect leads, with its parameters. */
export function locationOf(reply: Reply): URL {
  assert.equal(reply.status, 303, reply.text)
  const location = reply.headers.get('location')
  assert.ok(location !== null)
  return new URL(location, 'http://service.invalid')
}

export function parametersOf(reply: Reply): Record<string, string> {
  return Object.fromEntries(locationOf(reply).searchParams)
}

/** Asks, allows where the page comes, and answers the parameters of the redirect. */
export async function allow(
  person: TestPerson,
  application: TestApplication,
  more: Fields = {},
  fields: Readonly<Record<string, string | readonly string[]>> = {},
): Promise<Record<string, string>> {
  const reply = await person.client.get(authorizePath(application, more))
  return parametersOf(reply.status === 200 ? await decide(person.client, reply, fields) : reply)
}

export async function codeFor(
  person: TestPerson,
  application: TestApplication,
  more: Fields = {},
): Promise<string> {
  const { code } = await allow(person, application, more)
  assert.ok(code !== undefined)
  return code
}

/** The credentials of the application in the form: secret, or none. */
export function credentialsOf(application: TestApplication): Record<string, string> {
  return given({ client_id: application.id, client_secret: application.secret })
}

/** Exchanges a code; undefined takes a field away. */
export async function exchangeCode(
  service: TestService,
  application: TestApplication,
  code: string,
  more: Fields = {},
): Promise<Reply> {
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
): Promise<Reply> {
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken, ...credentialsOf(application) }
  return token(service, { ...form, ...more })
}

export interface Tokens {
  access_token: string
  refresh_token: string
  scope: string
  id_token?: string
}

/** From the sign-in to the tokens. */
export async function tokensFor(
  service: TestService,
  person: TestPerson,
  application: TestApplication,
  more: Fields = {},
): Promise<Tokens> {
  const reply = await exchangeCode(service, application, await codeFor(person, application, more))
  assert.equal(reply.status, 200, reply.text)
  return reply.body
}

/** A post to the token endpoint, by a client without cookies. */
export async function token(
  service: TestService,
  fields: Fields,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  return post(service, '/api/oauth2/token', fields, headers)
}

export async function post(
  service: TestService,
  path: string,
  fields: Fields,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  return service.client().send(path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(given(fields)).toString(),
  })
}

export async function userinfo(service: TestService, accessToken: string): Promise<Reply> {
  return service.client().get('/api/oauth2/userinfo', { authorization: `Bearer ${accessToken}` })
}

export function basic(id: string, secret: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` }
}

/** Signs in again on the page that a redirect leads to; answers the reply that leads back. */
export async function signInAt(client: Client, reply: Reply, person: TestPerson): Promise<Reply> {
  const location = locationOf(reply)
  assert.equal(location.pathname, '/login')
  const page = await client.get(location.pathname + location.search)
  assert.equal(page.status, 200)
  const fields: Record<string, string> = { login: person.username, password: person.password }
  for (const [, name = '', value = ''] of page.text.matchAll(
    /type="hidden" name="([^"]*)" value="([^"]*)"/g,
  )) {
    fields[name] = unescaped(value)
  }
  return client.form('/login', fields)
}

/** Follows the redirects within the service, as a browser would; answers the first reply that leads out or shows a page. */
export async function follow(client: Client, reply: Reply): Promise<Reply> {
  let last = reply
  for (let turn = 0; turn < 5 && last.status === 303; turn++) {
    const location = last.headers.get('location') ?? ''
    if (!location.startsWith('/')) break
    last = await client.get(location)
  }
  return last
}

/** An answer of RFC 6749 §5.2: status, error, and a description of the characters that are allowed (check 25). */
export function assertError(reply: Reply, status: number, error: string): void {
  assert.equal(reply.status, status, reply.text)
  assert.equal(reply.body?.error, error, reply.text)
  assert.match(reply.body.error_description, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
}

function given(fields: Fields): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
