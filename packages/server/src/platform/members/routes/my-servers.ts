import { UserServer } from '@gatehouse/protocol/servers'
import { Type } from '@gatehouse/protocol/type'
import { ok, type Route, route } from '../../../http/route.ts'
import type { Sql } from '../../../storage/database.ts'
import { serversOf } from '../index.ts'

/** `/api/users/@me/servers` */
export function myServersRoute({ db }: { db: Sql }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/users/@me/servers',
      summary: 'The servers that one is a member of.',
      tag: 'People',
      caller: { session: true, bot: true, bearer: ['servers'] },
      answers: { 200: Type.Array(UserServer) },
      handle: async ({ caller }) => ok(await serversOf(db, caller.userId)),
    }),
  ]
}
