import { toFieldFaults } from '@gatehouse/protocol/faults'
import { maxWebhooksPerChannel, webhookDeliveries } from '@gatehouse/protocol/limits'
import { Permission } from '@gatehouse/protocol/permissions'
import { checkUrl } from '@gatehouse/protocol/urls'
import type { User } from '@gatehouse/protocol/users'
import type {
  CreateWebhookBody,
  UpdateWebhookBody,
  Webhook,
  WebhookDelivery,
} from '@gatehouse/protocol/webhooks'
import { AppError, invalid, invalidAll, notFound } from '../kit/app-error.ts'
import type { Clock } from '../kit/clock.ts'
import { SealBroken, type Sealer } from '../kit/seal.ts'
import { hashSecret, makeWebhookToken, type WebhookToken } from '../kit/secret.ts'
import { requireChannel } from '../platform/permissions/index.ts'
import { findUsers, userView } from '../platform/users/index.ts'
import { type Database, type Sql, UniqueViolation } from '../storage/database.ts'
import type { Deliveries } from './deliveries.ts'
import { webhookUrl } from './dialect.ts'
import { checkName } from './draft.ts'
import * as store from './store.ts'

interface ManagingDeps {
  db: Database
  clock: Clock
  ids: () => string
  sealer: Sealer
  baseUrl: string
  deliveries: Pick<Deliveries, 'flush'>
}

/** What a person who holds MANAGE_WEBHOOKS in the channel may do; 404 for a channel that they may not view. */
export interface Managing {
  list(userId: string, channelId: string): Promise<Webhook[]>
  /** 400 `webhook_limit` for the 16th. */
  create(userId: string, channelId: string, body: CreateWebhookBody): Promise<Webhook>
  /** Moving it asks for MANAGE_WEBHOOKS in both channels, and for room in the new one (D44). */
  update(userId: string, at: Place, body: UpdateWebhookBody): Promise<Webhook>
  /** Its messages stay. */
  remove(userId: string, at: Place): Promise<void>
  /** The old address is dead at once. */
  renewToken(userId: string, at: Place): Promise<Webhook>
  /** Newest first. */
  log(userId: string, at: Place): Promise<WebhookDelivery[]>
}

/** The path of a webhook in channel settings. */
export interface Place {
  channelId: string
  id: string
}

export function createManaging({ db, clock, ids, sealer, baseUrl, deliveries }: ManagingDeps): Managing {
  function sealed(id: string, token: WebhookToken): Pick<store.WebhookRecord, 'tokenHash' | 'tokenSealed'> {
    return { tokenHash: hashSecret(token), tokenSealed: sealer.seal(token, sealContext(id)) }
  }

  /** Empty where the service has another SECRET_KEY now: the address still works, but only a new one can be shown. */
  function opened(webhook: store.WebhookRecord): string {
    try {
      return sealer.open(webhook.tokenSealed, sealContext(webhook.id))
    } catch (error) {
      if (error instanceof SealBroken) return ''
      throw error
    }
  }

  function view(webhook: store.WebhookRecord, creator: User): Webhook {
    const token = opened(webhook)
    return {
      id: webhook.id,
      channelId: webhook.channelId,
      serverId: webhook.serverId,
      name: webhook.name,
      avatar: webhook.avatar,
      token,
      url: token === '' ? '' : webhookUrl(baseUrl, webhook.id, token),
      createdBy: creator,
      createdAt: new Date(webhook.createdAt).toISOString(),
      lastUsedAt: webhook.lastUsedAt === null ? null : new Date(webhook.lastUsedAt).toISOString(),
    }
  }

  async function views(sql: Sql, webhooks: readonly store.WebhookRecord[]): Promise<Webhook[]> {
    const creators = await findUsers(sql, [...new Set(webhooks.map(({ createdBy }) => createdBy))])
    return webhooks.flatMap(webhook => {
      const creator = creators.get(webhook.createdBy)
      return creator === undefined ? [] : [view(webhook, userView(creator))]
    })
  }

  async function one(sql: Sql, webhook: store.WebhookRecord): Promise<Webhook> {
    const [found] = await views(sql, [webhook])
    if (found === undefined) throw notFound()
    return found
  }

  async function managed(sql: Sql, userId: string, { channelId, id }: Place): Promise<store.WebhookRecord> {
    await requireChannel(sql, userId, channelId, Permission.MANAGE_WEBHOOKS)
    const webhook = await store.findWebhook(sql, id)
    if (webhook?.channelId !== channelId) throw notFound()
    return webhook
  }

  async function move(
    sql: Sql,
    userId: string,
    webhook: store.WebhookRecord,
    channelId: string,
  ): Promise<void> {
    const { server } = await requireChannel(sql, userId, channelId, Permission.MANAGE_WEBHOOKS)
    if (server?.id !== webhook.serverId) {
      throw invalid('channelId', 'invalid_choice', 'must be a channel of the same server')
    }
    await store.moveWebhook(sql, webhook.id, channelId, await freePlace(sql, channelId))
  }

  return {
    async list(userId, channelId) {
      await requireChannel(db, userId, channelId, Permission.MANAGE_WEBHOOKS)
      await deliveries.flush()
      return views(db, await store.listWebhooks(db, channelId))
    },
    create(userId, channelId, body) {
      const name = nameOf(body.name)
      const avatar = avatarOf(body.avatar)
      const id = ids()
      const token = sealed(id, makeWebhookToken())
      return whilePlacesChange(() =>
        db.transaction(async tx => {
          const { server } = await requireChannel(tx, userId, channelId, Permission.MANAGE_WEBHOOKS)
          if (server === undefined) throw notFound()
          const webhook: store.WebhookRecord = {
            id,
            channelId,
            serverId: server.id,
            name,
            avatar,
            ...token,
            createdBy: userId,
            createdAt: clock(),
            lastUsedAt: null,
          }
          await store.insertWebhook(tx, webhook, await freePlace(tx, channelId))
          return one(tx, webhook)
        }),
      )
    },
    async update(userId, at, body) {
      await deliveries.flush()
      const name = body.name === undefined ? undefined : nameOf(body.name)
      const avatar = body.avatar === undefined ? undefined : avatarOf(body.avatar)
      return whilePlacesChange(() =>
        db.transaction(async tx => {
          const webhook = await managed(tx, userId, at)
          const { channelId = webhook.channelId } = body
          if (channelId !== webhook.channelId) await move(tx, userId, webhook, channelId)
          const updated = {
            ...webhook,
            channelId,
            name: name ?? webhook.name,
            avatar: avatar === undefined ? webhook.avatar : avatar,
          }
          await store.updateWebhook(tx, webhook.id, updated)
          return one(tx, updated)
        }),
      )
    },
    remove: (userId, at) =>
      db.transaction(async tx => {
        const webhook = await managed(tx, userId, at)
        if (!(await store.deleteWebhook(tx, webhook.id))) throw notFound()
      }),
    async renewToken(userId, at) {
      const token = sealed(at.id, makeWebhookToken())
      return db.transaction(async tx => {
        const webhook = await managed(tx, userId, at)
        await store.replaceToken(tx, webhook.id, token)
        return one(tx, { ...webhook, ...token })
      })
    },
    async log(userId, at) {
      await managed(db, userId, at)
      await deliveries.flush()
      const records = await store.listDeliveries(db, at.id, webhookDeliveries)
      return records.map(record => ({ ...record, at: new Date(record.at).toISOString() }))
    },
  }
}

function sealContext(id: string): string {
  return `webhook:${id}:token`
}

async function freePlace(sql: Sql, channelId: string): Promise<number> {
  const taken = await store.listPlaces(sql, channelId)
  for (let place = 0; place < maxWebhooksPerChannel; place++) if (!taken.includes(place)) return place
  throw new AppError('webhook_limit', `A channel has at most ${maxWebhooksPerChannel} webhooks.`)
}

/** Of two at the same moment, one finds its place taken and looks again: each time another has found one. */
async function whilePlacesChange<T>(work: () => Promise<T>): Promise<T> {
  for (let i = 0; i < maxWebhooksPerChannel; i++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof UniqueViolation)) throw error
    }
  }
  return work()
}

function nameOf(text: string): string {
  const { name, faults } = checkName(text, 'name')
  if (faults.length > 0) throw invalidAll(toFieldFaults(faults))
  if (name === undefined)
    throw invalid('name', 'too_short', 'must have at least 1 character that can be seen')
  return name
}

function avatarOf(value: string | null | undefined): string | null {
  const { url, faults } = checkUrl(value, 'avatar')
  if (faults.length > 0) throw invalidAll(toFieldFaults(faults))
  return url ?? null
}
