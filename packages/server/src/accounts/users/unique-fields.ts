import { formerUsernameSeconds, maxFormerUsernames } from '@gatehouse/protocol/limits'
import { LocalizedError, limitReached } from '../../i18n/localized-error.ts'
import type { Clock } from '../../kit/clock.ts'
import { type Sql, type Transaction, UniqueViolation } from '../../storage/database.ts'
import { emailKey, requireUser } from './user.ts'
import * as store from './user-store.ts'

const keys = { username: 'error.usernameTaken', email: 'error.emailTaken' } as const

/** 409: another account has this username or email address. */
export class FieldTakenError extends LocalizedError {
  readonly field: keyof typeof keys

  constructor(field: keyof typeof keys) {
    super('conflict', keys[field])
    this.field = field
  }
}

/** Turns a violation of a unique index of `users` into a FieldTakenError. */
export async function mapUniqueViolations<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error
    if (error.constraint === 'users_email_key_key') throw new FieldTakenError('email')
    if (error.constraint === 'users_username_key') throw new FieldTakenError('username')
    throw error
  }
}

/**
 * Throws FieldTakenError before the expensive password hash. A concurrent request can take the name after this check:
 * the unique indexes decide. A name that is given up meanwhile is taken before and after the change.
 */
export async function rejectTakenFields(
  sql: Sql,
  clock: Clock,
  { username, email = '' }: { username: string; email?: string | undefined },
  exceptId = '',
): Promise<void> {
  const now = clock()
  const taken = await store.findTakenFields(sql, { username, emailKey: emailKey(email), exceptId, now })
  if (taken.username) throw new FieldTakenError('username')
  if (taken.email) throw new FieldTakenError('email')
}

/**
 * The previous username stays reserved for the user (community/former-usernames). Call `rejectTakenFields` before.
 * Throws `UniqueViolation`, or `limit_reached` if the user has given up too many usernames.
 */
export async function changeUsername(
  tx: Transaction,
  clock: Clock,
  userId: string,
  username: string,
): Promise<void> {
  await store.lockUserRow(tx, userId)
  const before = await requireUser(tx, userId)
  if (before.username === username) return
  await store.setUsername(tx, userId, username)
  await store.deleteFormerUsername(tx, username)
  const expiresAt = clock() + formerUsernameSeconds * 1000
  await store.putFormerUsername(tx, { username: before.username, userId, expiresAt })
  if ((await store.countFormerUsernames(tx, userId, clock())) > maxFormerUsernames) {
    throw limitReached('formerUsernames')
  }
}

const RESERVED_PREFIX = 'deleted.'

/** Throws FieldTakenError for a username that is reserved for deleted bots. */
export function rejectReservedUsername(username: string): void {
  if (username.startsWith(RESERVED_PREFIX)) throw new FieldTakenError('username')
}

export function usernameOfDeleted(id: string): string {
  return RESERVED_PREFIX + id
}
