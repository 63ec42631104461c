import type { SelfUser, User } from '@gatehouse/protocol/users'
import type { DomainEventPublisher } from '../../events/domain-events.ts'
import type { Events } from '../../events/gateway-events.ts'
import { LocalizedError } from '../../i18n/localized-error.ts'
import { imagePath } from '../../images/index.ts'
import type { Sql, Transaction } from '../../storage/database.ts'
import { type Credentials, findCredentialsById, findUser, type UserRecord } from './user-store.ts'

/** What the representations contain. */
export type UserProfile = Omit<UserRecord, 'administrator' | 'disabledAt'>

/** The public representation. */
export function userView({
  id,
  username,
  displayName,
  avatar,
  bot,
}: Pick<UserRecord, 'id' | 'username' | 'displayName' | 'avatar' | 'bot'>): User {
  return { id, username, displayName, avatar: imagePath('users', id, avatar), bot }
}

/** The representation for the user itself. A bot has neither an email address nor settings. */
export function selfView(
  record: UserProfile & { administrator?: boolean },
  { email = true, settings = true }: { email?: boolean; settings?: boolean } = {},
): SelfUser {
  if (record.bot) return userView(record)
  const { emailVerified, directMessages, administrator } = record
  return {
    ...userView(record),
    ...(email && record.email !== null ? { email: record.email, emailVerified } : {}),
    ...(settings ? { directMessages, ...(administrator ? { administrator } : {}) } : {}),
  }
}

/** Two email addresses with the same key belong to one account: case and Unicode composition do not matter. */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase()
}

/** The key of a login for rate limits. A username has no `@`. */
export function loginKey(login: string): string {
  return login.includes('@') ? emailKey(login) : login.toLowerCase()
}

/**
 * Publishes USER_UPDATE to the user, and `ProfileChanged` if the change is visible to others. Publishes nothing if both
 * records are equal.
 */
export async function publishUserUpdate(
  tx: Transaction,
  { events, domainEvents }: { events: Events; domainEvents: DomainEventPublisher },
  before: UserRecord,
  after: UserRecord,
): Promise<void> {
  const d = selfView(after)
  if (JSON.stringify(d) === JSON.stringify(selfView(before))) return
  tx.afterCommit(() => events.toUser(after.id, { t: 'USER_UPDATE', d }))
  const { username, displayName, avatar } = before
  if (username === after.username && displayName === after.displayName && avatar === after.avatar) return
  await domainEvents.publish(tx, 'ProfileChanged', { user: userView(after) })
}

/** Throws `unauthenticated` if the account was deleted while the request was processed. */
export async function requireUser(sql: Sql, id: string): Promise<UserRecord> {
  return (await findUser(sql, id)) ?? rejectDeleted()
}

/** Throws like `requireUser`. */
export async function requireCredentials(sql: Sql, id: string): Promise<Credentials> {
  return (await findCredentialsById(sql, id)) ?? rejectDeleted()
}

/** Throws `account_disabled`. Only after the right password, passkey or mail token (administration/disable). */
export function rejectDisabled({ disabledAt }: UserRecord): void {
  if (disabledAt !== null) throw new LocalizedError('account_disabled', 'error.account_disabled')
}

function rejectDeleted(): never {
  throw new LocalizedError('unauthenticated', 'error.accountNotFound')
}
