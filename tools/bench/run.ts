// `npm run bench`: measures the service and compares it with its goals. See README.md in this folder.
import { parseArgs } from 'node:util'
import { type Bench, createBench, type Options } from './bench.ts'
import { describeMachine, type Result } from './report.ts'
import { discord } from './rows/discord.ts'
import { growth } from './rows/growth.ts'
import { interaction } from './rows/interactions.ts'
import { neighbours } from './rows/neighbours.ts'
import { openid, tokens, userinfo, webhook } from './rows/requests.ts'
import { fanOut, idle } from './rows/sessions.ts'
import { start } from './rows/start.ts'
import { web } from './rows/web.ts'

type Row = (bench: Bench) => AsyncGenerator<Result>

const rows: Record<string, Row> = {
  tokens,
  openid,
  userinfo,
  webhook,
  interaction,
  discord,
  'fan-out': fanOut,
}
const ofOneNode: Record<string, Row> = { neighbours, idle, start, web }
/** Takes minutes. */
const onRequest: Record<string, Row> = { growth }
const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    postgres: { type: 'boolean', default: false },
    nodes: { type: 'string', default: '1' },
  },
})
const options: Options = {
  short: values.short,
  rounds: values.short ? 3 : 5,
  engine: values.postgres ? 'postgres' : 'sqlite',
  nodes: Number(values.nodes),
}
if (options.nodes > 1 && !values.postgres) throw new Error('several nodes need --postgres')
const possible = options.nodes > 1 ? rows : { ...rows, ...ofOneNode, ...onRequest }
const names = values.only ?? Object.keys(possible).filter(name => !Object.hasOwn(onRequest, name))
const unknown = names.find(name => !Object.hasOwn(possible, name))
if (unknown !== undefined) throw new Error(`no row ${unknown}, only ${Object.keys(possible).join(', ')}`)

// The exit ends the services and the peers.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
console.log(describeMachine(options))
await using bench = createBench(options)
for (const name of names) {
  for await (const { lines, isValid } of possible[name]?.(bench) ?? []) {
    console.log(lines.join('\n'))
    if (!isValid) process.exitCode = 1
  }
}
