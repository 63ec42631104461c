// `npm run bench`: measures the service and compares it with its goals. See README.md in this folder.
import { parseArgs } from 'node:util'
import { createBench, type Options } from './bench.ts'
import { describeMachine, type Row } from './report.ts'
import { growthRow } from './rows/growth.ts'
import { interactionRow } from './rows/interactions.ts'
import { neighboursRow } from './rows/neighbours.ts'
import { requestRows } from './rows/requests.ts'
import { fanOutRow, idleRow } from './rows/sessions.ts'
import { startRow } from './rows/start.ts'
import { webRow } from './rows/web.ts'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    postgres: { type: 'boolean', default: false },
    nodes: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
})
const others = [interactionRow, fanOutRow, neighboursRow, idleRow, startRow, webRow, growthRow]
const rows: Row[] = [...requestRows, ...others]
if (values.help) {
  console.log('npm run bench -- [--short] [--only ROW]… [--postgres [--nodes N]]\n')
  for (const { name, what, isSlow } of rows)
    console.log(`  ${name.padEnd(12)} ${what}${isSlow ? ' (only on request)' : ''}`)
  process.exit()
}
const names = values.only ?? rows.filter(({ isSlow }) => !isSlow).map(({ name }) => name)
const unknown = names.find(name => !rows.some(row => row.name === name))
if (unknown !== undefined) throw new Error(`there is no row ${unknown}; --help lists them`)
const options: Options = {
  short: values.short,
  rounds: values.short ? 3 : 5,
  engine: values.postgres ? 'postgres' : 'sqlite',
  nodes: Number(values.nodes),
}
if (options.nodes > 1 && !values.postgres) throw new Error('several nodes need --postgres')

// The exit ends the services and the peers.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
console.log(describeMachine(options))
await using bench = createBench(options)
for (const row of rows) {
  if (!names.includes(row.name) || (row.ofOneNode && options.nodes > 1)) continue
  for await (const { lines, isValid } of row.run(bench)) {
    console.log(lines.join('\n'))
    if (!isValid) process.exitCode = 1
  }
}
