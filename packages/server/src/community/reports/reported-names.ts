import { referencePattern } from '@gatehouse/protocol/ids'
import type { ReportedNames } from '@gatehouse/protocol/reports'
import { findUsers } from '../../accounts/users/index.ts'
import type { Sql } from '../../storage/database.ts'
import { findMembers } from '../members/index.ts'
import { findRoles } from '../roles/index.ts'
import { findChannelNames } from './report-store.ts'

interface Reported {
  /** '' for a message of a direct message. */
  serverId: string
  channelId: string
  /** What `copyMessage` has made. */
  copy: string
}

/**
 * The copy with the names of its channel, and of the users, roles and channels that the message mentions, as they are
 * now: what is deleted later has no other name. Only what belongs to the server, so that nobody learns the name of an
 * account by its id. Administrators of the instance, who read the reports of direct messages, see all accounts.
 */
export async function addNames(
  sql: Sql,
  now: number,
  { serverId, channelId, copy }: Reported,
): Promise<string> {
  // In JSON too, a reference has no character that is escaped.
  const references = [...copy.matchAll(new RegExp(referencePattern, 'g'))]
  const idsOf = (...signs: string[]) => [
    ...new Set(
      references.flatMap(([, sign, id]) => (id !== undefined && signs.includes(sign ?? '') ? id : [])),
    ),
  ]
  const userIds = idsOf('@', '@!')
  const roleIds = idsOf('@&')
  const names: ReportedNames =
    serverId === ''
      ? { users: [...(await findUsers(sql, userIds)).values()].map(nameOf), roles: [], channels: [] }
      : {
          users: (await findMembers(sql, now, serverId, userIds)).map(({ user, nick }) => ({
            ...nameOf(user),
            displayName: nick ?? user.displayName,
          })),
          roles: (await findRoles(sql, serverId, roleIds)).map(({ id, name }) => ({ id, name })),
          channels: await findChannelNames(sql, serverId, [channelId, ...idsOf('#')]),
        }
  return JSON.stringify({ ...JSON.parse(copy), names })
}

function nameOf({ id, username, displayName }: ReportedNames['users'][number]) {
  return { id, username, displayName }
}

/**
 * The names that `addNames` has added, without channels that the viewer cannot view. `channelIds` is undefined for who
 * can view all.
 */
export function readNames(copy: string | null, channelIds: readonly string[] | undefined): ReportedNames {
  const { names }: { names?: ReportedNames } = copy === null ? {} : JSON.parse(copy)
  const { users = [], roles = [], channels = [] } = names ?? {}
  return { users, roles, channels: channels.filter(({ id }) => channelIds?.includes(id) ?? true) }
}
