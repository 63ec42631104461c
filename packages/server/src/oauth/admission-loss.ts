import { type BoundRecord, listBoundApplications } from '../applications/index.ts'
import { afterMemberTimeOuts, findServerAccess } from '../community/permissions/index.ts'
import type { DomainSubscriber } from '../events/domain-events.ts'
import type { Sql, Transaction } from '../storage/database.ts'
import { type BackChannelLogout, toRecipients } from './back-channel-logout.ts'
import { deleteSignInsOfApplications, deleteSignInsOfUser } from './back-channel-logout-store.ts'
import { revokeGrantsOfApplications } from './grant-revocation-store.ts'
import type { Deps } from './oauth-deps.ts'

/**
 * What ends when a user, or every user, is no longer admitted to applications (sign-in/members-only): codes and tokens
 * in the transaction of the change, and the sign-ins of clients with back-channel logout after it. Consents remain.
 */
export function createAdmissionHandlers(
  { db, ids }: Pick<Deps, 'db' | 'ids'>,
  backChannelLogout: BackChannelLogout,
) {
  async function signOutUser(
    tx: Transaction,
    userId: string,
    applications: readonly string[],
  ): Promise<void> {
    if (applications.length === 0) return
    await revokeGrantsOfApplications(tx, applications, userId, ids())
    const recipients = toRecipients(await deleteSignInsOfUser(tx, userId, applications))
    tx.afterCommit(() => backChannelLogout.send(recipients))
  }

  async function signOutEveryone(tx: Transaction, applications: readonly string[]): Promise<void> {
    if (applications.length === 0) return
    await revokeGrantsOfApplications(tx, applications, '', ids())
    tx.afterCommit(() =>
      backChannelLogout.sendInBatches(limit => deleteSignInsOfApplications(db, applications, limit)),
    )
  }

  return {
    MemberRemoved: async (tx, { serverId, userId }) =>
      signOutUser(tx, userId, idsOf(await listForMembers(tx, serverId))),
    MemberRoleRemoved: async (tx, { serverId, userId, roleId }) => {
      const affected = requiring(roleId, await listForMembers(tx, serverId))
      if (affected.length === 0) return
      const access = await findServerAccess(tx, afterMemberTimeOuts, userId, serverId)
      const others = access?.member.roles ?? []
      const lost = affected.filter(({ server }) => !server.requiredRoles.some(id => others.includes(id)))
      await signOutUser(tx, userId, idsOf(lost))
    },
    // Also those who have another of the required roles: they sign in again, without the consent page.
    RoleDeleted: async (tx, { serverId, roleId }) =>
      signOutEveryone(tx, idsOf(requiring(roleId, await listForMembers(tx, serverId)))),
    ServerDeleted: async (tx, { serverId }) => signOutEveryone(tx, idsOf(await listForMembers(tx, serverId))),
    AdmissionChanged: (tx, { applicationId }) => signOutEveryone(tx, [applicationId]),
  } satisfies DomainSubscriber['handlers']
}

/** The applications that only members of the server may sign in to. */
async function listForMembers(sql: Sql, serverId: string): Promise<BoundRecord[]> {
  return (await listBoundApplications(sql, serverId)).filter(({ server }) => server.membersOnly)
}

function requiring(roleId: string, applications: readonly BoundRecord[]): BoundRecord[] {
  return applications.filter(({ server }) => server.requiredRoles.includes(roleId))
}

function idsOf(applications: readonly { id: string }[]): string[] {
  return applications.map(({ id }) => id)
}
