import {
  maxJsonValues,
  rates,
  requestBytesPerRequest,
  responseBytesPerRequest,
} from '@gatehouse/protocol/limits'
import { addMembers } from '@gatehouse/testkit/fixture'
import { type HttpRequest, openLoop, send } from '../load.ts'
import { compare, type Row } from '../report.ts'
import { fillDatabase } from './growth.ts'
import { json } from './requests.ts'

const rateOfOthers = 200

/** As many members as are parsed (limits/json-values), which the route does not know: nearly 1 MiB. */
const largeBody = JSON.stringify(
  Object.fromEntries(Array.from({ length: maxJsonValues - 2 }, (_none, i) => [`member-${i}`, 12_345])),
)

type Expected = HttpRequest & { status: number }

export const neighboursRow: Row = {
  name: 'neighbours',
  ofOneNode: true,
  what: "others' requests while one account sends its most expensive ones as often as it may",
  async *run(bench) {
    const target = await bench.startTarget()
    const { service, fixture } = target
    await fillDatabase(target, { users: 1000, messages: 0 })
    const [account] = await addMembers(service, fixture, 1)
    const headersOf = (cookie = '') => ({ ...json, cookie, origin: service.url })
    const own = { method: 'GET', headers: headersOf(fixture.cookie), status: 200 }
    const greedy = { method: 'GET', headers: headersOf(account?.client.cookieHeader()), status: 200 }
    const server = `/api/servers/${fixture.serverId}`
    const messages = `/api/channels/${fixture.channelId}/messages`
    const usual: Expected[] = [
      { ...own, path: `${messages}?limit=50` },
      { ...own, method: 'POST', path: messages, body: '{"content":"hello"}', status: 201 },
      { ...own, path: '/api/users/@me/servers' },
    ]
    const worst: Expected[] = [
      { ...greedy, path: `${server}/channels` },
      { ...greedy, path: `${server}/members?limit=100` },
      { ...greedy, method: 'POST', path: '/api/servers', body: largeBody, status: 400 },
    ]
    const run = (requests: Expected[], rate: number, isOver: (ms: number) => boolean) =>
      openLoop(target, rate, isOver, async number => {
        const request = requests[number % requests.length]
        if (request) await send(service.port, request, request.status)
      })
    const quiet = () => run(usual, rateOfOthers, ms => ms >= bench.seconds * 1000)
    // `RATE_LIMITS` is off, so this row itself keeps to the rate of requests (limits/response-size).
    const costs = await Promise.all(worst.map(request => readCost(service.port, request)))
    const rate = (rates.requests.count * costs.length) / costs.reduce((sum, cost) => sum + cost)
    const ours = async () => {
      let isOver = false
      const load = run(worst, rate, () => isOver)
      const others = await quiet()
      isOver = true
      return { ...others, errors: { ...others.errors, ...(await load).errors } }
    }
    const what = `${rateOfOthers} requests a second, while one account sends ${rate.toFixed(1)}`
    yield compare(bench, what, { ours, quiet }, { quiet: { p99: { most: 2 } } })
  },
}

/** The number of requests that one request counts as. */
async function readCost(port: number, request: Expected): Promise<number> {
  const received = Buffer.byteLength(await send(port, request, request.status))
  const sent = Buffer.byteLength(request.body ?? '')
  return 1 + Math.floor(sent / requestBytesPerRequest) + Math.floor(received / responseBytesPerRequest)
}
