import assert from 'node:assert/strict'
import type { Community, Reply } from './community.ts'

/** What the doors answered while something was wrong. */
export interface Watched {
  /** Contents of the messages that were answered with success. */
  contents: Set<string>
  statuses: Map<number, number>
  /** The longest that anybody waited for an answer, in milliseconds. */
  slowest: number
}

const waitMs = 12_000
let marked = 0

/**
 * Posts through the webhook, and asks for a code, over and over until `until` resolves: each answer is a success, or a
 * 503 that says when to try again, and comes in time.
 */
export async function watchDoors(community: Community, until: Promise<unknown>): Promise<Watched> {
  const watched: Watched = { contents: new Set(), statuses: new Map(), slowest: 0 }
  let over = false
  const ended = until.then(() => {
    over = true
  })
  const mark = ++marked

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
      assert.ok([200, 503].includes(reply.status), `a post: ${reply.status} ${reply.text}`)
      if (reply.status === 200) watched.contents.add(content)
      else await pause()
    }
  }

  async function exchangeNothing(): Promise<void> {
    while (!over) {
      const reply = await timed(community.exchange('gac_nothing'))
      assert.ok([400, 503].includes(reply.status), `a code: ${reply.status} ${reply.text}`)
      await pause()
    }
  }

  async function read(): Promise<void> {
    while (!over) {
      const headers = { cookie: community.cookie }
      const reply = await timed(community.send(`/api/channels/${community.channelId}/messages`, { headers }))
      assert.ok([200, 503].includes(reply.status), `a look: ${reply.status} ${reply.text}`)
      await pause()
    }
  }

  await Promise.all([ended, post(0), post(1), post(2), post(3), exchangeNothing(), read()])
  assert.ok(watched.slowest < waitMs, `an answer took ${Math.round(watched.slowest)} ms`)
  return watched
}

function pause(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, 20))
}

/** Nothing is missing that was answered with success. */
export async function assertKept(community: Community, watched: readonly Watched[]): Promise<void> {
  const there = await community.contents(1e6)
  const missing = watched.flatMap(({ contents }) => [...contents]).filter(content => !there.has(content))
  assert.deepEqual(missing, [], 'answered with success and gone')
}

export function wordsFor({ statuses, slowest }: Watched): string {
  const counts = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`)
  return `${counts.join(', ')}, the slowest in ${Math.round(slowest)} ms`
}
