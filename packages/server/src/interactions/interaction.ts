import type {
  CommandInteraction,
  InteractionReason,
  InteractionState,
} from '@gatehouse/protocol/interactions'
import { firstResponseMs, interactionTokenSeconds } from '@gatehouse/protocol/limits'
import type { MessageInteraction } from '@gatehouse/protocol/messages'
import { AppError, notFound } from '../kit/app-error.ts'
import { hashSecret, isWellFormedSecret, sameSecret, secretPrefixes } from '../kit/secret.ts'
import type { Sql } from '../storage/database.ts'
import { findInteraction, type InteractionRecord } from './store.ts'

export const tokenMs = interactionTokenSeconds * 1000

/** In words for the person who asked, and for the developer's log. */
export const reasons = {
  offline: 'The bot is not connected.',
  unreachable: 'The bot could not be reached.',
  timedOut: `The bot did not answer within ${firstResponseMs / 1000} seconds.`,
  notFollowedUp: `The bot did not follow up within ${interactionTokenSeconds / 60} minutes.`,
  removed: 'The bot was removed from the server.',
  refused: 'The answer that was tried cannot be used.',
} as const

const codes: ReadonlyMap<string, InteractionReason> = new Map([
  [reasons.offline, 'offline'],
  [reasons.unreachable, 'unreachable'],
  [reasons.timedOut, 'no_answer'],
  [reasons.notFollowedUp, 'no_follow_up'],
  [reasons.removed, 'removed'],
])

/** Where an interaction stands. */
export interface Standing {
  state: InteractionState
  reason?: string
}

/** Where it stands, as a program reads it: any other reason is about what the application's endpoint did. */
export function toldStanding(standing: Standing): Standing & { reasonCode?: InteractionReason } {
  const { reason } = standing
  return reason === undefined ? standing : { ...standing, reasonCode: codes.get(reason) ?? 'endpoint_failed' }
}

/** D29: what a deadline changes is derived from it, so that nobody has to be there when it passes. */
export function standingAt(interaction: InteractionRecord, now: number): Standing {
  const { state, reason, deadlineAt, expiresAt } = interaction
  if (state === 'timed_out') return { state, reason: reason ?? reasons.timedOut }
  if (state === 'pending' && now >= deadlineAt) return { state: 'timed_out', reason: reasons.timedOut }
  if (state === 'deferred' && now >= expiresAt) return { state: 'timed_out', reason: reasons.notFollowedUp }
  return reason === null ? { state } : { state, reason }
}

/**
 * The interaction that the bot may respond to: 404 alike for an unknown id, a wrong token, another bot's interaction and
 * a token that holds no more; the hash is made in each case (checks 56, 57).
 */
export async function findForBot(
  sql: Sql,
  bot: { applicationId: string },
  { id, token }: { id: string; token: string },
): Promise<InteractionRecord> {
  const hash = hashSecret(token)
  const wellFormed = isWellFormedSecret(secretPrefixes.interactionToken, token)
  const interaction = await findInteraction(sql, id)
  if (!interaction || !wellFormed || !sameSecret(interaction.tokenHash, hash)) throw notFound()
  if (interaction.applicationId !== bot.applicationId) throw notFound()
  return interaction
}

/** Throws what stands against a first response; returns where nothing does. */
export function refuseSecond(interaction: InteractionRecord | undefined, now: number): void {
  if (!interaction) throw notFound()
  const { state } = interaction
  if (state === 'failed') throw notFound()
  if (state === 'answered' || state === 'deferred') {
    throw new AppError('interaction_already_answered', 'The interaction has its first response already.')
  }
  if (standingAt(interaction, now).state !== 'timed_out') return
  const late = now - interaction.deadlineAt
  throw new AppError(
    'interaction_timed_out',
    `The interaction timed out: answered ${late} ms after the deadline.`,
  )
}

/** Throws what stands against a follow-up, and against reading or changing a response (D59, check 73). */
export function refuseUnlessOpen(interaction: InteractionRecord, now: number): void {
  if (now >= interaction.expiresAt) {
    throw new AppError('interaction_token_expired', "The interaction's token holds for 15 minutes.")
  }
  const { state } = standingAt(interaction, now)
  if (state === 'pending') {
    throw new AppError('interaction_not_answered', 'The interaction has no first response yet.')
  }
  if (state === 'timed_out') throw new AppError('interaction_timed_out', 'The interaction timed out.')
  if (state === 'failed') throw notFound()
}

/** The event as it was sent, without its token. A parse edge: it was written by `invoke`. */
export function eventOf(interaction: InteractionRecord): Pick<CommandInteraction, 'user'> {
  return JSON.parse(interaction.event)
}

/** What a message says of the interaction that it answers (D59). */
export function mentionOf(interaction: InteractionRecord): MessageInteraction {
  const { id, type, name } = interaction
  return { id, type, name, user: eventOf(interaction).user }
}
