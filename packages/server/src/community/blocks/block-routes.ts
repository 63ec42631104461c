import { Block } from '@gatehouse/protocol/users'
import { list } from '@gatehouse/protocol/wire'
import { noContent, ok, type Route, routeGroup } from '../../http/route.ts'
import type { Blocks } from './index.ts'

const route = routeGroup({ tag: 'Users', caller: { session: true } })

export function blockRoutes({ blocks }: { blocks: Blocks }): Route[] {
  return [
    route('listBlocks', {
      summary: 'Lists the users and bots that the user blocks, newest first.',
      responses: { 200: list(Block) },
      handle: async ({ caller }) => ok(await blocks.listBlocks(caller.userId)),
    }),
    route('createBlock', {
      summary: 'Blocks a user or bot, who is not told.',
      responses: { 204: null },
      errors: ['validation_failed', 'not_found', 'limit_reached'],
      handle: ({ caller, params }) => noContent(blocks.createBlock(caller.userId, params.userId)),
    }),
    route('deleteBlock', {
      summary: 'Ends a block.',
      responses: { 204: null },
      errors: ['not_found'],
      handle: ({ caller, params }) => noContent(blocks.deleteBlock(caller.userId, params.userId)),
    }),
  ]
}
