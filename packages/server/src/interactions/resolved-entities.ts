import type { ResolvedEntities } from '@gatehouse/protocol/interactions'
import { formatPermissions } from '@gatehouse/protocol/permissions'
import { type EntityKind, idsOfKind, type Reference, resolveReferences } from '@gatehouse/protocol/references'
import { findUsers, userView } from '../accounts/users/index.ts'
import { listDirectMessageUserIds } from '../community/channels/index.ts'
import { findMembers } from '../community/members/index.ts'
import { findChannelAccess } from '../community/permissions/index.ts'
import { findRoles } from '../community/roles/index.ts'
import { inSlices } from '../kit/batches.ts'
import type { Sql } from '../storage/database.ts'

/**
 * Each function returns those of the ids that the user may choose, as the bot receives them (bots/resolved): members of
 * the server, or the two people of a direct message; roles of the server; channels of it that the user can view.
 */
export type EntityLookup = Readonly<Record<EntityKind, (ids: readonly string[]) => Promise<ResolvedEntities>>>

/** For ids that the user enters in the channel. `serverId` is null in a direct message. */
export function createEntityLookup(
  sql: Sql,
  now: number,
  { userId, channelId, serverId }: { userId: string; channelId: string; serverId: string | null },
): EntityLookup {
  return {
    async users(ids) {
      if (serverId === null) {
        const [userIds, users] = await Promise.all([
          listDirectMessageUserIds(sql, channelId),
          findUsers(sql, ids),
        ])
        const found = [...users.values()].filter(({ id }) => userIds.includes(id))
        return { users: byId(found.map(userView)) }
      }
      const [found, accesses] = await Promise.all([
        findMembers(sql, now, serverId, ids),
        readAccesses(ids, id => findChannelAccess(sql, now, id, channelId)),
      ])
      const permissions = new Map(ids.map((id, index) => [id, accesses[index]?.permissions ?? 0n]))
      const members = found.map(({ user: { id }, ...member }) => {
        return [id, { ...member, permissions: formatPermissions(permissions.get(id) ?? 0n) }] as const
      })
      return { users: byId(found.map(({ user }) => user)), members: Object.fromEntries(members) }
    },

    async roles(ids) {
      return serverId === null ? {} : { roles: byId(await findRoles(sql, serverId, ids)) }
    },

    async channels(ids) {
      if (serverId === null) return {}
      const found = await readAccesses(ids, id => findChannelAccess(sql, now, userId, id))
      const channels = found.flatMap(access => {
        if (access?.channel.serverId !== serverId) return []
        const { id, name, type } = access.channel
        return [{ id, name: name ?? '', type, permissions: formatPermissions(access.permissions) }]
      })
      return { channels: byId(channels) }
    },
  }
}

/** How many accesses are read without a pause. A member can have 250 roles (limits/event-loop). */
const accessesPerSlice = 5

async function readAccesses<Access>(ids: readonly string[], read: (id: string) => Promise<Access>) {
  const slices = await inSlices(ids, accessesPerSlice, slice => Promise.all(slice.map(read)))
  return slices.flat()
}

function byId<Entity extends { id: string }>(entities: readonly Entity[]): Record<string, Entity> {
  return Object.fromEntries(entities.map(entity => [entity.id, entity]))
}

/** As `resolveReferences` of the protocol. Looks each kind up once, and only if there are ids. */
export async function lookUpReferences(lookup: EntityLookup, references: readonly Reference[]) {
  const find = async (kind: EntityKind): Promise<ResolvedEntities> => {
    const ids = idsOfKind(references, kind)
    return ids.length === 0 ? {} : lookup[kind](ids)
  }
  const [users, roles, channels] = await Promise.all([find('users'), find('roles'), find('channels')])
  return resolveReferences(references, { ...users, ...roles, ...channels })
}
