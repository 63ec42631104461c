import { randomBytes } from 'node:crypto'
import { type RateName, rates } from '@gatehouse/protocol/limits'
import type { Bus } from '../bus/bus.ts'
import type { Timers } from '../kit/clock.ts'

const subject = 'rate-hits'
const batchMs = 100

interface HitBatch {
  node: string
  hits: [name: RateName, key: string, count: number][]
}

type OnHits = (name: RateName, key: string, count: number) => void

export type SharedHits = Awaited<ReturnType<typeof openSharedHits>>

/**
 * Sends the hits of this node to the other nodes, together after at most 100 ms (`batchMs`), and receives theirs. Until
 * then the nodes can together allow more hits than the rate. Rates that must be exact use `createClusterSlidingWindow`.
 */
export async function openSharedHits(bus: Pick<Bus, 'publish' | 'subscribe'>, timers: Timers) {
  const node = randomBytes(9).toString('base64url')
  let pending = new Map<string, HitBatch['hits'][number]>()
  let onHits: OnHits = () => {}

  function send(): void {
    const hits = [...pending.values()].filter(([, , count]) => count !== 0)
    pending = new Map()
    // Small enough for one message: at most 1 MiB.
    for (let i = 0; i < hits.length; i += 1000) {
      bus.publish(subject, { node, hits: hits.slice(i, i + 1000) } satisfies HitBatch)
    }
  }

  const subscription = await bus.subscribe(subject, message => {
    const batch = message as HitBatch
    if (batch.node === node) return
    // A node with another version may have other rates.
    for (const [name, key, count] of batch.hits) if (name in rates) onHits(name, key, count)
  })

  return {
    /** Calls `listener` with the hits of the other nodes. */
    listen(listener: OnHits): void {
      onHits = listener
    },
    /** A negative count takes hits back. */
    record(name: RateName, key: string, count: number): void {
      if (pending.size === 0) timers.after(batchMs, send)
      const id = `${name} ${key}`
      const hit = pending.get(id)
      if (hit) hit[2] += count
      else pending.set(id, [name, key, count])
    },
    close: () => subscription.close(),
  }
}
