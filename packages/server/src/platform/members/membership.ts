import { formatPermissions } from '@gatehouse/protocol/permissions'
import type { UserServer } from '@gatehouse/protocol/servers'
import type { Sql } from '../../storage/database.ts'
import { computePermissions, serverView } from '../permissions/index.ts'
import * as store from './store.ts'

/** The servers that a person or bot is a member of, by id, each with what they may do there before any overwrite. */
export async function serversOf(sql: Sql, userId: string): Promise<UserServer[]> {
  const [servers, grants] = await Promise.all([
    store.listServersOf(sql, userId),
    store.listPermissionsOf(sql, userId),
  ])
  const ofServer = Map.groupBy(grants, grant => grant.server_id)
  return servers.map(server => {
    const owner = server.ownerId === userId
    // @everyone among them: before overwrites its grants count as those of any other role.
    const roles = (ofServer.get(server.id) ?? []).map(grant => ({ permissions: BigInt(grant.permissions) }))
    const permissions = computePermissions({ owner, everyone: { permissions: 0n }, roles })
    const { id, name, icon } = serverView(server)
    return { id, name, icon, owner, permissions: formatPermissions(permissions) }
  })
}

/** The roles of a person on each of their servers, by server; without @everyone. */
export async function rolesOf(sql: Sql, userId: string): Promise<Map<string, string[]>> {
  const roles = new Map<string, string[]>()
  for (const { server_id, role_id } of await store.listRolesOf(sql, userId)) {
    const of = roles.get(server_id)
    if (of === undefined) roles.set(server_id, [role_id])
    else of.push(role_id)
  }
  return roles
}

export async function isMember(sql: Sql, serverId: string, userId: string): Promise<boolean> {
  return (await store.findMember(sql, serverId, userId)) !== undefined
}

/** Those of `userIds` that are members of the server. */
export function findMemberIds(sql: Sql, serverId: string, userIds: readonly string[]): Promise<string[]> {
  return store.findMemberIds(sql, serverId, userIds)
}

export function countMembers(sql: Sql, serverId: string): Promise<number> {
  return store.countMembers(sql, serverId)
}

/** Whether there is a server that both are members of. */
export function sharesServer(sql: Sql, a: string, b: string): Promise<boolean> {
  return store.sharesServer(sql, a, b)
}
