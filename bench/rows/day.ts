import { setTimeout as wait } from 'node:timers/promises'
import { freePort, readMemory } from '@gatehouse/testkit/service-process'
import { type Bench, joinErrors, type Row, type Target } from '../bench.ts'
import { measureMemory } from '../inspector.ts'
import { runClosedLoop } from '../load/closed-loop.ts'
import { runRoundTrips } from '../load/round-trips.ts'
import type { Scenario } from '../load/scenarios.ts'
import type { ConnectJob } from '../load/socket-group.ts'
import { authorizations, interactions, passwordSignIn, tokens, webhookPosts } from '../scenarios.ts'
import { gatewaySockets } from './sockets.ts'

/** The number of operations in a day of a busy community. */
const day = { posts: 86_400, interactions: 8640, signIns: 2880, passwords: 240, sockets: 2000 }
const quarters = 4
const interactionsPerSecond = 200
// The time limit of one quarter.
const quarterMs = 600_000
const settleMs = 2000

export const dayRow: Row = {
  name: 'day',
  what: 'memory after each quarter of a day of load, put through as fast as it goes',
  ofOneNode: true,
  async run(bench) {
    const share = bench.short ? 20 : 1
    const inspectorPort = await freePort()
    const target = await bench.startTarget({ NODE_OPTIONS: `--inspect=127.0.0.1:${inspectorPort}` })
    // Once, so that the number of users does not grow.
    const sockets = await gatewaySockets(target, day.sockets / share)
    const samples: { heap: number; buffers: number; resident: number }[] = []
    const errors: Record<string, number>[] = []
    const startedAt = performance.now()
    // Quarter 0 is a warm-up, and shorter: the JIT compiles and caches fill for the first time.
    for (let quarter = 0; quarter <= quarters; quarter++) {
      errors.push(await runQuarter(bench, target, sockets, quarters * (quarter === 0 ? 4 * share : share)))
      await wait(settleMs)
      const { heap, buffers } = await measureMemory(inspectorPort)
      samples.push({ heap, buffers, resident: readMemory(target.service.pid(), 'RssAnon') })
    }
    const seconds = (performance.now() - startedAt) / 1000
    await target.service.end('SIGTERM')
    const mib = (bytes: number) => (bytes / 2 ** 20).toFixed(1)
    const list = (what: 'heap' | 'buffers' | 'resident') =>
      samples.map(quarter => mib(quarter[what])).join(' → ')
    // Compared with the second quarter, because the caches are bounded and full by then.
    const [middle, end] = [samples.at(-3), samples.at(-1)]
    const ratio = (end?.heap ?? 0) / (middle?.heap ?? 1)
    return [
      {
        what: `${share === 1 ? 'a day' : `a ${share}th of a day`} of load in ${seconds.toFixed(0)} s: ${describeDay(share)}`,
        sides: {
          'heap, MiB': `${list('heap')}, after each quarter, garbage collected`,
          'buffers, MiB': list('buffers'),
          'resident, MiB': `${list('resident')}, without what is mapped of files`,
        },
        figure: `${((ratio - 1) * 100).toFixed(1)} % more heap at the end than after the second quarter`,
        goal: '5 % at most',
        isReached: ratio <= 1.05,
        errors: joinErrors(...errors),
      },
    ]
  },
}

function describeDay(share: number): string {
  const of = (what: keyof typeof day) => Math.round(day[what] / share)
  return (
    `${of('posts')} posts, ${of('interactions')} interactions, ${of('signIns')} sign-ins of applications, ` +
    `${of('passwords')} by password, ${of('sockets')} sockets in each quarter`
  )
}

/** Runs one of `share` equal parts of the day. */
async function runQuarter(
  bench: Bench,
  target: Target,
  sockets: ConnectJob,
  share: number,
): Promise<Record<string, number>> {
  const run = (scenario: Scenario, connections = 20) =>
    runClosedLoop({ port: target.ports, connections, ms: quarterMs, scenario })
  const post = (count: number) => run({ ...webhookPosts(target), count: Math.ceil(count) })
  await bench.sockets.connect({ ...sockets, count: (day.sockets * quarters) / share })
  // Fan-out has its own row, so only 1 % of the posts is sent while the sockets are connected.
  const toMany = await post(day.posts / share / 100)
  bench.sockets.disconnect()
  const posts = await post((day.posts / share / 100) * 99)
  const roundTrips = await runRoundTrips({
    ...interactions(target),
    rate: interactionsPerSecond,
    ms: (day.interactions / share / interactionsPerSecond) * 1000,
  })
  const codes = await run(authorizations(target, Math.round(day.signIns / share)))
  const exchanges = await run(tokens(target, codes.found))
  const passwords = await run(
    {
      ...passwordSignIn,
      kind: 'same',
      expect: { status: 200, contains: '"id"' },
      count: Math.round(day.passwords / share),
    },
    2,
  )
  return joinErrors(...[toMany, posts, roundTrips, codes, exchanges, passwords].map(({ errors }) => errors))
}
