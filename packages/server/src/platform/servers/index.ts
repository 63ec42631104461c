// Owns the communities: founding one with its first role, channel and member, its name, icon and end.
// Does not own: who is in it (members/, invites/), what is in it (channels/, roles/), applications on it.
import type { Sql } from '../../storage/database.ts'
import type { ServerRecord } from '../permissions/index.ts'
import * as store from './store.ts'

export { createServers, type Servers } from './servers.ts'

/** Whether or not anybody is a member. */
export function findServer(sql: Sql, id: string): Promise<ServerRecord | undefined> {
  return store.findServer(sql, id)
}
