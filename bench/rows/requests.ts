import type { OAuthClient } from '@gatehouse/testkit/fixture'
import {
  type Bench,
  type Engine,
  joinErrors,
  measureAlternately,
  medianOf,
  type Result,
  type Row,
  type Target,
} from '../bench.ts'
import { type Costs, describeCosts, measureCosts } from '../costs.ts'
import { type Judged, judge, judgeNodeTime, judgeRoundTrips, percent, times } from '../goals.ts'
import { type ClosedLoopResult, runClosedLoop } from '../load/closed-loop.ts'
import type { Ports } from '../load/ports.ts'
import type { Peer } from '../peer.ts'
import { type ProviderRequest, client as peerClient } from '../peers/client.ts'
import { fetchCodes, posts, type Same, userinfo, webhookPosts } from '../scenarios.ts'

interface Side {
  port: Ports
  scenario: Same
}

export const userinfoRow: Row = {
  name: 'userinfo',
  what: 'userinfo',
  async run(bench) {
    const provider = await bench.startPeer('provider.ts')
    const tokens = new Map<Target, string>()
    for (const target of [await bench.target(), await bench.reference()]) {
      if (target) tokens.set(target, await fetchToken(target))
    }
    // The UserInfo endpoint of oidc-provider requires the scope `openid` (OpenID Connect Core §5.3).
    const [code = ''] = await provider.ask<string[]>({
      codes: 1,
      scope: 'openid identify',
    } satisfies ProviderRequest)
    const theirs = await accessToken(provider.port, '/token', code, peerClient)
    return compare(bench, [
      {
        what: 'userinfo',
        peer: 'oidc-provider',
        ours: target => ({
          port: target.ports,
          scenario: userinfo('/api/oauth2/userinfo', tokens.get(target) ?? ''),
        }),
        theirs: { port: provider.port, scenario: userinfo('/me', theirs) },
        goals: {
          sqlite: ratio => judge(ratio, times, { least: 3 }),
          postgres: ratio => judge(ratio, times, undefined),
        },
      },
    ])
  },
}

export const webhookRow: Row = {
  name: 'webhook',
  what: 'webhook post, with wait=true and without',
  async run(bench) {
    const peer = await bench.startPeer('posts.ts', `${bench.folder}/posts.db`)
    const message = await bench.startPeer('service-layers.ts', `${bench.folder}/message.db`, 'message')
    const framework = await bench.startPeer('service-layers.ts', `${bench.folder}/framework.db`, 'framework')
    const results = await compare(
      bench,
      ['?wait=true', ''].map(query => {
        const bare = ({ port }: Peer) => ({ port, scenario: posts(`/posts${query}`) })
        return {
          what: `webhook post${query === '' ? ', without wait' : ', wait=true'}`,
          peer: 'a bare insert',
          ours: target => ({
            port: target.ports,
            scenario: webhookPosts(target, query),
          }),
          theirs: bare(peer),
          between: { 'its message': bare(message), '+ framework': bare(framework) },
          goals: {
            sqlite: share => judge(share, percent, { least: 0.6 }),
            postgres: (_share, rate) => judge(rate, value => `${value.toFixed(0)}/s`, { least: 10_000 }),
          },
        }
      }),
    )
    for (const each of [peer, message, framework]) each.stop()
    return results
  },
}

interface Comparison {
  what: string
  peer: string
  ours(target: Target): Side
  theirs: Side
  /** Intermediate steps between the peer and the service. Each is shown relative to the peer and has no goal. */
  between?: Record<string, Side>
  /** By the rate relative to the peer, or the rate of requests a second. */
  goals: Record<Engine, (ratio: number, perSecond: number) => Judged>
}

interface Round {
  ours: ClosedLoopResult & { costs: Costs }
  reference: (ClosedLoopResult & { costs: Costs }) | undefined
  theirs: ClosedLoopResult
  between: Record<string, ClosedLoopResult>
}

/** Measures all sides in every round, because the speed of the machine changes over time. */
async function compare(bench: Bench, comparisons: readonly Comparison[]): Promise<Result[]> {
  const { ms } = bench
  const target = await bench.target()
  const reference = await bench.reference()
  const run = ({ port, scenario }: Side, connections = bench.connections) =>
    runClosedLoop({ port, connections, ms, scenario })
  async function once({ ours, theirs, between = {} }: Comparison): Promise<Round> {
    const round: Round = {
      ours: await measureCosts(target, () => run(ours(target))),
      reference: reference && (await measureCosts(reference, () => run(ours(reference)))),
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
    const alone = await measureCosts(target, () => run(comparison.ours(target), 1))
    const own = rounds.flatMap(round => round[comparison.what] ?? [])
    results.push(
      resultOf(bench, comparison, own, alone),
      ...judgeRoundTrips(bench, comparison.what, alone.costs, 1),
      ...judgeNodeTime(bench, comparison.what, own),
    )
  }
  return results
}

function resultOf(
  { engine }: Bench,
  { what, peer, goals, between = {} }: Comparison,
  rounds: readonly Round[],
  alone: Round['ours'],
): Result {
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
    what: `${what}, against ${peer}`,
    sides: {
      ours: `${formatResult(round => round.ours)} (${percent(ratio)})`,
      peer: formatResult(round => round.theirs),
      ...Object.fromEntries(steps),
      costs: describeCosts(rounds.map(round => round.ours.costs)),
      'costs, alone': describeCosts([alone.costs]),
    },
    ...goals[engine](
      ratio,
      medianOf(rounds, round => round.ours.perSecond),
    ),
    errors: joinErrors(
      alone.errors,
      ...rounds.flatMap(({ ours, theirs, between: others }) =>
        [ours, theirs, ...Object.values(others)].map(({ errors }) => errors),
      ),
    ),
  }
}

/** Signs in to the application of the fixture. */
export async function fetchToken(target: Target): Promise<string> {
  const { found } = await fetchCodes(target, { count: 1, connections: 1, ms: 5000 })
  const { service, fixture } = target
  return accessToken(service.port, '/api/oauth2/token', found[0] ?? '', fixture.application)
}

async function accessToken(port: number, path: string, code: string, client: OAuthClient): Promise<string> {
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
