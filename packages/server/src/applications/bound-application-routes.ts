import { BoundApplication } from '@gatehouse/protocol/applications'
import { list } from '@gatehouse/protocol/wire'
import { noContent, ok, type Route, routeGroup } from '../http/route.ts'
import type { BoundApplications } from './bound-applications.ts'

const route = routeGroup({ tag: 'Servers', caller: { session: true } })

export function boundApplicationRoutes(boundApplications: BoundApplications): Route[] {
  return [
    route('listBoundApplications', {
      summary:
        'Lists the applications that are bound to a server, for its owner and the member to whom it is offered.',
      responses: { 200: list(BoundApplication) },
      errors: ['not_found', 'missing_permission'],
      handle: async ({ caller, params }) => ok(await boundApplications.list(caller.userId, params.id)),
    }),
    route('keepBoundApplication', {
      summary:
        'Lets an application stay bound to the server, also if its owner cannot manage it. Only the owner can.',
      responses: { 204: null },
      errors: ['not_found', 'missing_permission'],
      auditReason: true,
      handle: ({ caller, params }) =>
        noContent(boundApplications.keep(caller, params.id, params.applicationId)),
    }),
    route('endBoundApplication', {
      summary: 'Ends the binding of an application to the server. Only the owner of the server can.',
      responses: { 204: null },
      errors: ['not_found', 'missing_permission'],
      auditReason: true,
      handle: ({ caller, params }) =>
        noContent(boundApplications.end(caller, params.id, params.applicationId)),
    }),
  ]
}
