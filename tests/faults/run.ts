// `npm run test:faults`: injects faults and checks that the service keeps its invariants.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { parseArgs } from 'node:util'
import { bodiesFault } from './bodies.fault.ts'
import { clusterFault } from './cluster.fault.ts'
import { deadlinesFault } from './deadlines.fault.ts'
import { diskFault } from './disk.fault.ts'
import { failoverFault } from './failover.fault.ts'
import { createContext, Skip } from './fault.ts'
import { frozenFault } from './frozen.fault.ts'
import { hostileFault } from './hostile.fault.ts'
import { killFault } from './kill.fault.ts'
import { lockedFault } from './locked.fault.ts'
import { searchLog } from './log.ts'
import { mutateFault } from './mutate.fault.ts'
import { nodeFault } from './node.fault.ts'
import { onceFault } from './once.fault.ts'
import { partitionFault } from './partition.fault.ts'
import { busFault, postgresFault } from './restart.fault.ts'
import { rollingFault, rollingNginxFault } from './rolling.fault.ts'
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
  frozenFault,
  clusterFault,
  failoverFault,
  nodeFault,
  rollingFault,
  rollingNginxFault,
  stopFault,
  partitionFault,
  hostileFault,
]

if (values.help) {
  console.log('npm run test:faults -- [--short] [--only FAULT]… [--rounds N] [--seed N]\n')
  for (const { name, invariant } of faults) console.log(`  ${name.padEnd(13)} ${invariant}`)
  process.exit()
}
const unknown = values.only?.find(name => !faults.some(fault => fault.name === name))
if (unknown !== undefined) throw new Error(`Unknown fault ${unknown}. --help lists the faults.`)

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-faults-'))
after(() => rmSync(folder, { recursive: true }))
const settings = {
  short: values.short,
  seed: Number(values.seed),
  rounds: values.rounds === undefined ? undefined : Number(values.rounds),
  secrets: new Set<string>(),
  logFile: join(folder, 'services.log'),
}

for (const { name, invariant, engines, timeoutMs, run } of faults) {
  if (values.only && !values.only.includes(name)) continue
  const timeout = values.short ? timeoutMs / 3 : timeoutMs
  for (const engine of engines)
    test(`${name}, ${engine}: ${invariant}`, { timeout }, async t => {
      try {
        const summary = await run(await createContext(t, settings, engine))
        t.diagnostic(`${name}, ${engine}: ${summary}`)
      } catch (error) {
        if (!(error instanceof Skip)) throw error
        t.skip(error.message)
      }
    })
}
test('log: contains no token, code, secret or password', async t => t.diagnostic(await searchLog(settings)))
