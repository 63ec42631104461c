import type { Ready } from '@gatehouse/protocol/gateway'
import { rolesOf, serversOf } from '../platform/members/index.ts'
import { readStatesOf } from '../platform/read-state/index.ts'
import { findUser, selfView } from '../platform/users/index.ts'
import type { Sql } from '../storage/database.ts'
import type { Session } from './session.ts'

const noRoles: ReadonlyMap<string, string[]> = new Map()

/** `d` of READY; undefined where the account is gone. */
export async function readyOf(
  sql: Sql,
  { id, identity, home }: Pick<Session, 'id' | 'identity' | 'home'>,
  resumeUrl: string,
): Promise<Ready | undefined> {
  const { kind, userId } = identity
  const person = kind === 'person'
  const [user, servers, roles, readStates] = await Promise.all([
    findUser(sql, userId),
    serversOf(sql, userId),
    person ? rolesOf(sql, userId) : noRoles,
    readStatesOf(sql, userId, home?.visibleChannels() ?? []),
  ])
  if (user === undefined) return undefined
  return {
    sessionId: id,
    resumeUrl,
    user: selfView(user, { email: person }),
    ...(person ? {} : { application: { id: identity.credential } }),
    servers: servers.map(server => ({
      id: server.id,
      name: server.name,
      ...(person ? { roles: roles.get(server.id) ?? [] } : {}),
    })),
    ...(person ? { readStates } : {}),
  }
}
