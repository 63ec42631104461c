import type { CallbackName, InteractionLogEntry, InteractionState } from '@gatehouse/protocol/interactions'
import type { InteractionType } from '@gatehouse/protocol/messages'
import type { Sql } from '../storage/database.ts'

/** A message by its id: a stored one, or an ephemeral one, which is elsewhere (D30). */
export interface Place {
  id: string
  ephemeral: boolean
}

/** Times in milliseconds. */
export interface InteractionRecord {
  id: string
  /** SHA-256; empty once the token holds no more (D53). */
  tokenHash: string
  applicationId: string
  channelId: string
  serverId: string | null
  userId: string
  type: InteractionType
  name: string
  nonce: string | null
  /** The message under which the button stands; undefined for a command. */
  pressed: Place | undefined
  /** JSON: as it was sent, without its token. */
  event: string
  delivery: InteractionLogEntry['delivery']
  /** As it was written; what it is by now, `standingAt` says. */
  state: InteractionState
  reason: string | null
  response: CallbackName | null
  respondedAt: number | null
  /** What the first response made or changed. */
  original: Place | undefined
  createdAt: number
  deadlineAt: number
  expiresAt: number
}

interface Row {
  id: string
  token_hash: string
  application_id: string
  channel_id: string
  server_id: string | null
  user_id: string
  type: InteractionType
  name: string
  nonce: string | null
  pressed_id: string | null
  pressed_ephemeral: number
  event: string
  delivery: InteractionLogEntry['delivery']
  state: InteractionState
  reason: string | null
  response: CallbackName | null
  responded_at: number | null
  original_id: string | null
  original_ephemeral: number
  created_at: number
  deadline_at: number
  expires_at: number
}

function place(id: string | null, ephemeral: number): Place | undefined {
  return id === null ? undefined : { id, ephemeral: ephemeral === 1 }
}

function record(row: Row): InteractionRecord {
  return {
    id: row.id,
    tokenHash: row.token_hash,
    applicationId: row.application_id,
    channelId: row.channel_id,
    serverId: row.server_id,
    userId: row.user_id,
    type: row.type,
    name: row.name,
    nonce: row.nonce,
    pressed: place(row.pressed_id, row.pressed_ephemeral),
    event: row.event,
    delivery: row.delivery,
    state: row.state,
    reason: row.reason,
    response: row.response,
    respondedAt: row.responded_at,
    original: place(row.original_id, row.original_ephemeral),
    createdAt: row.created_at,
    deadlineAt: row.deadline_at,
    expiresAt: row.expires_at,
  }
}

/** False where the person has used the nonce in this channel before: of several at once one is kept. */
export async function insertInteraction(sql: Sql, interaction: InteractionRecord): Promise<boolean> {
  const { pressed, original } = interaction
  const rows = await sql.run`
    INSERT INTO interactions (id, token_hash, application_id, channel_id, server_id, user_id, type, name, nonce,
      pressed_id, pressed_ephemeral, event, delivery, state, reason, response, responded_at, original_id,
      original_ephemeral, created_at, deadline_at, expires_at)
    VALUES (${interaction.id}, ${interaction.tokenHash}, ${interaction.applicationId}, ${interaction.channelId},
      ${interaction.serverId}, ${interaction.userId}, ${interaction.type}, ${interaction.name}, ${interaction.nonce},
      ${pressed?.id ?? null}, ${pressed?.ephemeral === true ? 1 : 0}, ${interaction.event}, ${interaction.delivery},
      ${interaction.state}, ${interaction.reason}, ${interaction.response}, ${interaction.respondedAt},
      ${original?.id ?? null}, ${original?.ephemeral === true ? 1 : 0}, ${interaction.createdAt},
      ${interaction.deadlineAt}, ${interaction.expiresAt})
    ON CONFLICT (user_id, channel_id, nonce) WHERE nonce IS NOT NULL DO NOTHING`
  return rows > 0
}

export async function findInteraction(sql: Sql, id: string): Promise<InteractionRecord | undefined> {
  const row = await sql.get<Row>`
    SELECT id, token_hash, application_id, channel_id, server_id, user_id, type, name, nonce, pressed_id,
      pressed_ephemeral, event, delivery, state, reason, response, responded_at, original_id, original_ephemeral,
      created_at, deadline_at, expires_at
    FROM interactions WHERE id = ${id}`
  return row && record(row)
}

export async function findByNonce(
  sql: Sql,
  { userId, channelId, nonce }: { userId: string; channelId: string; nonce: string },
): Promise<InteractionRecord | undefined> {
  const row = await sql.get<Row>`
    SELECT id, token_hash, application_id, channel_id, server_id, user_id, type, name, nonce, pressed_id,
      pressed_ephemeral, event, delivery, state, reason, response, responded_at, original_id, original_ephemeral,
      created_at, deadline_at, expires_at
    FROM interactions
    WHERE user_id = ${userId} AND channel_id = ${channelId} AND nonce = ${nonce} AND nonce IS NOT NULL`
  return row && record(row)
}

/** The last ones of an application, oldest first. */
export async function listInteractions(
  sql: Sql,
  applicationId: string,
  limit: number,
): Promise<InteractionRecord[]> {
  const rows = await sql.all<Row>`
    SELECT id, token_hash, application_id, channel_id, server_id, user_id, type, name, nonce, pressed_id,
      pressed_ephemeral, event, delivery, state, reason, response, responded_at, original_id, original_ephemeral,
      created_at, deadline_at, expires_at
    FROM interactions WHERE application_id = ${applicationId} ORDER BY id DESC LIMIT ${limit}`
  return rows.map(record).reverse()
}

/** Who is to be told of a transition. */
export interface Moved {
  id: string
  userId: string
  nonce: string | null
}

interface MovedRow {
  id: string
  user_id: string
  nonce: string | null
}

function moved(row: MovedRow): Moved {
  return { id: row.id, userId: row.user_id, nonce: row.nonce }
}

interface FirstResponse {
  state: 'answered' | 'deferred'
  response: CallbackName
  original: Place | undefined
  now: number
}

/** The first response (D29): of any number at once, and of the deadline, one wins. */
export async function takeFirst(
  sql: Sql,
  id: string,
  { state, response, original, now }: FirstResponse,
): Promise<boolean> {
  const rows = await sql.run`
    UPDATE interactions SET state = ${state}, response = ${response}, responded_at = ${now},
      original_id = ${original?.id ?? null}, original_ephemeral = ${original?.ephemeral === true ? 1 : 0}
    WHERE id = ${id} AND state = 'pending' AND deadline_at > ${now}`
  return rows === 1
}

export async function setOriginal(sql: Sql, id: string, original: Place): Promise<void> {
  await sql.run`
    UPDATE interactions SET original_id = ${original.id}, original_ephemeral = ${original.ephemeral ? 1 : 0}
    WHERE id = ${id}`
}

/**
 * The placeholder's place is taken (D29): by one of any number at once. Says what stood there; undefined where nothing
 * was deferred, or the token has expired.
 */
export async function takePlaceholder(
  sql: Sql,
  id: string,
  now: number,
): Promise<{ placeholder: Place | undefined } | undefined> {
  const row = await sql.get<{ original_id: string | null; original_ephemeral: number }>`
    UPDATE interactions SET state = 'answered'
    WHERE id = ${id} AND state = 'deferred' AND expires_at > ${now}
    RETURNING original_id, original_ephemeral`
  return row && { placeholder: place(row.original_id, row.original_ephemeral) }
}

/** The first response is to be deleted: nothing is waited for any more. False where it was deleted already. */
export async function clearOriginal(sql: Sql, id: string, messageId: string): Promise<boolean> {
  const rows = await sql.run`
    UPDATE interactions SET original_id = NULL, state = CASE WHEN state = 'deferred' THEN 'answered' ELSE state END
    WHERE id = ${id} AND original_id = ${messageId}`
  return rows === 1
}

/** The deadline has passed; undefined where it was answered, or another did this. */
export async function timeOut(sql: Sql, id: string, now: number): Promise<Moved | undefined> {
  const row = await sql.get<MovedRow>`
    UPDATE interactions SET state = 'timed_out' WHERE id = ${id} AND state = 'pending' AND deadline_at <= ${now}
    RETURNING id, user_id, nonce`
  return row && moved(row)
}

/** Those whose node did not live to see their deadline. */
export async function timeOutAll(sql: Sql, now: number, limit: number): Promise<Moved[]> {
  const rows = await sql.all<MovedRow>`
    UPDATE interactions SET state = 'timed_out'
    WHERE state = 'pending' AND id IN (
      SELECT id FROM interactions WHERE state = 'pending' AND deadline_at <= ${now} LIMIT ${limit})
    RETURNING id, user_id, nonce`
  return rows.map(moved)
}

/** Those that were deferred and never followed up (D60). */
export async function expireDeferred(
  sql: Sql,
  { now, reason, limit }: { now: number; reason: string; limit: number },
): Promise<(Moved & { channelId: string; original: Place | undefined })[]> {
  const rows = await sql.all<
    MovedRow & { channel_id: string; original_id: string | null; original_ephemeral: number }
  >`
    UPDATE interactions SET state = 'timed_out', reason = ${reason}
    WHERE state = 'deferred' AND id IN (
      SELECT id FROM interactions WHERE state = 'deferred' AND expires_at <= ${now} LIMIT ${limit})
    RETURNING id, user_id, nonce, channel_id, original_id, original_ephemeral`
  return rows.map(row => ({
    ...moved(row),
    channelId: row.channel_id,
    original: place(row.original_id, row.original_ephemeral),
  }))
}

/** Nobody took it. Undefined where it is decided otherwise already. */
export async function fail(sql: Sql, id: string, reason: string): Promise<Moved | undefined> {
  const row = await sql.get<MovedRow>`
    UPDATE interactions SET state = 'failed', reason = ${reason},
      delivery = CASE WHEN delivery = 'gateway' THEN 'none' ELSE delivery END
    WHERE id = ${id} AND state = 'pending'
    RETURNING id, user_id, nonce`
  return row && moved(row)
}

/** For the log: a first response that came too late. */
export async function noteLate(
  sql: Sql,
  id: string,
  { response, now }: { response: CallbackName; now: number },
): Promise<void> {
  await sql.run`
    UPDATE interactions SET response = ${response}, responded_at = ${now}
    WHERE id = ${id} AND responded_at IS NULL AND state IN ('pending', 'timed_out') AND deadline_at <= ${now}`
}

/** The bot was removed (D53): what is open there fails, and no token there holds. `since`: an id, none live is below. */
export async function revoke(
  sql: Sql,
  {
    applicationId,
    serverId,
    since,
    reason,
    now,
  }: { applicationId: string; serverId: string; since: string; reason: string; now: number },
): Promise<Moved[]> {
  const rows = await sql.all<MovedRow>`
    UPDATE interactions SET state = 'failed', reason = ${reason}
    WHERE application_id = ${applicationId} AND id >= ${since} AND server_id = ${serverId}
      AND ((state = 'pending' AND deadline_at > ${now}) OR (state = 'deferred' AND expires_at > ${now}))
    RETURNING id, user_id, nonce`
  await sql.run`
    UPDATE interactions SET token_hash = ''
    WHERE application_id = ${applicationId} AND id >= ${since} AND server_id = ${serverId}`
  return rows.map(moved)
}

/** Those below an id, oldest first; the number deleted. */
export async function deleteBelow(sql: Sql, id: string, limit: number): Promise<number> {
  return sql.run`
    DELETE FROM interactions WHERE id IN (
      SELECT id FROM interactions WHERE id < ${id} ORDER BY id LIMIT ${limit})`
}

/** Whose commands and buttons were used between two ids. */
export async function listApplications(
  sql: Sql,
  { from, below }: { from: string; below: string },
): Promise<string[]> {
  const rows = await sql.all<{ application_id: string }>`
    SELECT DISTINCT application_id FROM interactions WHERE id >= ${from} AND id < ${below}`
  return rows.map(row => row.application_id)
}

/** Deletes those of an application below an id and beyond its last `kept`; the number deleted. */
export async function deleteBeyond(
  sql: Sql,
  applicationId: string,
  { kept, below, limit }: { kept: number; below: string; limit: number },
): Promise<number> {
  return sql.run`
    DELETE FROM interactions WHERE id IN (
      SELECT id FROM interactions
      WHERE application_id = ${applicationId} AND id < ${below} AND id <= (
        SELECT id FROM interactions WHERE application_id = ${applicationId} ORDER BY id DESC LIMIT 1 OFFSET ${kept})
      ORDER BY id LIMIT ${limit})`
}
