import type { TranslatedMembers } from '@gatehouse/protocol/component-members'
import type { InteractionReason, InteractionState, InteractionUpdate } from '@gatehouse/protocol/interactions'
import { firstResponseMs, interactionTokenSeconds } from '@gatehouse/protocol/limits'
import type { InteractionType } from '@gatehouse/protocol/messages'
import type { Modal, TextInput } from '@gatehouse/protocol/modals'
import { isOverdue, isTokenExpired } from './deadline.ts'
import type { Deps } from './interaction-deps.ts'
import * as store from './interaction-store.ts'

export interface InternalStatus {
  state: InteractionState
  reason?: store.StatusReason
  /** The modal with which the bot responded, until the token of the interaction expires. */
  modal?: Modal
}

/** What the status of an interaction depends on. */
export type StatusColumns = Pick<
  store.InteractionRecord,
  'state' | 'reason' | 'modal' | 'deadlineAt' | 'expiresAt'
>

/**
 * The status at a time. A passed deadline counts before the timer or a sweep has recorded it. Only the timer or the
 * sweep publishes INTERACTION_UPDATE (bots/interaction-states).
 */
export function statusAt(interaction: StatusColumns, now: number): InternalStatus {
  const { state, reason, modal } = interaction
  if (state === 'pending' && isOverdue(interaction, now)) {
    return { state: 'timed_out', reason: reason ?? { code: 'no_answer' } }
  }
  const isExpired = isTokenExpired(interaction, now)
  if (state === 'deferred' && isExpired) return { state: 'timed_out', reason: { code: 'no_follow_up' } }
  if (modal !== undefined && !isExpired) return { state, modal }
  return reason === undefined ? { state } : { state, reason }
}

const reasonTexts: Readonly<Record<store.StatusReason['code'], string>> = {
  offline: 'The bot is not connected.',
  unreachable: 'The bot could not be reached.',
  endpoint_failed: "The bot's endpoint failed.",
  no_answer: `The bot did not respond within ${firstResponseMs / 1000} seconds.`,
  no_follow_up: `The bot did not follow up within ${interactionTokenSeconds / 60} minutes.`,
  removed: 'The bot was removed from the server.',
}

/** For the log of the developer. */
export function reasonText({ code, detail }: store.StatusReason): string {
  return detail ?? reasonTexts[code]
}

/** Users do not read what is wrong with the bot or its endpoint, only that it did not respond. */
function toPublicReason(code: store.StatusReason['code']): InteractionReason {
  return code === 'offline' || code === 'endpoint_failed' ? 'no_answer' : code
}

/** The status as in `GET /api/interactions/:id` and INTERACTION_UPDATE. */
export function toPublicStatus({
  state,
  reason,
  modal,
}: InternalStatus): Pick<InteractionUpdate, 'state' | 'reason' | 'reasonCode' | 'modal'> {
  if (modal !== undefined) return { state, modal: toPublicModal(modal) }
  if (reason === undefined || (state !== 'failed' && state !== 'timed_out')) return { state }
  const reasonCode = toPublicReason(reason.code)
  return { state, reason: reasonTexts[reasonCode], reasonCode }
}

/** Without what only Discord's API has of it. */
function toPublicModal({ components, ...modal }: Modal): Modal {
  const rows = components.map(
    ({ id: _, isLabel: __, ...row }: Modal['components'][number] & TranslatedMembers) => ({
      ...row,
      components: row.components.map(({ id: ___, ...input }: TextInput & TranslatedMembers) => input),
    }),
  )
  return { ...modal, components: rows }
}

/** A state after `pending`: `outcome` in the metrics. A deferred interaction counts again if the bot is removed. */
type Outcome = Exclude<InteractionState, 'pending'>

export type CountOutcome = (interaction: { type: InteractionType; outcome: Outcome }) => void

export type StatusRecorder = ReturnType<typeof createStatusRecorder>

export function createStatusRecorder(
  { db, clock, events, onError }: Pick<Deps, 'db' | 'clock' | 'events' | 'onError'>,
  countOutcome: CountOutcome,
) {
  /**
   * Publishes INTERACTION_UPDATE (gateway/event-payloads) without counting it: after a transition from `deferred`. Call
   * it after the commit.
   */
  function publishUpdate({ id, userId, nonce }: store.UpdateTarget, status: InternalStatus): void {
    const d: InteractionUpdate = { id, ...toPublicStatus(status), ...(nonce === null ? {} : { nonce }) }
    events.toUser(userId, { t: 'INTERACTION_UPDATE', d })
  }

  /** Publishes INTERACTION_UPDATE and counts it: after a transition from `pending`, and if the bot was removed. */
  function publishAndCountOutcome(
    target: store.UpdateTarget,
    status: InternalStatus & { state: Outcome },
  ): void {
    countOutcome({ type: target.type, outcome: status.state })
    publishUpdate(target, status)
  }

  /** The reason is the one that `GET /api/interactions/:id` returns. */
  function publishTimeout({ reasonCode, ...target }: store.TimedOut): void {
    publishAndCountOutcome(target, { state: 'timed_out', reason: { code: reasonCode } })
  }

  return {
    publishUpdate,
    publishAndCountOutcome,
    publishTimeout,

    /** `cause`: an error of the service, for the log. Returns false if the interaction is not pending any more. */
    async recordFailure(
      id: string,
      { reason, cause }: { reason: store.StatusReason; cause?: unknown },
    ): Promise<boolean> {
      if (cause !== undefined) onError(cause)
      const target = await store.failInteraction(db, id, reason)
      if (target) publishAndCountOutcome(target, { state: 'failed', reason })
      return target !== undefined
    },

    /** For the log. The bot may still respond until the deadline. `cause` as in `recordFailure`. */
    async recordEndpointFailure(
      id: string,
      { reason, cause }: { reason: store.StatusReason; cause?: unknown },
    ): Promise<void> {
      if (cause !== undefined) onError(cause)
      await store.setReason(db, id, reason)
    },

    async recordTimeout(id: string, isOffline: boolean): Promise<void> {
      const target = await store.timeOutInteraction(db, id, clock(), isOffline)
      if (target) publishTimeout(target)
    },
  }
}
