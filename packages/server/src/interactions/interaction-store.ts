import type { ContextCommandType } from '@gatehouse/protocol/commands'
import type {
  CallbackName,
  InteractionLogEntry,
  InteractionReason,
  InteractionState,
} from '@gatehouse/protocol/interactions'
import type { InteractionType } from '@gatehouse/protocol/messages'
import type { Modal } from '@gatehouse/protocol/modals'
import type { InteractionUser } from '@gatehouse/protocol/users'
import type { UserRecord } from '../accounts/users/index.ts'
import { bytesPerSlice, groupBySize, inSlices } from '../kit/batches.ts'
import { fragment, list, type Sql } from '../storage/database.ts'
import type { DeleteRows } from '../storage/deletion-registry.ts'

/** A message id. Ephemeral messages are not in the database (bots/ephemeral). */
export interface MessageRef {
  id: string
  ephemeral: boolean
}

/** Why an interaction failed or timed out. */
export interface StatusReason {
  code: InteractionReason | 'offline' | 'endpoint_failed'
  /** Only with `endpoint_failed`: a sentence that says what failed. */
  detail?: string
}

/** INTERACTION_CREATE without its token; of an ephemeral message only the id. */
export type StoredEvent = Readonly<Record<string, unknown>> & {
  user: InteractionUser
  /** The type of a command in a menu (bots/context-commands). */
  data?: Readonly<Record<string, unknown>> & { type?: ContextCommandType }
}

/** All times are in milliseconds. */
export interface InteractionRecord {
  id: string
  /** SHA-256; empty after the bot was removed from the server, which revokes the token (bots/bot-removed). */
  tokenHash: string
  applicationId: string
  channelId: string
  serverId: string | null
  userId: string
  type: InteractionType
  /** Of the command; of a component or modal its `customId`. */
  name: string
  nonce: string | null
  /**
   * The message whose component was used, or of a submitted modal, the message whose component opened it.
   * Undefined for a command, and for a modal that a command opened.
   */
  sourceMessage: MessageRef | undefined
  event: StoredEvent
  /**
   * The way that was chosen before the dispatch. `none` if no gateway session accepted it. It does not say that the bot
   * has it.
   */
  delivery: InteractionLogEntry['delivery']
  /** As stored. A deadline that has passed since is not included: see `statusAt`. */
  state: InteractionState
  reason: StatusReason | undefined
  /** The type of the first response. */
  response: CallbackName | null
  respondedAt: number | null
  /** The message that the first response created or edited. After `deferred_update`, `sourceMessage`. */
  original: MessageRef | undefined
  /** The modal with which the bot responded. */
  modal: Modal | undefined
  /** Of a submitted modal: the id of the interaction whose response opened it. */
  openedBy: string | null
  createdAt: number
  deadlineAt: number
  /** When the token expires. */
  expiresAt: number
}

/** It is `pending`, and has none of what its response or its end adds. */
export type NewInteraction = Omit<
  InteractionRecord,
  'state' | 'reason' | 'response' | 'respondedAt' | 'original' | 'modal'
>

/** The columns of a message id, a reason and the event, which the record combines. */
interface InteractionRow
  extends Omit<InteractionRecord, 'sourceMessage' | 'event' | 'reason' | 'original' | 'modal'>,
    OriginalColumns {
  sourceMessageId: string | null
  sourceMessageEphemeral: number
  event: string
  modal: string | null
  reasonCode: StatusReason['code'] | null
  reasonDetail: string | null
}

interface OriginalColumns {
  originalId: string | null
  originalEphemeral: number
}

function toMessageRef(id: string | null, ephemeral: number): MessageRef | undefined {
  return id === null ? undefined : { id, ephemeral: ephemeral === 1 }
}

function toReason(code: StatusReason['code'] | null, detail: string | null): StatusReason | undefined {
  if (code === null) return undefined
  return detail === null ? { code } : { code, detail }
}

/** Lists the members for speed: copying the rest of a row with this many columns takes longer than reading it. */
function toRecord(row: InteractionRow): InteractionRecord {
  return {
    id: row.id,
    tokenHash: row.tokenHash,
    applicationId: row.applicationId,
    channelId: row.channelId,
    serverId: row.serverId,
    userId: row.userId,
    type: row.type,
    name: row.name,
    nonce: row.nonce,
    sourceMessage: toMessageRef(row.sourceMessageId, row.sourceMessageEphemeral),
    event: JSON.parse(row.event),
    delivery: row.delivery,
    state: row.state,
    reason: toReason(row.reasonCode, row.reasonDetail),
    response: row.response,
    respondedAt: row.respondedAt,
    original: toMessageRef(row.originalId, row.originalEphemeral),
    modal: row.modal === null ? undefined : JSON.parse(row.modal),
    openedBy: row.openedBy,
    createdAt: row.createdAt,
    deadlineAt: row.deadlineAt,
    expiresAt: row.expiresAt,
  }
}

/**
 * False if the user has already sent this nonce in the channel, or the modal was submitted before. Unique indexes
 * decide between concurrent requests.
 */
export async function insertInteraction(sql: Sql, interaction: NewInteraction): Promise<boolean> {
  const { sourceMessage } = interaction
  const rows = await sql.run`
    INSERT INTO interactions (id, token_hash, application_id, channel_id, server_id, user_id, type, name, nonce,
      source_message_id, source_message_ephemeral, event, delivery, state, original_ephemeral, opened_by,
      created_at, deadline_at,
      expires_at)
    VALUES (${interaction.id}, ${interaction.tokenHash}, ${interaction.applicationId}, ${interaction.channelId},
      ${interaction.serverId}, ${interaction.userId}, ${interaction.type}, ${interaction.name}, ${interaction.nonce},
      ${sourceMessage?.id ?? null}, ${sourceMessage?.ephemeral === true ? 1 : 0}, ${JSON.stringify(interaction.event)},
      ${interaction.delivery}, 'pending', 0, ${interaction.openedBy}, ${interaction.createdAt},
      ${interaction.deadlineAt}, ${interaction.expiresAt})
    ON CONFLICT DO NOTHING`
  return rows > 0
}

/** Allows another submit of a modal if the last one has failed or timed out (bots/modal-submit). */
export async function releaseModal(sql: Sql, openedBy: string, now: number): Promise<void> {
  await sql.run`
    UPDATE interactions SET opened_by = NULL
    WHERE opened_by = ${openedBy}
      AND (state = 'failed' OR state = 'timed_out' OR (state = 'pending' AND deadline_at <= ${now}))`
}

/** The modal that was submitted as the interaction. */
export async function findSubmittedModal(sql: Sql, id: string): Promise<Modal | undefined> {
  const row = await sql.get<Pick<InteractionRow, 'modal'>>`
    SELECT o.modal FROM interactions i JOIN interactions o ON o.id = i.opened_by WHERE i.id = ${id}`
  return row?.modal ? JSON.parse(row.modal) : undefined
}

const columns = fragment`
  i.id, i.token_hash, i.application_id, i.channel_id, i.server_id, i.user_id, i.type, i.name, i.nonce,
  i.source_message_id, i.source_message_ephemeral, i.event, i.delivery, i.state, i.reason_code, i.reason_detail,
  i.response, i.responded_at, i.original_id, i.original_ephemeral, i.modal, i.opened_by, i.created_at,
  i.deadline_at, i.expires_at`

/** Undefined also if the application is deleted. */
export async function findInteraction(sql: Sql, id: string): Promise<InteractionRecord | undefined> {
  const row = await sql.get<InteractionRow>`
    SELECT ${columns} FROM interactions i WHERE id = ${id}
      AND NOT EXISTS (SELECT 1 FROM applications a WHERE a.id = application_id AND a.deleted_at IS NOT NULL)`
  return row && toRecord(row)
}

/** An interaction with what a response to it needs. */
export interface InteractionContext {
  interaction: InteractionRecord
  botTokenHash: string | null
  /** Null if the application has no bot. */
  bot: Pick<UserRecord, 'id' | 'username' | 'displayName' | 'avatar'> | null
  hasChannel: boolean
}

interface ContextRow extends InteractionRow, Pick<InteractionContext, 'botTokenHash'> {
  botId: string | null
  botUsername: string
  botDisplayName: string
  botAvatar: string | null
  foundChannelId: string | null
}

/** Undefined also while the application is disabled. */
export async function findInteractionContext(sql: Sql, id: string): Promise<InteractionContext | undefined> {
  const row = await sql.get<ContextRow>`
    SELECT ${columns},
      u.id AS bot_id, u.username AS bot_username, u.display_name AS bot_display_name, u.avatar AS bot_avatar,
      a.bot_token_hash,
      c.id AS found_channel_id
    FROM interactions i
    JOIN valid_applications a ON a.id = i.application_id
    LEFT JOIN users u ON u.id = a.bot_user_id
    LEFT JOIN channels c ON c.id = i.channel_id AND c.deleted_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM servers s WHERE s.id = c.server_id AND s.deleted_at IS NOT NULL)
    WHERE i.id = ${id}`
  if (row === undefined) return undefined
  const { botId, botUsername, botDisplayName, botAvatar, botTokenHash } = row
  return {
    interaction: toRecord(row),
    botTokenHash,
    bot:
      botId === null
        ? null
        : { id: botId, username: botUsername, displayName: botDisplayName, avatar: botAvatar },
    hasChannel: row.foundChannelId !== null,
  }
}

/** Undefined also without a nonce. */
export async function findInteractionByNonce(
  sql: Sql,
  { userId, channelId, nonce }: Pick<InteractionRecord, 'userId' | 'channelId' | 'nonce'>,
): Promise<InteractionRecord | undefined> {
  if (nonce === null) return undefined
  const row = await sql.get<InteractionRow>`
    SELECT ${columns} FROM interactions i
    WHERE user_id = ${userId} AND channel_id = ${channelId} AND nonce = ${nonce} AND nonce IS NOT NULL`
  return row && toRecord(row)
}

/**
 * The newest interactions of an application, oldest first. Reads them in slices, between which the event loop handles
 * other events (limits/event-loop).
 */
export async function listInteractions(
  sql: Sql,
  applicationId: string,
  limit: number,
): Promise<InteractionRecord[]> {
  const heads = await sql.all<{ id: string; bytes: number }>`
    SELECT id, octet_length(event) + COALESCE(octet_length(modal), 0) AS bytes
    FROM interactions WHERE application_id BETWEEN (SELECT ${applicationId}) AND (SELECT ${applicationId})
    ORDER BY application_id DESC, id DESC LIMIT ${limit}`
  const groups = groupBySize(heads.reverse(), head => head.bytes, bytesPerSlice)
  const slices = await inSlices(groups, 1, async ([group = []]) => {
    if (group.length === 0) return []
    const rows = await sql.all<InteractionRow>`
      SELECT ${columns} FROM interactions i WHERE id IN ${list(group.map(({ id }) => id))} ORDER BY id`
    return rows.map(toRecord)
  })
  return slices.flat()
}

/** The part of an interaction that INTERACTION_UPDATE and the metrics need. */
export type UpdateTarget = Pick<InteractionRecord, 'id' | 'userId' | 'type' | 'nonce'>

/** `reasonCode` is the stored reason: that of the timeout, or of the endpoint that failed before it. */
export type TimedOut = UpdateTarget & { reasonCode: StatusReason['code'] }

interface ClaimedResponse {
  state: 'answered' | 'deferred'
  response: CallbackName
  original: MessageRef | undefined
  modal?: Modal | undefined
  now: number
}

/**
 * Returns true for exactly one of any number of concurrent callbacks, and false from the deadline on
 * (bots/interaction-states). The token needs no second check: its revocation ends the state `pending`.
 */
export async function claimFirstResponse(
  sql: Sql,
  id: string,
  { state, response, original, modal, now }: ClaimedResponse,
): Promise<boolean> {
  const rows = await sql.run`
    UPDATE interactions SET state = ${state}, response = ${response}, responded_at = ${now},
      original_id = ${original?.id ?? null}, original_ephemeral = ${original?.ephemeral === true ? 1 : 0},
      modal = ${modal === undefined ? null : JSON.stringify(modal)}, reason_code = NULL, reason_detail = NULL
    WHERE id = ${id} AND state = 'pending' AND deadline_at > ${now}`
  return rows === 1
}

export async function setOriginal(sql: Sql, id: string, original: MessageRef): Promise<void> {
  await sql.run`
    UPDATE interactions SET original_id = ${original.id}, original_ephemeral = ${original.ephemeral ? 1 : 0}
    WHERE id = ${id}`
}

/**
 * Returns the placeholder to exactly one of any number of concurrent requests that replace it
 * (bots/interaction-states). Undefined if the interaction is not deferred, or its token has expired.
 */
export async function claimPlaceholder(
  sql: Sql,
  id: string,
  now: number,
): Promise<{ placeholder: MessageRef | undefined } | undefined> {
  const row = await sql.get<OriginalColumns>`
    UPDATE interactions SET state = 'answered'
    WHERE id = ${id} AND state = 'deferred' AND expires_at > ${now}
    RETURNING original_id, original_ephemeral`
  return row && { placeholder: toMessageRef(row.originalId, row.originalEphemeral) }
}

/**
 * Called before the original response is deleted. A deferred interaction counts as answered. False if it was deleted
 * before.
 */
export async function clearOriginal(sql: Sql, id: string, messageId: string): Promise<boolean> {
  const rows = await sql.run`
    UPDATE interactions SET original_id = NULL, state = CASE WHEN state = 'deferred' THEN 'answered' ELSE state END
    WHERE id = ${id} AND original_id = ${messageId}`
  return rows === 1
}

/**
 * Undefined if the interaction is not pending any more, or its deadline has not passed. The reason of a failed endpoint
 * remains. If no gateway session received the event, `delivery` becomes `none`.
 */
export async function timeOutInteraction(
  sql: Sql,
  id: string,
  now: number,
  isOffline = false,
): Promise<TimedOut | undefined> {
  return sql.get`
    UPDATE interactions SET state = 'timed_out',
      reason_code = COALESCE(reason_code, ${isOffline ? 'offline' : 'no_answer'}),
      delivery = CASE WHEN ${isOffline ? 1 : 0} = 1 THEN 'none' ELSE delivery END
    WHERE id = ${id} AND state = 'pending' AND deadline_at <= ${now}
    RETURNING id, user_id, type, nonce, reason_code`
}

/**
 * Times out up to `limit` pending interactions whose deadline has passed. Usually their node ended before its timer
 * fired.
 */
export async function timeOutInteractions(sql: Sql, now: number, limit: number): Promise<TimedOut[]> {
  return sql.all`
    UPDATE interactions SET state = 'timed_out', reason_code = COALESCE(reason_code, 'no_answer')
    WHERE state = 'pending' AND id IN (
      SELECT id FROM interactions WHERE state = 'pending' AND deadline_at <= ${now} LIMIT ${limit})
    RETURNING id, user_id, type, nonce, reason_code`
}

/** Times out up to `limit` deferred interactions without a follow-up whose token has expired (bots/placeholder-id). */
export async function expireDeferred(
  sql: Sql,
  { now, limit }: { now: number; limit: number },
): Promise<(UpdateTarget & { channelId: string; original: MessageRef | undefined })[]> {
  const rows = await sql.all<UpdateTarget & OriginalColumns & { channelId: string }>`
    UPDATE interactions SET state = 'timed_out', reason_code = 'no_follow_up'
    WHERE state = 'deferred' AND id IN (
      SELECT id FROM interactions WHERE state = 'deferred' AND expires_at <= ${now} LIMIT ${limit})
    RETURNING id, user_id, type, nonce, channel_id, original_id, original_ephemeral`
  return rows.map(({ originalId, originalEphemeral, ...row }) => ({
    ...row,
    original: toMessageRef(originalId, originalEphemeral),
  }))
}

/**
 * Undefined if the interaction is not pending any more. With the gateway, `delivery` becomes `none`, because no session
 * received the event.
 */
export async function failInteraction(
  sql: Sql,
  id: string,
  { code, detail }: StatusReason,
): Promise<UpdateTarget | undefined> {
  return sql.get`
    UPDATE interactions SET state = 'failed', reason_code = ${code}, reason_detail = ${detail ?? null},
      delivery = CASE WHEN delivery = 'gateway' THEN 'none' ELSE delivery END
    WHERE id = ${id} AND state = 'pending'
    RETURNING id, user_id, type, nonce`
}

/** Of a pending interaction, for the log. */
export async function setReason(sql: Sql, id: string, { code, detail }: StatusReason): Promise<void> {
  await sql.run`
    UPDATE interactions SET reason_code = ${code}, reason_detail = ${detail ?? null}
    WHERE id = ${id} AND state = 'pending'`
}

/** For the log: records the first callback that arrived after the deadline. */
export async function recordLateResponse(
  sql: Sql,
  id: string,
  { response, now }: { response: CallbackName; now: number },
): Promise<void> {
  await sql.run`
    UPDATE interactions SET response = ${response}, responded_at = ${now}
    WHERE id = ${id} AND responded_at IS NULL AND state IN ('pending', 'timed_out') AND deadline_at <= ${now}`
}

/**
 * For a bot that was removed from a server (bots/bot-removed): fails its open interactions there and revokes all its
 * tokens there. `since` is an id below that of every token that has not expired.
 */
export async function revokeInteractions(
  sql: Sql,
  {
    applicationId,
    serverId,
    since,
    now,
  }: { applicationId: string; serverId: string; since: string; now: number },
): Promise<UpdateTarget[]> {
  const rows = await sql.all<UpdateTarget>`
    UPDATE interactions SET state = 'failed', reason_code = 'removed'
    WHERE application_id = ${applicationId} AND id >= ${since} AND server_id = ${serverId}
      AND ((state = 'pending' AND deadline_at > ${now}) OR (state = 'deferred' AND expires_at > ${now}))
    RETURNING id, user_id, type, nonce`
  await sql.run`
    UPDATE interactions SET token_hash = ''
    WHERE application_id = ${applicationId} AND id >= ${since} AND server_id = ${serverId}`
  return rows
}

/** Deletes up to `limit` interactions below an id, oldest first. Returns the number deleted. */
export async function deleteInteractionsBelow(sql: Sql, id: string, limit: number): Promise<number> {
  return sql.run`
    DELETE FROM interactions WHERE id IN (
      SELECT id FROM interactions WHERE id < ${id} ORDER BY id LIMIT ${limit})`
}

/** Applications with an interaction between two ids. */
export async function listApplicationsBetween(
  sql: Sql,
  { from, below }: { from: string; below: string },
): Promise<string[]> {
  const rows = await sql.all<{ applicationId: string }>`
    SELECT DISTINCT application_id FROM interactions WHERE id >= ${from} AND id < ${below}`
  return rows.map(row => row.applicationId)
}

/**
 * Deletes up to `limit` interactions of an application below an id, except its newest `keep`. Returns the number
 * deleted.
 */
export async function deleteExcessInteractions(
  sql: Sql,
  applicationId: string,
  { keep, below, limit }: { keep: number; below: string; limit: number },
): Promise<number> {
  return sql.run`
    DELETE FROM interactions WHERE id IN (
      SELECT id FROM interactions
      WHERE application_id >= (SELECT ${applicationId})
        AND (application_id, id) < ((SELECT ${applicationId}), ${below})
        AND (application_id, id) <= ((SELECT ${applicationId}), (
          SELECT id FROM interactions
          WHERE application_id BETWEEN (SELECT ${applicationId}) AND (SELECT ${applicationId})
          ORDER BY application_id DESC, id DESC LIMIT 1 OFFSET ${keep}))
      ORDER BY application_id, id LIMIT ${limit})`
}

/** Of an application that is deleted (limits/deletion). */
export const deleteInteractionsOfApplication: DeleteRows = (sql, applicationId, limit) =>
  sql.run`
    DELETE FROM interactions WHERE id IN
      (SELECT i.id FROM interactions i WHERE i.application_id = ${applicationId} LIMIT ${limit})`
