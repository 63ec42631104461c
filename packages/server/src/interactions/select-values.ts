import type { EntitySelect, Select } from '@gatehouse/protocol/components'
import { toFieldErrors } from '@gatehouse/protocol/field-errors'
import type { ResolvedEntities, SelectData } from '@gatehouse/protocol/interactions'
import { checkSelectValues } from '@gatehouse/protocol/select-values'
import { findUsers, userView } from '../accounts/users/index.ts'
import { findChannelNames, listDirectMessageUserIds } from '../community/channels/index.ts'
import { findMemberIds } from '../community/members/index.ts'
import { listVisibleChannelIds } from '../community/permissions/index.ts'
import { findRoleNames } from '../community/roles/index.ts'
import { invalidAll } from '../errors/app-error.ts'
import type { Sql } from '../storage/database.ts'
import { references } from './option-values.ts'

interface Place {
  userId: string
  channelId: string
  /** Null in a direct message. */
  serverId: string | null
}

/**
 * Validates what a user selected in a menu (bots/select-values). Throws 400 with paths such as `values[0]`. Users are
 * members of the server, or the two people of a direct message, which has no roles and no channels.
 */
export async function resolveSelect(
  sql: Sql,
  select: Select,
  given: readonly string[] | undefined,
  place: Place,
): Promise<SelectData> {
  const { values, violations } = checkSelectValues(select, given)
  if (violations.length > 0) throw invalidAll(toFieldErrors(violations))
  const data = { customId: select.customId, componentType: select.type, values }
  if (select.type === 'string_select') return data
  return { ...data, resolved: await entities[select.type](sql, values, place) }
}

type Resolve = (sql: Sql, ids: readonly string[], place: Place) => Promise<ResolvedEntities>

const entities: Readonly<Record<EntitySelect['type'], Resolve>> = {
  async user_select(sql, ids, { channelId, serverId }) {
    const [memberIds, users] = await Promise.all([
      serverId === null ? listDirectMessageUserIds(sql, channelId) : findMemberIds(sql, serverId, ids),
      findUsers(sql, ids),
    ])
    const found = memberIds.flatMap(id => {
      const record = users.get(id)
      if (!record) return []
      const { bot: _, ...user } = userView(record)
      return [user]
    })
    return { users: requireAll(ids, found, 'user') }
  },

  async role_select(sql, ids, { serverId }) {
    const found = serverId === null ? [] : await findRoleNames(sql, serverId, ids)
    return { roles: requireAll(ids, found, 'role') }
  },

  async channel_select(sql, ids, { userId, serverId }) {
    if (serverId === null) return { channels: requireAll(ids, [], 'channel') }
    const [visibleIds, channels] = await Promise.all([
      listVisibleChannelIds(sql, userId, serverId),
      findChannelNames(sql, serverId, ids),
    ])
    const visible = new Set(visibleIds)
    const found = channels.filter(({ id }) => visible.has(id))
    return { channels: requireAll(ids, found, 'channel') }
  },
}

/** What the ids refer to, by id. Throws 400 for ids that are not in `found`. */
function requireAll<Entity extends { id: string }>(
  ids: readonly string[],
  found: readonly Entity[],
  type: keyof typeof references,
): Record<string, Entity> {
  const byId = new Map(found.map(entity => [entity.id, entity]))
  const { code, message } = references[type]
  const errors = ids.flatMap((id, index) =>
    byId.has(id) ? [] : [{ path: `values[${index}]`, code, message }],
  )
  if (errors.length > 0) throw invalidAll(errors)
  return Object.fromEntries([...byId].filter(([id]) => ids.includes(id)))
}
