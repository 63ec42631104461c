import type { SelfUser } from '@gatehouse/protocol/users'
import { findUser, selfView } from '../platform/users/index.ts'
import type { Sql } from '../storage/database.ts'

/** Everything that a person may be told of themselves; undefined where there is no such person (any more). */
export async function findPerson(sql: Sql, userId: string): Promise<SelfUser | undefined> {
  const user = await findUser(sql, userId)
  return user && !user.bot ? selfView(user, { email: true }) : undefined
}
