import type { InteractionCreate } from '@gatehouse/protocol/interactions'
import { maxWaitingOfApplication, maxWaitingOfUser } from '@gatehouse/protocol/limits'

export type WaitingCounts = ReturnType<typeof createWaitingCounts>

/**
 * How many interactions of a user and of an application wait for a gateway session on this node
 * (bots/interaction-delivery).
 */
export function createWaitingCounts() {
  const counts = new Map<string, number>()

  const limitsOf = ({ applicationId, user }: InteractionCreate) =>
    [
      [user.id, maxWaitingOfUser],
      [applicationId, maxWaitingOfApplication],
    ] as const

  return {
    /** Returns false, and counts nothing, if too many wait. */
    add(event: InteractionCreate): boolean {
      const limits = limitsOf(event)
      if (limits.some(([key, max]) => (counts.get(key) ?? 0) >= max)) return false
      for (const [key] of limits) counts.set(key, (counts.get(key) ?? 0) + 1)
      return true
    },

    remove(event: InteractionCreate): void {
      for (const [key] of limitsOf(event)) {
        const count = (counts.get(key) ?? 0) - 1
        if (count > 0) counts.set(key, count)
        else counts.delete(key)
      }
    },
  }
}
