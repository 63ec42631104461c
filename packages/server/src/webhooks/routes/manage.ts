import { PathIds } from '@gatehouse/protocol/ids'
import { Type } from '@gatehouse/protocol/type'
import { CreateWebhookBody, UpdateWebhookBody, Webhook } from '@gatehouse/protocol/webhooks'
import { created, noContent, ok, type Route, route } from '../../http/route.ts'
import type { Webhooks } from '../index.ts'

const tag = 'Webhooks, managed'

/** `/api/channels/:channelId/webhooks` and below */
export function manageRoutes({ managing }: Webhooks): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/channels/:channelId/webhooks',
      summary: 'The webhooks of a channel, with their addresses.',
      tag,
      caller: { session: true },
      params: PathIds('channelId'),
      answers: { 200: Type.Array(Webhook) },
      errors: ['not_found', 'missing_permission'],
      handle: async ({ caller, params }) => ok(await managing.list(caller.userId, params.channelId)),
    }),
    route({
      method: 'POST',
      path: '/api/channels/:channelId/webhooks',
      summary: 'A new webhook.',
      tag,
      caller: { session: true },
      params: PathIds('channelId'),
      body: CreateWebhookBody,
      answers: { 201: Webhook },
      errors: ['not_found', 'missing_permission', 'webhook_limit'],
      handle: async ({ caller, params, body }) =>
        created(await managing.create(caller.userId, params.channelId, body)),
    }),
    route({
      method: 'PATCH',
      path: '/api/channels/:channelId/webhooks/:id',
      summary: 'Renames a webhook, changes its picture, moves it within its server.',
      tag,
      caller: { session: true },
      params: PathIds('channelId', 'id'),
      body: UpdateWebhookBody,
      answers: { 200: Webhook },
      errors: ['not_found', 'missing_permission', 'webhook_limit'],
      handle: async ({ caller, params, body }) => ok(await managing.update(caller.userId, params, body)),
    }),
    route({
      method: 'DELETE',
      path: '/api/channels/:channelId/webhooks/:id',
      summary: 'Deletes a webhook; its messages stay.',
      tag,
      caller: { session: true },
      params: PathIds('channelId', 'id'),
      answers: { 204: null },
      errors: ['not_found', 'missing_permission'],
      async handle({ caller, params }) {
        await managing.remove(caller.userId, params)
        return noContent()
      },
    }),
    route({
      method: 'POST',
      path: '/api/channels/:channelId/webhooks/:id/token',
      summary: 'A new address; the old one is dead at once.',
      tag,
      caller: { session: true },
      params: PathIds('channelId', 'id'),
      answers: { 200: Webhook },
      errors: ['not_found', 'missing_permission'],
      handle: async ({ caller, params }) => ok(await managing.renewToken(caller.userId, params)),
    }),
  ]
}
