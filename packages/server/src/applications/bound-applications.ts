import type { BoundApplication } from '@gatehouse/protocol/applications'
import { findUsers, userView } from '../accounts/users/index.ts'
import type { Actor } from '../audit/index.ts'
import { lockServerRow } from '../community/permissions/index.ts'
import { requireOwner, requireOwnerOrOffered } from '../community/servers/index.ts'
import { notFound } from '../errors/app-error.ts'
import type { DomainEvents } from '../events/domain-events.ts'
import type { Transaction } from '../storage/database.ts'
import type { Deps } from './application-deps.ts'
import * as store from './application-store.ts'
import { toIconPath } from './applications.ts'
import { endBinding, findBindingState } from './server-binding.ts'

type Decision = 'BINDING_KEEP' | 'BINDING_END'

export type BoundApplications = ReturnType<typeof createBoundApplications>

/** What the owner of a server decides about the applications that are bound to it (sign-in/binding-decision). */
export function createBoundApplications({
  db,
  clock,
  domainEvents,
  auditLog,
  securityLog,
  users,
}: Pick<Deps, 'db' | 'clock' | 'domainEvents' | 'auditLog' | 'securityLog' | 'users'>) {
  /** Locks the application. Undefined if it is deleted, or bound to this server no more. */
  async function lockBound(
    tx: Transaction,
    serverId: string,
    id: string,
  ): Promise<store.BoundRecord | undefined> {
    const application = await store.lockApplication(tx, id)
    const server = application?.server
    return application && server?.id === serverId && !server.ended ? { ...application, server } : undefined
  }

  /** Records the act of the caller, and tells the owner of the application. */
  async function announce(
    tx: Transaction,
    server: { id: string; name: string },
    actor: Actor,
    { id, ownerId, name }: store.BoundRecord,
    action: Decision,
  ): Promise<void> {
    const target = { type: 'application' as const, id, name }
    await auditLog.record(tx, { serverId: server.id, actor, action, target })
    if (ownerId === actor.userId) return
    await securityLog.record(tx, {
      userId: ownerId,
      kind: action,
      applicationId: id,
      targetName: server.name,
    })
    const mail = action === 'BINDING_KEEP' ? 'bindingKept' : 'bindingEnded'
    tx.afterCommit(() => users.mailAboutApplication(ownerId, mail, name))
  }

  async function end(tx: Transaction, { id, server }: store.BoundRecord): Promise<void> {
    await store.setBinding(tx, id, endBinding(server))
    await domainEvents.publish(tx, 'AdmissionChanged', { applicationId: id })
  }

  function keep(tx: Transaction, { id, server }: store.BoundRecord, keptBy: string): Promise<void> {
    return store.setBinding(tx, id, { ...server, keptBy })
  }

  /** Runs `decide` for the owner of the server. Throws 403, and 404 for an application that is not bound to it. */
  function decideAsOwner(
    actor: Actor,
    serverId: string,
    applicationId: string,
    action: Decision,
    decide: (tx: Transaction, application: store.BoundRecord) => Promise<void>,
  ): Promise<void> {
    return db.transaction(async tx => {
      // So that nobody else becomes the owner at the same time.
      await lockServerRow(tx, serverId)
      const server = await requireOwner(tx, clock(), actor.userId, serverId)
      const application = await lockBound(tx, serverId, applicationId)
      if (application === undefined) throw notFound()
      if (action === 'BINDING_KEEP' && application.server.keptBy === actor.userId) return
      await decide(tx, application)
      await announce(tx, server, actor, application, action)
    })
  }

  return {
    /** For the owner of the server, and the member to whom it is offered. Throws 403 for others. */
    async list(userId: string, serverId: string): Promise<BoundApplication[]> {
      await requireOwnerOrOffered(db, clock(), userId, serverId)
      const applications = await store.listBoundApplications(db, serverId)
      const owners = await findUsers(
        db,
        applications.map(({ ownerId }) => ownerId),
      )
      const views = applications.map(async (application): Promise<BoundApplication[]> => {
        const { id, name, iconHash, ownerId, server } = application
        const owner = owners.get(ownerId)
        const state = await findBindingState(db, application)
        if (owner === undefined) return []
        const { membersOnly } = server
        const view = { id, name, icon: toIconPath(id, iconHash), owner: userView(owner), membersOnly }
        return [{ ...view, ...(state ? { state } : {}) }]
      })
      return (await Promise.all(views)).flat()
    },

    /** The application stays bound, whatever rights its owner has, until the server has another owner. */
    keep: (actor: Actor, serverId: string, applicationId: string) =>
      decideAsOwner(actor, serverId, applicationId, 'BINDING_KEEP', (tx, application) =>
        keep(tx, application, actor.userId),
      ),

    /** The binding admits nobody until the owner of the application replaces or removes it. */
    end: (actor: Actor, serverId: string, applicationId: string) =>
      decideAsOwner(actor, serverId, applicationId, 'BINDING_END', end),

    /**
     * A kept binding goes on if it rested on the former owner: on their ownership, or on their decision. One that rests
     * on a role still does, and one that was suspended remains so.
     */
    async onOwnershipAccepted(
      tx: Transaction,
      { server, formerOwnerId, actor, keptApplications }: DomainEvents['OwnershipAccepted'],
    ): Promise<void> {
      for (const { id } of await store.listBoundApplications(tx, server.id)) {
        const application = await lockBound(tx, server.id, id)
        if (application === undefined) continue
        const isKept = keptApplications === undefined || keptApplications.includes(id)
        const restsOn = [application.ownerId, application.server.keptBy]
        if (!isKept) await end(tx, application)
        else if (restsOn.includes(formerOwnerId)) await keep(tx, application, actor.userId)
        await announce(tx, server, actor, application, isKept ? 'BINDING_KEEP' : 'BINDING_END')
      }
    },
  }
}
