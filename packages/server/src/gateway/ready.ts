import type { Ready } from '@gatehouse/protocol/gateway'
import { serversOf } from '../platform/members/index.ts'
import { findUser, selfView } from '../platform/users/index.ts'
import type { Sql } from '../storage/database.ts'
import type { Session } from './session.ts'

/** `d` of READY; undefined where the account is gone. */
export async function readyOf(
  sql: Sql,
  { id, identity }: Pick<Session, 'id' | 'identity'>,
  resumeUrl: string,
): Promise<Ready | undefined> {
  const [user, servers] = await Promise.all([findUser(sql, identity.userId), serversOf(sql, identity.userId)])
  if (user === undefined) return undefined
  return {
    sessionId: id,
    resumeUrl,
    user: selfView(user, { email: identity.kind === 'person' }),
    ...(identity.kind === 'bot' ? { application: { id: identity.credential } } : {}),
    servers: servers.map(server => ({ id: server.id, name: server.name })),
  }
}
