import { Checked } from '@gatehouse/protocol/schema'
import { Type } from '@gatehouse/protocol/type'
import { DialectWebhook } from '@gatehouse/protocol/webhooks'
import { noContent, ok, type Route, route } from '../../http/route.ts'
import { webhookDialect } from '../dialect.ts'
import type { Webhooks } from '../index.ts'
import { readBody } from './body.ts'
import type { Door } from './door.ts'
import { everyVersion } from './paths.ts'

const Params = Type.Object({ id: Type.String(), token: Type.String() })
const Rename = Type.Object({ name: Type.Optional(Type.String()) })

/** `GET · PATCH · DELETE /api/webhooks/:id/:token` */
export function webhookRoutesByToken(webhooks: Webhooks, door: Door): Route[] {
  return everyVersion((base, tag) => {
    const shared = {
      path: base,
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
        summary: 'The webhook, to whoever has its address.',
        answers: { 200: DialectWebhook },
        cors: true,
        before: door.admit(),
        handle: async ({ request, params }) => ok(webhooks.show(door.webhookOf(request), params.token)),
      }),
      route({
        ...shared,
        method: 'PATCH',
        summary: 'Renames the webhook; other keys are ignored.',
        body: Checked(Rename, 'The new name.'),
        bodyTypes: ['any'],
        answers: { 200: DialectWebhook },
        cors: true,
        before: door.admit('edits'),
        async handle({ request, params, body }) {
          const renamed = await webhooks.rename(door.webhookOf(request), readBody(request, body))
          return ok(webhooks.show(renamed, params.token))
        },
      }),
      route({
        ...shared,
        method: 'DELETE',
        summary: 'Deletes the webhook; its messages stay.',
        bodyTypes: ['any'],
        answers: { 204: null },
        cors: true,
        before: door.admit('edits'),
        async handle({ request }) {
          await webhooks.remove(door.webhookOf(request))
          return noContent()
        },
      }),
    ]
  })
}
