import type { InteractionUpdate } from '@gatehouse/protocol/interactions'
import type { Events } from '../platform/events.ts'
import { type Standing, toldStanding } from './interaction.ts'
import type { Moved } from './store.ts'

export type Outcome = 'answered' | 'deferred' | 'timed_out' | 'failed'

/** Tells the person of every transition (D61). Call after the commit. */
export interface Progress {
  /** From `pending`: how the first three seconds ended. */
  ended(interaction: Moved, standing: Standing & { state: Outcome }): void
  /** From `deferred`. */
  followed(interaction: Moved, standing: Standing): void
}

interface ProgressDeps {
  events: Pick<Events, 'toUser'>
  observe: (outcome: Outcome) => void
}

export function createProgress({ events, observe }: ProgressDeps): Progress {
  function tell({ id, userId, nonce }: Moved, standing: Standing): void {
    const d: InteractionUpdate = { id, ...toldStanding(standing), ...(nonce === null ? {} : { nonce }) }
    events.toUser(userId, { t: 'INTERACTION_UPDATE', d })
  }
  return {
    ended(interaction, standing) {
      observe(standing.state)
      tell(interaction, standing)
    },
    followed: tell,
  }
}
