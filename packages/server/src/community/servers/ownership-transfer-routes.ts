import {
  AcceptOwnershipBody,
  OfferOwnershipBody,
  OwnershipTransfer,
  Server,
} from '@gatehouse/protocol/servers'
import { list } from '@gatehouse/protocol/wire'
import { noContent, ok, type Route, routeGroup } from '../../http/route.ts'
import type { OwnershipTransfers } from './index.ts'

const route = routeGroup({ tag: 'Servers', caller: { session: true } })

export function ownershipTransferRoutes({ transfers }: { transfers: OwnershipTransfers }): Route[] {
  return [
    route('listOwnershipTransfers', {
      summary: 'Lists the servers that are offered to or by the user.',
      responses: { 200: list(OwnershipTransfer) },
      handle: async ({ caller }) => ok(await transfers.listTransfers(caller.userId)),
    }),
    route('offerOwnership', {
      summary: 'Offers a server to a member for seven days. Only the owner can.',
      body: OfferOwnershipBody,
      responses: { 200: OwnershipTransfer },
      errors: ['not_found', 'missing_permission', 'conflict'],
      auditReason: true,
      handle: async ({ caller, params, body, request }) =>
        ok(await transfers.offer({ ...caller, ip: request.ip }, params.id, body)),
    }),
    route('acceptOwnership', {
      summary: 'Accepts a server that is offered to the user, who becomes its owner.',
      body: AcceptOwnershipBody,
      responses: { 200: Server },
      errors: ['not_found', 'email_not_verified', 'limit_reached'],
      auditReason: true,
      handle: async ({ caller, params, body }) => ok(await transfers.accept(caller, params.id, body)),
    }),
    route('endOwnershipTransfer', {
      summary: 'Withdraws the offer of a server, or declines it.',
      responses: { 204: null },
      errors: ['not_found'],
      auditReason: true,
      handle: ({ caller, params }) => noContent(transfers.end(caller, params.id)),
    }),
  ]
}
