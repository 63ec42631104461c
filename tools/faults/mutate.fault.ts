import assert from 'node:assert/strict'
import { memoryOf } from '../../bench/children.ts'
import { type Answer, HttpConnection } from '../../bench/load/http-connection.ts'
import { assertWorks, type Community, makeCommunity } from './community.ts'
import type { Fault } from './fault.ts'
import { type Operation, readOperations, writeRequest } from './mutations.ts'
import { createRandom } from './random.ts'

const connections = 16
const answerMs = 10_000
const allowedGrowth = 150 * 1024 * 1024

/** Requests that are almost right, or not at all, over every route of the reference. */
export const mutateFault: Fault = {
  name: 'mutate',
  holds: 'no 5xx, no hang, memory flat, over every route',
  limitMs: 900_000,
  async run(trial) {
    const total = trial.short ? 5000 : 100_000
    const service = await trial.start({ env: { LOG_LEVEL: 'info' } })
    const community = await makeCommunity(trial, service)
    const { text } = await community.send('/api/openapi.json')
    const operations = readOperations(JSON.parse(text))
    assert.ok(operations.length > 50, 'the reference is empty')
    const words = wordsOf(community)
    const random = createRandom(trial.seed)
    const statuses = new Map<number, number>()
    const reached = new Map<string, number>()
    const bad = new Map<string, string>()
    const memory: number[] = []
    let made = 0

    async function work(): Promise<void> {
      let connection = new HttpConnection(service.port)
      while (made < total && bad.size < 20) {
        const number = made++
        if (number % Math.ceil(total / 20) === 0) memory.push(memoryOf(service.pid() ?? 0))
        const operation = operations[number % operations.length]
        if (operation === undefined) break
        const request = writeRequest(operation, words, random)
        const answer = await within(connection.request(request))
        if (answer === 'late') note(bad, operation, 'no answer', request)
        else if (answer !== 'closed') {
          const { status } = answer
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
          if (status >= 500) note(bad, operation, `${status} ${answer.body.slice(0, 120)}`, request)
          if (status < 400) reached.set(nameOf(operation), (reached.get(nameOf(operation)) ?? 0) + 1)
        }
        if (typeof answer !== 'object') {
          connection.close()
          connection = new HttpConnection(service.port)
        }
      }
      connection.close()
    }
    await Promise.all(Array.from({ length: connections }, work))
    assert.equal(bad.size, 0, [...bad.values()].join('\n'))
    // The first fifth compiles and fills caches.
    const after = memory.slice(4)
    const grown = (after.at(-1) ?? 0) - (after[0] ?? 0)
    assert.ok(grown < allowedGrowth, `memory grew by ${Math.round(grown / 2 ** 20)} MiB`)
    const there = await fetch(`${service.url}/readyz`)
    assert.equal(there.status, 200)
    await assertWorks(await makeCommunity(trial, await trial.start()))
    const counts = [...statuses]
      .toSorted(([a], [b]) => a - b)
      .map(([status, count]) => `${count} × ${status}`)
    return (
      `${made} requests, seed ${trial.seed}, over ${operations.length} operations, ${reached.size} of them also with ` +
      `success: ${counts.join(', ')}; memory ${grown >= 0 ? '+' : ''}${Math.round(grown / 2 ** 20)} MiB`
    )
  },
}

/** What a request is filled with where it is to be right: what there is, and who may. */
function wordsOf(community: Community): Parameters<typeof writeRequest>[1] {
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
      // Most endpoints are for a person.
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

async function within(answer: Promise<Answer>): Promise<Answer | 'late' | 'closed'> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>(resolve => {
    timer = setTimeout(() => resolve('late'), answerMs)
  })
  try {
    return await Promise.race([answer, late])
  } catch {
    return 'closed'
  } finally {
    clearTimeout(timer)
  }
}

function nameOf({ method, path }: Operation): string {
  return `${method} ${path}`
}

function note(bad: Map<string, string>, operation: Operation, what: string, request: string): void {
  bad.set(
    `${nameOf(operation)} ${what.slice(0, 3)}`,
    `${nameOf(operation)}: ${what}\n${JSON.stringify(request.slice(0, 1500))}`,
  )
}
