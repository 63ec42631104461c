import type { OAuthClient } from '@gatehouse/testkit/fixture'
import { authorizationPath } from '@gatehouse/testkit/fixture'
import {
  type Bench,
  joinErrors,
  measureAlternately,
  medianOf,
  type Result,
  type Row,
  type Target,
} from '../bench.ts'
import { type Costs, describeCosts, measureCosts } from '../costs.ts'
import { type ClosedLoopResult, runClosedLoop } from '../load/closed-loop.ts'
import type { Ports } from '../load/ports.ts'
import type { Scenario } from '../load/scenarios.ts'
import type { Peer } from '../peer.ts'
import { type ProviderRequest, client as peerClient } from '../peers/client.ts'

type Same = Extract<Scenario, { kind: 'same' }>

interface Side {
  port: Ports
  scenario: Same
}

export const userinfoRow: Row = {
  name: 'userinfo',
  what: 'userinfo',
  async run(bench) {
    const target = await bench.target()
    const { service, ports, fixture } = target
    const provider = await bench.startPeer('provider.ts')
    const path = authorizationPath(fixture.application, 'identify')
    const { found } = await runClosedLoop({
      port: service.port,
      connections: 1,
      ms: 5000,
      scenario: { kind: 'codes', path, cookie: fixture.cookie, count: 1 },
    })
    const ours = await accessToken(service.port, '/api/oauth2/token', found[0] ?? '', fixture.application)
    // The UserInfo endpoint of oidc-provider requires the scope `openid` (OpenID Connect Core §5.3).
    const [code = ''] = await provider.ask<string[]>({
      codes: 1,
      scope: 'openid identify',
    } satisfies ProviderRequest)
    const theirs = await accessToken(provider.port, '/token', code, peerClient)
    return compare(bench, target, [
      {
        what: 'userinfo against oidc-provider',
        ours: { port: ports, scenario: get('/api/oauth2/userinfo', ours) },
        theirs: { port: provider.port, scenario: get('/me', theirs) },
        goal: 3,
      },
    ])
  },
}

export const webhookRow: Row = {
  name: 'webhook',
  what: 'webhook post, with wait=true and without',
  async run(bench) {
    const target = await bench.target()
    const { ports, fixture } = target
    const peer = await bench.startPeer('posts.ts', `${bench.folder}/posts.db`)
    const message = await bench.startPeer('service-layers.ts', `${bench.folder}/message.db`, 'message')
    const framework = await bench.startPeer('service-layers.ts', `${bench.folder}/framework.db`, 'framework')
    const results = await compare(
      bench,
      target,
      ['?wait=true', ''].map(query => {
        const bare = ({ port }: Peer) => ({ port, scenario: post(`/posts${query}`, query !== '') })
        return {
          what: `webhook post${query === '' ? ', without wait' : ', wait=true'}, against a bare insert`,
          ours: { port: ports, scenario: post(`${fixture.webhookPath}${query}`, query !== '') },
          theirs: bare(peer),
          between: { 'its message': bare(message), '+ framework': bare(framework) },
          goal: 0.6,
        }
      }),
    )
    for (const each of [peer, message, framework]) each.stop()
    return results
  },
}

interface Comparison {
  what: string
  ours: Side
  theirs: Side
  /** Intermediate steps between the peer and the service. Each is shown relative to the peer and has no goal. */
  between?: Record<string, Side>
  goal: number
}

interface Round {
  ours: ClosedLoopResult & { costs: Costs }
  theirs: ClosedLoopResult
  between: Record<string, ClosedLoopResult>
}

/** Measures all sides in every round, because the speed of the machine changes over time. */
async function compare(bench: Bench, target: Target, comparisons: readonly Comparison[]): Promise<Result[]> {
  const { ms } = bench
  const run = ({ port, scenario }: Side, connections = bench.connections) =>
    runClosedLoop({ port, connections, ms, scenario })
  async function once({ ours, theirs, between = {} }: Comparison): Promise<Round> {
    const round: Round = {
      ours: await measureCosts(target, () => run(ours)),
      theirs: await run(theirs),
      between: {},
    }
    for (const [name, side] of Object.entries(between)) round.between[name] = await run(side)
    return round
  }
  const rounds = await measureAlternately(
    bench.rounds,
    Object.fromEntries(comparisons.map(comparison => [comparison.what, () => once(comparison)])),
  )
  const results: Result[] = []
  for (const comparison of comparisons) {
    const alone = await measureCosts(target, () => run(comparison.ours, 1))
    const own = rounds.flatMap(round => round[comparison.what] ?? [])
    results.push(resultOf(comparison, own, alone.costs))
  }
  return results
}

function resultOf({ what, goal, between = {} }: Comparison, rounds: readonly Round[], alone: Costs): Result {
  const formatResult = (of: (round: Round) => ClosedLoopResult | undefined) =>
    `${medianOf(rounds, round => of(round)?.perSecond ?? 0).toFixed(0)}/s, p99 ` +
    `${medianOf(rounds, round => of(round)?.p99 ?? 0).toFixed(1)} ms`
  const share = (of: (round: Round) => ClosedLoopResult | undefined) =>
    medianOf(rounds, round => (of(round)?.perSecond ?? 0) / round.theirs.perSecond)
  const ratio = share(round => round.ours)
  const steps = Object.keys(between).map(name => {
    const of = (round: Round) => round.between[name]
    return [name, `${formatResult(of)} (${percent(share(of))})`]
  })
  return {
    what,
    sides: {
      ours: formatResult(round => round.ours),
      peer: formatResult(round => round.theirs),
      ...Object.fromEntries(steps),
      costs: describeCosts(rounds.map(round => round.ours.costs)),
      'costs, alone': describeCosts([alone]),
    },
    figure: goal < 1 ? percent(ratio) : `${ratio.toFixed(2)}×`,
    goal: goal < 1 ? percent(goal) : `${goal}×`,
    isReached: ratio >= goal,
    errors: joinErrors(
      ...rounds.flatMap(({ ours, theirs, between: others }) =>
        [ours, theirs, ...Object.values(others)].map(({ errors }) => errors),
      ),
    ),
  }
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`
}

function get(path: string, token: string): Same {
  const headers = { authorization: `Bearer ${token}` }
  return { kind: 'same', method: 'GET', path, headers, expect: { status: 200, contains: '"sub"' } }
}

function post(path: string, wait: boolean): Same {
  return {
    kind: 'same',
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ content: 'Deployed **gatehouse** to production in 42 s.' }),
    expect: wait ? { status: 200, contains: '"channel_id"' } : { status: 204 },
  }
}

export async function accessToken(
  port: number,
  path: string,
  code: string,
  client: OAuthClient,
): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: client.redirectUri,
      client_id: client.id,
      client_secret: client.secret,
    }),
  })
  // Not validated: RFC 6749 §5.1 defines the shape.
  const { access_token: token } = (await response.json()) as { access_token?: string }
  if (token === undefined) throw new Error(`no access token: ${response.status}`)
  return token
}
