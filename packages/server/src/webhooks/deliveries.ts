import { webhookDeliveries } from '@gatehouse/protocol/limits'
import { type Clock, every, type Timers } from '../kit/clock.ts'
import { type Database, ReferenceViolation } from '../storage/database.ts'
import * as store from './store.ts'

interface DeliveriesDeps {
  db: Database
  clock: Clock
  timers: Timers
  ids: () => string
  /** Told of what could not be written: the log is lost, no post is. */
  report: (error: unknown) => void
}

/** What came of the last posts of each webhook. */
export interface Deliveries {
  /** Returns at once: it is written within a second, so that a post does not wait for its log. */
  record(webhookId: string, delivery: Omit<store.DeliveryRecord, 'id' | 'at'>): void
  /** Writes what is still to be written. */
  flush(): Promise<void>
  close(): Promise<void>
}

const flushMs = 1000

export function createDeliveries({ db, clock, timers, ids, report }: DeliveriesDeps): Deliveries {
  let waiting = new Map<string, store.DeliveryRecord[]>()
  let writing: Promise<void> = Promise.resolve()

  async function write(webhookId: string, deliveries: readonly store.DeliveryRecord[]): Promise<void> {
    const used = deliveries.findLast(({ status }) => status < 300)
    try {
      await db.transaction(async tx => {
        for (const delivery of deliveries) await store.insertDelivery(tx, webhookId, delivery)
        await store.trimDeliveries(tx, webhookId, webhookDeliveries)
        if (used !== undefined) await store.touchWebhook(tx, webhookId, used.at)
      })
    } catch (error) {
      // The webhook was deleted meanwhile, and its log with it.
      if (!(error instanceof ReferenceViolation)) report(error)
    }
  }

  async function writeAll(): Promise<void> {
    const batch = waiting
    waiting = new Map()
    await Promise.all([...batch].map(([webhookId, deliveries]) => write(webhookId, deliveries)))
  }

  function flush(): Promise<void> {
    writing = writing.then(writeAll)
    return writing
  }

  const turns = every(timers, flushMs, flush)

  return {
    record(webhookId, delivery) {
      const deliveries = waiting.get(webhookId) ?? []
      waiting.set(webhookId, deliveries)
      deliveries.push({ ...delivery, id: ids(), at: clock() })
      if (deliveries.length > webhookDeliveries) deliveries.shift()
    },
    flush,
    async close() {
      turns.cancel()
      await flush()
    },
  }
}
