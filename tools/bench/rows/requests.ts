import { authorizationPath, type OAuthClient } from '@gatehouse/testkit/fixture'
import type { Request } from 'autocannon'
import type { Bench, Target } from '../bench.ts'
import { type ClosedLoop, closedLoop, type Server, send } from '../load.ts'
import { compare, type Result } from '../report.ts'

type Scope = 'identify' | 'openid'

/** The client at the peer, with the settings of the client at the service. */
const peerClient: OAuthClient = {
  id: '1000000000000000000',
  secret: 'gcs_0000000000000000000000000000000000000000000000000',
  redirectUri: 'https://app.example/callback',
}

export const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }

async function* compareTokens(bench: Bench, scope: Scope): AsyncGenerator<Result> {
  const provider = await bench.startPeer('provider.ts', JSON.stringify(peerClient))
  const bare = await bench.startPeer('bare.ts')
  const run = (peer: Server, codes: string[]) =>
    closedLoop(peer, tokenRequests('/token', peerClient, codes, scope))
  const sides = {
    ...(await bench.ourSides(target => loads.tokens(bench, target, scope))),
    'oidc-provider': async () => run(provider, await savedCodes(provider, bench.codes, scope)),
    ...(scope === 'openid' && { signatures: () => run(bare, Array(bench.codes).fill('code')) }),
  }
  const goals = {
    sqlite: {
      identify: { 'oidc-provider': { rate: { least: 2 }, processor: { most: 1 / 2 }, p99: { most: 1 } } },
      openid: { 'oidc-provider': { rate: { least: 1.35 } }, signatures: { rate: { least: 0.8 } } },
    },
    postgres: { identify: { 'oidc-provider': { processor: { most: 1 / 1.3 } } }, openid: {} },
  }
  yield compare(bench, `code exchange and refresh, scope ${scope}`, sides, goals[bench.engine][scope])
}

export const tokens = (bench: Bench) => compareTokens(bench, 'identify')
export const openid = (bench: Bench) => compareTokens(bench, 'openid')

export async function* userinfo(bench: Bench): AsyncGenerator<Result> {
  const provider = await bench.startPeer('provider.ts', JSON.stringify(peerClient))
  // The UserInfo endpoint of oidc-provider requires the scope `openid` (OpenID Connect Core §5.3).
  const [code = ''] = await savedCodes(provider, 1, 'openid identify')
  const token = await fetchToken(provider, '/token', peerClient, code)
  const sides = {
    ...(await bench.ourSides(target => loads.userInfo(bench, target))),
    'oidc-provider': () => closedLoop(provider, userInfoRequests(bench, '/me', token)),
  }
  const goals = bench.engine === 'sqlite' ? { 'oidc-provider': { rate: { least: 3 } } } : {}
  yield compare(bench, 'UserInfo', sides, goals)
}

export async function* webhook(bench: Bench): AsyncGenerator<Result> {
  const bare = await bench.startPeer('bare.ts')
  for (const query of ['?wait=true', '']) {
    const sides = {
      ...(await bench.ourSides(target => loads.webhook(bench, target, query))),
      'bare insert': () => closedLoop(bare, postRequests(bench, `/posts${query}`)),
    }
    const goals = { 'bare insert': { rate: { least: bench.engine === 'sqlite' ? 0.5 : 0.25 } } }
    yield compare(bench, `webhook post ${query}`, sides, goals)
  }
}

/** Each prepares the load of a service. */
export const loads = {
  async tokens(bench: Bench, target: Target, scope: Scope = 'identify') {
    return async () => {
      const codes = await issueCodes(target, bench.codes, scope)
      return closedLoop(target, tokenRequests(tokenPath, target.fixture.application, codes, scope))
    }
  },
  async userInfo(bench: Bench, target: Target) {
    const [code = ''] = await issueCodes(target, 1, 'identify')
    const token = await fetchToken(target, tokenPath, target.fixture.application, code)
    return () => closedLoop(target, userInfoRequests(bench, '/api/oauth2/userinfo', token))
  },
  async webhook(bench: Bench, target: Target, query = '?wait=true') {
    return () => closedLoop(target, postRequests(bench, target.fixture.webhookPath + query))
  },
}

const tokenPath = '/api/oauth2/token'

function postRequests({ seconds }: Bench, path: string): ClosedLoop {
  const body = JSON.stringify({ content: 'Deployed **gatehouse** to production in 42 s.' })
  const requests: Request[] = [{ method: 'POST', path, headers: json, body }]
  const expected = path.endsWith('?wait=true') ? { status: 200, contains: '"channel_id"' } : { status: 204 }
  return { requests, seconds, ...expected }
}

function userInfoRequests({ seconds }: Bench, path: string, token: string): ClosedLoop {
  const headers = { authorization: `Bearer ${token}` }
  return { requests: [{ method: 'GET', path, headers }], seconds, status: 200, contains: '"sub"' }
}

/** Each connection exchanges a code, refreshes the tokens, and continues with the next code. */
function tokenRequests(path: string, client: OAuthClient, codes: string[], scope: Scope): ClosedLoop {
  const credentials = { client_id: client.id, client_secret: client.secret }
  const post = (fieldsOf: (context: { token?: string }) => object): Request => ({
    method: 'POST',
    path,
    headers: form,
    setupRequest: (request, context) => ({
      ...request,
      body: new URLSearchParams({ ...fieldsOf(context), ...credentials }).toString(),
    }),
    onResponse(_status, body, context) {
      Object.assign(context, { token: /"refresh_token":"([^"]+)"/.exec(body)?.[1] })
    },
  })
  const exchange = post(() => {
    const code = codes.pop() ?? 'none is left'
    return { grant_type: 'authorization_code', code, redirect_uri: client.redirectUri }
  })
  const refresh = post(({ token = 'none' }) => ({ grant_type: 'refresh_token', refresh_token: token }))
  const contains = scope === 'openid' ? '"id_token":"ey' : '"refresh_token":"'
  return { requests: [exchange, refresh], amount: 2 * codes.length, status: 200, contains }
}

/**
 * Authorization requests redirect with a code, because the user has consented. Each locks the consent, and PostgreSQL
 * does not give a lock to the longest waiting transaction: of many connections, one waits beyond the timeout.
 */
async function issueCodes(target: Target, amount: number, scope: Scope): Promise<string[]> {
  const codes: string[] = []
  const others: string[] = []
  const { application, cookie } = target.fixture
  const request: Request = {
    method: 'GET',
    path: authorizationPath(application, scope),
    headers: { cookie, 'sec-fetch-site': 'none' },
    onResponse(_status, _body, _context, { location } = {}) {
      const code = /[?&]code=([^&]+)/.exec(String(location))?.[1]
      if (code === undefined) others.push(String(location))
      else codes.push(code)
    },
  }
  const job = { requests: [request], connections: Math.min(4, amount), amount, status: 303 }
  const { errors } = await closedLoop(target, job)
  if (codes.length < amount) throw new Error(`${codes.length} codes, ${JSON.stringify(errors)}, ${others}`)
  return codes
}

/** Codes of oidc-provider. */
async function savedCodes(provider: Server, count: number, scope: string): Promise<string[]> {
  const path = `/codes?${new URLSearchParams({ count: String(count), scope })}`
  return JSON.parse(await send(provider, { method: 'GET', path, status: 200 }))
}

/** Exchanges a code for an access token. */
async function fetchToken(server: Server, path: string, client: OAuthClient, code: string): Promise<string> {
  const credentials = { client_id: client.id, client_secret: client.secret, redirect_uri: client.redirectUri }
  const body = new URLSearchParams({ grant_type: 'authorization_code', code, ...credentials }).toString()
  return JSON.parse(await send(server, { method: 'POST', path, headers: form, body, status: 200 }))
    .access_token
}
