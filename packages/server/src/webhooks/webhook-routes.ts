import { PathIds } from '@gatehouse/protocol/ids'
import {
  CreateWebhookBody,
  DiscordMessage,
  DiscordWebhook,
  UpdateWebhookBody,
  WaitQuery,
  Webhook,
  WebhookMessageBody,
  WebhookMessageForm,
  WebhookUpdate,
  WebhookUpdateForm,
} from '@gatehouse/protocol/webhooks'
import { list } from '@gatehouse/protocol/wire'
import { created, noContent, ok, type Route, route } from '../http/route.ts'
import { discordErrorFormat, emptyMessage } from './discord/discord-errors.ts'
import { parseDiscordMessage } from './discord/discord-message.ts'
import { jsonOrForm, readDiscordBody } from './request-body.ts'
import { TokenParams, type WebhookGuard } from './webhook-guard.ts'
import type { WebhookMessages } from './webhook-messages.ts'
import type { Webhooks } from './webhooks.ts'

interface Deps {
  webhooks: Webhooks
  messages: WebhookMessages
  guard: WebhookGuard
}

/** `/api/channels/:channelId/webhooks`, `…/:id`, and `/api/webhooks/:id/:token`. */
export function webhookRoutes(deps: Deps): Route[] {
  return [...managementRoutes(deps), ...routesByToken(deps)]
}

function managementRoutes({ webhooks }: Deps): Route[] {
  const tag = 'Webhook management'
  return [
    route({
      method: 'GET',
      path: '/api/channels/:channelId/webhooks',
      operationId: 'listWebhooks',
      summary: 'Lists the webhooks of a channel, with the URLs of those that the caller created.',
      tag,
      caller: { session: true, bot: true },
      params: PathIds('channelId'),
      responses: { 200: list(Webhook) },
      errors: ['not_found', 'missing_permission'],
      handle: async ({ caller, params }) => ok(await webhooks.list(caller.userId, params.channelId)),
    }),
    route({
      method: 'POST',
      path: '/api/channels/:channelId/webhooks',
      operationId: 'createWebhook',
      summary: 'Creates a webhook.',
      tag,
      caller: { session: true, bot: true },
      params: PathIds('channelId'),
      body: CreateWebhookBody,
      rates: ['webhooks'],
      responses: { 201: Webhook },
      errors: ['not_found', 'missing_permission', 'email_not_verified', 'webhook_limit'],
      handle: async ({ caller, params, body }) =>
        created(await webhooks.create(caller.userId, params.channelId, body)),
    }),
    route({
      method: 'PATCH',
      path: '/api/channels/:channelId/webhooks/:id',
      operationId: 'updateWebhook',
      summary:
        'Changes the name, avatar or channel of a webhook. The new channel must be in the same server.',
      tag,
      caller: { session: true, bot: true },
      params: PathIds('channelId', 'id'),
      body: UpdateWebhookBody,
      responses: { 200: Webhook },
      errors: ['not_found', 'missing_permission', 'webhook_limit'],
      handle: async ({ caller, params, body }) => ok(await webhooks.update(caller.userId, params, body)),
    }),
    route({
      method: 'DELETE',
      path: '/api/channels/:channelId/webhooks/:id',
      operationId: 'deleteWebhook',
      summary: 'Deletes a webhook. Its messages are not deleted.',
      tag,
      caller: { session: true, bot: true },
      params: PathIds('channelId', 'id'),
      responses: { 204: null },
      errors: ['not_found', 'missing_permission'],
      handle: ({ caller, params }) => noContent(webhooks.delete(caller.userId, params)),
    }),
  ]
}

function routesByToken({ webhooks, messages, guard }: Deps): Route[] {
  const common = {
    path: '/api/webhooks/:id/:token',
    tag: 'Webhooks',
    caller: { anonymous: true },
    params: TokenParams,
    errors: ['not_found', 'rate_limited'],
    responseHeaders: ['X-RateLimit'],
    errorFormat: discordErrorFormat,
    cors: true,
    onUnrouted: guard.onUnrouted,
  } as const
  return [
    route({
      ...common,
      method: 'POST',
      operationId: 'executeWebhook',
      summary: 'Sends a message. With `wait=true` the response is the message, otherwise 204.',
      query: WaitQuery,
      bodyTypes: ['any'],
      content: jsonOrForm(WebhookMessageBody, WebhookMessageForm),
      documentedErrors: [emptyMessage()],
      responses: { 200: DiscordMessage, 204: null },
      beforeBody: guard.checkTokenAndRate('posts'),
      onErrorResponse: guard.logFailure('message'),
      async handle({ request, query, body }) {
        const newMessage = parseDiscordMessage(readDiscordBody(request, body))
        const { message, webhook } = await messages.create(guard.requireWebhook(request), newMessage)
        // Formatting may fail, and each post is logged once. So success is recorded last.
        guard.setMessageId(request, message.id)
        const response = query.wait ? ok(await messages.format(webhook, message)) : await noContent()
        guard.logSuccess(request, 'message', response.status, { messageId: message.id, reason: null })
        return response
      },
    }),
    route({
      ...common,
      method: 'GET',
      operationId: 'getWebhookByToken',
      summary: 'Returns the webhook.',
      responses: { 200: DiscordWebhook },
      beforeBody: guard.checkTokenAndRate(),
      onErrorResponse: guard.countNotFound,
      handle: async ({ request, params }) => ok(webhooks.format(guard.requireWebhook(request), params.token)),
    }),
    route({
      ...common,
      method: 'PATCH',
      operationId: 'updateWebhookByToken',
      summary: 'Changes the name of the webhook. Other keys are ignored.',
      bodyTypes: ['any'],
      content: jsonOrForm(WebhookUpdate, WebhookUpdateForm),
      responses: { 200: DiscordWebhook },
      beforeBody: guard.checkTokenAndRate('edits'),
      onErrorResponse: guard.countNotFound,
      async handle({ request, params, body }) {
        const changes = readDiscordBody(request, body)
        const updated = await webhooks.updateByToken(guard.requireWebhook(request), changes)
        return ok(webhooks.format(updated, params.token))
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      operationId: 'deleteWebhookByToken',
      summary: 'Deletes the webhook. Its messages are not deleted.',
      bodyTypes: ['any'],
      responses: { 204: null },
      beforeBody: guard.checkTokenAndRate('edits'),
      onErrorResponse: guard.countNotFound,
      handle: async ({ request }) => noContent(webhooks.deleteByToken(guard.requireWebhook(request))),
    }),
  ]
}
