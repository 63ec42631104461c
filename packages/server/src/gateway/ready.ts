import type { Ready } from '@gatehouse/protocol/gateway'
import { listRoleIdsByServer } from '../platform/members/index.ts'
import { listReadStates } from '../platform/read-state/index.ts'
import { listUserServers } from '../platform/servers/index.ts'
import { findUser, selfView } from '../platform/users/index.ts'
import type { Sql } from '../storage/database.ts'
import type { GatewaySession } from './gateway-session.ts'

const noRoles: ReadonlyMap<string, string[]> = new Map()

/** Reads the payload of READY. Undefined if the account was deleted. */
export async function readReady(
  sql: Sql,
  { id, identity, subscriptions }: Pick<GatewaySession, 'id' | 'identity' | 'subscriptions'>,
  resumeUrl: string,
): Promise<Ready | undefined> {
  const { kind, userId } = identity
  const isUser = kind === 'user'
  const [user, servers, roles, readStates] = await Promise.all([
    findUser(sql, userId),
    listUserServers(sql, userId),
    isUser ? listRoleIdsByServer(sql, userId) : noRoles,
    listReadStates(sql, userId, subscriptions?.visibleChannelIds() ?? []),
  ])
  if (user === undefined) return undefined
  return {
    sessionId: id,
    resumeUrl,
    user: selfView(user, { email: isUser }),
    ...(isUser ? {} : { application: { id: identity.credentialId } }),
    servers: servers.map(server => ({
      id: server.id,
      name: server.name,
      ...(isUser ? { roles: roles.get(server.id) ?? [] } : {}),
    })),
    ...(isUser ? { readStates } : {}),
  }
}
