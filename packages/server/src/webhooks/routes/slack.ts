import { isMembers } from '@gatehouse/protocol/members'
import { Checked } from '@gatehouse/protocol/schema'
import { SlackPayload } from '@gatehouse/protocol/slack'
import { Type } from '@gatehouse/protocol/type'
import { answer, type Route, route } from '../../http/route.ts'
import type { Webhooks } from '../index.ts'
import { fromSlack } from '../slack/from-slack.ts'
import { invalidPayload, slackDialect } from '../slack/refusal.ts'
import { readPayload } from './body.ts'
import type { Door } from './door.ts'
import { everyVersion } from './paths.ts'

/** `POST /api/webhooks/:id/:token/slack` */
export function slackRoutes({ posting }: Webhooks, door: Door): Route[] {
  return everyVersion((base, tag) => [
    route({
      method: 'POST',
      path: `${base}/slack`,
      summary: 'Posts a message in the format of Slack; the answer is `ok`.',
      tag,
      caller: { anyone: true },
      body: Checked(SlackPayload, 'JSON, or the same in the field `payload` of a form or of multipart.'),
      bodyTypes: ['any'],
      answers: { 200: Type.String({ description: '`ok`, as plain text.' }) },
      errors: ['not_found'],
      dialect: slackDialect,
      cors: true,
      before: door.admit('posts'),
      refused: door.refused(slackDialect, 'slack'),
      astray: door.astray,
      async handle({ request, body }) {
        const webhook = door.webhookOf(request)
        const payload = readPayload(request, body)
        if (!isMembers(payload)) throw invalidPayload('', 'only an object is a message')
        const { message } = await posting.post(webhook, fromSlack(payload))
        door.taken(request, 'slack', 200, message.id)
        return answer(200, 'ok', { 'content-type': 'text/plain; charset=utf-8' })
      },
    }),
  ])
}
