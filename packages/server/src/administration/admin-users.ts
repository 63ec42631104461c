import type { AdminListQuery, AdminUser, AdminUserDetails } from '@gatehouse/protocol/administration'
import type { AuditAction } from '@gatehouse/protocol/audit-log'
import type { RecentProof } from '@gatehouse/protocol/second-factor'
import type { SecurityLog } from '../accounts/security-log/index.ts'
import type { Sessions } from '../accounts/sessions/index.ts'
import {
  findUser,
  findUsers,
  requireLogin,
  type UserRecord,
  type Users,
  userView,
} from '../accounts/users/index.ts'
import type { Actor, AuditLog } from '../audit/index.ts'
import { listServersOfUser } from '../community/servers/index.ts'
import { notFound } from '../errors/app-error.ts'
import type { SessionCaller } from '../http/caller.ts'
import type { Sql, Transaction } from '../storage/database.ts'
import { searchUserIds, toSearchPage } from './admin-user-store.ts'
import type { Administrator, Administrators } from './administrators.ts'

interface Deps {
  db: Sql
  administrators: Administrators
  users: Pick<
    Users,
    | 'setDisabled'
    | 'setAdministrator'
    | 'confirmEmail'
    | 'hasFactor'
    | 'removeAllFactors'
    | 'lockAdministrators'
    | 'requireAdministratorLeft'
  >
  sessions: Pick<Sessions, 'listSessions' | 'revokeSessions'>
  auditLog: Pick<AuditLog, 'record'>
  securityLog: Pick<SecurityLog, 'record'>
}

export interface UserChanges {
  disabled?: boolean
  administrator?: boolean
  emailVerified?: true
}

export type AdminUsers = ReturnType<typeof createAdminUsers>

export function createAdminUsers({ db, administrators, users, sessions, auditLog, securityLog }: Deps) {
  function record(
    tx: Transaction,
    actor: Actor | null,
    action: AuditAction,
    user: UserRecord,
  ): Promise<void> {
    const target = { type: 'user' as const, id: user.id, name: user.username }
    return auditLog.record(tx, { serverId: null, actor, action, target })
  }

  /** `actor` is null for a command of the operator. */
  async function change(
    tx: Transaction,
    actor: Actor | null,
    userId: string,
    { disabled, administrator, emailVerified }: UserChanges,
  ): Promise<UserRecord> {
    const user = await requirePerson(tx, userId)
    if (disabled !== undefined && (await users.setDisabled(tx, userId, disabled))) {
      await record(tx, actor, disabled ? 'USER_DISABLE' : 'USER_ENABLE', user)
    }
    if (administrator !== undefined && (await users.setAdministrator(tx, userId, administrator))) {
      await record(tx, actor, administrator ? 'USER_PROMOTE' : 'USER_DEMOTE', user)
    }
    if (emailVerified && (await users.confirmEmail(tx, userId))) {
      await record(tx, actor, 'USER_EMAIL_CONFIRM', user)
    }
    return requirePerson(tx, userId)
  }

  async function endSessions(tx: Transaction, actor: Actor | null, userId: string): Promise<void> {
    const user = await requirePerson(tx, userId)
    await sessions.revokeSessions(tx, userId)
    await record(tx, actor, 'USER_SESSIONS_END', user)
    await securityLog.record(tx, { userId, kind: 'SIGN_OUT_ALL' })
  }

  async function resetSecondFactor(tx: Transaction, actor: Actor | null, userId: string): Promise<void> {
    const user = await requirePerson(tx, userId)
    if (await users.removeAllFactors(tx, userId)) await record(tx, actor, 'USER_SECOND_FACTOR_RESET', user)
  }

  /** For a command of the operator. `login` is a username or an email address. Throws `not_found`. */
  async function byOperator(
    login: string,
    act: (tx: Transaction, actor: null, userId: string) => Promise<unknown>,
  ): Promise<UserRecord> {
    const user = await requireLogin(db, login)
    await administrators.byOperator(tx => act(tx, null, user.id))
    return user
  }

  return {
    /** Records the first administrator (administration/first-administrator). */
    async onUserRegistered(
      tx: Transaction,
      { userId, administrator }: { userId: string; administrator: boolean },
    ): Promise<void> {
      if (administrator) await record(tx, { userId }, 'USER_PROMOTE', await requirePerson(tx, userId))
    },

    /** Newest first. */
    async list(query: AdminListQuery) {
      const ids = await searchUserIds(db, toSearchPage(query))
      const found = await findUsers(db, ids)
      return ids.flatMap(id => found.get(id) ?? []).map(adminUserView)
    },

    /** Throws 404 if there is no such user, or it is a bot. */
    async get(caller: SessionCaller, userId: string): Promise<AdminUserDetails> {
      const user = await requirePerson(db, userId)
      const [secondFactor, ownSessions, servers] = await Promise.all([
        users.hasFactor(userId),
        sessions.listSessions(userId, caller.sessionId),
        listServersOfUser(db, userId),
      ])
      const lastSeenAt =
        ownSessions
          .map(({ lastUsedAt }) => lastUsedAt)
          .toSorted()
          .at(-1) ?? null
      return {
        ...adminUserView(user),
        secondFactor,
        lastSeenAt,
        sessions: ownSessions,
        servers: servers.map(({ id, name }) => ({ id, name })),
      }
    },

    /** Throws 404 like `get`, as `Administrators.actWithProof`, and `conflict` (administration/last-administrator). */
    async update(
      administrator: Administrator,
      userId: string,
      { disabled, administrator: promoted, emailVerified, ...proof }: RecentProof & UserChanges,
    ): Promise<AdminUser> {
      const changes = {
        ...(disabled === undefined ? {} : { disabled }),
        ...(promoted === undefined ? {} : { administrator: promoted }),
        ...(emailVerified === undefined ? {} : { emailVerified }),
      }
      const changed = await administrators.actWithProof(administrator, proof, async tx => {
        await users.lockAdministrators(tx)
        const user = await change(tx, administrator, userId, changes)
        await users.requireAdministratorLeft(tx)
        return user
      })
      return adminUserView(changed)
    },

    /** Throws like `update`. The tokens of applications remain. */
    async endSessions(administrator: Administrator, userId: string, proof: RecentProof): Promise<void> {
      await administrators.actWithProof(administrator, proof, tx => endSessions(tx, administrator, userId))
    },

    /** Throws like `update`. The sessions of the user remain, and their password. */
    async resetSecondFactor(administrator: Administrator, userId: string, proof: RecentProof): Promise<void> {
      await administrators.actWithProof(administrator, proof, tx =>
        resetSecondFactor(tx, administrator, userId),
      )
    },

    // Commands of the operator.
    updateByOperator: (login: string, changes: UserChanges) =>
      byOperator(login, (tx, actor, userId) => change(tx, actor, userId, changes)),
    endSessionsByOperator: (login: string) => byOperator(login, endSessions),
    resetSecondFactorByOperator: (login: string) => byOperator(login, resetSecondFactor),
  }
}

async function requirePerson(sql: Sql, userId: string): Promise<UserRecord> {
  const user = await findUser(sql, userId)
  if (!user || user.bot) throw notFound()
  return user
}

function adminUserView(user: UserRecord): AdminUser {
  const { email, emailVerified, administrator, disabledAt, createdAt } = user
  return {
    ...userView(user),
    email: email ?? '',
    emailVerified,
    administrator,
    disabledAt: disabledAt === null ? null : new Date(disabledAt).toISOString(),
    createdAt: new Date(createdAt).toISOString(),
  }
}
