import assert from 'node:assert/strict'
import type { Community, Reply } from './community.ts'

/** The responses of the service during a fault. */
export interface Watched {
  /** Contents of the messages whose request returned 200. */
  contents: Set<string>
  statuses: Map<number, number>
  /** The longest response time in milliseconds. */
  slowest: number
}

const maxResponseMs = 12_000
let lastMark = 0

/**
 * Sends webhook, token and message list requests until `until` resolves. Checks that each response has an
 * expected status or is a 503 with `Retry-After`, and that it arrives within `maxResponseMs`.
 */
export async function watchDoors(community: Community, until: Promise<unknown>): Promise<Watched> {
  const watched: Watched = { contents: new Set(), statuses: new Map(), slowest: 0 }
  let over = false
  const ended = until.then(() => {
    over = true
  })
  const mark = ++lastMark

  async function timed(request: Promise<Reply>): Promise<Reply> {
    const start = performance.now()
    const reply = await request
    watched.slowest = Math.max(watched.slowest, performance.now() - start)
    watched.statuses.set(reply.status, (watched.statuses.get(reply.status) ?? 0) + 1)
    if (reply.status === 503)
      assert.ok(Number(reply.headers.get('retry-after')) > 0, '503 without Retry-After')
    return reply
  }

  async function post(lane: number): Promise<void> {
    for (let n = 0; !over; n++) {
      const content = `mark ${mark} lane ${lane} message ${n}`
      const reply = await timed(community.post(content))
      assert.ok([200, 503].includes(reply.status), `webhook request: ${reply.status} ${reply.text}`)
      if (reply.status === 200) watched.contents.add(content)
      else await pause()
    }
  }

  async function exchangeInvalidCode(): Promise<void> {
    while (!over) {
      const reply = await timed(community.exchange('gac_nothing'))
      assert.ok([400, 503].includes(reply.status), `token request: ${reply.status} ${reply.text}`)
      await pause()
    }
  }

  async function listMessages(): Promise<void> {
    while (!over) {
      const headers = { cookie: community.cookie }
      const reply = await timed(community.send(`/api/channels/${community.channelId}/messages`, { headers }))
      assert.ok([200, 503].includes(reply.status), `message list: ${reply.status} ${reply.text}`)
      await pause()
    }
  }

  await Promise.all([ended, post(0), post(1), post(2), post(3), exchangeInvalidCode(), listMessages()])
  assert.ok(watched.slowest < maxResponseMs, `a response took ${Math.round(watched.slowest)} ms`)
  return watched
}

function pause(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, 20))
}

/** Checks that every message whose request returned 200 exists. */
export async function assertKept(community: Community, watched: readonly Watched[]): Promise<void> {
  const existing = await community.contents(1e6)
  const missing = watched.flatMap(({ contents }) => [...contents]).filter(content => !existing.has(content))
  assert.deepEqual(missing, [], 'messages are missing although their request returned 200')
}

export function wordsFor({ statuses, slowest }: Watched): string {
  const counts = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`)
  return `${counts.join(', ')}, slowest ${Math.round(slowest)} ms`
}
