import { Id, isId } from '@gatehouse/protocol/ids'
import { DiscordMessage, WebhookMessageEdit, WebhookMessageEditForm } from '@gatehouse/protocol/webhooks'
import { openObject, shownAs, string } from '@gatehouse/protocol/wire'
import { noContent, ok, type Route, route } from '../http/route.ts'
import { discordErrorFormat, emptyMessage, unknownMessage } from './discord/discord-errors.ts'
import { parseDiscordMessageChanges } from './discord/discord-message.ts'
import { jsonOrForm, readDiscordBody } from './request-body.ts'
import { TokenParams, type WebhookGuard } from './webhook-guard.ts'
import type { WebhookMessages } from './webhook-messages.ts'

const Params = openObject({
  ...TokenParams.entries,
  // In the API document it is an `Id`. `parseMessageId` checks it after the body, because the error is `unknownMessage`.
  messageId: shownAs(string(), Id),
})

/** `/api/webhooks/:id/:token/messages/:messageId` */
export function messageRoutes(messages: WebhookMessages, guard: WebhookGuard): Route[] {
  const common = {
    path: '/api/webhooks/:id/:token/messages/:messageId',
    tag: 'Webhooks',
    caller: { anonymous: true },
    params: Params,
    errors: ['not_found', 'rate_limited'],
    documentedErrors: [unknownMessage()],
    responseHeaders: ['X-RateLimit'],
    errorFormat: discordErrorFormat,
    cors: true,
    onErrorResponse: guard.countNotFound,
    onUnrouted: guard.onUnrouted,
  } as const
  return [
    route({
      ...common,
      method: 'GET',
      operationId: 'getWebhookMessage',
      summary: 'Returns a message of the webhook.',
      responses: { 200: DiscordMessage },
      beforeBody: guard.checkTokenAndRate(),
      async handle({ request, params }) {
        const webhook = guard.requireWebhook(request)
        return ok(await messages.format(webhook, await messages.get(webhook, parseMessageId(params))))
      },
    }),
    route({
      ...common,
      method: 'PATCH',
      operationId: 'updateWebhookMessage',
      summary: 'Edits a message of the webhook. Absent members do not change; null and [] remove the value.',
      bodyTypes: ['any'],
      content: jsonOrForm(WebhookMessageEdit, WebhookMessageEditForm),
      documentedErrors: [unknownMessage(), emptyMessage()],
      responses: { 200: DiscordMessage },
      beforeBody: guard.checkTokenAndRate('edits'),
      async handle({ request, params, body }) {
        const webhook = guard.requireWebhook(request)
        const changes = parseDiscordMessageChanges(readDiscordBody(request, body))
        const message = await messages.update(webhook, parseMessageId(params), changes)
        return ok(await messages.format(webhook, message))
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      operationId: 'deleteWebhookMessage',
      summary: 'Deletes a message of the webhook.',
      bodyTypes: ['any'],
      responses: { 204: null },
      beforeBody: guard.checkTokenAndRate('edits'),
      handle: async ({ request, params }) =>
        noContent(messages.delete(guard.requireWebhook(request), parseMessageId(params))),
    }),
  ]
}

function parseMessageId({ messageId }: { messageId: string }): string {
  if (!isId(messageId)) throw unknownMessage()
  return messageId
}
