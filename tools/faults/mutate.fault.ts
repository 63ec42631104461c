import assert from 'node:assert/strict'
import { memoryOf } from '../../bench/children.ts'
import { type Answer, HttpConnection } from '../../bench/load/http-connection.ts'
import { assertWorks, type Community, makeCommunity } from './community.ts'
import type { Fault } from './fault.ts'
import { type Operation, readOperations, writeRequest } from './mutations.ts'
import { createRandom } from './random.ts'

const connections = 16
const responseTimeoutMs = 10_000
const maxGrowth = 150 * 1024 * 1024

/** Sends mutated requests to every operation of the OpenAPI document. */
export const mutateFault: Fault = {
  name: 'mutate',
  holds: 'mutated requests to every route: no 5xx, no hang, no memory growth',
  limitMs: 900_000,
  async run(trial) {
    const total = trial.short ? 5000 : 100_000
    const service = await trial.start({ env: { LOG_LEVEL: 'info' } })
    const community = await makeCommunity(trial, service)
    const { text } = await community.send('/api/openapi.json')
    const operations = readOperations(JSON.parse(text))
    assert.ok(operations.length > 50, 'the OpenAPI document lists too few operations')
    const values = collectValues(community)
    const random = createRandom(trial.seed)
    const statuses = new Map<number, number>()
    const reached = new Map<string, number>()
    const failures = new Map<string, string>()
    const memory: number[] = []
    let sent = 0

    async function sendRequests(): Promise<void> {
      let connection = new HttpConnection(service.port)
      while (sent < total && failures.size < 20) {
        const number = sent++
        if (number % Math.ceil(total / 20) === 0) memory.push(memoryOf(service.pid() ?? 0))
        const operation = operations[number % operations.length]
        if (operation === undefined) break
        const request = writeRequest(operation, values, random)
        const answer = await withTimeout(connection.request(request))
        if (answer === 'timeout') addFailure(failures, operation, 'no response', request)
        else if (answer !== 'closed') {
          const { status } = answer
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
          if (status >= 500)
            addFailure(failures, operation, `${status} ${answer.body.slice(0, 120)}`, request)
          if (status < 400)
            reached.set(formatOperation(operation), (reached.get(formatOperation(operation)) ?? 0) + 1)
        }
        if (typeof answer !== 'object') {
          connection.close()
          connection = new HttpConnection(service.port)
        }
      }
      connection.close()
    }
    await Promise.all(Array.from({ length: connections }, sendRequests))
    assert.equal(failures.size, 0, [...failures.values()].join('\n'))
    // The first fifth of the samples is warm-up: compilation and caches.
    const after = memory.slice(4)
    const growth = (after.at(-1) ?? 0) - (after[0] ?? 0)
    assert.ok(growth < maxGrowth, `memory grew by ${Math.round(growth / 2 ** 20)} MiB`)
    const readiness = await fetch(`${service.url}/readyz`)
    assert.equal(readiness.status, 200)
    await assertWorks(await makeCommunity(trial, await trial.start()))
    const counts = [...statuses]
      .toSorted(([a], [b]) => a - b)
      .map(([status, count]) => `${count} × ${status}`)
    return (
      `${sent} requests, seed ${trial.seed}, over ${operations.length} operations, ${reached.size} of them with ` +
      `a success: ${counts.join(', ')}; memory ${growth >= 0 ? '+' : ''}${Math.round(growth / 2 ** 20)} MiB`
    )
  },
}

/** Valid ids, path parameters and credentials for the requests. */
function collectValues(community: Community): Parameters<typeof writeRequest>[1] {
  const { channelId, serverId, userId, client, bot, webhook, cookie } = community
  const [, , , webhookId = '', webhookToken = ''] = webhook.split('/')
  return {
    // Not the server or the application themselves: a request that deletes them would end the trial.
    ids: [
      channelId,
      serverId,
      userId,
      client.id,
      bot.commandId,
      webhookId,
      '1',
      '1000000000000000000',
      '@me',
    ],
    parameters: { channelId, serverId, userId, applicationId: client.id, webhookId, token: webhookToken },
    credentials: [
      // Listed three times because most endpoints need a user session.
      { cookie, 'sec-fetch-site': 'same-origin' },
      { cookie, 'sec-fetch-site': 'same-origin' },
      { cookie, 'sec-fetch-site': 'same-origin' },
      { authorization: `Bot ${bot.token}` },
      { authorization: `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}` },
      { authorization: 'Bearer gat_nothing' },
      {},
    ],
  }
}

async function withTimeout(answer: Promise<Answer>): Promise<Answer | 'timeout' | 'closed'> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'timeout'>(resolve => {
    timer = setTimeout(() => resolve('timeout'), responseTimeoutMs)
  })
  try {
    return await Promise.race([answer, late])
  } catch {
    return 'closed'
  } finally {
    clearTimeout(timer)
  }
}

function formatOperation({ method, path }: Operation): string {
  return `${method} ${path}`
}

function addFailure(
  failures: Map<string, string>,
  operation: Operation,
  what: string,
  request: string,
): void {
  failures.set(
    `${formatOperation(operation)} ${what.slice(0, 3)}`,
    `${formatOperation(operation)}: ${what}\n${JSON.stringify(request.slice(0, 1500))}`,
  )
}
