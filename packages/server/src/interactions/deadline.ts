// The two deadlines of an interaction: that of its first response, and that of its token, the end of the follow-up
// window. All times are in milliseconds. In the millisecond of a deadline it has passed. Statements in SQL compare the
// columns `deadline_at` and `expires_at` in the same way with the time that they get: `<= now` has passed, `> now` has
// not.
import { firstResponseMs, interactionTokenSeconds } from '@gatehouse/protocol/limits'

const tokenMs = interactionTokenSeconds * 1000

export interface Deadlines {
  /** When the first response must have arrived. */
  deadlineAt: number
  /** When the token expires. */
  expiresAt: number
}

export function deadlinesOf(createdAt: number): Deadlines {
  return { deadlineAt: createdAt + firstResponseMs, expiresAt: createdAt + tokenMs }
}

/** Whether a first response is too late (bots/deadline). */
export function isOverdue({ deadlineAt }: Pick<Deadlines, 'deadlineAt'>, now: number): boolean {
  return now >= deadlineAt
}

/** How long the bot may still respond. Not above 0 if the interaction is overdue. */
export function msToRespond({ deadlineAt }: Pick<Deadlines, 'deadlineAt'>, now: number): number {
  return deadlineAt - now
}

/**
 * Whether follow-ups, edits and deletions are too late, and the modal of the interaction cannot be submitted
 * (bots/token-lifetime).
 */
export function isTokenExpired({ expiresAt }: Pick<Deadlines, 'expiresAt'>, now: number): boolean {
  return now >= expiresAt
}

/** The tokens of the interactions that were created at this time or before have expired. */
export function newestExpired(now: number): number {
  return now - tokenMs
}
