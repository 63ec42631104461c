import type { WebhookDelivery } from '@gatehouse/protocol/webhooks'
import type { Sql } from '../storage/database.ts'

/** A webhook as it is kept. Times in milliseconds. */
export interface WebhookRecord {
  id: string
  channelId: string
  serverId: string
  name: string
  /** http or https, null for none. */
  avatar: string | null
  tokenHash: string
  tokenSealed: string
  createdBy: string
  createdAt: number
  lastUsedAt: number | null
}

/** What whoever has the address needs of it. */
export type AddressedWebhook = Pick<
  WebhookRecord,
  'id' | 'channelId' | 'serverId' | 'name' | 'avatar' | 'tokenHash' | 'createdBy'
>

interface WebhookRow {
  id: string
  channel_id: string
  server_id: string
  name: string
  avatar: string | null
  token_hash: string
  token_sealed: string
  created_by: string
  created_at: number
  last_used_at: number | null
}

type AddressedRow = Omit<WebhookRow, 'token_sealed' | 'created_at' | 'last_used_at'>

function toAddressed(row: AddressedRow): AddressedWebhook {
  return {
    id: row.id,
    channelId: row.channel_id,
    serverId: row.server_id,
    name: row.name,
    avatar: row.avatar,
    tokenHash: row.token_hash,
    createdBy: row.created_by,
  }
}

function toRecord(row: WebhookRow): WebhookRecord {
  return {
    ...toAddressed(row),
    tokenSealed: row.token_sealed,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  }
}

export async function findWebhook(sql: Sql, id: string): Promise<WebhookRecord | undefined> {
  const row = await sql.get<WebhookRow>`
    SELECT id, channel_id, server_id, name, avatar, token_hash, token_sealed, created_by, created_at, last_used_at
    FROM webhooks WHERE id = ${id}`
  return row && toRecord(row)
}

/** On the way of every post: the columns that are needed there, and no others. */
export async function findAddressed(sql: Sql, id: string): Promise<AddressedWebhook | undefined> {
  const row = await sql.get<AddressedRow>`
    SELECT id, channel_id, server_id, name, avatar, token_hash, created_by FROM webhooks WHERE id = ${id}`
  return row && toAddressed(row)
}

export async function listWebhooks(sql: Sql, channelId: string): Promise<WebhookRecord[]> {
  const rows = await sql.all<WebhookRow>`
    SELECT id, channel_id, server_id, name, avatar, token_hash, token_sealed, created_by, created_at, last_used_at
    FROM webhooks WHERE channel_id = ${channelId} ORDER BY id`
  return rows.map(toRecord)
}

export async function listPlaces(sql: Sql, channelId: string): Promise<number[]> {
  const rows = await sql.all<{ place: number }>`
    SELECT place FROM webhooks WHERE channel_id = ${channelId} ORDER BY place`
  return rows.map(row => row.place)
}

/** Rejects with UniqueViolation where another took the place meanwhile. */
export async function insertWebhook(sql: Sql, webhook: WebhookRecord, place: number): Promise<void> {
  await sql.run`
    INSERT INTO webhooks (id, channel_id, server_id, place, name, avatar, token_hash, token_sealed, created_by,
      created_at, last_used_at)
    VALUES (${webhook.id}, ${webhook.channelId}, ${webhook.serverId}, ${place}, ${webhook.name}, ${webhook.avatar},
      ${webhook.tokenHash}, ${webhook.tokenSealed}, ${webhook.createdBy}, ${webhook.createdAt},
      ${webhook.lastUsedAt})`
}

/** False where it was gone. */
export async function updateWebhook(
  sql: Sql,
  id: string,
  { name, avatar }: Pick<WebhookRecord, 'name' | 'avatar'>,
): Promise<boolean> {
  return (await sql.run`UPDATE webhooks SET name = ${name}, avatar = ${avatar} WHERE id = ${id}`) > 0
}

/** Rejects with UniqueViolation where another took the place meanwhile. */
export async function moveWebhook(sql: Sql, id: string, channelId: string, place: number): Promise<void> {
  await sql.run`UPDATE webhooks SET channel_id = ${channelId}, place = ${place} WHERE id = ${id}`
}

export async function replaceToken(
  sql: Sql,
  id: string,
  { tokenHash, tokenSealed }: Pick<WebhookRecord, 'tokenHash' | 'tokenSealed'>,
): Promise<void> {
  await sql.run`
    UPDATE webhooks SET token_hash = ${tokenHash}, token_sealed = ${tokenSealed} WHERE id = ${id}`
}

/** False where it was gone already. Its messages stay (D40). */
export async function deleteWebhook(sql: Sql, id: string): Promise<boolean> {
  return (await sql.run`DELETE FROM webhooks WHERE id = ${id}`) > 0
}

export async function touchWebhook(sql: Sql, id: string, at: number): Promise<void> {
  await sql.run`
    UPDATE webhooks SET last_used_at = ${at}
    WHERE id = ${id} AND (last_used_at IS NULL OR last_used_at < ${at})`
}

/** What came of a post, as it is kept. */
export interface DeliveryRecord extends Omit<WebhookDelivery, 'at'> {
  /** Milliseconds. */
  at: number
}

interface DeliveryRow {
  id: string
  at: number
  route: WebhookDelivery['route']
  status: number
  message_id: string | null
  reason: string | null
  field: string | null
  body: string | null
}

export async function insertDelivery(sql: Sql, webhookId: string, delivery: DeliveryRecord): Promise<void> {
  await sql.run`
    INSERT INTO webhook_deliveries (webhook_id, id, at, route, status, message_id, reason, field, body)
    VALUES (${webhookId}, ${delivery.id}, ${delivery.at}, ${delivery.route}, ${delivery.status},
      ${delivery.messageId}, ${delivery.reason}, ${delivery.field}, ${delivery.body})`
}

/** Newest first. */
export async function listDeliveries(sql: Sql, webhookId: string, limit: number): Promise<DeliveryRecord[]> {
  const rows = await sql.all<DeliveryRow>`
    SELECT id, at, route, status, message_id, reason, field, body
    FROM webhook_deliveries WHERE webhook_id = ${webhookId} ORDER BY id DESC LIMIT ${limit}`
  return rows.map(({ message_id: messageId, ...row }) => ({ ...row, messageId }))
}

/** Forgets all but the newest `keep`. */
export async function trimDeliveries(sql: Sql, webhookId: string, keep: number): Promise<void> {
  await sql.run`
    DELETE FROM webhook_deliveries
    WHERE webhook_id = ${webhookId} AND id < (
      SELECT id FROM webhook_deliveries WHERE webhook_id = ${webhookId}
      ORDER BY id DESC LIMIT 1 OFFSET ${keep - 1})`
}
