// The loads of a service that several rows use.
import { authorizationPath, password, username } from '@gatehouse/testkit/fixture'
import type { Target } from './bench.ts'
import { type ClosedLoopJob, type ClosedLoopResult, runClosedLoop } from './load/closed-loop.ts'
import type { Scenario } from './load/scenarios.ts'

export type Same = Extract<Scenario, { kind: 'same' }>

export const json = { 'content-type': 'application/json' }
export const post = JSON.stringify({ content: 'Deployed **gatehouse** to production in 42 s.' })

export function authorizations({ fixture }: Target, count: number, scope = 'identify'): Scenario {
  const path = authorizationPath(fixture.application, scope)
  return { kind: 'codes', path, cookie: fixture.cookie, count }
}

/** Authorization codes, which the rows do not measure. A slow machine issues fewer of them, but also exchanges fewer. */
export function fetchCodes(
  target: Target,
  { count, scope, ...job }: { count: number; scope?: string } & Pick<ClosedLoopJob, 'connections' | 'ms'>,
): Promise<ClosedLoopResult> {
  return runClosedLoop({ ...job, port: target.ports, scenario: authorizations(target, count, scope) })
}

export function tokens({ fixture }: Target, codes: string[], idToken = false): Scenario {
  return { kind: 'tokens', path: '/api/oauth2/token', codes, client: fixture.application, idToken }
}

/** Posts with `?wait=true` or another query. */
export function webhookPosts({ fixture }: Target, query = '?wait=true'): Same {
  return posts(fixture.webhookPath + query)
}

export function posts(path: string): Same {
  const expect = path.endsWith('?wait=true') ? { status: 200, contains: '"channel_id"' } : { status: 204 }
  return { kind: 'same', method: 'POST', path, headers: json, body: post, expect }
}

export function userinfo(path: string, token: string): Same {
  const headers = { authorization: `Bearer ${token}` }
  return { kind: 'same', method: 'GET', path, headers, expect: { status: 200, contains: '"sub"' } }
}

export const passwordSignIn = {
  method: 'POST',
  path: '/api/auth/login',
  headers: json,
  body: JSON.stringify({ login: username, password }),
}

/** A request that uses the command of the bot. */
export function commandUse({ fixture }: Target): { path: string; body: string } {
  const { channelId, bot } = fixture
  const use = { type: 'command', channelId, commandId: bot.commandId, options: [] }
  return { path: '/api/interactions', body: JSON.stringify(use) }
}

/** A job of `runRoundTrips`, without its rate and duration. */
export function interactions(target: Target) {
  const { service, ports, fixture } = target
  return {
    kind: 'service',
    port: ports,
    gatewayPath: '/api/gateway/ws',
    cookie: fixture.cookie,
    origin: service.url,
    botToken: fixture.bot.token,
    use: commandUse(target),
  } as const
}
