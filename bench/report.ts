import { execFileSync } from 'node:child_process'
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { cpus, loadavg, release, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Engine, Result } from './bench.ts'
import { median } from './load/statistics.ts'

const root = join(import.meta.dirname, '..')

/** The environment of the measurement, printed with the results. */
export function describeMachine({
  engine,
  nodes,
}: {
  engine: Engine
  nodes: number
}): Record<string, string> {
  return {
    machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Linux ${release()}`,
    load: `${loadavg()[0]?.toFixed(2)} before this run`,
    disk: `${syncMs().toFixed(2)} ms to make 4 KiB durable, median of 50`,
    node: `${process.version}, SQLite ${process.versions.sqlite}, OpenSSL ${process.versions.openssl}`,
    engine:
      engine === 'postgres'
        ? `PostgreSQL and NATS, ${nodes === 1 ? 'one node' : `${nodes} nodes`}`
        : 'SQLite, one process',
    peers: `oidc-provider ${versionOf('oidc-provider')}, ws ${versionOf('ws')}`,
    commit: commit(),
    date: new Date().toISOString(),
  }
}

export function printResult({ what, sides, figure, goal, isReached, errors }: Result): void {
  const verdict = isReached ? 'reached' : 'MISSED '
  console.log(`${goal === undefined ? 'no goal' : verdict}  ${what}`)
  console.log(`         ${figure}${goal === undefined ? '' : `  (goal: ${goal})`}`)
  const width = Math.max(14, ...Object.keys(sides).map(side => side.length))
  for (const [side, text] of Object.entries(sides)) console.log(`           ${side.padEnd(width)} ${text}`)
  for (const [text, count] of Object.entries(errors)) console.log(`           ${count} errors: ${text}`)
}

export function writeResults(report: object): string {
  const folder = join(import.meta.dirname, 'results')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${new Date().toISOString().replaceAll(':', '-')}.json`)
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`)
  return file
}

function versionOf(name: string): string {
  return JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version
}

function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  try {
    return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain') === '' ? '' : ', with changes'}`
  } catch {
    return 'unknown'
  }
}

/** Median time of an fsync on the disk of the benchmark data, the lower bound of a durable commit. */
function syncMs(): number {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'))
  const file = openSync(join(folder, 'sync'), 'w')
  const page = Buffer.alloc(4096)
  const times = Array.from({ length: 50 }, () => {
    const startedAt = performance.now()
    writeSync(file, page)
    fsyncSync(file)
    return performance.now() - startedAt
  })
  closeSync(file)
  rmSync(folder, { recursive: true })
  return median(times)
}
