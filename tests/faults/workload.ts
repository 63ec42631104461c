import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { TestResponse } from '@gatehouse/testkit/client'
import type { Target } from './target.ts'

/** The responses of the service during a fault. */
export interface WorkloadResult {
  /** Contents of the messages whose request returned 200. */
  contents: string[]
  /** The number of responses by status. */
  statuses: Map<number, number>
  slowestMs: number
}

const maxResponseMs = 12_000
const pauseMs = 20

/**
 * Sends webhook, token and message list requests until `fault` resolves. Checks that each response has the expected status
 * or is a 503 with `Retry-After`, and that it arrives within `maxResponseMs`.
 */
export async function runWorkload(target: Target, fault: Promise<unknown>): Promise<WorkloadResult> {
  const result: WorkloadResult = { contents: [], statuses: new Map(), slowestMs: 0 }
  const id = randomUUID()
  let isOver = false

  async function repeat(
    name: string,
    expected: number,
    request: (number: number) => Promise<TestResponse>,
  ): Promise<void> {
    for (let number = 0; !isOver; number++) {
      const start = performance.now()
      const { status, text, headers } = await request(number)
      result.slowestMs = Math.max(result.slowestMs, performance.now() - start)
      result.statuses.set(status, (result.statuses.get(status) ?? 0) + 1)
      assert.ok(status === expected || status === 503, `${name}: ${status} ${text}`)
      if (status === 503) assert.ok(Number(headers.get('retry-after')) > 0, '503 without Retry-After')
      if (status === 503 || name !== 'webhook post') await wait(pauseMs)
    }
  }

  async function post(content: string): Promise<TestResponse> {
    const response = await target.post(content)
    if (response.status === 200) result.contents.push(content)
    return response
  }

  await Promise.all([
    fault.finally(() => {
      isOver = true
    }),
    ...[0, 1, 2, 3].map(worker => repeat('webhook post', 200, number => post(`${id} ${worker} ${number}`))),
    repeat('token request with an invalid code', 400, () => target.exchange('gac_nothing')),
    repeat('message list', 200, () => target.listMessages()),
  ])
  assert.ok(result.slowestMs < maxResponseMs, `a response took ${Math.round(result.slowestMs)} ms`)
  return result
}

export function assertUnavailable({ statuses }: WorkloadResult): void {
  assert.ok((statuses.get(503) ?? 0) > 0, 'no request returned 503')
}

export function describe({ statuses, slowestMs }: WorkloadResult): string {
  return `${formatStatuses(statuses)}, slowest ${Math.round(slowestMs)} ms`
}

export function formatStatuses(statuses: ReadonlyMap<number, number>): string {
  const sorted = [...statuses].toSorted(([a], [b]) => a - b)
  return sorted.map(([status, count]) => `${count} × ${status}`).join(', ')
}
