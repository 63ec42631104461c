import { defaultEveryone, formatPermissions } from '@gatehouse/protocol/permissions'
import { type EntityKind, idsOfKind, type Reference, resolveReferences } from '@gatehouse/protocol/references'
import { rejectViolations } from './test-answers.ts'
import type {
  AnyUser,
  ResolvedChannel,
  ResolvedEntities,
  ResolvedMember,
  Role,
  SelectedEntity,
  User,
} from './types.ts'

export const testUser: User = {
  id: '800000000000000001',
  username: 'ana',
  displayName: 'Ana',
  avatar: '/avatars/ana',
}

const everyone = formatPermissions(defaultEveryone)

export function createTestMember(member: Partial<ResolvedMember> = {}): ResolvedMember {
  const joinedAt = '2026-01-01T00:00:00.000Z'
  return { nick: null, roles: [], joinedAt, timedOutUntil: null, permissions: everyone, ...member }
}

/**
 * What the references refer to. Members that a test has not given are those of a test user. Throws 400 for a role or
 * channel in a direct message, whose `serverId` is null.
 */
export function resolveTestEntities(
  references: readonly Reference[],
  given: readonly SelectedEntity[],
  serverId: string | null,
): ResolvedEntities | undefined {
  const entities = new Map(given.map(entity => [entity.id, entity]))
  const idsOf = (kind: EntityKind) => idsOfKind(references, kind)
  const find = <Value>(ids: readonly string[], toValue: (entity: SelectedEntity) => Value) =>
    Object.fromEntries(ids.map(id => [id, toValue(entities.get(id) ?? { id })]))
  const mentionable = idsOf('users').filter(id => idsOf('roles').includes(id))
  const isRole = (id: string) => entities.get(id)?.name !== undefined
  const userIds = idsOf('users').filter(id => !mentionable.includes(id) || !isRole(id))
  const roleIds = idsOf('roles').filter(id => !mentionable.includes(id) || isRole(id))
  const users = find(userIds, toUser)
  const found =
    serverId === null
      ? { users }
      : {
          users,
          members: find(userIds, ({ member }) => createTestMember(member)),
          roles: find(roleIds, role => toRole(role, serverId)),
          channels: find(idsOf('channels'), toChannel),
        }
  const { resolved, violations } = resolveReferences(references, found)
  rejectViolations(violations)
  return resolved
}

function toUser(entity: SelectedEntity): AnyUser {
  const { displayName, avatar } = testUser
  const { id, username = `user_${id}`, bot = false } = entity
  return {
    id,
    username,
    displayName: entity.displayName ?? displayName,
    avatar: entity.avatar ?? avatar,
    bot,
  }
}

function toRole(role: SelectedEntity, serverId: string): Role {
  const { id, name = `name-${id}`, permissions = '0', color = 0, position = 1, managed = false } = role
  return { id, serverId, name, permissions, color, position, managed }
}

function toChannel(channel: SelectedEntity): ResolvedChannel {
  const { id, name = `name-${id}`, type = 'text', permissions = everyone } = channel
  return { id, name, type, permissions }
}
