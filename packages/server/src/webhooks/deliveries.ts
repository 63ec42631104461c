import { maxWebhookDeliveries } from '@gatehouse/protocol/limits'
import type { WebhookDelivery } from '@gatehouse/protocol/webhooks'
import { runEvery } from '../kit/clock.ts'
import { ReferenceViolation } from '../storage/database.ts'
import type { Deps } from './webhook-deps.ts'
import * as store from './webhook-store.ts'
import { requireManagedWebhook, type WebhookIds } from './webhooks.ts'

const flushMs = 1000

export type Deliveries = ReturnType<typeof createDeliveries>

/** The log of the last deliveries of each webhook (webhooks/delivery-log), and the time of its last accepted one. */
export function createDeliveries(
  { db, clock, timers, ids }: Deps,
  /** Called if a write fails. Its deliveries are lost; the messages are not affected. */
  onError: (error: unknown) => void,
) {
  let pending = new Map<string, store.DeliveryRecord[]>()
  let lastFlush: Promise<void> = Promise.resolve()

  async function write(webhookId: string, deliveries: readonly store.DeliveryRecord[]): Promise<void> {
    const lastSuccess = deliveries.findLast(({ status }) => status < 300)
    try {
      await db.transaction(async tx => {
        // For speed: all are sent to PostgreSQL in one round trip.
        await Promise.all(deliveries.map(delivery => store.insertDelivery(tx, webhookId, delivery)))
        await store.deleteOldDeliveries(tx, webhookId, maxWebhookDeliveries)
        if (lastSuccess !== undefined) await store.updateLastUsedAt(tx, webhookId, lastSuccess.at)
      })
    } catch (error) {
      // ReferenceViolation: the webhook was deleted, and its log with it.
      if (!(error instanceof ReferenceViolation)) onError(error)
    }
  }

  async function writePending(): Promise<void> {
    const batch = pending
    pending = new Map()
    await Promise.all([...batch].map(([webhookId, deliveries]) => write(webhookId, deliveries)))
  }

  /** Writes the pending deliveries of this node. */
  function flush(): Promise<void> {
    lastFlush = lastFlush.then(writePending)
    return lastFlush
  }

  const interval = runEvery(timers, flushMs, flush)

  return {
    /** Does not wait for the database: `flush` writes the delivery within a second. */
    record(webhookId: string, delivery: Omit<store.DeliveryRecord, 'id' | 'at'>): void {
      const deliveries = pending.get(webhookId) ?? []
      pending.set(webhookId, deliveries)
      deliveries.push({ ...delivery, id: ids(), at: clock() })
      if (deliveries.length > maxWebhookDeliveries) deliveries.shift()
    },

    flush,

    /** Newest first. Requires MANAGE_WEBHOOKS. */
    async list(userId: string, path: WebhookIds): Promise<WebhookDelivery[]> {
      await requireManagedWebhook(db, clock(), userId, path)
      await flush()
      const records = await store.listDeliveries(db, path.id, maxWebhookDeliveries)
      return records.map(record => ({ ...record, at: new Date(record.at).toISOString() }))
    },

    async close(): Promise<void> {
      await interval.close()
      await flush()
    },
  }
}
