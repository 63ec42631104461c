import { CreateServerBody, Server } from '@gatehouse/protocol/servers'
import { created, type Route, route } from '../../../http/route.ts'
import type { Servers } from '../index.ts'

/** `/api/servers` */
export function serversRoute({ servers }: { servers: Servers }): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/servers',
      summary: 'Founds a server, with a channel `general`.',
      tag: 'Servers',
      caller: { session: true },
      body: CreateServerBody,
      answers: { 201: Server },
      errors: ['email_not_verified'],
      handle: async ({ caller, body }) => created(await servers.createServer(caller.userId, body)),
    }),
  ]
}
