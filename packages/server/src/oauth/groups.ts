import type { ApplicationRecord } from '../applications/index.ts'
import type { Sql } from '../storage/database.ts'
import { findBoundMember } from './admission.ts'

/**
 * The claim `groups` and its second name: the groups of the roles that the user has now, from the highest role
 * (sign-in/groups). Empty for a user who is not a member.
 */
export async function readGroupClaims(
  sql: Sql,
  client: Pick<ApplicationRecord, 'ownerId' | 'server'>,
  userId: string,
): Promise<Record<string, string[]>> {
  const access = await findBoundMember(sql, client, userId)
  const values = new Map(client.server?.groups.map(({ roleId, value }) => [roleId, value]))
  const groups = [...new Set(access?.member.roles.flatMap(id => values.get(id) ?? []))]
  const secondName = client.server?.groupsClaim
  return { groups, ...(secondName ? { [secondName]: groups } : {}) }
}
