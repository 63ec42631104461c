import type { AdminListQuery, AdminServer, UpdateAdminServerBody } from '@gatehouse/protocol/administration'
import type { AuditChange } from '@gatehouse/protocol/audit-log'
import type { RecentProof } from '@gatehouse/protocol/second-factor'
import { findUsers, userView } from '../accounts/users/index.ts'
import type { Actor, AuditLog } from '../audit/index.ts'
import { type AnyServer, findServer, type ServerStates } from '../community/servers/index.ts'
import { notFound } from '../errors/app-error.ts'
import { imagePath } from '../images/index.ts'
import type { Sql, Transaction } from '../storage/database.ts'
import { type ServerRow, searchServers } from './admin-server-store.ts'
import { queryOfId, toSearchPage } from './admin-user-store.ts'
import type { Administrator, Administrators } from './administrators.ts'
import { lockNewOwner, ownerChanges } from './new-owner.ts'

interface Deps {
  db: Sql
  administrators: Administrators
  serverStates: ServerStates
  auditLog: Pick<AuditLog, 'record'>
}

type ServerChanges = Pick<UpdateAdminServerBody, 'disabled' | 'owner'>

type Run = <T>(act: (tx: Transaction) => Promise<T>) => Promise<T>

export type AdminServers = ReturnType<typeof createAdminServers>

export function createAdminServers({ db, administrators, serverStates, auditLog }: Deps) {
  function record(
    tx: Transaction,
    actor: Actor | null,
    action: 'SERVER_DISABLE' | 'SERVER_ENABLE' | 'SERVER_TRANSFER' | 'SERVER_DELETE',
    { id, name }: AnyServer,
    changes: AuditChange[] = [],
  ): Promise<void> {
    const target = { type: 'server' as const, id, name }
    return auditLog.record(tx, { serverId: null, actor, action, target, changes })
  }

  async function change(
    run: Run,
    actor: Actor | null,
    id: string,
    { disabled, owner }: ServerChanges,
  ): Promise<void> {
    const toggled = await run(async tx => {
      const server = await serverStates.requireAny(tx, id)
      if (owner !== undefined) {
        const user = await lockNewOwner(tx, owner)
        if (await serverStates.transfer(tx, server, { userId: user.id, actor })) {
          await record(tx, actor, 'SERVER_TRANSFER', server, await ownerChanges(tx, server.ownerId, user))
        }
      }
      if (disabled === undefined || !(await serverStates.setDisabled(tx, server, disabled))) return false
      await record(tx, actor, disabled ? 'SERVER_DISABLE' : 'SERVER_ENABLE', server)
      return true
    })
    if (toggled) await serverStates.publish(id, await findServer(db, id))
  }

  async function remove(run: Run, actor: Actor | null, id: string): Promise<void> {
    await run(async tx => {
      const server = await serverStates.requireAny(tx, id)
      await serverStates.delete(tx, server)
      await record(tx, actor, 'SERVER_DELETE', server)
    })
    await serverStates.publish(id, undefined)
  }

  const withProof =
    (administrator: Administrator, proof: RecentProof): Run =>
    act =>
      administrators.actWithProof(administrator, proof, act)

  async function list(query: AdminListQuery): Promise<AdminServer[]> {
    const rows = await searchServers(db, toSearchPage(query))
    const owners = await findUsers(
      db,
      rows.map(({ ownerId }) => ownerId),
    )
    return rows.flatMap(row => {
      const owner = owners.get(row.ownerId)
      return owner ? [toView(row, userView(owner))] : []
    })
  }

  return {
    list,

    /** Throws 404, as `Administrators.actWithProof`, as `lockNewOwner`, and as `ServerStates.transfer`. */
    async update(
      administrator: Administrator,
      id: string,
      body: UpdateAdminServerBody,
    ): Promise<AdminServer> {
      await change(withProof(administrator, body), administrator, id, body)
      const [server] = await list(queryOfId(id))
      if (server === undefined) throw notFound()
      return server
    },

    /** Throws 404, and for the proof like `update`. */
    delete: (administrator: Administrator, id: string, proof: RecentProof) =>
      remove(withProof(administrator, proof), administrator, id),

    // Commands of the operator.
    updateByOperator: (id: string, changes: ServerChanges) =>
      change(administrators.byOperator, null, id, changes),
    deleteByOperator: (id: string) => remove(administrators.byOperator, null, id),
  }
}

function toView(
  { id, name, icon, members, channels, disabledAt, createdAt }: ServerRow,
  owner: AdminServer['owner'],
): AdminServer {
  return {
    id,
    name,
    icon: icon === null ? null : imagePath('servers', id, icon),
    owner,
    members,
    channels,
    disabledAt: disabledAt === null ? null : new Date(disabledAt).toISOString(),
    createdAt: new Date(createdAt).toISOString(),
  }
}
