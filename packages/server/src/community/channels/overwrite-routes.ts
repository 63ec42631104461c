import { OverwriteBody } from '@gatehouse/protocol/channels'
import { Id } from '@gatehouse/protocol/ids'
import { described, openObject } from '@gatehouse/protocol/wire'
import { noContentAt, type Route, routeGroup } from '../../http/route.ts'
import type { Overwrites } from './index.ts'

const route = routeGroup({ tag: 'Servers', caller: { session: true, bot: true } })

const Params = openObject({ id: Id, targetId: described(Id, 'The id of the role or user.') })

export function overwriteRoutes({ overwrites }: { overwrites: Overwrites }): Route[] {
  return [
    route('putOverwrite', {
      summary: 'Creates or replaces the permission overwrite of a role or member in a channel.',
      params: Params,
      body: OverwriteBody,
      responses: { 204: null },
      errors: ['not_found', 'missing_permission', 'limit_reached'],
      auditReason: true,
      handle: ({ caller, params, body }) =>
        noContentAt(overwrites.putOverwrite(caller, params.id, params.targetId, body)),
    }),
    route('deleteOverwrite', {
      summary: 'Deletes the permission overwrite of a role or member in a channel.',
      params: Params,
      responses: { 204: null },
      errors: ['not_found', 'missing_permission'],
      auditReason: true,
      handle: ({ caller, params }) =>
        noContentAt(overwrites.deleteOverwrite(caller, params.id, params.targetId)),
    }),
  ]
}
