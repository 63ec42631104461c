import { isId } from '@gatehouse/protocol/ids'
import { notFound } from '../../errors/app-error.ts'
import type { Route } from '../../http/route.ts'
import type { Sql } from '../../storage/database.ts'
import { findWebhook, type NotFoundLimit } from '../../webhooks/index.ts'
import { route } from '../api-route.ts'
import type { DeclareBotRoute } from '../bot-route.ts'
import { toDiscordWebhook } from '../objects/discord-webhook.ts'
import { rename, toId } from '../request-members.ts'

export interface WebhookRouteDeps {
  db: Sql
  /** Counts URLs of unknown webhooks (webhooks/unknown-webhook-limit). */
  notFoundLimit: NotFoundLimit
}

/** With the bot token. The paths with the token of a webhook are those of webhooks/. */
export function discordWebhookRoutes(
  botRoute: DeclareBotRoute,
  { db, notFoundLimit }: WebhookRouteDeps,
): Route[] {
  /** The operations have the channel in their path, and say whether the bot may know of the webhook. */
  async function readIds({ webhookId: id = '' }: Readonly<Record<string, string>>) {
    const webhook = isId(id) ? await findWebhook(db, id) : undefined
    if (webhook === undefined) throw notFound()
    return { id, channelId: webhook.channelId }
  }

  return [
    botRoute('GET /channels/:channelId/webhooks', {
      summary: 'Lists the webhooks of a channel.',
      missing: 'channel',
      handle: async ({ run, params: { channelId = '' } }) =>
        (await run('listWebhooks', { params: { channelId } })).map(toDiscordWebhook),
    }),
    botRoute('GET /guilds/:guildId/webhooks', {
      summary: 'Lists the webhooks of the channels in which the bot has MANAGE_WEBHOOKS.',
      missing: 'guild',
      handle: async ({ run, params: { guildId: id = '' } }) =>
        (await run('listServerWebhooks', { params: { id } })).map(toDiscordWebhook),
    }),
    botRoute('POST /channels/:channelId/webhooks', {
      summary: 'Creates a webhook.',
      missing: 'channel',
      async handle({ run, params: { channelId = '' }, members }) {
        const body = rename(members(), { name: 'name', avatar: 'avatar' })
        return toDiscordWebhook(await run('createWebhook', { params: { channelId }, body }))
      },
    }),
    botRoute('GET /webhooks/:webhookId', {
      summary: 'Returns a webhook.',
      missing: 'webhook',
      async handle({ run, params }) {
        const { id, channelId } = await readIds(params)
        const webhooks = await run('listWebhooks', { params: { channelId } })
        const webhook = webhooks.find(each => each.id === id)
        if (webhook === undefined) throw notFound()
        return toDiscordWebhook(webhook)
      },
    }),
    botRoute('PATCH /webhooks/:webhookId', {
      summary: 'Changes the name, the picture and the channel of a webhook.',
      missing: 'webhook',
      async handle({ run, params, members }) {
        const given = members()
        const body = {
          ...rename(given, { name: 'name', avatar: 'avatar' }),
          ...(given.channel_id ? { channelId: toId(given.channel_id) } : {}),
        }
        return toDiscordWebhook(await run('updateWebhook', { params: await readIds(params), body }))
      },
    }),
    botRoute('DELETE /webhooks/:webhookId', {
      summary: 'Deletes a webhook.',
      missing: 'webhook',
      handle: async ({ run, params }) => run('deleteWebhook', { params: await readIds(params) }),
    }),
    // The URL of a webhook that has lost its token gets the error of a wrong one (webhooks/unknown-webhook).
    route('POST /webhooks/:webhookId', {
      summary: 'Responds that the webhook is unknown, because its token is missing.',
      caller: { anonymous: true },
      missing: 'webhook',
      bodyTypes: ['any'],
      async beforeBody({ ip }) {
        await notFoundLimit.countNotFound(ip)
        throw notFound()
      },
      handle: () => Promise.reject(notFound()),
    }),
  ]
}
