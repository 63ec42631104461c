import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Bench, Options, Sides } from './bench.ts'
import { type Load, median } from './load.ts'

const root = join(import.meta.dirname, '../..')

export interface Row {
  name: string
  /** The description for `--help`. */
  what: string
  /** Skipped with several nodes. */
  ofOneNode?: true
  /** Takes minutes, so it runs only on request. */
  isSlow?: true
  run(bench: Bench): AsyncGenerator<Result>
}

export interface Goal {
  least?: number
  most?: number
}

/** A measured value and, if it has a goal, whether it reaches it. */
export type Figure = ReturnType<typeof figure>

/** One entry of the table. */
export interface Result {
  what: string
  /** Medians of the rounds by side, with units. */
  sides: Record<string, string>
  figures: Figure[]
  /** With any, the figures are not valid, and the command fails. */
  errors: Record<string, number>
}

export function figure(name: string, value: number, format: (value: number) => string, goal?: Goal) {
  const { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY } = goal ?? {}
  const texts = [goal?.least && `at least ${format(least)}`, goal?.most && `at most ${format(most)}`]
  const text = texts.find(Boolean)
  return { name, value, text: format(value), goal: text, isReached: value >= least && value <= most }
}

export const times = (ratio: number) => `${ratio.toFixed(2)}×`
export const ms = (value: number) => `${value.toFixed(1)} ms`
const us = (value: number) => `${value.toFixed(0)} µs`

const fields = ['perSecond', 'p50', 'p99', 'us'] as const
type Field = (typeof fields)[number]

/** By side: goals of the ratio of `ours` to it, and those of `ours` itself. */
type Goals = Readonly<Record<string, Partial<Record<Field, Goal>>>>

/**
 * Measures the sides in turn in each round; the first one, in which code is compiled, does not count. The figures are
 * medians of the ratios within the rounds, because the speed of the machine changes.
 */
export async function compare(bench: Options, what: string, sides: Sides, goals: Goals): Promise<Result> {
  const result: Result = { what, sides: {}, figures: [], errors: {} }
  const loads: Record<string, Load[]> = {}
  for (let round = 0; round <= bench.rounds; round++) {
    for (const [name, run] of Object.entries(sides)) {
      const load = await run()
      for (const [text, count] of Object.entries(load.errors))
        result.errors[`${name}: ${text}`] = (result.errors[`${name}: ${text}`] ?? 0) + count
      if (round > 0) loads[name] = [...(loads[name] ?? []), load]
    }
  }
  const all: Goals = { ...goals, 'one node': { us: { most: bench.nodes / 1.7 } } }
  const ours = loads.ours ?? []
  for (const [name, ofSide] of Object.entries(loads)) {
    const of = (field: Field) => median(ofSide.map(load => load[field]))
    const rate = `${of('perSecond').toFixed(0)}/s`
    result.sides[name] = `${rate}, p50 ${ms(of('p50'))}, p99 ${ms(of('p99'))}, ${us(of('us'))}`
    for (const field of fields) {
      const goal = all[name]?.[field]
      const ratio = median(ofSide.map((load, round) => (ours[round]?.[field] ?? Number.NaN) / load[field]))
      if (ofSide !== ours) result.figures.push(figure(`${field} to ${name}`, ratio, times, goal))
      else if (goal) result.figures.push(figure(field, of(field), field === 'us' ? us : ms, goal))
    }
  }
  return result
}

/** The environment of the measurement, printed with the results. */
export function describeMachine({ engine, nodes, rounds }: Options): Record<string, string> {
  const memory = `${(totalmem() / 2 ** 30).toFixed(0)} GiB`
  return {
    machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${memory}, ${process.platform} ${release()}`,
    load: `${loadavg()[0]?.toFixed(2)} before this run`,
    node: `${process.version}, SQLite ${process.versions.sqlite}, OpenSSL ${process.versions.openssl}`,
    engine: engine === 'sqlite' ? 'SQLite' : `PostgreSQL and NATS, nodes: ${nodes}`,
    libraries: ['oidc-provider', 'ws', 'fastify', 'autocannon'].map(versionOf).join(', '),
    commit: git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') && ', with changes'),
    rounds: `${rounds}, ${new Date().toISOString()}`,
  }
}

export function printResult({ what, sides, figures, errors }: Result): void {
  const isValid = Object.keys(errors).length === 0
  console.log(`\n${what}`)
  for (const [side, text] of Object.entries(sides)) console.log(`  ${side.padEnd(16)} ${text}`)
  for (const { name, text, goal, isReached } of figures) {
    const verdict = !isValid ? 'INVALID' : goal === undefined ? '' : isReached ? 'reached' : 'MISSED'
    console.log(`  ${verdict.padEnd(8)} ${name}: ${text}${goal === undefined ? '' : `  (goal: ${goal})`}`)
  }
  for (const [text, count] of Object.entries(errors)) console.log(`  ${count} errors: ${text}`)
}

function versionOf(name: string): string {
  const text = readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')
  return `${name} ${JSON.parse(text).version}`
}

const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
