import { defaultEveryone, formatPermissions } from '@gatehouse/protocol/permissions'
import { idsOfKind, type Reference, resolveReferences } from '@gatehouse/protocol/references'
import type { AnyUser, ResolvedChannel, ResolvedEntities, ResolvedMember, Role, User } from './types.ts'

/** A user, role or channel that the bot receives in `resolved`. A role or channel has a `name`. */
export type SelectedEntity = { id: string } & Partial<AnyUser & Role & ResolvedChannel> & {
    /** Of a user. */
    member?: Partial<ResolvedMember>
  }

export const testUser: User = {
  id: '800000000000000001',
  username: 'ana',
  displayName: 'Ana',
  avatar: '/avatars/ana',
}

/** The permissions of members and channels in a test. */
const permissions = formatPermissions(defaultEveryone)

export function createTestMember(member: Partial<ResolvedMember> = {}): ResolvedMember {
  const joinedAt = '2026-01-01T00:00:00.000Z'
  return { nick: null, roles: [], joinedAt, timedOutUntil: null, permissions, ...member }
}

/**
 * What the references refer to: the entities with their ids, with all members that a test has not given. `serverId` is
 * null in a direct message, which has no members.
 */
export function resolveTestEntities(
  references: readonly Reference[],
  entities: readonly SelectedEntity[],
  serverId: string | null,
): ResolvedEntities | undefined {
  const byId = new Map(entities.map(entity => [entity.id, entity]))
  const entitiesOf = (kind: Parameters<typeof idsOfKind>[1]) =>
    idsOfKind(references, kind).map((id): SelectedEntity => byId.get(id) ?? { id })
  const users = entitiesOf('users')
  const toUser = ({
    id,
    username = `user_${id}`,
    displayName,
    avatar,
    bot = false,
  }: SelectedEntity): AnyUser => ({
    ...{
      id,
      username,
      bot,
      displayName: displayName ?? testUser.displayName,
      avatar: avatar ?? testUser.avatar,
    },
  })
  const toRole = (role: SelectedEntity): Role => {
    const { id, name = `name-${id}`, color = 0, position = 1, managed = false } = role
    return {
      id,
      serverId: serverId ?? '',
      name,
      permissions: role.permissions ?? '0',
      color,
      position,
      managed,
    }
  }
  const toChannel = ({
    id,
    name = `name-${id}`,
    type = 'text',
    ...channel
  }: SelectedEntity): ResolvedChannel => ({
    ...{ id, name, type, permissions: channel.permissions ?? permissions },
  })
  const found: ResolvedEntities = {
    users: Object.fromEntries(users.map(user => [user.id, toUser(user)])),
    members: Object.fromEntries(
      serverId === null ? [] : users.map(({ id, member }) => [id, createTestMember(member)]),
    ),
    roles: Object.fromEntries(entitiesOf('roles').map(role => [role.id, toRole(role)])),
    channels: Object.fromEntries(entitiesOf('channels').map(channel => [channel.id, toChannel(channel)])),
  }
  return resolveReferences(references, found).resolved
}
