import { githubDeliverySeconds } from '@gatehouse/protocol/limits'
import { BusUnavailable, type KeyValueStore } from '../../bus/bus.ts'

export type DuplicateFilter = ReturnType<typeof createDuplicateFilter>

const deliveryIdPattern = /^[A-Za-z0-9_-]{1,100}$/

/**
 * Remembers values of X-GitHub-Delivery for 15 minutes, because GitHub may send an event again (webhooks/github). If
 * the cluster is unreachable, duplicates are posted: losing an event would be worse.
 */
export function createDuplicateFilter(kv: KeyValueStore) {
  function toKey(webhookId: string, deliveryId: string | undefined): string | undefined {
    return deliveryId !== undefined && deliveryIdPattern.test(deliveryId)
      ? `github.${webhookId}.${deliveryId}`
      : undefined
  }

  async function withFallback<T>(operation: Promise<T>, fallback: T): Promise<T> {
    try {
      return await operation
    } catch (error) {
      if (error instanceof BusUnavailable) return fallback
      throw error
    }
  }

  return {
    /** Returns false if the id was claimed before. Always true for a missing or malformed id. */
    async claim(webhookId: string, deliveryId: string | undefined): Promise<boolean> {
      const key = toKey(webhookId, deliveryId)
      return key === undefined || withFallback(kv.create(key, '', githubDeliverySeconds * 1000), true)
    },
    /** Call this if the message was not created, so that GitHub can send the event again. */
    async release(webhookId: string, deliveryId: string | undefined): Promise<void> {
      const key = toKey(webhookId, deliveryId)
      if (key !== undefined) await withFallback(kv.delete(key), false)
    },
  }
}
