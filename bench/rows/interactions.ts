import { joinErrors, measureAlternately, medianOf, type Row, type Target } from '../bench.ts'
import { describeCosts, measureCosts, subtractCosts } from '../costs.ts'
import { judgeNodeTime, judgeRoundTrips } from '../goals.ts'
import { type RoundTripJob, runRoundTrips } from '../load/round-trips.ts'
import { interactions } from '../scenarios.ts'

const sustainedRate = 2000

const goals = { sqlite: { p50: 1.5, p99: 10 }, postgres: { p50: undefined, p99: 20 } }

export const interactionRow: Row = {
  name: 'interaction',
  what: "a person's command → bot's socket → callback → person's socket",
  async run(bench) {
    const { rounds: count } = bench
    const target = await bench.target()
    const reference = await bench.reference()
    const peer = await bench.startPeer('relay.ts', `${bench.folder}/relay.db`)
    const ms = Math.max(bench.ms, 1500)
    const ours = (target: Target, load: { rate: number; ms: number }) =>
      measureCosts(target, () => runRoundTrips({ ...interactions(target), ...load }))
    const theirs: RoundTripJob = { kind: 'bare', port: peer.port, rate: 200, ms }
    const rounds = await measureAlternately(count, {
      ours: () => ours(target, { rate: 200, ms }),
      theirs: () => runRoundTrips(theirs),
    })
    peer.stop()
    const sustained = (target: Target) => ours(target, { rate: sustainedRate, ms: bench.short ? 1500 : 5000 })
    const sustainedRounds = await measureAlternately(count, {
      ours: () => sustained(target),
      reference: async () => reference && sustained(reference),
    })
    // One after the other, and the same without any: the sockets that connect, and the periodic work of the service.
    const slow = { rate: 5, ms: 5000 }
    const alone = await ours(target, slow)
    const none = await measureCosts(target, async () => ({
      ...(await runRoundTrips({ ...interactions(target), ...slow, rate: 0 })),
      done: alone.done,
    }))
    const aloneCosts = subtractCosts(alone.costs, none.costs)
    const ratio = medianOf(rounds, round => round.ours.p50 / round.theirs.p50)
    const p99 = medianOf(rounds, round => round.ours.p99)
    const goal = goals[bench.engine]
    const sustainedOf = (figure: 'p50' | 'p99' | 'perSecond') =>
      medianOf(sustainedRounds, round => round.ours[figure])
    const total = (figure: 'done' | 'offered') =>
      sustainedRounds.reduce((sum, round) => sum + round.ours[figure], 0)
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
          'costs, alone': describeCosts([aloneCosts]),
        },
        figure: `p50 ${ratio.toFixed(2)}×, p99 ${p99.toFixed(1)} ms`,
        goal: `${goal.p50 === undefined ? '' : `p50 within ${goal.p50}×, `}p99 under ${goal.p99} ms`,
        isReached: ratio <= (goal.p50 ?? Number.POSITIVE_INFINITY) && p99 < goal.p99,
        errors: joinErrors(
          alone.errors,
          ...rounds.flatMap(round => [round.ours.errors, round.theirs.errors]),
        ),
      },
      ...judgeRoundTrips(bench, 'command → event → callback → message', aloneCosts, 5),
      {
        what: `interaction, ${sustainedRate} a second held`,
        sides: {
          ours: `p50 ${sustainedOf('p50').toFixed(1)} ms, p99 ${sustainedOf('p99').toFixed(1)} ms`,
          costs: describeCosts(sustainedRounds.map(round => round.ours.costs)),
        },
        figure: `${sustainedOf('perSecond').toFixed(0)}/s, ${total('done')} of ${total('offered')}`,
        goal: `${sustainedRate}/s: all, p99 under 1 s`,
        isReached: total('done') === total('offered') && sustainedOf('p99') < 1000,
        errors: joinErrors(...sustainedRounds.map(round => round.ours.errors)),
      },
      ...judgeNodeTime(bench, `interaction, ${sustainedRate} a second`, sustainedRounds),
    ]
  },
}
