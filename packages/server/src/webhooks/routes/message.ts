import { isId } from '@gatehouse/protocol/ids'
import { Checked } from '@gatehouse/protocol/schema'
import { Type } from '@gatehouse/protocol/type'
import { DialectMessage, WebhookMessageEdit } from '@gatehouse/protocol/webhooks'
import { noContent, ok, type Route, route } from '../../http/route.ts'
import { webhookDialect } from '../dialect.ts'
import { readEdit } from '../draft.ts'
import type { Webhooks } from '../index.ts'
import { unknownMessage } from '../refusal.ts'
import { readBody } from './body.ts'
import type { Door } from './door.ts'
import { everyVersion } from './paths.ts'

const Params = Type.Object({ id: Type.String(), token: Type.String(), messageId: Type.String() })

/** `/api/webhooks/:id/:token/messages/:messageId` */
export function messageRoutes({ posting }: Webhooks, door: Door): Route[] {
  return everyVersion((base, tag) => {
    const shared = {
      path: `${base}/messages/:messageId`,
      tag,
      caller: { anyone: true },
      params: Params,
      errors: ['not_found'],
      dialect: webhookDialect,
      refused: door.refused(webhookDialect),
      astray: door.astray,
    } as const
    return [
      route({
        ...shared,
        method: 'GET',
        summary: 'A message of the webhook.',
        answers: { 200: DialectMessage },
        cors: true,
        before: door.admit(),
        async handle({ request, params }) {
          const webhook = door.webhookOf(request)
          return ok(await posting.show(webhook, await posting.read(webhook, messageId(params))))
        },
      }),
      route({
        ...shared,
        method: 'PATCH',
        summary: 'Edits a message of the webhook: what is named changes, null and [] empty it.',
        body: Checked(
          WebhookMessageEdit,
          'JSON, a form, or multipart with `payload_json`; files are refused.',
        ),
        bodyTypes: ['any'],
        answers: { 200: DialectMessage },
        cors: true,
        before: door.admit('edits'),
        async handle({ request, params, body }) {
          const webhook = door.webhookOf(request)
          const edit = readEdit(readBody(request, body))
          return ok(await posting.show(webhook, await posting.edit(webhook, messageId(params), edit)))
        },
      }),
      route({
        ...shared,
        method: 'DELETE',
        summary: 'Deletes a message of the webhook.',
        bodyTypes: ['any'],
        answers: { 204: null },
        cors: true,
        before: door.admit('edits'),
        async handle({ request, params }) {
          await posting.remove(door.webhookOf(request), messageId(params))
          return noContent()
        },
      }),
    ]
  })
}

function messageId(params: { messageId: string }): string {
  if (!isId(params.messageId)) throw unknownMessage()
  return params.messageId
}
