import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachService, type TestResponse } from '@gatehouse/testkit/service'
import { challenge, verifier } from '../oauth-testing.ts'
import type { AuthorizationServer, Fields, RegisteredClient } from './authorization-server.fixture.ts'
import { gatehouse } from './gatehouse.fixture.ts'
import { oidcProvider } from './oidc-provider.fixture.ts'

/**
 * Runs a test against Gatehouse with both databases, and against `oidc-provider`, which shows that the test follows the
 * standards.
 */
export function eachServer(name: string, run: (server: AuthorizationServer) => Promise<void>): void {
  eachService(name, async (_t, service) => run(await gatehouse(service)))
  test(`${name} (oidc-provider)`, async t => run(await oidcProvider(t)))
}

/**
 * A test that Gatehouse passes and `oidc-provider` fails. docs/decisions/oidc-provider-differences.md explains each
 * difference, under the name of the test.
 */
export function exceptOidcProvider(name: string, run: (server: AuthorizationServer) => Promise<void>): void {
  eachService(name, async (_t, service) => run(await gatehouse(service)))
  test(`${name} (oidc-provider differs)`, async t => {
    const server = await oidcProvider(t)
    await assert.rejects(run(server), assert.AssertionError)
  })
}

export function requestFor(server: AuthorizationServer, client: RegisteredClient, more: Fields = {}): string {
  return encodeForm({
    client_id: client.id,
    redirect_uri: client.redirectUri,
    response_type: 'code',
    scope: server.scope,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'client state',
    ...more,
  })
}

/** The parameters of the authorization response. */
export async function authorize(
  server: AuthorizationServer,
  client: RegisteredClient,
  more: Fields = {},
): Promise<Record<string, string>> {
  const reply = await server.authorize(requestFor(server, client, more))
  const location = reply.headers.get('location') ?? ''
  assert.ok(location.startsWith(`${client.redirectUri}?`), `${reply.status} ${location} ${reply.text}`)
  return Object.fromEntries(new URL(location).searchParams)
}

export async function codeFor(
  server: AuthorizationServer,
  client: RegisteredClient,
  more: Fields = {},
): Promise<string> {
  const { code } = await authorize(server, client, more)
  assert.ok(code !== undefined)
  return code
}

export function post(
  server: AuthorizationServer,
  endpoint: string,
  fields: Fields,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestResponse> {
  return server.send(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: encodeForm(fields),
  })
}

export function token(
  server: AuthorizationServer,
  fields: Fields,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestResponse> {
  return post(server, server.metadata.token_endpoint ?? '', fields, headers)
}

export function credentials(client: RegisteredClient): Fields {
  return { client_id: client.id, client_secret: client.secret }
}

export function exchange(
  server: AuthorizationServer,
  client: RegisteredClient,
  code: string,
  more: Fields = {},
): Promise<TestResponse> {
  return token(server, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: client.redirectUri,
    code_verifier: verifier,
    ...credentials(client),
    ...more,
  })
}

export function refresh(
  server: AuthorizationServer,
  client: RegisteredClient,
  refreshToken: string,
  more: Fields = {},
): Promise<TestResponse> {
  return token(server, {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    ...credentials(client),
    ...more,
  })
}

/** Requests a code and exchanges it. */
export async function tokensFor(
  server: AuthorizationServer,
  client: RegisteredClient,
  more: Fields = {},
): Promise<Record<'access_token' | 'refresh_token' | 'id_token', string>> {
  const reply = await exchange(server, client, await codeFor(server, client, more))
  assert.equal(reply.status, 200, reply.text)
  return reply.body
}

export function userinfo(server: AuthorizationServer, accessToken: string): Promise<TestResponse> {
  return server.send(server.metadata.userinfo_endpoint ?? '', {
    headers: { authorization: `Bearer ${accessToken}` },
  })
}

export function assertError(reply: TestResponse, error: string, status = 400): void {
  assert.equal(reply.body?.error, error, reply.text)
  assert.equal(reply.status, status, reply.text)
}

/** Asserts an error page that does not redirect. */
export function assertErrorPage(reply: TestResponse): void {
  assert.ok(reply.status >= 400 && reply.status < 500, `${reply.status} ${reply.text}`)
  assert.equal(reply.headers.get('location'), null)
}

function encodeForm(fields: Fields): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    for (const one of [value].flat()) if (one !== undefined) parameters.append(name, one)
  }
  return parameters.toString()
}
