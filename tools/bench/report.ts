import { execFileSync } from 'node:child_process'
import { cpus, loadavg, release, totalmem } from 'node:os'
import type { Options, Sides } from './bench.ts'
import { type Field, type Load, median, units } from './load.ts'

export interface Result {
  lines: string[]
  /** False after an unexpected response. */
  isValid: boolean
}

type Goal = { least: number } | { most: number }

/** By side: goals of the ratio of `ours` to it, and those of `ours` itself. */
type Goals = Readonly<Record<string, Partial<Record<Field, Goal>>>>

/**
 * Measures the sides in turn in each round; the first one, in which code is compiled, does not count. The figures are
 * medians of the ratios within the rounds, because the speed of the machine changes.
 */
export async function compare(bench: Options, what: string, sides: Sides, goals: Goals): Promise<Result> {
  const errors: Record<string, number> = {}
  const loads: Record<string, Load[]> = {}
  for (let round = 0; round <= bench.rounds; round++) {
    for (const [name, run] of Object.entries(sides)) {
      const load = await run()
      for (const [text, count] of Object.entries(load.errors ?? {}))
        errors[`${name}: ${text}`] = (errors[`${name}: ${text}`] ?? 0) + count
      if (round > 0) loads[name] = [...(loads[name] ?? []), load]
    }
  }
  const isValid = Object.keys(errors).length === 0
  const all: Goals = { ...goals, 'one node': { processor: { most: bench.nodes / 1.7 } } }
  const lines = ['', what]
  const verdicts: string[] = []
  for (const [name, ofSide] of Object.entries(loads)) {
    const values: string[] = []
    for (const [field, unit] of Object.entries(units) as [Field, string][]) {
      const measured = ofSide.map(load => load[field] ?? Number.NaN)
      const ratios = measured.map((value, round) => (loads.ours?.[round]?.[field] ?? Number.NaN) / value)
      if (ofSide[0]?.[field] !== undefined) values.push(`${field} ${format(median(measured))} ${unit}`)
      const goal = all[name]?.[field]
      if (goal && name === 'ours') verdicts.push(`  ${field}: ${judge(median(measured), unit, goal)}`)
      else if (goal) verdicts.push(`  ${field} to ${name}: ${judge(median(ratios), '×', goal)}`)
    }
    lines.push(`  ${name.padEnd(16)} ${values.join(', ')}`)
  }
  const failures = Object.entries(errors).map(([text, count]) => `  ${count} errors: ${text}`)
  return { lines: [...lines, ...(isValid ? verdicts : failures)], isValid }
}

function judge(value: number, unit: string, goal: Goal): string {
  const isReached = 'least' in goal ? value >= goal.least : value <= goal.most
  const limit = 'least' in goal ? `at least ${format(goal.least)}` : `at most ${format(goal.most)}`
  return `${format(value)} ${unit}, goal ${limit}: ${isReached ? 'reached' : 'MISSED'}`
}

const format = (value: number) => value.toLocaleString('en', { maximumSignificantDigits: 3 })

/** The environment of the measurement, printed before the results. */
export function describeMachine({ engine, nodes, rounds }: Options): string {
  const { node, sqlite, openssl } = process.versions
  const changes = git('status', '--porcelain') && ' with changes'
  const memory = (totalmem() / 2 ** 30).toFixed(0)
  return `${cpus().length} × ${cpus()[0]?.model}, ${memory} GiB, ${process.platform} ${release()}
load ${loadavg()[0]?.toFixed(2)} before this run
Node.js ${node}, SQLite ${sqlite}, OpenSSL ${openssl}
commit ${git('rev-parse', '--short', 'HEAD')}${changes}, ${new Date().toISOString()}
${engine === 'sqlite' ? 'SQLite' : `PostgreSQL and NATS, nodes: ${nodes}`}, rounds: ${rounds}`
}

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim()
