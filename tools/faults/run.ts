// `npm run test:faults`: injects faults and checks that the service keeps its guarantees.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bodiesFault } from './bodies.fault.ts'
import { busFault } from './bus.fault.ts'
import { deadlinesFault } from './deadlines.fault.ts'
import { diskFault } from './disk.fault.ts'
import { CannotBeTried, type Evidence, tryFault } from './fault.ts'
import { killFault } from './kill.fault.ts'
import { lockedFault } from './locked.fault.ts'
import { searchLog } from './log.fault.ts'
import { mutateFault } from './mutate.fault.ts'
import { onceFault } from './once.fault.ts'
import { partitionFault } from './partition.fault.ts'
import { postgresFault } from './postgres.fault.ts'
import { stopFault } from './stop.fault.ts'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    rounds: { type: 'string' },
    seed: { type: 'string', default: '20251121' },
    help: { type: 'boolean', default: false },
  },
})

const faults = [
  killFault,
  onceFault,
  deadlinesFault,
  mutateFault,
  bodiesFault,
  lockedFault,
  diskFault,
  postgresFault,
  busFault,
  stopFault,
  partitionFault,
]

if (values.help) {
  console.log('npm run test:faults -- [--short] [--only FAULT]… [--rounds N] [--seed N]\n')
  for (const { name, holds } of faults) console.log(`  ${name.padEnd(10)} ${holds}`)
  process.exit()
}
const unknown = values.only?.find(name => !faults.some(fault => fault.name === name))
if (unknown !== undefined) throw new Error(`Unknown fault ${unknown}. --help lists the faults.`)

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-faults-'))
const evidence: Evidence = { secrets: new Set(), logFile: join(folder, 'all.log') }
const settings = {
  short: values.short,
  seed: Number(values.seed),
  rounds: values.rounds === undefined ? undefined : Number(values.rounds),
  evidence,
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
let failed = 0

async function runAndReport(name: string, holds: string, run: () => Promise<string>): Promise<void> {
  const start = performance.now()
  const seconds = () => `${((performance.now() - start) / 1000).toFixed(1)} s`
  try {
    const summary = await run()
    console.log(`passed   ${name.padEnd(10)} ${holds} (${seconds()})\n           ${summary}`)
  } catch (error) {
    if (error instanceof CannotBeTried) {
      console.log(`skipped  ${name.padEnd(10)} ${error.message}`)
      return
    }
    failed++
    console.log(`FAILED   ${name.padEnd(10)} ${holds} (${seconds()})`)
    console.log(error instanceof Error ? error.stack : error)
  }
}

for (const fault of faults) {
  if (values.only && !values.only.includes(fault.name)) continue
  await runAndReport(fault.name, fault.holds, () => tryFault(fault, settings))
}
await runAndReport('log', 'contains no token, code, secret or password', () => searchLog(evidence))
rmSync(folder, { recursive: true, force: true })
console.log(failed === 0 ? '\nall passed' : `\n${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
