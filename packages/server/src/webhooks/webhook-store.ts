import type { WebhookDelivery } from '@gatehouse/protocol/webhooks'
import { deleteImages } from '../images/index.ts'
import { fragment, list, type Sql } from '../storage/database.ts'
import type { DeleteRows } from '../storage/deletion-registry.ts'

/** The columns that requests with a token need. */
export interface WebhookRecord {
  id: string
  channelId: string
  serverId: string
  name: string
  /** An http or https URL, or the path of an uploaded picture. */
  avatar: string | null
  tokenHash: string
  createdBy: string
  /** The application whose bot created it. */
  applicationId: string | null
}

/** All columns. Times in milliseconds. */
export interface WebhookDetails extends WebhookRecord {
  tokenSealed: string
  createdAt: number
  lastUsedAt: number | null
}

const tokenColumns = fragment`
  w.id, w.channel_id, w.server_id, w.name, w.avatar, w.token_hash, w.created_by, w.application_id`

/**
 * Undefined also if its channel or server is deleted. Runs twice for most requests with a token, so it reads only the
 * columns that are needed.
 */
export async function findWebhook(sql: Sql, id: string): Promise<WebhookRecord | undefined> {
  return sql.get`
    SELECT ${tokenColumns} FROM webhooks w
    JOIN channels c ON c.id = w.channel_id JOIN servers s ON s.id = c.server_id AND s.deleted_at IS NULL
    WHERE w.id = ${id}`
}

/**
 * As `findWebhook`. Until the transaction ends, no other one changes or deletes the webhook. Undefined also if another
 * transaction has just moved the webhook, because PostgreSQL then compares its new channel with the row of the old one.
 */
export async function lockWebhook(sql: Sql, id: string): Promise<WebhookRecord | undefined> {
  return sql.get`
    SELECT ${tokenColumns} FROM webhooks w
    WHERE w.id = ${id} AND EXISTS (SELECT 1 FROM channels c
      JOIN servers s ON s.id = c.server_id AND s.deleted_at IS NULL WHERE c.id = w.channel_id)
    FOR SHARE`
}

const columns = fragment`
  id, channel_id, server_id, name, avatar, token_hash, token_sealed, created_by, application_id, created_at,
  last_used_at`

export async function findWebhookDetails(sql: Sql, id: string): Promise<WebhookDetails | undefined> {
  return sql.get`
    SELECT ${columns} FROM webhooks WHERE id = ${id}`
}

export async function listWebhookDetails(sql: Sql, channelId: string): Promise<WebhookDetails[]> {
  return sql.all`
    SELECT ${columns} FROM webhooks WHERE channel_id = ${channelId} ORDER BY id`
}

/** Those of the channels. */
export async function listWebhooksOfChannels(
  sql: Sql,
  channelIds: readonly string[],
): Promise<WebhookDetails[]> {
  if (channelIds.length === 0) return []
  return sql.all`
    SELECT ${columns} FROM webhooks WHERE channel_id IN ${list(channelIds)} ORDER BY id`
}

/** The used slots of a channel. The unique index on channel and slot limits webhooks per channel. */
export async function listSlots(sql: Sql, channelId: string): Promise<number[]> {
  const rows = await sql.all<{ slot: number }>`
    SELECT slot FROM webhooks WHERE channel_id = ${channelId} ORDER BY slot`
  return rows.map(row => row.slot)
}

/** Rejects with UniqueViolation if a concurrent transaction took the slot. */
export async function insertWebhook(sql: Sql, webhook: WebhookDetails, slot: number): Promise<void> {
  await sql.run`
    INSERT INTO webhooks (id, channel_id, server_id, slot, name, avatar, token_hash, token_sealed, created_by,
      application_id, created_at, last_used_at)
    VALUES (${webhook.id}, ${webhook.channelId}, ${webhook.serverId}, ${slot}, ${webhook.name}, ${webhook.avatar},
      ${webhook.tokenHash}, ${webhook.tokenSealed}, ${webhook.createdBy}, ${webhook.applicationId},
      ${webhook.createdAt}, ${webhook.lastUsedAt})`
}

/** Undefined members do not change. Undefined if the webhook does not exist. */
export function updateWebhook(
  sql: Sql,
  id: string,
  { name, avatar }: { name: string | undefined; avatar: string | null | undefined },
): Promise<WebhookDetails | undefined> {
  return sql.get`
    UPDATE webhooks SET name = COALESCE(${name ?? null}, name),
      avatar = CASE WHEN ${avatar === undefined ? 1 : 0} = 1 THEN avatar ELSE CAST(${avatar ?? null} AS TEXT) END
    WHERE id = ${id}
    RETURNING ${columns}`
}

/** Undefined if the webhook does not exist or has another token. */
export function renameByToken(
  sql: Sql,
  { id, tokenHash }: WebhookRecord,
  name: string,
): Promise<WebhookRecord | undefined> {
  return sql.get`
    UPDATE webhooks SET name = ${name} WHERE id = ${id} AND token_hash = ${tokenHash}
    RETURNING id, channel_id, server_id, name, avatar, token_hash, created_by, application_id`
}

/** Returns false if the webhook does not exist or has another token. */
export async function deleteByToken(sql: Sql, { id, tokenHash }: WebhookRecord): Promise<boolean> {
  return (await sql.run`DELETE FROM webhooks WHERE id = ${id} AND token_hash = ${tokenHash}`) > 0
}

/** Rejects with UniqueViolation if a concurrent transaction took the slot. */
export async function moveWebhook(sql: Sql, id: string, channelId: string, slot: number): Promise<void> {
  await sql.run`UPDATE webhooks SET channel_id = ${channelId}, slot = ${slot} WHERE id = ${id}`
}

export async function updateToken(
  sql: Sql,
  id: string,
  { tokenHash, tokenSealed, createdBy }: Pick<WebhookDetails, 'tokenHash' | 'tokenSealed' | 'createdBy'>,
): Promise<void> {
  await sql.run`
    UPDATE webhooks SET token_hash = ${tokenHash}, token_sealed = ${tokenSealed}, created_by = ${createdBy}
    WHERE id = ${id}`
}

/** Returns false if the webhook does not exist. Its messages are not deleted (webhooks/lifetime). */
export async function deleteWebhook(sql: Sql, id: string): Promise<boolean> {
  return (await sql.run`DELETE FROM webhooks WHERE id = ${id}`) > 0
}

export async function updateLastUsedAt(sql: Sql, id: string, at: number): Promise<void> {
  await sql.run`
    UPDATE webhooks SET last_used_at = ${at}
    WHERE id = ${id} AND (last_used_at IS NULL OR last_used_at < ${at})`
}

export interface DeliveryRecord extends Omit<WebhookDelivery, 'at'> {
  /** Milliseconds. */
  at: number
}

/** Rejects with ReferenceViolation if the webhook does not exist. */
export async function insertDelivery(sql: Sql, webhookId: string, delivery: DeliveryRecord): Promise<void> {
  await sql.run`
    INSERT INTO webhook_deliveries (webhook_id, id, at, route, status, message_id, reason, field, errors, body,
      body_bytes, content_type)
    VALUES (${webhookId}, ${delivery.id}, ${delivery.at}, ${delivery.route}, ${delivery.status},
      ${delivery.messageId}, ${delivery.reason}, ${delivery.field},
      ${delivery.errors.length === 0 ? null : JSON.stringify(delivery.errors)}, ${delivery.body},
      ${delivery.bodyBytes}, ${delivery.contentType})`
}

/** Newest first. */
export async function listDeliveries(sql: Sql, webhookId: string, limit: number): Promise<DeliveryRecord[]> {
  const rows = await sql.all<Omit<DeliveryRecord, 'errors'> & { errors: string | null }>`
    SELECT id, at, route, status, message_id, reason, field, errors, body, body_bytes, content_type
    FROM webhook_deliveries WHERE webhook_id = ${webhookId} ORDER BY id DESC LIMIT ${limit}`
  return rows.map(({ errors, ...row }) => ({ ...row, errors: parseErrors(errors, row) }))
}

/** An earlier version stored only the first error. */
function parseErrors(
  errors: string | null,
  { field, reason }: Pick<DeliveryRecord, 'field' | 'reason'>,
): DeliveryRecord['errors'] {
  // Safe: only `insertDelivery` writes this column.
  if (errors !== null) return JSON.parse(errors) as DeliveryRecord['errors']
  return field === null || reason === null ? [] : [{ field, reason }]
}

/** Deletes all deliveries of the webhook except the newest `count`. */
export async function deleteOldDeliveries(sql: Sql, webhookId: string, count: number): Promise<void> {
  await sql.run`
    DELETE FROM webhook_deliveries
    WHERE webhook_id = ${webhookId} AND id < (
      SELECT id FROM webhook_deliveries WHERE webhook_id = ${webhookId}
      ORDER BY id DESC LIMIT 1 OFFSET ${count - 1})`
}

/** The applications of the webhooks that bots created, by id of the webhook. */
export async function findWebhookApplications(
  sql: Sql,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await sql.all<{ id: string; applicationId: string }>`
    SELECT id, application_id FROM webhooks WHERE id IN ${list(ids)} AND application_id IS NOT NULL`
  return new Map(rows.map(({ id, applicationId }) => [id, applicationId]))
}

/** Of a channel that is deleted: it has at most 15 webhooks. */
export const deletePicturesOfChannel: DeleteRows = async (sql, channelId) => {
  const webhooks = await sql.all<{ id: string }>`SELECT id FROM webhooks WHERE channel_id = ${channelId}`
  await deleteImages(
    sql,
    'webhooks',
    webhooks.map(({ id }) => id),
  )
  return 0
}

/** Of a channel that is deleted (limits/deletion). */
export const deleteDeliveriesOfChannel: DeleteRows = (sql, channelId, limit) =>
  sql.run`
    DELETE FROM webhook_deliveries WHERE (webhook_id, id) IN
      (SELECT d.webhook_id, d.id FROM webhooks w JOIN webhook_deliveries d ON d.webhook_id = w.id
       WHERE w.channel_id = ${channelId} LIMIT ${limit})`
