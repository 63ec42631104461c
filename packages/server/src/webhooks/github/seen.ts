import { githubDeliverySeconds } from '@gatehouse/protocol/limits'
import { BusUnavailable, type Transient } from '../../bus/bus.ts'

/** Which deliveries of GitHub have come already: it sends one again where an answer was lost (D48). */
export interface Seen {
  /** True the first time. Where nobody remembers, twice is better than never. */
  first(webhookId: string, delivery: string | undefined): Promise<boolean>
  /** It came to nothing: the next time is the first again. */
  forget(webhookId: string, delivery: string | undefined): Promise<void>
}

const shape = /^[A-Za-z0-9_-]{1,100}$/

export function createSeen(transient: Transient): Seen {
  function keyOf(webhookId: string, delivery: string | undefined): string | undefined {
    return delivery !== undefined && shape.test(delivery) ? `github.${webhookId}.${delivery}` : undefined
  }

  async function orElse<T>(work: Promise<T>, fallback: T): Promise<T> {
    try {
      return await work
    } catch (error) {
      if (error instanceof BusUnavailable) return fallback
      throw error
    }
  }

  return {
    async first(webhookId, delivery) {
      const key = keyOf(webhookId, delivery)
      return key === undefined || orElse(transient.create(key, '', githubDeliverySeconds * 1000), true)
    },
    async forget(webhookId, delivery) {
      const key = keyOf(webhookId, delivery)
      if (key !== undefined) await orElse(transient.delete(key), false)
    },
  }
}
