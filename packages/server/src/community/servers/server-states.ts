import type { Actor } from '../../audit/index.ts'
import { AppError, notFound } from '../../errors/app-error.ts'
import { deleteImage } from '../../images/index.ts'
import type { Transaction } from '../../storage/database.ts'
import type { Deps } from '../community-deps.ts'
import { isMember, type Members } from '../members/index.ts'
import { lockServerRow, type ServerRecord } from '../permissions/index.ts'
import { deleteTransferOfServer, setOwner } from './ownership-transfer-store.ts'
import { finishTransfer, publishTransfer } from './ownership-transfers.ts'
import * as store from './server-store.ts'

type StatesDeps = Pick<Deps, 'clock' | 'events' | 'domainEvents' | 'auditLog'> & {
  members: Pick<Members, 'addMember' | 'publishServerDeletion' | 'publishServerReturn'>
}

export type ServerStates = ReturnType<typeof createServerStates>

/** What administrators of the instance do with servers. Does not check who they are. */
export function createServerStates({ clock, events, domainEvents, auditLog, members }: StatesDeps) {
  /** Throws 404 if there is none. Finds a disabled server too. */
  async function requireAny(tx: Transaction, id: string): Promise<store.AnyServer> {
    await lockServerRow(tx, id)
    const server = await store.findAnyServer(tx, id)
    if (server === undefined) throw notFound()
    return server
  }

  return {
    requireAny,

    /**
     * From now on no read finds the server, nor anything of it. Nothing is deleted (administration/disable-server).
     * Returns false if nothing changed. Call `publish` after the commit.
     */
    async setDisabled(
      tx: Transaction,
      { id, disabledAt }: store.AnyServer,
      disabled: boolean,
    ): Promise<boolean> {
      if ((disabledAt !== null) === disabled) return false
      // A negative time: the sweep deletes the servers with another one.
      await store.setDeletedAt(tx, id, disabled ? -clock() : null)
      // Nobody is admitted because of a server that is not found.
      if (disabled) await domainEvents.publish(tx, 'ServerDeleted', { serverId: id })
      return true
    },

    /** Tells the members that the server is gone, or there again. */
    async publish(id: string, server: ServerRecord | undefined): Promise<void> {
      await (server ? members.publishServerReturn(server) : members.publishServerDeletion(id))
    },

    async delete(tx: Transaction, { id }: store.AnyServer): Promise<void> {
      await store.setDeletedAt(tx, id, clock())
      await domainEvents.publish(tx, 'ServerDeleted', { serverId: id })
      await deleteImage(tx, 'servers', id)
    },

    /**
     * The person, whose row the caller has locked, becomes the owner, and a member if they are none. The limit of
     * servers of an owner does not apply. Returns false if they own it. 409 for a disabled server. Throws also as
     * `Members.addMember`.
     */
    async transfer(
      tx: Transaction,
      { disabledAt, ...server }: store.AnyServer,
      { userId, actor }: { userId: string; actor: Actor | null },
    ): Promise<boolean> {
      if (disabledAt !== null) throw new AppError('conflict', 'Enable the server first.')
      if (server.ownerId === userId) return false
      if (!(await isMember(tx, server.id, userId))) await members.addMember(tx, server, userId)
      const ended = await deleteTransferOfServer(tx, server.id)
      if (ended !== undefined) publishTransfer(tx, events, ended, null)
      await setOwner(tx, { serverId: server.id, ownerId: server.ownerId, userId })
      const transferred = { ...server, ownerId: userId }
      await finishTransfer(
        tx,
        { events, auditLog },
        { server: transferred, formerOwnerId: server.ownerId, actor },
      )
      return true
    },
  }
}
