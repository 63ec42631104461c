import type { DirectMessageSetting } from '@gatehouse/protocol/users'
import { fragment, list, type Sql } from '../../storage/database.ts'

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
  /** Who may write to the user first (community/direct-message-acceptance). */
  directMessages: DirectMessageSetting
  createdAt: number
  administrator: boolean
  /** Null unless the user is disabled (administration/disable). */
  disabledAt: number | null
}

interface Flags {
  emailVerified: number
  bot: number
  administrator: number
}

type UserRow = Omit<UserRecord, keyof Flags> & Flags

function toUser(row: UserRow): UserRecord {
  const { emailVerified, bot, administrator } = row
  return { ...row, emailVerified: emailVerified === 1, bot: bot === 1, administrator: administrator === 1 }
}

const columns = fragment`
  id, username, display_name, email, email_verified, avatar, bot, direct_messages, created_at, administrator,
  disabled_at`

export async function findUser(sql: Sql, id: string): Promise<UserRecord | undefined> {
  const row = await sql.get<UserRow>`
    SELECT ${columns} FROM users WHERE id = ${id}`
  return row && toUser(row)
}

/** Whether there is a user or bot. */
export async function hasUsers(sql: Sql): Promise<boolean> {
  return (await sql.get`SELECT id FROM users WHERE id > '' ORDER BY id LIMIT 1`) !== undefined
}

/** By id. Unknown ids are not in the map. */
export async function findUsers(sql: Sql, ids: readonly string[]): Promise<Map<string, UserRecord>> {
  if (ids.length === 0) return new Map()
  const rows = await sql.all<UserRow>`
    SELECT ${columns} FROM users WHERE id IN ${list(ids)}`
  return new Map(rows.map(row => [row.id, toUser(row)]))
}

export interface Credentials {
  user: UserRecord
  passwordHash: string
}

type CredentialsRow = UserRow & { passwordHash: string | null }

/** Undefined for a bot, which has no password. */
function toCredentials(row: CredentialsRow | undefined): Credentials | undefined {
  if (row === undefined) return undefined
  const { passwordHash, ...user } = row
  return passwordHash === null ? undefined : { user: toUser(user), passwordHash }
}

export async function findCredentialsByUsername(
  sql: Sql,
  username: string,
): Promise<Credentials | undefined> {
  return toCredentials(
    await sql.get<CredentialsRow>`
      SELECT ${columns}, password_hash FROM users WHERE username = ${username}`,
  )
}

export async function findCredentialsByEmail(sql: Sql, emailKey: string): Promise<Credentials | undefined> {
  return toCredentials(
    await sql.get<CredentialsRow>`
      SELECT ${columns}, password_hash FROM users WHERE email_key = ${emailKey}`,
  )
}

export async function findCredentialsById(sql: Sql, id: string): Promise<Credentials | undefined> {
  return toCredentials(
    await sql.get<CredentialsRow>`
      SELECT ${columns}, password_hash FROM users WHERE id = ${id}`,
  )
}

/** Throws `UniqueViolation` if the username or the email address is taken. */
export async function insertUser(
  sql: Sql,
  user: UserRecord,
  { emailKey, passwordHash }: { emailKey: string | null; passwordHash: string | null },
): Promise<void> {
  const { id, username, displayName, email, createdAt } = user
  await sql.run`
    INSERT INTO users
      (id, username, display_name, email, email_key, email_verified, password_hash, bot, created_at)
    VALUES
      (${id}, ${username}, ${displayName}, ${email}, ${emailKey}, ${user.emailVerified ? 1 : 0}, ${passwordHash},
       ${user.bot ? 1 : 0}, ${createdAt})`
}

/** Whether another account has the username or the email address, or had the username until recently. */
export async function findTakenFields(
  sql: Sql,
  {
    username,
    emailKey,
    exceptId,
    now,
  }: { username: string; emailKey: string; exceptId: string; now: number },
): Promise<{ username: boolean; email: boolean }> {
  const rows = await sql.all<{ username: string; emailKey: string | null }>`
    SELECT username, email_key FROM users WHERE username = ${username} AND id <> ${exceptId}
    UNION ALL
    SELECT username, email_key FROM users WHERE email_key = ${emailKey} AND id <> ${exceptId}
    UNION ALL
    SELECT username, NULL FROM former_usernames
    WHERE username = ${username} AND user_id <> ${exceptId} AND expires_at > ${now}`
  return {
    username: rows.some(row => row.username === username),
    email: rows.some(row => row.emailKey === emailKey),
  }
}

export async function setDisplayName(sql: Sql, id: string, displayName: string): Promise<void> {
  await sql.run`UPDATE users SET display_name = ${displayName} WHERE id = ${id}`
}

export async function setDirectMessages(sql: Sql, id: string, setting: DirectMessageSetting): Promise<void> {
  await sql.run`UPDATE users SET direct_messages = ${setting} WHERE id = ${id}`
}

/** Throws `UniqueViolation` if another account has the username. */
export async function setUsername(sql: Sql, id: string, username: string): Promise<void> {
  await sql.run`UPDATE users SET username = ${username} WHERE id = ${id}`
}

/** Replaces an entry of another user, which has expired. */
export async function putFormerUsername(
  sql: Sql,
  { username, userId, expiresAt }: { username: string; userId: string; expiresAt: number },
): Promise<void> {
  await sql.run`
    INSERT INTO former_usernames (username, user_id, expires_at) VALUES (${username}, ${userId}, ${expiresAt})
    ON CONFLICT (username) DO UPDATE SET user_id = excluded.user_id, expires_at = excluded.expires_at`
}

export async function deleteFormerUsername(sql: Sql, username: string): Promise<void> {
  await sql.run`DELETE FROM former_usernames WHERE username = ${username}`
}

export async function countFormerUsernames(sql: Sql, userId: string, now: number): Promise<number> {
  const row = await sql.get<{ n: number }>`
    SELECT COUNT(*) AS n FROM former_usernames WHERE user_id = ${userId} AND expires_at > ${now}`
  return row?.n ?? 0
}

/** The outer condition retains a username that is given up again while the statement runs. */
export function deleteExpiredFormerUsernames(sql: Sql, now: number, limit: number): Promise<number> {
  return sql.run`
    DELETE FROM former_usernames WHERE username IN
      (SELECT username FROM former_usernames WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${limit})
      AND expires_at <= ${now}`
}

/** The new email address is verified. Throws `UniqueViolation` if another account has it. */
export async function setEmail(sql: Sql, id: string, email: string, emailKey: string): Promise<void> {
  await sql.run`UPDATE users SET email = ${email}, email_key = ${emailKey}, email_verified = 1 WHERE id = ${id}`
}

/** Returns false if the user has another email address now. */
export async function verifyEmail(sql: Sql, id: string, emailKey: string): Promise<boolean> {
  const changed = await sql.run`
    UPDATE users SET email_verified = 1 WHERE id = ${id} AND email_key = ${emailKey}`
  return changed > 0
}

/** Locks the user row until the transaction ends. SQLite has no `SELECT … FOR UPDATE`, so this is an UPDATE. */
export async function lockUserRow(sql: Sql, id: string): Promise<void> {
  await sql.run`UPDATE users SET created_at = created_at WHERE id = ${id}`
}

export async function setPasswordHash(sql: Sql, id: string, passwordHash: string): Promise<void> {
  await sql.run`UPDATE users SET password_hash = ${passwordHash} WHERE id = ${id}`
}

/** Returns false if the stored hash is not `before`. */
export async function replacePasswordHash(
  sql: Sql,
  id: string,
  { before, after }: { before: string; after: string },
): Promise<boolean> {
  const changed = await sql.run`
    UPDATE users SET password_hash = ${after} WHERE id = ${id} AND password_hash = ${before}`
  return changed > 0
}

/** A user who is already disabled keeps the time. Returns false if nothing changed. */
export async function setDisabled(sql: Sql, id: string, disabledAt: number | null): Promise<boolean> {
  const changed =
    disabledAt === null
      ? await sql.run`UPDATE users SET disabled_at = NULL WHERE id = ${id} AND disabled_at IS NOT NULL`
      : await sql.run`UPDATE users SET disabled_at = ${disabledAt} WHERE id = ${id} AND disabled_at IS NULL`
  return changed === 1
}

/** Returns false if nothing changed. */
export async function setAdministrator(sql: Sql, id: string, administrator: boolean): Promise<boolean> {
  const value = administrator ? 1 : 0
  const changed = await sql.run`
    UPDATE users SET administrator = ${value} WHERE id = ${id} AND administrator <> ${value}`
  return changed === 1
}

/** Locks the rows of all administrators until the transaction ends. */
export async function lockAdministrators(sql: Sql): Promise<void> {
  await sql.run`UPDATE users SET created_at = created_at WHERE administrator = 1`
}

/** Whether there is an administrator who is not disabled. */
export async function hasAdministrator(sql: Sql): Promise<boolean> {
  const row = await sql.get`
    SELECT 1 AS one FROM users WHERE administrator = 1 AND disabled_at IS NULL LIMIT 1`
  return row !== undefined
}

export async function setAvatar(sql: Sql, id: string, hash: string | null): Promise<void> {
  await sql.run`UPDATE users SET avatar = ${hash} WHERE id = ${id}`
}

/** The row remains, because messages refer to it. Returns false if there is no such bot. */
export async function markBotDeleted(
  sql: Sql,
  id: string,
  { username, displayName, now }: { username: string; displayName: string; now: number },
): Promise<boolean> {
  const changed = await sql.run`
    UPDATE users SET username = ${username}, display_name = ${displayName}, avatar = NULL, deleted_at = ${now}
    WHERE id = ${id} AND bot = 1 AND deleted_at IS NULL`
  return changed > 0
}

/** `verify` is for the address of the user, `change` for a new one. */
export type MailTokenPurpose = 'verify' | 'change' | 'reset'

export interface MailToken {
  userId: string
  /** The `emailKey` of the address that received the token. */
  emailKey: string
  /** The new address, as entered. Only with the purpose `change`. */
  newEmail: string | null
}

export async function insertMailToken(
  sql: Sql,
  token: MailToken & { tokenHash: string; purpose: MailTokenPurpose; expiresAt: number },
): Promise<void> {
  await sql.run`
    INSERT INTO mail_tokens (token_hash, user_id, purpose, email_key, new_email, expires_at)
    VALUES (${token.tokenHash}, ${token.userId}, ${token.purpose}, ${token.emailKey}, ${token.newEmail},
      ${token.expiresAt})`
}

/** Undefined if the token is unknown or has expired. Does not consume it. */
export function findMailToken(
  sql: Sql,
  tokenHash: string,
  purposes: readonly MailTokenPurpose[],
  now: number,
): Promise<MailToken | undefined> {
  return sql.get<MailToken>`
    SELECT user_id, email_key, new_email FROM mail_tokens
    WHERE token_hash = ${tokenHash} AND purpose IN ${list(purposes)} AND expires_at > ${now}`
}

/** Deletes the token, so that of concurrent calls exactly one returns it. */
export function consumeMailToken(
  sql: Sql,
  tokenHash: string,
  purposes: readonly MailTokenPurpose[],
  now: number,
): Promise<MailToken | undefined> {
  return sql.get<MailToken>`
    DELETE FROM mail_tokens
    WHERE token_hash = ${tokenHash} AND purpose IN ${list(purposes)} AND expires_at > ${now}
    RETURNING user_id, email_key, new_email`
}

export async function deleteMailTokens(sql: Sql, userId: string): Promise<void> {
  await sql.run`DELETE FROM mail_tokens WHERE user_id = ${userId}`
}

export async function deleteMailTokensFor(sql: Sql, userId: string, ...purposes: MailTokenPurpose[]) {
  await sql.run`DELETE FROM mail_tokens WHERE user_id = ${userId} AND purpose IN ${list(purposes)}`
}

export function deleteExpiredMailTokens(sql: Sql, now: number, limit: number): Promise<number> {
  return sql.run`
    DELETE FROM mail_tokens
    WHERE token_hash IN
      (SELECT token_hash FROM mail_tokens WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${limit})`
}
