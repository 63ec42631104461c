import { isJsonObject } from '@gatehouse/protocol/json-object'
import { SlackForm, SlackPayload } from '@gatehouse/protocol/slack'
import { PlainText } from '../../http/media.ts'
import { type Route, respond, route } from '../../http/route.ts'
import { jsonOrForm, readPayload } from '../request-body.ts'
import { describeDropped } from '../truncate.ts'
import { TokenParams, type WebhookGuard } from '../webhook-guard.ts'
import type { WebhookMessages } from '../webhook-messages.ts'
import { invalidPayload, noText, slackErrorFormat } from './slack-errors.ts'

export function slackRoutes(messages: WebhookMessages, guard: WebhookGuard): Route[] {
  return [
    route('executeSlackWebhook', {
      summary: 'Sends a message in the format of Slack. The response is `ok`.',
      tag: 'Webhooks',
      caller: { anonymous: true },
      params: TokenParams,
      bodyTypes: ['any'],
      content: jsonOrForm(SlackPayload, SlackForm),
      responses: { 200: PlainText },
      errors: ['not_found', 'rate_limited'],
      documentedErrors: [noText(), noText({ content: '' }), noText({}, true)],
      responseHeaders: ['X-RateLimit'],
      errorFormat: slackErrorFormat,
      cors: true,
      beforeBody: guard.checkTokenAndRate('posts'),
      onErrorResponse: guard.logFailure('slack'),
      onUnrouted: guard.onUnrouted,
      async handle({ request, body }) {
        const payload = readPayload(request, body)
        if (!isJsonObject(payload)) throw invalidPayload('', 'must be a JSON object')
        // Not at the start of the service, because it has the names of all emoji.
        const { parseSlackMessage } = await import('./slack-message.ts')
        const isGithubEvent = request.headers['x-github-event'] !== undefined
        const { dropped, ...newMessage } = parseSlackMessage(payload, isGithubEvent)
        const { message } = await messages.create(guard.requireWebhook(request), newMessage)
        const reason = describeDropped(dropped)
        guard.logSuccess(request, 'slack', 200, { messageId: message.id, reason })
        return respond(200, 'ok', { 'content-type': 'text/plain; charset=utf-8' })
      },
    }),
  ]
}
