// `npm run bench`: measures the service and compares it with its goals. See README.md in this folder.
import { parseArgs } from 'node:util'
import { type Engine, type Result, type Row, withBench } from './bench.ts'
import { describeMachine, printResult, writeResults } from './report.ts'
import { capacityRow } from './rows/capacity.ts'
import { dayRow } from './rows/day.ts'
import { growthRow } from './rows/growth.ts'
import { interactionRow } from './rows/interactions.ts'
import { neighboursRow } from './rows/neighbours.ts'
import { userinfoRow, webhookRow } from './rows/requests.ts'
import { soakRow } from './rows/soak.ts'
import { fanOutRow, idleRow } from './rows/sockets.ts'
import { startRow } from './rows/start.ts'
import { identifyRow, openidRow } from './rows/tokens.ts'
import { webRow } from './rows/web.ts'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    large: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
    nodes: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '60' },
    help: { type: 'boolean', default: false },
  },
})

const rows: Row[] = [
  identifyRow,
  openidRow,
  userinfoRow,
  webhookRow,
  interactionRow,
  fanOutRow,
  neighboursRow,
  idleRow,
  growthRow(values.large),
  dayRow,
  soakRow(Number(values.seconds)),
  capacityRow,
  startRow,
  webRow,
]

if (values.help) {
  console.log(
    'npm run bench -- [--short] [--only ROW]… [--rounds N] [--seconds N] [--large] [--postgres [--nodes N]]\n',
  )
  for (const { name, what } of rows) console.log(`  ${name.padEnd(12)} ${what}`)
  process.exit()
}

// Filling a database, a day of load and 1,000 members take minutes, so these rows run only on request.
const slow = ['growth', 'day', 'soak', 'capacity']
const names = values.only ?? rows.map(({ name }) => name).filter(name => !slow.includes(name) || values.large)
const unknown = names.find(name => !rows.some(row => row.name === name))
if (unknown !== undefined) throw new Error(`there is no row ${unknown}; --help names them`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const rounds = Number(values.rounds)
const nodes = Number(values.nodes)
if (nodes > 1 && !values.postgres) throw new Error('several nodes need --postgres')
const engine: Engine = values.postgres ? 'postgres' : 'sqlite'
const machine = describeMachine({ engine, nodes })
for (const [name, value] of Object.entries(machine)) console.log(`${name.padEnd(10)} ${value}`)
console.log('')
const results: Result[] = []
// A short run starts no row after this time, so that it finishes within three minutes on a busy machine too.
const lastStartMs = values.short ? 120_000 : Number.POSITIVE_INFINITY
await withBench({ short: values.short, rounds, engine, nodes }, async bench => {
  for (const row of rows.filter(
    ({ name, ofOneNode }) => names.includes(name) && (nodes === 1 || !ofOneNode),
  )) {
    if (performance.now() > lastStartMs) {
      console.log(`not run  ${row.name}: no time is left`)
      continue
    }
    for (const result of await row.run(bench)) {
      results.push(result)
      printResult(result)
    }
  }
})
const file = writeResults({ machine, rounds, short: values.short, results })
console.log(`\n${file}`)
if (results.some(({ isRequired, isReached }) => isRequired && !isReached)) process.exitCode = 1
