import { maxOwnedServers, ownershipTransferSeconds } from '@gatehouse/protocol/limits'
import type {
  AcceptOwnershipBody,
  OfferOwnershipBody,
  OwnershipTransfer,
  Server,
} from '@gatehouse/protocol/servers'
import { findUser, findUsers, lockUserRow, type Users, userView } from '../../accounts/users/index.ts'
import { type Actor, changesOf, userTarget } from '../../audit/index.ts'
import { AppError, notFound } from '../../errors/app-error.ts'
import type { DomainEvents } from '../../events/domain-events.ts'
import { limitReached } from '../../i18n/localized-error.ts'
import { imagePath } from '../../images/index.ts'
import type { Sql, Transaction } from '../../storage/database.ts'
import type { Deps } from '../community-deps.ts'
import { isMember } from '../members/index.ts'
import { lockServerRow, requireServer, type ServerRecord, toServer } from '../permissions/index.ts'
import * as store from './ownership-transfer-store.ts'
import { countOwnedServers, findServer } from './server-store.ts'
import { notOwner, requireOwner } from './servers.ts'

/** The session of the owner. */
type Owner = Actor & { sessionId: string; ip: string }

type TransfersDeps = Pick<Deps, 'db' | 'clock' | 'events' | 'domainEvents' | 'auditLog'> &
  Pick<Users, 'confirmPassword' | 'requireVerified'> & { proofs: Pick<Users['proofs'], 'withFactor'> }

export type OwnershipTransfers = ReturnType<typeof createOwnershipTransfers>

/** The owner of a server offers it to a member, who accepts or declines (community/ownership-transfer). */
export function createOwnershipTransfers({
  db,
  clock,
  events,
  domainEvents,
  auditLog,
  confirmPassword,
  proofs,
  requireVerified,
}: TransfersDeps) {
  const createdAfter = () => clock() - ownershipTransferSeconds * 1000

  const publish = (tx: Transaction, record: store.TransferRecord, transfer: OwnershipTransfer | null) =>
    publishTransfer(tx, events, record, transfer)

  return {
    /** The offers that the user has made or received. */
    async listTransfers(userId: string): Promise<OwnershipTransfer[]> {
      const records = await store.listTransfers(db, userId, createdAfter())
      return toTransfers(db, records)
    },

    /**
     * Only the owner can offer the server, and proves their identity as for a new password. Replaces an earlier offer.
     * 404 for a user who is not a member, 409 for a bot and for the owner. Throws also as `Proofs.withFactor`.
     */
    async offer(
      owner: Owner,
      serverId: string,
      { userId, currentPassword, ...proof }: OfferOwnershipBody,
    ): Promise<OwnershipTransfer> {
      const ownerId = owner.userId
      await requireOwner(db, clock(), ownerId, serverId)
      await confirmPassword(ownerId, currentPassword, owner)
      return proofs.withFactor(owner, proof, async tx => {
        // So that the member does not leave at the same time.
        await lockServerRow(tx, serverId)
        const { name, icon } = await requireOwner(tx, clock(), ownerId, serverId)
        const user = await findUser(tx, userId)
        if (user === undefined || !(await isMember(tx, serverId, userId))) throw notFound()
        if (user.bot) throw new AppError('conflict', 'A bot cannot own a server.')
        if (userId === ownerId) throw new AppError('conflict', 'You own the server already.')
        const replaced = await store.deleteTransfer(tx, serverId, ownerId)
        if (replaced !== undefined) publish(tx, replaced, null)
        const record = { serverId, ownerId, userId, createdAt: clock(), name, icon }
        await store.putTransfer(tx, record)
        const [transfer] = await toTransfers(tx, [record])
        if (transfer === undefined) throw notFound()
        publish(tx, record, transfer)
        const target = userTarget(user)
        await auditLog.record(tx, { serverId, actor: owner, action: 'SERVER_TRANSFER_OFFER', target })
        return transfer
      })
    },

    /**
     * The member becomes the owner, unless they own too many servers. The former owner stays a member. 404 if the
     * server is not offered to the user.
     */
    accept(actor: Actor, serverId: string, { keptApplications }: AcceptOwnershipBody): Promise<Server> {
      const { userId } = actor
      return db.transaction(async tx => {
        await requireVerified(tx, userId)
        await lockUserRow(tx, userId)
        const offered = await store.findTransfer(tx, serverId)
        if (offered?.userId !== userId || offered.createdAt <= createdAfter()) throw notFound()
        // Before the offer, in the order of those who remove a member.
        await lockServerRow(tx, serverId)
        const taken = await store.deleteTransfer(tx, serverId, userId)
        if (taken === undefined || !(await store.setOwner(tx, offered))) throw notFound()
        if ((await countOwnedServers(tx, userId)) > maxOwnedServers) throw limitReached('ownedServers')
        const server = await findServer(tx, serverId)
        if (server === undefined) throw notFound()
        publish(tx, taken, null)
        const formerOwnerId = offered.ownerId
        const transferred = await finishTransfer(tx, { events, auditLog }, { server, formerOwnerId, actor })
        await domainEvents.publish(tx, 'OwnershipAccepted', {
          server,
          formerOwnerId,
          actor,
          keptApplications,
        })
        return transferred
      })
    },

    /** The owner withdraws the offer, or the member declines it. 404 if there is none. */
    end(actor: Actor, serverId: string): Promise<void> {
      return db.transaction(async tx => {
        const ended = await store.deleteTransfer(tx, serverId, actor.userId)
        if (ended === undefined) throw notFound()
        publish(tx, ended, null)
        const user = await findUser(tx, ended.userId)
        if (user === undefined) throw notFound()
        const target = userTarget(user)
        await auditLog.record(tx, { serverId, actor, action: 'SERVER_TRANSFER_END', target })
      })
    },

    /** Ends the offer to a user who is no longer a member. */
    async onMemberRemoved(
      tx: Transaction,
      { serverId, userId }: DomainEvents['MemberRemoved'],
    ): Promise<void> {
      const ended = await store.deleteTransfer(tx, serverId, userId)
      if (ended !== undefined) publish(tx, ended, null)
    },
  }
}

/** For what the owner sees, and the member to whom the server is offered. */
export async function requireOwnerOrOffered(
  sql: Sql,
  now: number,
  userId: string,
  serverId: string,
): Promise<void> {
  const { server } = await requireServer(sql, now, userId, serverId)
  const offered = server.ownerId === userId ? undefined : await store.findTransfer(sql, serverId)
  const isOffered =
    offered?.userId === userId &&
    offered.ownerId === server.ownerId &&
    offered.createdAt > now - ownershipTransferSeconds * 1000
  if (server.ownerId !== userId && !isOffered) throw notOwner()
}

/** Tells both users about the offer; null when it has ended. */
export function publishTransfer(
  tx: Transaction,
  events: TransfersDeps['events'],
  { serverId, ownerId, userId }: store.TransferRecord,
  transfer: OwnershipTransfer | null,
): void {
  tx.afterCommit(() => {
    for (const id of [ownerId, userId]) {
      events.toUser(id, { t: 'OWNERSHIP_TRANSFER_UPDATE', d: { serverId, transfer } })
    }
  })
}

/** Records and publishes the new owner of the server. `actor` is null for a command of the operator. */
export async function finishTransfer(
  tx: Transaction,
  { events, auditLog }: Pick<TransfersDeps, 'events' | 'auditLog'>,
  { server, formerOwnerId, actor }: { server: ServerRecord; formerOwnerId: string; actor: Actor | null },
): Promise<Server> {
  const { id, name, ownerId } = server
  await auditLog.record(tx, {
    serverId: id,
    actor,
    action: 'SERVER_TRANSFER',
    target: { type: 'server', id, name },
    changes: changesOf(['ownerId'], { ownerId: formerOwnerId }, { ownerId }),
  })
  const updated = toServer(server)
  tx.afterCommit(() => events.toServer(id, { t: 'SERVER_UPDATE', d: updated }))
  return updated
}

async function toTransfers(
  sql: Sql,
  records: readonly (store.TransferRecord & Pick<ServerRecord, 'name' | 'icon'>)[],
): Promise<OwnershipTransfer[]> {
  const users = await findUsers(
    sql,
    records.flatMap(({ ownerId, userId }) => [ownerId, userId]),
  )
  return records.flatMap(({ serverId: id, ownerId, userId, name, icon, createdAt }) => {
    const [owner, user] = [users.get(ownerId), users.get(userId)]
    if (owner === undefined || user === undefined) return []
    const server = { id, name, icon: icon === null ? null : imagePath('servers', id, icon) }
    const expiresAt = new Date(createdAt + ownershipTransferSeconds * 1000).toISOString()
    return [{ server, owner: userView(owner), user: userView(user), expiresAt }]
  })
}
