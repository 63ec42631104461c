import type { Sql } from '../../storage/database.ts'

/** Times are in milliseconds. */
export interface PasskeyRecord {
  id: string
  userId: string
  /** base64url. */
  credentialId: string
  /** A COSE key. */
  publicKey: Uint8Array
  counter: number
  transports: string[]
  synced: boolean
  name: string
  createdAt: number
  lastUsedAt: number | null
}

type PasskeyRow = Omit<PasskeyRecord, 'transports' | 'synced'> & { transports: string; synced: number }

function toPasskey(row: PasskeyRow): PasskeyRecord {
  return { ...row, transports: JSON.parse(row.transports), synced: row.synced === 1 }
}

/** Throws `UniqueViolation` if the credential is registered already, for any user. */
export async function insertPasskey(sql: Sql, passkey: PasskeyRecord): Promise<void> {
  const { id, userId, credentialId, publicKey, counter, name, createdAt, lastUsedAt } = passkey
  await sql.run`
    INSERT INTO passkeys
      (id, user_id, credential_id, public_key, counter, transports, synced, name, created_at, last_used_at)
    VALUES
      (${id}, ${userId}, ${credentialId}, ${publicKey}, ${counter}, ${JSON.stringify(passkey.transports)},
       ${passkey.synced ? 1 : 0}, ${name}, ${createdAt}, ${lastUsedAt})`
}

/** In the order of creation. */
export async function listPasskeys(sql: Sql, userId: string): Promise<PasskeyRecord[]> {
  const rows = await sql.all<PasskeyRow>`
    SELECT id, user_id, credential_id, public_key, counter, transports, synced, name, created_at, last_used_at
    FROM passkeys WHERE user_id = ${userId} ORDER BY id`
  return rows.map(toPasskey)
}

export async function findPasskeyByCredential(
  sql: Sql,
  credentialId: string,
): Promise<PasskeyRecord | undefined> {
  const row = await sql.get<PasskeyRow>`
    SELECT id, user_id, credential_id, public_key, counter, transports, synced, name, created_at, last_used_at
    FROM passkeys WHERE credential_id = ${credentialId}`
  return row && toPasskey(row)
}

/**
 * Returns false if the passkey was deleted or the signature counter did not increase, which indicates a cloned
 * authenticator (WebAuthn §6.1.1). The counter of an authenticator without one is always 0.
 */
export async function updatePasskeyCounter(
  sql: Sql,
  id: string,
  counter: number,
  now: number,
): Promise<boolean> {
  const changed = await sql.run`
    UPDATE passkeys SET counter = ${counter}, last_used_at = ${now}
    WHERE id = ${id} AND (counter < ${counter} OR (counter = 0 AND CAST(${counter} AS BIGINT) = 0))`
  return changed > 0
}

export async function deletePasskey(sql: Sql, id: string, userId: string): Promise<boolean> {
  return (await sql.run`DELETE FROM passkeys WHERE id = ${id} AND user_id = ${userId}`) > 0
}

/** The second factors of a user. */
export interface FactorCounts {
  passkeys: number
  /** Whether an authenticator app is set up and confirmed. */
  totp: boolean
  recoveryCodes: number
}

export async function countFactors(sql: Sql, userId: string): Promise<FactorCounts> {
  const row = await sql.get<{ passkeys: number; apps: number; codes: number }>`
    SELECT
      (SELECT COUNT(*) FROM passkeys WHERE user_id = ${userId}) AS passkeys,
      (SELECT COUNT(*) FROM authenticator_apps WHERE user_id = ${userId} AND confirmed_at IS NOT NULL) AS apps,
      (SELECT COUNT(*) FROM recovery_codes WHERE user_id = ${userId}) AS codes`
  return { passkeys: row?.passkeys ?? 0, totp: (row?.apps ?? 0) > 0, recoveryCodes: row?.codes ?? 0 }
}

export interface TotpRecord {
  /** The secret, sealed with `sealContext`. */
  sealed: string
  createdAt: number
  confirmed: boolean
  /** The session that created the secret. */
  sessionId: string
}

export async function findTotp(sql: Sql, userId: string): Promise<TotpRecord | undefined> {
  const row = await sql.get<
    Pick<TotpRecord, 'createdAt' | 'sessionId'> & { secretSealed: string; confirmedAt: number | null }
  >`
    SELECT secret_sealed, created_at, confirmed_at, session_id FROM authenticator_apps WHERE user_id = ${userId}`
  if (!row) return undefined
  const { secretSealed: sealed, confirmedAt, ...rest } = row
  return { ...rest, sealed, confirmed: confirmedAt !== null }
}

/** Replaces a secret that was not confirmed. Returns false if a confirmed one exists. */
export async function upsertPendingTotp(
  sql: Sql,
  userId: string,
  { sealed, sessionId }: { sealed: string; sessionId: string },
  now: number,
): Promise<boolean> {
  const changed = await sql.run`
    INSERT INTO authenticator_apps (user_id, secret_sealed, created_at, confirmed_at, last_step, session_id)
    VALUES (${userId}, ${sealed}, ${now}, NULL, 0, ${sessionId})
    ON CONFLICT (user_id) DO UPDATE SET secret_sealed = excluded.secret_sealed, created_at = excluded.created_at,
      session_id = excluded.session_id
      WHERE authenticator_apps.confirmed_at IS NULL`
  return changed > 0
}

/** Returns false if another request confirmed or replaced this secret first. */
export async function confirmTotp(
  sql: Sql,
  userId: string,
  { sealed, step, now }: { sealed: string; step: number; now: number },
): Promise<boolean> {
  const changed = await sql.run`
    UPDATE authenticator_apps SET confirmed_at = ${now}, last_step = ${step}
    WHERE user_id = ${userId} AND secret_sealed = ${sealed} AND confirmed_at IS NULL`
  return changed > 0
}

/** Returns false if a code of this time step or of a later one was used before. */
export async function consumeTotpStep(
  sql: Sql,
  userId: string,
  { sealed, step }: { sealed: string; step: number },
): Promise<boolean> {
  const changed = await sql.run`
    UPDATE authenticator_apps SET last_step = ${step}
    WHERE user_id = ${userId} AND secret_sealed = ${sealed} AND confirmed_at IS NOT NULL AND last_step < ${step}`
  return changed > 0
}

/** Returns false if no confirmed secret exists. */
export async function deleteTotp(sql: Sql, userId: string): Promise<boolean> {
  const changed = await sql.run`
    DELETE FROM authenticator_apps WHERE user_id = ${userId} AND confirmed_at IS NOT NULL`
  return changed > 0
}

export async function replaceRecoveryCodes(sql: Sql, userId: string, hashes: readonly string[]) {
  await deleteRecoveryCodes(sql, userId)
  for (const hash of hashes) {
    await sql.run`INSERT INTO recovery_codes (user_id, hash) VALUES (${userId}, ${hash})`
  }
}

/** Returns false if the code is unknown or was used before. */
export async function consumeRecoveryCode(sql: Sql, userId: string, hash: string): Promise<boolean> {
  return (await sql.run`DELETE FROM recovery_codes WHERE user_id = ${userId} AND hash = ${hash}`) > 0
}

export async function deleteRecoveryCodes(sql: Sql, userId: string): Promise<void> {
  await sql.run`DELETE FROM recovery_codes WHERE user_id = ${userId}`
}

/** Deletes every second factor of the user. Returns false if there was none. */
export async function deleteAllFactors(sql: Sql, userId: string): Promise<boolean> {
  const passkeys = await sql.run`DELETE FROM passkeys WHERE user_id = ${userId}`
  const apps = await sql.run`DELETE FROM authenticator_apps WHERE user_id = ${userId}`
  const codes = await sql.run`DELETE FROM recovery_codes WHERE user_id = ${userId}`
  return passkeys + apps + codes > 0
}

/** A login that waits for the second factor. The hashes are results of `hashSecret`. */
export interface MfaTicketRecord {
  ticketHash: string
  userId: string
  browserHash: string
  expiresAt: number
}

export async function insertMfaTicket(sql: Sql, ticket: MfaTicketRecord): Promise<void> {
  await sql.run`
    INSERT INTO mfa_tickets (ticket_hash, user_id, browser_hash, expires_at)
    VALUES (${ticket.ticketHash}, ${ticket.userId}, ${ticket.browserHash}, ${ticket.expiresAt})`
}

/** Returns the user id. Undefined for another browser and for an expired ticket. */
export async function findMfaTicket(
  sql: Sql,
  ticketHash: string,
  browserHash: string,
  now: number,
): Promise<string | undefined> {
  const row = await sql.get<{ userId: string }>`
    SELECT user_id FROM mfa_tickets
    WHERE ticket_hash = ${ticketHash} AND browser_hash = ${browserHash} AND expires_at > ${now}`
  return row?.userId
}

/** Deletes the ticket. Returns false if it is expired or another request consumed it first. */
export async function consumeMfaTicket(sql: Sql, ticketHash: string, now: number): Promise<boolean> {
  const deleted = await sql.run`
    DELETE FROM mfa_tickets WHERE ticket_hash = ${ticketHash} AND expires_at > ${now}`
  return deleted > 0
}

export async function deleteMfaTickets(sql: Sql, userId: string): Promise<void> {
  await sql.run`DELETE FROM mfa_tickets WHERE user_id = ${userId}`
}

/** Returns false if the challenge was used before. */
export async function insertUsedChallenge(sql: Sql, hash: string, expiresAt: number): Promise<boolean> {
  const changed = await sql.run`
    INSERT INTO used_challenges (hash, expires_at) VALUES (${hash}, ${expiresAt}) ON CONFLICT (hash) DO NOTHING`
  return changed > 0
}

export function deleteExpiredMfaTickets(sql: Sql, now: number, limit: number): Promise<number> {
  return sql.run`
    DELETE FROM mfa_tickets WHERE ticket_hash IN
      (SELECT ticket_hash FROM mfa_tickets WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${limit})`
}

export function deleteExpiredChallenges(sql: Sql, now: number, limit: number): Promise<number> {
  return sql.run`
    DELETE FROM used_challenges WHERE hash IN
      (SELECT hash FROM used_challenges WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${limit})`
}

/** The outer conditions retain a secret that is confirmed or replaced while the statement runs. */
export function deletePendingTotp(sql: Sql, createdBefore: number, limit: number): Promise<number> {
  return sql.run`
    DELETE FROM authenticator_apps WHERE user_id IN
      (SELECT user_id FROM authenticator_apps
       WHERE confirmed_at IS NULL AND created_at <= ${createdBefore} ORDER BY created_at LIMIT ${limit})
      AND confirmed_at IS NULL AND created_at <= ${createdBefore}`
}
