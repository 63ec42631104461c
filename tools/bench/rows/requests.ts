import { authorizationPath, type OAuthClient } from '@gatehouse/testkit/fixture'
import type { Request } from 'autocannon'
import type { Bench, Target } from '../bench.ts'
import { type ClosedLoop, closedLoop, type Server, send } from '../load.ts'
import { compare, type Result, type Row } from '../report.ts'

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
  const count = codeCount(bench)
  const fakeCode = 'gac_0000000000000000000000000000000000000000000000000'
  const run = (peer: Server, codes: string[]) =>
    closedLoop(peer, tokenRequests('/token', peerClient, codes, scope))
  const sides = {
    ...(await bench.ourSides(target => loads.tokens(bench, target, scope))),
    'oidc-provider': async () => run(provider, await savedCodes(provider, count, scope)),
    ...(scope === 'openid' && { signatures: () => run(bare, Array(count).fill(fakeCode)) }),
  }
  const goals = {
    identify: { 'oidc-provider': { rate: { least: 2 }, processor: { most: 1 / 2 }, p99: { most: 1 } } },
    openid: { 'oidc-provider': { rate: { least: 1.35 } }, signatures: { rate: { least: 0.8 } } },
  }
  const ofPostgres = scope === 'identify' ? { 'oidc-provider': { processor: { most: 1 / 1.3 } } } : {}
  const what = `code exchange and refresh, scope ${scope}`
  yield compare(bench, what, sides, bench.engine === 'sqlite' ? goals[scope] : ofPostgres)
}

export const requestRows: Row[] = [
  {
    name: 'tokens',
    what: 'code exchange and refresh, scope identify, against oidc-provider',
    run: bench => compareTokens(bench, 'identify'),
  },
  {
    name: 'openid',
    what: 'the same with ID tokens, also against a bare handler that signs them',
    run: bench => compareTokens(bench, 'openid'),
  },
  {
    name: 'userinfo',
    what: 'UserInfo with one access token, against oidc-provider',
    async *run(bench) {
      const { seconds, engine } = bench
      const provider = await bench.startPeer('provider.ts', JSON.stringify(peerClient))
      // The UserInfo endpoint of oidc-provider requires the scope `openid` (OpenID Connect Core §5.3).
      const [code = ''] = await savedCodes(provider, 1, 'openid identify')
      const token = await fetchToken(provider, '/token', peerClient, code)
      const sides = {
        ...(await bench.ourSides(target => loads.userinfo(bench, target))),
        'oidc-provider': () => closedLoop(provider, { ...userinfo('/me', token), seconds }),
      }
      const goals = { 'oidc-provider': engine === 'sqlite' ? { rate: { least: 3 } } : {} }
      yield compare(bench, 'UserInfo', sides, goals)
    },
  },
  {
    name: 'webhook',
    what: 'webhook post, with wait=true and without, against a bare insert',
    async *run(bench) {
      const { seconds, engine } = bench
      const bare = await bench.startPeer('bare.ts')
      for (const query of ['?wait=true', '']) {
        const sides = {
          ...(await bench.ourSides(target => loads.webhook(bench, target, query))),
          'bare insert': () => closedLoop(bare, { ...posts(`/posts${query}`), seconds }),
        }
        const goals = { 'bare insert': { rate: { least: engine === 'sqlite' ? 0.5 : 0.25 } } }
        yield compare(bench, `webhook post ${query}`, sides, goals)
      }
    },
  },
]

/** Each prepares the load of a service. */
export const loads = {
  tokens:
    async (bench: Bench, target: Target, scope: Scope = 'identify') =>
    async () => {
      const codes = await issueCodes(target, codeCount(bench), scope)
      return closedLoop(target, tokenRequests(tokenPath, target.fixture.application, codes, scope))
    },
  async userinfo({ seconds }: Bench, target: Target) {
    const [code = ''] = await issueCodes(target, 1, 'identify')
    const token = await fetchToken(target, tokenPath, target.fixture.application, code)
    return () => closedLoop(target, { ...userinfo('/api/oauth2/userinfo', token), seconds })
  },
  webhook: async ({ seconds }: Bench, target: Target, query = '?wait=true') => {
    return () => closedLoop(target, { ...posts(target.fixture.webhookPath + query), seconds })
  },
}

const tokenPath = '/api/oauth2/token'
const codeCount = ({ short }: Bench) => (short ? 500 : 2000)

function posts(path: string): ClosedLoop {
  const body = JSON.stringify({ content: 'Deployed **gatehouse** to production in 42 s.' })
  const requests: Request[] = [{ method: 'POST', path, headers: json, body }]
  const isWaiting = path.endsWith('?wait=true')
  return { requests, status: isWaiting ? 200 : 204, contains: isWaiting ? '"channel_id"' : '' }
}

function userinfo(path: string, token: string): ClosedLoop {
  const headers = { authorization: `Bearer ${token}` }
  return { requests: [{ method: 'GET', path, headers }], status: 200, contains: '"sub"' }
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
    onResponse(_status, _body, _context, headers) {
      const location = String(headers?.location)
      const code = new URL(location, target.service.url).searchParams.get('code')
      if (code === null) others.push(location)
      else codes.push(code)
    },
  }
  const connections = Math.min(4, amount)
  const { errors } = await closedLoop(target, { requests: [request], connections, amount, status: 303 })
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
