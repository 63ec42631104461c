import type { Bench, Result, Row, Target } from '../bench.ts'
import { joinErrors, measureAlternately, medianOf } from '../bench.ts'
import { describeCosts, measureCosts } from '../costs.ts'
import { judge, judgeNodeTime, judgeRoundTrips, percent, times } from '../goals.ts'
import { type ClosedLoopResult, runClosedLoop } from '../load/closed-loop.ts'
import { type ProviderRequest, client as peerClient } from '../peers/client.ts'
import { fetchCodes, tokens } from '../scenarios.ts'

// More than the fastest side exchanges per second.
const codesPerSecond = 4000

// With SQLite also a lower p99.
const goals = {
  sqlite: { identify: { least: 2 }, openid: { least: 1.5 }, signatures: { least: 0.8 } },
  postgres: { identify: { least: 1 }, openid: { least: 1 }, signatures: undefined },
}

export const identifyRow: Row = {
  name: 'tokens',
  what: 'code exchange and refresh, scope identify',
  run: bench => run(bench, 'identify'),
}

export const openidRow: Row = {
  name: 'openid',
  what: 'code exchange and refresh, scope openid',
  run: bench => run(bench, 'openid'),
}

async function run(bench: Bench, scope: 'identify' | 'openid'): Promise<Result[]> {
  const { ms, connections, engine } = bench
  const target = await bench.target()
  const reference = await bench.reference()
  const provider = await bench.startPeer('provider.ts')
  const idToken = scope === 'openid'
  const count = Math.ceil((codesPerSecond * ms) / 1000 / (idToken ? 4 : 1))

  async function ours(target: Target, connections = bench.connections) {
    const job = { count, scope, connections: bench.connections, ms: 3 * ms }
    const { found: codes, errors } = await fetchCodes(target, job)
    if (codes.length < connections) throw new Error(`no codes: ${JSON.stringify(errors)}`)
    const scenario = tokens(target, codes, idToken)
    return measureCosts(target, () => runClosedLoop({ port: target.ports, connections, ms, scenario }))
  }

  async function theirs(): Promise<ClosedLoopResult> {
    const codes = await provider.ask<string[]>({ codes: count, scope } satisfies ProviderRequest)
    const scenario = { kind: 'tokens', path: '/token', codes, client: peerClient, idToken } as const
    return runClosedLoop({ port: provider.port, connections, ms, scenario })
  }

  const signer = idToken ? await bench.startPeer('signer.ts') : undefined
  async function limit(): Promise<ClosedLoopResult | undefined> {
    if (!signer) return undefined
    const codes = Array.from({ length: count }, () => 'gac_0000000000000000000000000000000000000000000000000')
    const scenario = { kind: 'tokens', path: '/token', codes, client: peerClient, idToken } as const
    return runClosedLoop({ port: signer.port, connections, ms, scenario })
  }

  const rounds = await measureAlternately(bench.rounds, {
    ours: () => ours(target),
    reference: async () => reference && ours(reference),
    theirs,
    limit,
  })
  const alone = await ours(target, 1)
  provider.stop()
  signer?.stop()
  const ratio = medianOf(rounds, round => round.ours.perSecond / round.theirs.perSecond)
  const p99 = medianOf(rounds, round => round.ours.p99)
  const peerP99 = medianOf(rounds, round => round.theirs.p99)
  const judged = judge(ratio, times, goals[engine][scope])
  const name = `code exchange and refresh, ${scope}`
  const results: Result[] = [
    {
      what: `${name}, against oidc-provider`,
      sides: {
        ours: `${perSecond(rounds, 'ours')}, p99 ${p99.toFixed(1)} ms`,
        'oidc-provider': `${perSecond(rounds, 'theirs')}, p99 ${peerP99.toFixed(1)} ms`,
        costs: describeCosts(rounds.map(round => round.ours.costs)),
        'costs, alone': describeCosts([alone.costs]),
      },
      ...judged,
      ...(engine === 'sqlite' && {
        goal: `${judged.goal}, lower p99`,
        isReached: judged.isReached && p99 < peerP99,
      }),
      errors: joinErrors(alone.errors, ...rounds.flatMap(round => [round.ours.errors, round.theirs.errors])),
    },
  ]
  if (signer) {
    const signing = rounds.flatMap(({ ours, limit }) => (limit ? [{ ours, limit }] : []))
    const share = medianOf(signing, round => round.ours.perSecond / round.limit.perSecond)
    results.push({
      what: 'the same against what the machine can sign under this load',
      sides: { ours: perSecond(signing, 'ours'), limit: perSecond(signing, 'limit') },
      ...judge(share, percent, goals[engine].signatures),
      errors: joinErrors(...signing.map(round => round.limit.errors)),
    })
  } else {
    // An exchange reads the client and the code and stores the tokens. A refresh ends with a COMMIT too.
    results.push(...judgeRoundTrips(bench, name, alone.costs, 3.5))
  }
  results.push(...judgeNodeTime(bench, name, rounds))
  return results
}

function perSecond<Side extends string>(
  rounds: readonly Record<NoInfer<Side>, ClosedLoopResult>[],
  side: Side,
): string {
  return `${medianOf(rounds, round => round[side].perSecond).toFixed(0)}/s`
}
