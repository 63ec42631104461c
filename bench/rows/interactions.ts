import { joinErrors, measureAlternately, medianOf, type Row } from '../bench.ts'
import { describeCosts, measureCosts } from '../costs.ts'
import { type RoundTripJob, runRoundTrips } from '../load/round-trips.ts'

const sustainedRate = 2000

export const interactionRow: Row = {
  name: 'interaction',
  what: "a person's command → bot's socket → callback → person's socket",
  async run(bench) {
    const { rounds: count } = bench
    const target = await bench.target()
    const { service, ports, fixture } = target
    const peer = await bench.startPeer('relay.ts', `${bench.folder}/relay.db`)
    const ms = Math.max(bench.ms, 1500)
    const use = {
      type: 'command',
      channelId: fixture.channelId,
      commandId: fixture.bot.commandId,
      options: [],
    }
    const ours: RoundTripJob = {
      kind: 'service',
      port: ports,
      gatewayPath: '/api/gateway/ws',
      cookie: fixture.cookie,
      origin: service.url,
      botToken: fixture.bot.token,
      use: { path: '/api/interactions', body: JSON.stringify(use) },
      rate: 200,
      ms,
    }
    const theirs: RoundTripJob = { kind: 'bare', port: peer.port, rate: 200, ms }
    const rounds = await measureAlternately(count, {
      ours: () => measureCosts(target, () => runRoundTrips(ours)),
      theirs: () => runRoundTrips(theirs),
    })
    // One after the other.
    const alone = await measureCosts(target, () => runRoundTrips({ ...ours, rate: 5, ms: 2000 }))
    const burst = { ...ours, rate: sustainedRate, ms: bench.short ? 3000 : 10_000 }
    const sustained = await measureCosts(target, () => runRoundTrips(burst))
    peer.stop()
    const ratio = medianOf(rounds, round => round.ours.p50 / round.theirs.p50)
    const p99 = medianOf(rounds, round => round.ours.p99)
    const times = (side: 'ours' | 'theirs') =>
      `p50 ${medianOf(rounds, round => round[side].p50).toFixed(2)} ms, p99 ` +
      `${medianOf(rounds, round => round[side].p99).toFixed(2)} ms`
    return [
      {
        what: 'interaction, 200 a second, against two bare hops and inserts',
        sides: {
          ours: times('ours'),
          peer: times('theirs'),
          costs: describeCosts(rounds.map(round => round.ours.costs)),
          'costs, alone': describeCosts([alone.costs]),
        },
        figure: `p50 ${ratio.toFixed(2)}×, p99 ${p99.toFixed(1)} ms`,
        goal: 'p50 2×, p99 15 ms',
        isReached: ratio <= 2 && p99 < 15,
        errors: joinErrors(...rounds.flatMap(round => [round.ours.errors, round.theirs.errors])),
      },
      {
        what: `interaction, ${sustainedRate} a second held`,
        sides: {
          ours: `p50 ${sustained.p50.toFixed(1)} ms, p99 ${sustained.p99.toFixed(1)} ms`,
          costs: describeCosts([sustained.costs]),
        },
        figure: `${sustained.done} of ${sustained.offered}, ${sustained.perSecond.toFixed(0)}/s`,
        goal: 'all, p99 under 1 s',
        isReached: sustained.done === sustained.offered && sustained.p99 < 1000,
        errors: sustained.errors,
      },
    ]
  },
}
