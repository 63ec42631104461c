import { Id, isId } from '@gatehouse/protocol/ids'
import { DiscordMessage, WebhookMessageEdit, WebhookMessageEditForm } from '@gatehouse/protocol/webhooks'
import { openObject, shownAs, string } from '@gatehouse/protocol/wire'
import { noContent, ok, type Route, routeGroup } from '../http/route.ts'
import { discordErrorFormat, emptyMessage, unknownMessage } from './discord/discord-errors.ts'
import { parseDiscordMessageChanges } from './discord/discord-message.ts'
import { jsonOrForm, readDiscordBody } from './request-body.ts'
import { TokenParams, type WebhookGuard } from './webhook-guard.ts'
import type { WebhookMessages } from './webhook-messages.ts'

const Params = openObject({
  ...TokenParams.entries,
  // In the API document it is an `Id`. `parseMessageId` checks it after the body, because the error is
  // `unknownMessage`.
  messageId: shownAs(string(), Id),
})

export function webhookMessageRoutes(messages: WebhookMessages, guard: WebhookGuard): Route[] {
  const route = routeGroup({
    tag: 'Webhooks',
    caller: { anonymous: true },
    errors: ['not_found', 'rate_limited'],
    documentedErrors: [unknownMessage()],
    responseHeaders: ['X-RateLimit'],
    errorFormat: discordErrorFormat,
    cors: true,
    onErrorResponse: guard.countNotFound,
    onUnrouted: guard.onUnrouted,
  })
  return [
    route('getWebhookMessage', {
      params: Params,
      summary: 'Returns a message of the webhook.',
      responses: { 200: DiscordMessage },
      beforeBody: guard.checkTokenAndRate(),
      async handle({ request, params }) {
        const webhook = guard.requireWebhook(request)
        return ok(await messages.format(webhook, await messages.get(webhook, parseMessageId(params))))
      },
    }),
    route('updateWebhookMessage', {
      params: Params,
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
    route('deleteWebhookMessage', {
      params: Params,
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
