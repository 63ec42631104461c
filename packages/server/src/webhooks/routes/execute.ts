import { isMembers } from '@gatehouse/protocol/members'
import { Checked } from '@gatehouse/protocol/schema'
import { DialectMessage, WebhookMessageBody } from '@gatehouse/protocol/webhooks'
import { noContent, ok, type Route, route } from '../../http/route.ts'
import { webhookDialect } from '../dialect.ts'
import { readDraft } from '../draft.ts'
import type { Webhooks } from '../index.ts'
import { invalidAt } from '../refusal.ts'
import { readBody } from './body.ts'
import type { Door } from './door.ts'
import { everyVersion } from './paths.ts'

/** `POST /api/webhooks/:id/:token` */
export function executeRoutes({ posting }: Webhooks, door: Door): Route[] {
  return everyVersion((base, tag) => [
    route({
      method: 'POST',
      path: base,
      summary: 'Posts a message; with `wait=true` the answer is the message, else 204.',
      tag,
      caller: { anyone: true },
      body: Checked(WebhookMessageBody, 'JSON, a form, or multipart with `payload_json`; files are refused.'),
      bodyTypes: ['any'],
      answers: { 200: DialectMessage, 204: null },
      errors: ['not_found'],
      dialect: webhookDialect,
      cors: true,
      before: door.admit('posts', 'lately'),
      refused: door.refused(webhookDialect, 'message'),
      astray: door.astray,
      async handle({ request, body }) {
        const wait = readWait(request.query)
        const posted = await posting.post(door.webhookOf(request), readDraft(readBody(request, body)))
        door.taken(request, 'message', wait ? 200 : 204, posted.message.id)
        return wait ? ok(await posting.show(posted.webhook, posted.message)) : noContent()
      },
    }),
  ])
}

/** Check 38: `true`, `True` and `1`, `false`, `False` and `0`; empty is absent (D45); of several the last. */
function readWait(query: unknown): boolean {
  const given = isMembers(query) ? query.wait : undefined
  const value = Array.isArray(given) ? given.at(-1) : given
  const text = typeof value === 'string' ? value.toLowerCase() : ''
  if (text === 'true' || text === '1') return true
  if (text === '' || text === 'false' || text === '0') return false
  throw invalidAt(['wait'], 'invalid_type', 'must be true or false')
}
