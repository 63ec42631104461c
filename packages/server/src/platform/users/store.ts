import { list, type Sql } from '../../storage/database.ts'
import type { UserRecord } from './user.ts'

interface UserRow {
  id: string
  username: string
  display_name: string
  email: string | null
  email_verified: number
  avatar: string | null
  bot: number
  created_at: number
}

function toUser(row: UserRow): UserRecord {
  return {
    id: row.id,
    username: row.username,
    displayName: row.display_name,
    email: row.email,
    emailVerified: row.email_verified === 1,
    avatar: row.avatar,
    bot: row.bot === 1,
    createdAt: row.created_at,
  }
}

export async function findUser(sql: Sql, id: string): Promise<UserRecord | undefined> {
  const row = await sql.get<UserRow>`
    SELECT id, username, display_name, email, email_verified, avatar, bot, created_at
    FROM users WHERE id = ${id}`
  return row && toUser(row)
}

/** By id; those that do not exist are left out. */
export async function findUsers(sql: Sql, ids: readonly string[]): Promise<Map<string, UserRecord>> {
  if (ids.length === 0) return new Map()
  const rows = await sql.all<UserRow>`
    SELECT id, username, display_name, email, email_verified, avatar, bot, created_at
    FROM users WHERE id IN ${list(ids)}`
  return new Map(rows.map(row => [row.id, toUser(row)]))
}

/** What somebody signs in with: the record and the stored password. */
export interface Credentials {
  user: UserRecord
  passwordHash: string
}

function toCredentials(row: UserRow & { password_hash: string | null }): Credentials | undefined {
  return row.password_hash === null ? undefined : { user: toUser(row), passwordHash: row.password_hash }
}

export async function credentialsByUsername(sql: Sql, username: string): Promise<Credentials | undefined> {
  const row = await sql.get<UserRow & { password_hash: string | null }>`
    SELECT id, username, display_name, email, email_verified, avatar, bot, created_at, password_hash
    FROM users WHERE username = ${username}`
  return row && toCredentials(row)
}

export async function credentialsByEmail(sql: Sql, key: string): Promise<Credentials | undefined> {
  const row = await sql.get<UserRow & { password_hash: string | null }>`
    SELECT id, username, display_name, email, email_verified, avatar, bot, created_at, password_hash
    FROM users WHERE email_key = ${key}`
  return row && toCredentials(row)
}

export async function credentialsById(sql: Sql, id: string): Promise<Credentials | undefined> {
  const row = await sql.get<UserRow & { password_hash: string | null }>`
    SELECT id, username, display_name, email, email_verified, avatar, bot, created_at, password_hash
    FROM users WHERE id = ${id}`
  return row && toCredentials(row)
}

/** Throws UniqueViolation where username or address is taken. */
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

/** Which of the two is somebody else's already: for a quick answer, the unique indexes decide. */
export async function takenNames(
  sql: Sql,
  { username, emailKey, exceptId }: { username: string; emailKey: string; exceptId: string },
): Promise<{ username: boolean; email: boolean }> {
  const rows = await sql.all<{ username: string; email_key: string | null }>`
    SELECT username, email_key FROM users WHERE username = ${username} AND id <> ${exceptId}
    UNION ALL
    SELECT username, email_key FROM users WHERE email_key = ${emailKey} AND id <> ${exceptId}`
  return {
    username: rows.some(row => row.username === username),
    email: rows.some(row => row.email_key === emailKey),
  }
}

export async function setUsername(sql: Sql, id: string, username: string): Promise<void> {
  await sql.run`UPDATE users SET username = ${username} WHERE id = ${id}`
}

export async function setDisplayName(sql: Sql, id: string, displayName: string): Promise<void> {
  await sql.run`UPDATE users SET display_name = ${displayName} WHERE id = ${id}`
}

/** The new address is not confirmed. */
export async function setEmail(sql: Sql, id: string, email: string, key: string): Promise<void> {
  await sql.run`UPDATE users SET email = ${email}, email_key = ${key}, email_verified = 0 WHERE id = ${id}`
}

/** True where the address was still this one. */
export async function confirmEmail(sql: Sql, id: string, key: string): Promise<boolean> {
  const changed = await sql.run`UPDATE users SET email_verified = 1 WHERE id = ${id} AND email_key = ${key}`
  return changed > 0
}

/** Others that hold the same user wait until the transaction ends. */
export async function holdUser(sql: Sql, id: string): Promise<void> {
  await sql.run`UPDATE users SET created_at = created_at WHERE id = ${id}`
}

export async function setPasswordHash(sql: Sql, id: string, passwordHash: string): Promise<void> {
  await sql.run`UPDATE users SET password_hash = ${passwordHash} WHERE id = ${id}`
}

/** True where the password was still the one with `before`. */
export async function replacePasswordHash(
  sql: Sql,
  id: string,
  { before, after }: { before: string; after: string },
): Promise<boolean> {
  const changed = await sql.run`
    UPDATE users SET password_hash = ${after} WHERE id = ${id} AND password_hash = ${before}`
  return changed > 0
}

export async function setAvatar(sql: Sql, id: string, hash: string | null): Promise<void> {
  await sql.run`UPDATE users SET avatar = ${hash} WHERE id = ${id}`
}

/** The row stays for the messages; the name becomes free. */
export async function eraseBot(
  sql: Sql,
  id: string,
  { username, displayName, now }: { username: string; displayName: string; now: number },
): Promise<boolean> {
  const changed = await sql.run`
    UPDATE users SET username = ${username}, display_name = ${displayName}, avatar = NULL, deleted_at = ${now}
    WHERE id = ${id} AND bot = 1 AND deleted_at IS NULL`
  return changed > 0
}

export type MailPurpose = 'verify' | 'reset'

/** What a link in a mail stands for. */
export interface MailToken {
  userId: string
  /** The address it was sent to, in the form of `emailKey`. */
  emailKey: string
}

export async function insertMailToken(
  sql: Sql,
  token: MailToken & { tokenHash: string; purpose: MailPurpose; expiresAt: number },
): Promise<void> {
  await sql.run`
    INSERT INTO mail_tokens (token_hash, user_id, purpose, email_key, expires_at)
    VALUES (${token.tokenHash}, ${token.userId}, ${token.purpose}, ${token.emailKey}, ${token.expiresAt})`
}

/** Whether it holds at the moment: for a page, or before costly work. */
export async function findMailToken(
  sql: Sql,
  tokenHash: string,
  purpose: MailPurpose,
  now: number,
): Promise<MailToken | undefined> {
  const row = await sql.get<{ user_id: string; email_key: string }>`
    SELECT user_id, email_key FROM mail_tokens
    WHERE token_hash = ${tokenHash} AND purpose = ${purpose} AND expires_at > ${now}`
  return row && { userId: row.user_id, emailKey: row.email_key }
}

/** Consumes it: of several at once one gets it. */
export async function takeMailToken(
  sql: Sql,
  tokenHash: string,
  purpose: MailPurpose,
  now: number,
): Promise<MailToken | undefined> {
  const row = await sql.get<{ user_id: string; email_key: string }>`
    DELETE FROM mail_tokens
    WHERE token_hash = ${tokenHash} AND purpose = ${purpose} AND expires_at > ${now}
    RETURNING user_id, email_key`
  return row && { userId: row.user_id, emailKey: row.email_key }
}

export async function deleteMailTokens(sql: Sql, userId: string): Promise<void> {
  await sql.run`DELETE FROM mail_tokens WHERE user_id = ${userId}`
}

export async function deleteMailTokensFor(sql: Sql, userId: string, purpose: MailPurpose): Promise<void> {
  await sql.run`DELETE FROM mail_tokens WHERE user_id = ${userId} AND purpose = ${purpose}`
}

export async function deleteExpiredMailTokens(sql: Sql, now: number, limit: number): Promise<number> {
  return sql.run`
    DELETE FROM mail_tokens
    WHERE token_hash IN
      (SELECT token_hash FROM mail_tokens WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${limit})`
}
