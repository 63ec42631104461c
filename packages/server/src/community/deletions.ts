import { type DeleteRows, type DeletionRegistry, sweepDeleted } from '../storage/deletion-registry.ts'
import type { Deps } from './community-deps.ts'
import {
  deletedChannels,
  deletedRoles,
  deletedServers,
  deleteManagedRole,
  listBotsOfServer,
} from './deletion-store.ts'

/** Deletes the rows of servers, channels and roles that are marked as deleted (limits/deletion). */
export async function sweepDeletions(
  {
    db,
    domainEvents,
    deletions,
  }: Pick<Deps, 'db' | 'domainEvents'> & { deletions: Pick<DeletionRegistry, 'of'> },
  batchSize?: number,
): Promise<void> {
  /** One transaction for each, because other features delete rows of the bot in it. */
  const removeBots: DeleteRows = async (sql, serverId, limit) => {
    const botIds = await listBotsOfServer(sql, serverId, limit)
    for (const userId of botIds) {
      await db.transaction(async tx => {
        await domainEvents.publish(tx, 'MemberRemoved', { serverId, userId })
        await deleteManagedRole(tx, serverId, userId)
      })
    }
    return botIds.length
  }
  await sweepDeleted(db, deletedServers(removeBots, deletions.of('server')), batchSize)
  await sweepDeleted(db, deletedChannels(deletions.of('channel')), batchSize)
  await sweepDeleted(db, deletedRoles(deletions.of('role')), batchSize)
}
