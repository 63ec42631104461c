// Judges figures by the goals of the engine, and creates the results that only PostgreSQL has.
import { type Bench, joinErrors, medianOf, type Result } from './bench.ts'
import type { Costs } from './costs.ts'

export type Goal = { least: number } | { most: number }

export type Judged = Pick<Result, 'figure' | 'goal' | 'isReached'>

/** Without a goal, the figure is only printed. */
export function judge(value: number, format: (value: number) => string, goal: Goal | undefined): Judged {
  const figure = format(value)
  if (goal === undefined) return { figure, goal, isReached: true }
  return 'least' in goal
    ? { figure, goal: `at least ${format(goal.least)}`, isReached: value >= goal.least }
    : { figure, goal: `at most ${format(goal.most)}`, isReached: value <= goal.most }
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`
}

export function times(ratio: number): string {
  return `${ratio.toFixed(2)}×`
}

/** `costs` is that of a single connection. Empty for SQLite. */
export function judgeRoundTrips({ engine }: Bench, what: string, costs: Costs, most: number): Result[] {
  if (engine === 'sqlite') return []
  // To one decimal, because the periodic work of the service counts too.
  const trips = Number(costs.round_trips.toFixed(1))
  const judged = judge(trips, value => value.toFixed(1), { most })
  return [{ what: `round trips, alone: ${what}`, sides: {}, ...judged, errors: {} }]
}

interface Round {
  ours: { costs: Costs }
  /** The same load on `bench.reference()`. */
  reference: { costs: Costs; errors: Record<string, number> } | undefined
}

/** The processor time of the node against `bench.reference()`. Empty without one. */
export function judgeNodeTime({ nodes }: Bench, what: string, rounds: readonly Round[]): Result[] {
  const pairs = rounds.flatMap(({ ours, reference }) =>
    reference ? [{ ours: ours.costs.node, reference: reference.costs.node }] : [],
  )
  if (pairs.length === 0) return []
  const format = (side: 'ours' | 'reference') => `${medianOf(pairs, pair => pair[side]).toFixed(0)} µs`
  const [ours, reference] = nodes === 1 ? ['PostgreSQL', 'SQLite'] : [`${nodes} nodes`, 'one node']
  const judged =
    nodes === 1
      ? judge(
          medianOf(pairs, pair => pair.ours / pair.reference),
          times,
          { most: 1.4 },
        )
      : judge(
          medianOf(pairs, pair => (nodes * pair.reference) / pair.ours),
          value => `${times(value)} as many operations`,
          nodes === 2 ? { least: 1.7 } : undefined,
        )
  return [
    {
      what: `processor time of ${nodes === 1 ? 'the node' : 'all nodes'}, against ${reference}: ${what}`,
      sides: { [ours]: format('ours'), [reference]: format('reference') },
      ...judged,
      errors: joinErrors(...rounds.map(round => round.reference?.errors ?? {})),
    },
  ]
}
