import type { SelfUser, User } from '@gatehouse/protocol/users'
import { LocalizedError } from '../../i18n/localized-error.ts'
import type { AppError } from '../../kit/app-error.ts'
import type { Transaction } from '../../storage/database.ts'
import type { DomainEventPublisher } from '../domain-events.ts'
import type { Events } from '../events.ts'
import { imagePath } from '../images/index.ts'

/** A user or a bot, without the password. Times are in milliseconds. */
export interface UserRecord {
  id: string
  username: string
  displayName: string
  /** Null for a bot. */
  email: string | null
  emailVerified: boolean
  /** The hash of the image. Null for the generated avatar. */
  avatar: string | null
  bot: boolean
  createdAt: number
}

/** The public representation. */
export function userView(
  record: Pick<UserRecord, 'id' | 'username' | 'displayName' | 'avatar' | 'bot'>,
): User {
  return {
    id: record.id,
    username: record.username,
    displayName: record.displayName,
    avatar: imagePath('users', record.id, record.avatar),
    bot: record.bot,
  }
}

/** The representation for the user itself. With `email` it includes the email address, which a bot does not have. */
export function selfView(record: UserRecord, { email }: { email: boolean }): SelfUser {
  if (!email || record.email === null) return userView(record)
  return { ...userView(record), email: record.email, emailVerified: record.emailVerified }
}

/** Two email addresses with the same key belong to one account: case and Unicode composition do not matter. */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase()
}

export interface UserEvents {
  events: Pick<Events, 'toUser'>
  domainEvents: DomainEventPublisher
}

/**
 * Publishes USER_UPDATE to the user, and `ProfileChanged` if the change is visible to others. Publishes nothing if both
 * records are equal.
 */
export async function publishUserUpdate(
  tx: Transaction,
  { events, domainEvents }: UserEvents,
  before: UserRecord,
  after: UserRecord,
): Promise<void> {
  const d = selfView(after, { email: true })
  if (JSON.stringify(d) === JSON.stringify(selfView(before, { email: true }))) return
  tx.afterCommit(() => events.toUser(after.id, { t: 'USER_UPDATE', d }))
  const { username, displayName, avatar } = before
  if (username === after.username && displayName === after.displayName && avatar === after.avatar) return
  await domainEvents.publish(tx, 'ProfileChanged', { user: userView(after) })
}

/** 401: the account was deleted while the request was processed. */
export function accountNotFound(): AppError {
  return new LocalizedError('unauthenticated', 'error.accountNotFound')
}
