import { toFieldErrors } from '@gatehouse/protocol/field-errors'
import type { JsonObject } from '@gatehouse/protocol/json-object'
import { maxWebhooksPerChannel } from '@gatehouse/protocol/limits'
import { Permission, permissionFor } from '@gatehouse/protocol/permissions'
import { checkUrl } from '@gatehouse/protocol/urls'
import { imageUriForm } from '@gatehouse/protocol/users'
import type { CreateWebhookBody, UpdateWebhookBody, Webhook } from '@gatehouse/protocol/webhooks'
import { findUsers, lockUserRow, userView } from '../accounts/users/index.ts'
import { type Act, type Actor, changesOf } from '../audit/index.ts'
import { listChannelIdsWith, requireChannel, requireServer } from '../community/permissions/index.ts'
import { AppError, invalid, invalidAll, notFound } from '../errors/app-error.ts'
import {
  deleteImage,
  type EncodedImage,
  encodeImage,
  imagePath,
  readImageUri,
  saveImage,
} from '../images/index.ts'
import type { ProxyUrls } from '../images/media-proxy/index.ts'
import { inSlices, mapWithPauses } from '../kit/batches.ts'
import type { Clock } from '../kit/clock.ts'
import { DecryptionError, type Sealer } from '../kit/seal.ts'
import { createWebhookToken, hashSecret } from '../kit/secret.ts'
import { type Sql, type Transaction, UniqueViolation } from '../storage/database.ts'
import { invalidField, invalidFormBody, unknownWebhook } from './discord/discord-errors.ts'
import { toDiscordWebhook, webhookUrl } from './discord/discord-format.ts'
import { checkUsername } from './discord/discord-message.ts'
import type { Deps } from './webhook-deps.ts'
import * as store from './webhook-store.ts'

/** The path parameters of a webhook in the settings of its channel. */
export interface WebhookIds {
  channelId: string
  id: string
}

/** A channel has up to 15 webhooks, and statements of SQLite block the event loop (limits/event-loop). */
const channelsPerStatement = 100

export type Webhooks = ReturnType<typeof createWebhooks>

/**
 * Operations of users require MANAGE_WEBHOOKS in the channel and throw 404 if the user may not view the channel.
 * Operations `…ByToken` need no permission check: the valid token is the credential.
 */
export function createWebhooks(
  { db, clock, ids, sealer, auditLog, events, baseUrl, proxyUrls, requireVerified }: Deps,
  /** Writes the pending deliveries, which also update `lastUsedAt`. */
  flushDeliveries: () => Promise<void>,
) {
  const contextOf = (viewerId: string) => ({ sealer, baseUrl, proxyUrls, viewerId })

  return {
    async list(userId: string, channelId: string): Promise<Webhook[]> {
      await requireChannel(db, clock(), userId, channelId, permissionFor.manageWebhooks)
      await flushDeliveries()
      return toWebhooks(db, await store.listWebhookDetails(db, channelId), contextOf(userId))
    },

    /** Of the channels that the user may view, and in which they have MANAGE_WEBHOOKS. 404 if they are no member. */
    async listOfServer(userId: string, serverId: string): Promise<Webhook[]> {
      const access = await requireServer(db, clock(), userId, serverId)
      const wanted = permissionFor.manageWebhooks | Permission.VIEW_CHANNEL
      const channelIds = await listChannelIdsWith(db, access, wanted)
      await flushDeliveries()
      const slices = await inSlices(channelIds, channelsPerStatement, ids =>
        store.listWebhooksOfChannels(db, ids),
      )
      return toWebhooks(db, slices.flat(), contextOf(userId))
    },

    /**
     * Throws 400 `webhook_limit` if the channel has 15 webhooks, and as `encodeImage` and `saveImage`.
     * `applicationId` is that of a bot.
     */
    async create(
      actor: Actor & { applicationId?: string },
      channelId: string,
      body: CreateWebhookBody,
    ): Promise<Webhook> {
      const { name } = body
      await requireChannel(db, clock(), actor.userId, channelId, permissionFor.manageWebhooks)
      const given = await readAvatar(clock, actor.userId, body.avatar)
      const id = ids()
      const token = createSealedToken(sealer, id)
      return retryOnSlotConflict(() =>
        db.transaction(async tx => {
          await lockUploader(tx, actor, given)
          const { server, channel } = await requireChannel(
            tx,
            clock(),
            actor.userId,
            channelId,
            permissionFor.manageWebhooks,
          )
          if (server === undefined || channel.type === 'category') throw notFound()
          await requireVerified(tx, actor.userId)
          const webhook: store.WebhookDetails = {
            id,
            channelId,
            serverId: server.id,
            name,
            avatar: (await storeAvatar(tx, actor, id, given)) ?? null,
            ...token,
            createdBy: actor.userId,
            applicationId: actor.applicationId ?? null,
            createdAt: clock(),
            lastUsedAt: null,
          }
          await store.insertWebhook(tx, webhook, await findFreeSlot(tx, channelId))
          const changes = changesOf(recordedKeys, undefined, webhook)
          await auditLog.record(tx, { ...actOn(webhook, actor), action: 'WEBHOOK_CREATE', changes })
          tx.afterCommit(() => publishChange(events, webhook))
          return toWebhook(tx, webhook, contextOf(actor.userId))
        }),
      )
    },

    /**
     * Moving a webhook requires MANAGE_WEBHOOKS in both channels and a free slot in the new one (webhooks/managing).
     */
    async update(actor: Actor, path: WebhookIds, body: UpdateWebhookBody): Promise<Webhook> {
      await flushDeliveries()
      const { name } = body
      await requireManagedWebhook(db, clock(), actor.userId, path)
      const given = body.avatar === undefined ? undefined : await readAvatar(clock, actor.userId, body.avatar)
      return retryOnSlotConflict(() =>
        db.transaction(async tx => {
          await lockUploader(tx, actor, given)
          const webhook = await requireManagedWebhook(tx, clock(), actor.userId, path)
          const { channelId = webhook.channelId } = body
          if (channelId !== webhook.channelId)
            await moveWebhook(tx, clock(), actor.userId, webhook, channelId)
          const avatar = await storeAvatar(tx, actor, webhook.id, given)
          const updated = await store.updateWebhook(tx, webhook.id, { name, avatar })
          if (updated === undefined) throw notFound()
          const changes = changesOf(recordedKeys, webhook, updated)
          await auditLog.record(tx, { ...actOn(updated, actor), action: 'WEBHOOK_UPDATE', changes })
          tx.afterCommit(() => {
            if (changes.length > 0) publishChange(events, updated)
            if (updated.channelId !== webhook.channelId) publishChange(events, webhook)
          })
          return toWebhook(tx, updated, contextOf(actor.userId))
        }),
      )
    },

    delete(actor: Actor, path: WebhookIds): Promise<void> {
      return db.transaction(async tx => {
        const webhook = await requireManagedWebhook(tx, clock(), actor.userId, path)
        if (!(await store.deleteWebhook(tx, webhook.id))) throw notFound()
        await deleteImage(tx, 'webhooks', webhook.id)
        const changes = changesOf(recordedKeys, webhook, undefined)
        await auditLog.record(tx, { ...actOn(webhook, actor), action: 'WEBHOOK_DELETE', changes })
        tx.afterCommit(() => publishChange(events, webhook))
      })
    },

    /** Formats the webhook for a request that has presented `token`. */
    format(webhook: store.WebhookRecord, token: string) {
      return toDiscordWebhook(webhook, token, baseUrl)
    },

    /** Changes only the name; other members of the body are ignored (webhooks/by-token). */
    async updateByToken(webhook: store.WebhookRecord, body: JsonObject): Promise<store.WebhookRecord> {
      // The token may have been reset while the body arrived (webhooks/token-reset).
      if (body.name === undefined || body.name === null) {
        const current = await store.findWebhook(db, webhook.id)
        if (current?.tokenHash !== webhook.tokenHash) throw unknownWebhook()
        return current
      }
      const { name, violations } = checkUsername(body.name, 'name')
      if (violations.length > 0) throw invalidFormBody(violations)
      if (name === undefined) throw invalidField(['name'], 'too_short', 'must be between 1 and 80 in length')
      const renamed = await store.renameByToken(db, webhook, name)
      if (renamed === undefined) throw unknownWebhook()
      publishChange(events, renamed)
      return renamed
    },

    deleteByToken(webhook: store.WebhookRecord): Promise<void> {
      return db.transaction(async tx => {
        if (!(await store.deleteByToken(tx, webhook))) throw unknownWebhook()
        await deleteImage(tx, 'webhooks', webhook.id)
        tx.afterCommit(() => publishChange(events, webhook))
      })
    },
  }
}

/** Call it after the commit. */
export function publishChange(
  events: Deps['events'],
  { serverId, channelId }: Pick<store.WebhookRecord, 'serverId' | 'channelId'>,
): void {
  events.toServer(serverId, { t: 'WEBHOOKS_UPDATE', d: { serverId, channelId } })
}

const recordedKeys = ['name', 'avatar', 'channelId'] as const

/** For the audit log. */
export function actOn(
  { id, serverId, name }: store.WebhookRecord,
  actor: Actor,
): Pick<Act, 'serverId' | 'actor' | 'target'> {
  return { serverId, actor, target: { type: 'webhook', id, name } }
}

/** Throws 404 if the webhook is not in the channel of the path, or as `requireChannel`. */
export async function requireManagedWebhook(
  sql: Sql,
  now: number,
  userId: string,
  { channelId, id }: WebhookIds,
): Promise<store.WebhookDetails> {
  await requireChannel(sql, now, userId, channelId, permissionFor.manageWebhooks)
  const webhook = await store.findWebhookDetails(sql, id)
  if (webhook?.channelId !== channelId) throw notFound()
  return webhook
}

export function createSealedToken(
  sealer: Sealer,
  webhookId: string,
): Pick<store.WebhookDetails, 'tokenHash' | 'tokenSealed'> {
  const token = createWebhookToken()
  return { tokenHash: hashSecret(token), tokenSealed: sealer.seal(token, tokenContext(webhookId)) }
}

interface ViewContext {
  sealer: Sealer
  baseUrl: string
  proxyUrls: Pick<ProxyUrls, 'toPath'>
  /** Only the creator of a webhook sees its token (webhooks/token-shown). */
  viewerId: string
}

export async function toWebhook(
  sql: Sql,
  webhook: store.WebhookDetails,
  context: ViewContext,
): Promise<Webhook> {
  const [view] = await toWebhooks(sql, [webhook], context)
  if (view === undefined) throw notFound()
  return view
}

async function toWebhooks(
  sql: Sql,
  webhooks: readonly store.WebhookDetails[],
  { sealer, baseUrl, proxyUrls, viewerId }: ViewContext,
): Promise<Webhook[]> {
  const creators = await findUsers(sql, [...new Set(webhooks.map(({ createdBy }) => createdBy))])
  const views = await mapWithPauses(webhooks, webhook => {
    const creator = creators.get(webhook.createdBy)
    if (creator === undefined) return []
    const token = webhook.createdBy === viewerId ? openToken(sealer, webhook) : null
    return {
      id: webhook.id,
      channelId: webhook.channelId,
      serverId: webhook.serverId,
      name: webhook.name,
      avatar: webhook.avatar,
      ...(webhook.avatar && { avatarProxyUrl: proxyUrls.toPath(webhook.id, webhook.avatar) }),
      token,
      url: token === null ? null : webhookUrl(baseUrl, webhook.id, token),
      applicationId: webhook.applicationId,
      createdBy: userView(creator),
      createdAt: new Date(webhook.createdAt).toISOString(),
      lastUsedAt: webhook.lastUsedAt === null ? null : new Date(webhook.lastUsedAt).toISOString(),
    }
  })
  return views.flat()
}

/** Returns null if SECRET_KEY has changed: the URL still works, but only a new token can be displayed. */
function openToken(sealer: Sealer, webhook: store.WebhookDetails): string | null {
  try {
    return sealer.open(webhook.tokenSealed, tokenContext(webhook.id))
  } catch (error) {
    if (error instanceof DecryptionError) return null
    throw error
  }
}

function tokenContext(webhookId: string): string {
  return `webhook:${webhookId}:token`
}

async function moveWebhook(
  sql: Sql,
  now: number,
  userId: string,
  webhook: store.WebhookRecord,
  channelId: string,
): Promise<void> {
  const { server, channel } = await requireChannel(sql, now, userId, channelId, permissionFor.manageWebhooks)
  if (server?.id !== webhook.serverId || channel.type === 'category') {
    throw invalid('channelId', 'invalid_choice', 'must be a channel of the same server')
  }
  await store.moveWebhook(sql, webhook.id, channelId, await findFreeSlot(sql, channelId))
}

async function findFreeSlot(sql: Sql, channelId: string): Promise<number> {
  const used = await store.listSlots(sql, channelId)
  for (let slot = 0; slot < maxWebhooksPerChannel; slot++) if (!used.includes(slot)) return slot
  throw new AppError('webhook_limit', `A channel has at most ${maxWebhooksPerChannel} webhooks.`)
}

/**
 * Two concurrent transactions may choose the same slot; the unique index rejects one of them. Each conflict means that
 * another webhook took a slot, so there are at most as many conflicts as slots.
 */
async function retryOnSlotConflict<T>(work: () => Promise<T>): Promise<T> {
  for (let i = 0; i < maxWebhooksPerChannel; i++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof UniqueViolation)) throw error
    }
  }
  return work()
}

/** A URL, an uploaded picture, or null for none. */
async function readAvatar(
  clock: Clock,
  userId: string,
  value: string | null | undefined,
): Promise<string | EncodedImage | null> {
  if (value?.startsWith('data:')) {
    const message = 'must be a PNG, JPEG, GIF or WebP image as base64'
    if (!imageUriForm.test(value)) throw invalid('avatar', 'invalid_image', message)
    return encodeImage(clock, userId, readImageUri(value), 'avatar')
  }
  const { url, violations } = checkUrl(value, 'avatar')
  if (violations.length > 0) throw invalidAll(toFieldErrors(violations))
  return url ?? null
}

/** First, as in the other transactions that store an image. */
async function lockUploader(
  tx: Transaction,
  { userId }: Actor,
  avatar: string | EncodedImage | null | undefined,
): Promise<void> {
  if (typeof avatar === 'object' && avatar !== null) await lockUserRow(tx, userId)
}

/** Stores or deletes the picture. Returns the new value of `avatar`. */
async function storeAvatar(
  tx: Transaction,
  { userId: uploaderId }: Actor,
  id: string,
  avatar: string | EncodedImage | null | undefined,
): Promise<string | null | undefined> {
  if (avatar === undefined) return undefined
  if (typeof avatar === 'object' && avatar !== null) {
    const hash = await saveImage(tx, { kind: 'webhooks', ownerId: id, uploaderId, image: avatar })
    return imagePath('webhooks', id, hash)
  }
  await deleteImage(tx, 'webhooks', id)
  return avatar
}
