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
import { created, noContent, ok, type Route, routeGroup } from '../http/route.ts'
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

export function webhookRoutes(deps: Deps): Route[] {
  return [...managementRoutes(deps), ...routesByToken(deps)]
}

function managementRoutes({ webhooks }: Deps): Route[] {
  const route = routeGroup({ tag: 'Webhook management', caller: { session: true, bot: true } })
  return [
    route('listWebhooks', {
      summary: 'Lists the webhooks of a channel, with the URLs of those that the caller created.',
      responses: { 200: list(Webhook) },
      errors: ['not_found', 'missing_permission'],
      handle: async ({ caller, params }) => ok(await webhooks.list(caller.userId, params.channelId)),
    }),
    route('listServerWebhooks', {
      summary: 'Lists the webhooks of the channels in which the caller has MANAGE_WEBHOOKS.',
      responses: { 200: list(Webhook) },
      errors: ['not_found'],
      handle: async ({ caller, params }) => ok(await webhooks.listOfServer(caller.userId, params.id)),
    }),
    route('createWebhook', {
      summary: 'Creates a webhook.',
      body: CreateWebhookBody,
      rates: ['images', 'webhooks'],
      responses: { 201: Webhook },
      errors: ['not_found', 'missing_permission', 'email_not_verified', 'webhook_limit', 'limit_reached'],
      auditReason: true,
      handle: async ({ caller, params, body }) =>
        created(await webhooks.create(caller, params.channelId, body)),
    }),
    route('updateWebhook', {
      summary:
        'Changes the name, avatar or channel of a webhook. The new channel must be in the same server.',
      body: UpdateWebhookBody,
      rates: ['images'],
      responses: { 200: Webhook },
      errors: ['not_found', 'missing_permission', 'webhook_limit', 'limit_reached'],
      auditReason: true,
      handle: async ({ caller, params, body }) => ok(await webhooks.update(caller, params, body)),
    }),
    route('deleteWebhook', {
      summary: 'Deletes a webhook. Its messages are not deleted.',
      responses: { 204: null },
      errors: ['not_found', 'missing_permission'],
      auditReason: true,
      handle: ({ caller, params }) => noContent(webhooks.delete(caller, params)),
    }),
  ]
}

function routesByToken({ webhooks, messages, guard }: Deps): Route[] {
  const route = routeGroup({
    tag: 'Webhooks',
    caller: { anonymous: true },
    errors: ['not_found', 'rate_limited'],
    responseHeaders: ['X-RateLimit'],
    errorFormat: discordErrorFormat,
    cors: true,
    onUnrouted: guard.onUnrouted,
  })
  return [
    route('executeWebhook', {
      params: TokenParams,
      summary: 'Sends a message. With `wait=true` the response is the message, otherwise 204.',
      query: WaitQuery,
      bodyTypes: ['any'],
      content: jsonOrForm(WebhookMessageBody, WebhookMessageForm),
      documentedErrors: [emptyMessage()],
      responses: { 200: DiscordMessage, 204: null },
      beforeBody: guard.checkTokenAndRate('posts'),
      onErrorResponse: guard.logFailure('message'),
      async handle({ request, query, body }) {
        const isGithubEvent = request.headers['x-github-event'] !== undefined
        const newMessage = parseDiscordMessage(readDiscordBody(request, body), isGithubEvent)
        const { message, webhook } = await messages.create(guard.requireWebhook(request), newMessage)
        // Formatting may fail, and each post is logged once. So success is recorded last.
        guard.setMessageId(request, message.id)
        const response = query.wait ? ok(await messages.format(webhook, message)) : await noContent()
        guard.logSuccess(request, 'message', response.status, { messageId: message.id, reason: null })
        return response
      },
    }),
    route('getWebhookByToken', {
      params: TokenParams,
      summary: 'Returns the webhook.',
      responses: { 200: DiscordWebhook },
      beforeBody: guard.checkTokenAndRate(),
      onErrorResponse: guard.countNotFound,
      handle: async ({ request, params }) => ok(webhooks.format(guard.requireWebhook(request), params.token)),
    }),
    route('updateWebhookByToken', {
      params: TokenParams,
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
    route('deleteWebhookByToken', {
      params: TokenParams,
      summary: 'Deletes the webhook. Its messages are not deleted.',
      bodyTypes: ['any'],
      responses: { 204: null },
      beforeBody: guard.checkTokenAndRate('edits'),
      onErrorResponse: guard.countNotFound,
      handle: async ({ request }) => noContent(webhooks.deleteByToken(guard.requireWebhook(request))),
    }),
  ]
}
