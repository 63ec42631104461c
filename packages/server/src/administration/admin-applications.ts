import type {
  AdminApplication,
  AdminListQuery,
  UpdateAdminApplicationBody,
} from '@gatehouse/protocol/administration'
import type { AuditChange } from '@gatehouse/protocol/audit-log'
import type { RecentProof } from '@gatehouse/protocol/second-factor'
import { findUsers, userView } from '../accounts/users/index.ts'
import { type ApplicationRecord, type Applications, toIconPath } from '../applications/index.ts'
import type { Actor, AuditLog } from '../audit/index.ts'
import { notFound } from '../errors/app-error.ts'
import type { Sql, Transaction } from '../storage/database.ts'
import { searchApplications } from './admin-server-store.ts'
import { queryOfId, toSearchPage } from './admin-user-store.ts'
import type { Administrator, Administrators } from './administrators.ts'
import { lockNewOwner, ownerChanges } from './new-owner.ts'

interface Deps {
  db: Sql
  administrators: Administrators
  applications: Pick<Applications, 'requireAny' | 'setDisabled' | 'transfer' | 'deleteLocked' | 'removeBots'>
  auditLog: Pick<AuditLog, 'record'>
}

type ApplicationChanges = Pick<UpdateAdminApplicationBody, 'disabled' | 'owner'>

export type AdminApplications = ReturnType<typeof createAdminApplications>

export function createAdminApplications({ db, administrators, applications, auditLog }: Deps) {
  function record(
    tx: Transaction,
    actor: Actor | null,
    action: 'APPLICATION_DISABLE' | 'APPLICATION_ENABLE' | 'APPLICATION_TRANSFER' | 'APPLICATION_DELETE',
    { id, name }: ApplicationRecord,
    changes: AuditChange[] = [],
  ): Promise<void> {
    const target = { type: 'application' as const, id, name }
    return auditLog.record(tx, { serverId: null, actor, action, target, changes })
  }

  async function change(
    tx: Transaction,
    actor: Actor | null,
    id: string,
    { disabled, owner }: ApplicationChanges,
  ): Promise<void> {
    const application = await applications.requireAny(tx, id)
    if (owner !== undefined) {
      const user = await lockNewOwner(tx, owner)
      if (await applications.transfer(tx, application, user.id)) {
        const changes = await ownerChanges(tx, application.ownerId, user)
        await record(tx, actor, 'APPLICATION_TRANSFER', application, changes)
      }
    }
    if (disabled === undefined || !(await applications.setDisabled(tx, id, disabled))) return
    await record(tx, actor, disabled ? 'APPLICATION_DISABLE' : 'APPLICATION_ENABLE', application)
  }

  async function remove(tx: Transaction, actor: Actor | null, id: string): Promise<void> {
    const application = await applications.requireAny(tx, id)
    await applications.deleteLocked(tx, application)
    await record(tx, actor, 'APPLICATION_DELETE', application)
  }

  async function list(query: AdminListQuery): Promise<AdminApplication[]> {
    const rows = await searchApplications(db, toSearchPage(query))
    const found = await findUsers(
      db,
      rows.flatMap(({ ownerId, botUserId }) => (botUserId === null ? [ownerId] : [ownerId, botUserId])),
    )
    return rows.flatMap(({ id, name, iconHash, ownerId, botUserId, authorizations, ...row }) => {
      const [owner, bot] = [found.get(ownerId), found.get(botUserId ?? '')]
      if (owner === undefined) return []
      return [
        {
          id,
          name,
          icon: toIconPath(id, iconHash),
          owner: userView(owner),
          bot: bot ? userView(bot) : null,
          authorizations,
          disabledAt: row.disabledAt === null ? null : new Date(row.disabledAt).toISOString(),
          createdAt: new Date(row.createdAt).toISOString(),
        },
      ]
    })
  }

  return {
    list,

    /** Throws 404, as `Administrators.actWithProof` and as `lockNewOwner`. */
    async update(
      administrator: Administrator,
      id: string,
      body: UpdateAdminApplicationBody,
    ): Promise<AdminApplication> {
      await administrators.actWithProof(administrator, body, tx => change(tx, administrator, id, body))
      const [application] = await list(queryOfId(id))
      if (application === undefined) throw notFound()
      return application
    },

    /** Throws like `update`. */
    async delete(administrator: Administrator, id: string, proof: RecentProof): Promise<void> {
      await administrators.actWithProof(administrator, proof, tx => remove(tx, administrator, id))
      await applications.removeBots(id)
    },

    // Commands of the operator.
    updateByOperator: (id: string, changes: ApplicationChanges) =>
      administrators.byOperator(tx => change(tx, null, id, changes)),
    async deleteByOperator(id: string): Promise<void> {
      await administrators.byOperator(tx => remove(tx, null, id))
      await applications.removeBots(id)
    },
  }
}
