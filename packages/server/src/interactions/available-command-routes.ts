import { AvailableCommand } from '@gatehouse/protocol/commands'
import { list } from '@gatehouse/protocol/wire'
import { ok, type Route, route } from '../http/route.ts'
import type { Clock } from '../kit/clock.ts'
import type { Database } from '../storage/database.ts'
import { listAvailableCommands } from './command-use.ts'

export function availableCommandRoute(db: Database, clock: Clock): Route {
  return route('listAvailableCommands', {
    summary: 'Lists the commands that the user can run in a channel, with their applications.',
    tag: 'Using commands and components',
    caller: { session: true },
    responses: { 200: list(AvailableCommand) },
    errors: ['not_found'],
    handle: async ({ caller, params }) =>
      ok(await listAvailableCommands(db, clock(), caller.userId, params.id)),
  })
}
