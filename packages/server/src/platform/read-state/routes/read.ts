import { PathIds } from '@gatehouse/protocol/ids'
import { MarkReadBody } from '@gatehouse/protocol/read-state'
import { noContent, type Route, route } from '../../../http/route.ts'
import type { ReadStates } from '../index.ts'

/** `/api/channels/:id/read` */
export function readRoute({ readStates }: { readStates: ReadStates }): Route[] {
  return [
    route({
      method: 'PUT',
      path: '/api/channels/:id/read',
      summary: 'Says up to which message one has read a channel; it never goes back.',
      tag: 'Messages',
      caller: { session: true },
      params: PathIds('id'),
      body: MarkReadBody,
      answers: { 204: null },
      errors: ['not_found'],
      async handle({ caller, params, body }) {
        await readStates.markRead(caller.userId, params.id, body.messageId)
        return noContent()
      },
    }),
  ]
}
