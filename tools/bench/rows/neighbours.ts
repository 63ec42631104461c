import * as limits from '@gatehouse/protocol/limits'
import { addMembers } from '@gatehouse/testkit/fixture'
import type { Bench, Target } from '../bench.ts'
import { type HttpRequest, openLoop, send } from '../load.ts'
import { compare, type Result } from '../report.ts'
import { fillDatabase } from './growth.ts'
import { json } from './requests.ts'

/** As many members as are parsed (limits/json-values), which the route does not know: nearly 1 MiB. */
const largeBody = JSON.stringify(
  Object.fromEntries(Array.from({ length: limits.maxJsonValues - 2 }, (_none, i) => [`member-${i}`, 12_345])),
)

export async function* neighbours(bench: Bench): AsyncGenerator<Result> {
  const target = await bench.startTarget()
  const { service, fixture } = target
  await fillDatabase(target, { users: 1000, messages: 0 })
  const [account] = await addMembers(service, fixture, 1)
  const headersOf = (cookie = '') => ({ ...json, cookie, origin: service.url })
  const own = { method: 'GET', headers: headersOf(fixture.cookie), status: 200 }
  const greedy = { ...own, headers: headersOf(account?.client.cookieHeader()) }
  const server = `/api/servers/${fixture.serverId}`
  const messages = `/api/channels/${fixture.channelId}/messages`
  const usual: HttpRequest[] = [
    { ...own, path: `${messages}?limit=50` },
    { ...own, method: 'POST', path: messages, body: '{"content":"hello"}', status: 201 },
    { ...own, path: '/api/users/@me/servers' },
  ]
  const worst: HttpRequest[] = [
    { ...greedy, path: `${server}/channels` },
    { ...greedy, path: `${server}/members?limit=100` },
    { ...greedy, method: 'POST', path: '/api/servers', body: largeBody, status: 400 },
  ]
  const run = (requests: HttpRequest[], rate: number) =>
    openLoop(target, { rate, seconds: bench.seconds }, async number => {
      const request = requests[number % requests.length]
      if (request) await send(target, request)
    })
  // `RATE_LIMITS` is off, so this row itself keeps to the rate of requests (limits/response-size).
  const costs = await Promise.all(worst.map(request => readCost(target, request)))
  const rate = (limits.rates.requests.count * costs.length) / costs.reduce((sum, cost) => sum + cost)
  const quiet = () => run(usual, 200)
  const ours = async () => {
    const [others, { errors }] = await Promise.all([quiet(), run(worst, rate)])
    return { ...others, errors: { ...others.errors, ...errors } }
  }
  const what = `200 requests a second, while one account sends ${rate.toFixed(1)}`
  yield compare(bench, what, { ours, quiet }, { quiet: { p99: { most: 2 } } })
}

/** The number of requests that one request counts as. */
async function readCost(target: Target, request: HttpRequest): Promise<number> {
  const received = Buffer.byteLength(await send(target, request))
  const sent = Buffer.byteLength(request.body ?? '')
  return (
    1 +
    Math.floor(sent / limits.requestBytesPerRequest) +
    Math.floor(received / limits.responseBytesPerRequest)
  )
}
