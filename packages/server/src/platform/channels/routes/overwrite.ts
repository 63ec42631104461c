import { OverwriteBody } from '@gatehouse/protocol/channels'
import { PathIds } from '@gatehouse/protocol/ids'
import { noContent, type Route, route } from '../../../http/route.ts'
import type { Overwrites } from '../index.ts'

/** `/api/channels/:id/overwrites/:targetId` */
export function overwriteRoute({ overwrites }: { overwrites: Overwrites }): Route[] {
  return [
    route({
      method: 'PUT',
      path: '/api/channels/:id/overwrites/:targetId',
      summary: 'Says what a role or member may more or less in a channel.',
      tag: 'Servers',
      caller: { session: true },
      params: PathIds('id', 'targetId'),
      body: OverwriteBody,
      answers: { 204: null },
      errors: ['not_found', 'missing_permission'],
      async handle({ caller, params, body }) {
        await overwrites.putOverwrite(caller.userId, params.id, params.targetId, body)
        return noContent()
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/channels/:id/overwrites/:targetId',
      summary: 'Leaves a role or member with what they have on the server.',
      tag: 'Servers',
      caller: { session: true },
      params: PathIds('id', 'targetId'),
      answers: { 204: null },
      errors: ['not_found', 'missing_permission'],
      async handle({ caller, params }) {
        await overwrites.deleteOverwrite(caller.userId, params.id, params.targetId)
        return noContent()
      },
    }),
  ]
}
