import { createRequire } from 'node:module'
import type { TestContext } from 'node:test'
import type { TestResponse } from '@gatehouse/testkit/service'
import { openSite } from '../clients/client-testing.ts'
import type { AuthorizationServer, RegisteredClient } from './authorization-server.fixture.ts'

const require = createRequire(import.meta.url)

const redirectUri = 'https://app.example/callback'

/** The npm package `oidc-provider`, a certified server, with a configuration close to Gatehouse. */
export async function oidcProvider(t: TestContext): Promise<AuthorizationServer> {
  const { url: issuer, setListener } = await openSite(t)
  const clients = ['confidential', 'other', 'public'].map(id => ({
    id,
    secret: id === 'public' ? undefined : secret(id),
    redirectUri,
  }))
  // It warns about the Node.js version and about development features.
  for (const level of ['info', 'warn'] as const) t.mock.method(console, level, () => undefined)
  // The package has no types.
  const { Provider } = require('oidc-provider')
  setListener(new Provider(issuer, configurationFor(clients)).callback())
  const [confidential, other, publicClient] = clients
  if (!confidential || !other || !publicClient) throw new Error('A client is missing.')
  const metadata = (await send(`${issuer}/.well-known/openid-configuration`)).body
  return {
    issuer,
    metadata,
    confidential,
    other,
    public: publicClient,
    subject: 'ada',
    scope: 'openid profile email',
    authorize: query => submitPages(`${metadata.authorization_endpoint}?${query}`),
    send,
  }
}

function secret(id: string): string {
  return `secret-of-${id}-with-enough-characters-in-it`
}

function configurationFor(clients: readonly RegisteredClient[]): object {
  return {
    clients: clients.map(client => ({
      client_id: client.id,
      redirect_uris: [client.redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      ...(client.secret === undefined
        ? { token_endpoint_auth_method: 'none' }
        : { client_secret: client.secret, token_endpoint_auth_method: 'client_secret_post' }),
    })),
    cookies: { keys: ['a cookie key'] },
    responseTypes: ['code'],
    scopes: ['openid', 'offline_access', 'profile', 'email'],
    claims: { profile: ['name', 'preferred_username'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    pkce: {
      required: (_context: unknown, client: { clientAuthMethod: string }) =>
        client.clientAuthMethod === 'none',
    },
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    features: {
      devInteractions: { enabled: true },
      revocation: { enabled: true },
    },
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: async () => ({
        sub: accountId,
        name: 'Ada',
        preferred_username: 'ada',
        email: 'ada@example.org',
        email_verified: true,
      }),
    }),
  }
}

/** Signs in as `ada` and gives consent on the development pages of the package, without a browser. */
async function submitPages(start: string): Promise<TestResponse> {
  const cookies = new Map<string, string>()
  let url = new URL(start)
  let init: RequestInit = {}
  for (let turn = 0; turn < 12; turn++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const reply = await send(url.href, { ...init, headers: { ...init.headers, cookie } })
    for (const line of reply.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const equals = pair.indexOf('=')
      cookies.set(pair.slice(0, equals), pair.slice(equals + 1))
    }
    const location = reply.headers.get('location')
    const prompt = /name="prompt" value="(\w+)"/.exec(reply.text)?.[1]
    const action = /action="([^"]*)"/.exec(reply.text)?.[1]
    if (location !== null) {
      const next = new URL(location, url)
      if (next.origin !== url.origin) return reply
      url = next
      init = {}
    } else if (prompt !== undefined && action !== undefined) {
      url = new URL(action, url)
      init = {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ prompt, login: 'ada', password: 'any' }).toString(),
      }
    } else return reply
  }
  throw new Error('Too many pages.')
}

async function send(url: string, init: RequestInit = {}): Promise<TestResponse> {
  const response = await fetch(url, { redirect: 'manual', ...init })
  const text = await response.text()
  const isJson = /^application\/([\w-]+\+)?json\b/.test(response.headers.get('content-type') ?? '')
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : undefined,
  }
}
