import { randomBytes } from 'node:crypto'
import { defaultInviteSeconds, defaultListLimit, maxInvites } from '@gatehouse/protocol/limits'
import type { LimitQuery } from '@gatehouse/protocol/lists'
import { permissionFor } from '@gatehouse/protocol/permissions'
import type {
  CreateInviteBody,
  Invite,
  InvitePreview,
  Server,
  ServerInvite,
} from '@gatehouse/protocol/servers'
import { findUsers, userView } from '../../accounts/users/index.ts'
import { type Act, type Actor, changesOf } from '../../audit/index.ts'
import { AppError, invalid, notFound } from '../../errors/app-error.ts'
import { limitReached } from '../../i18n/localized-error.ts'
import type { InstanceSettings } from '../../instance/index.ts'
import { inBatches } from '../../kit/batches.ts'
import type { Sql, Transaction } from '../../storage/database.ts'
import type { Deps } from '../community-deps.ts'
import { countHumanMembers, type Members } from '../members/index.ts'
import {
  findServerAccess,
  lockServerRow,
  requirePermissions,
  requireServer,
  type ServerRecord,
  toServer,
} from '../permissions/index.ts'
import { findServer } from '../servers/index.ts'
import * as store from './invite-store.ts'

const CODE_BYTES = 9

export type Invites = ReturnType<typeof createInvites>

/** An invite is usable until it expires or reaches its maximum number of uses. */
export function createInvites({
  db,
  clock,
  auditLog,
  members,
  instance,
}: Pick<Deps, 'db' | 'clock' | 'auditLog'> & {
  members: Members
  instance: Pick<InstanceSettings, 'read'>
}) {
  /** Counts a use and adds the user to the server. Undefined if the code is not usable. */
  async function use(
    tx: Transaction,
    code: string,
    userId: string,
  ): Promise<{ server: ServerRecord; joined: boolean } | undefined> {
    const serverId = await store.countUse(tx, code, clock())
    const server = serverId === undefined ? undefined : await findOpenServer(tx, serverId)
    return server && { server, joined: await members.addMember(tx, server, userId) }
  }

  /** Throws 403 if the invites of the server are paused (community/invites-paused). */
  async function findOpenServer(sql: Sql, serverId: string): Promise<ServerRecord | undefined> {
    const server = await findServer(sql, serverId)
    if (server?.invitesPaused === 1) {
      throw new AppError('invites_paused', 'Nobody can join this server with an invite at the moment.')
    }
    return server
  }

  async function findUsable(sql: Sql, code: string): Promise<store.InviteRecord | undefined> {
    const invite = await store.findInvite(sql, code, clock())
    return invite && (invite.maxUses === null || invite.uses < invite.maxUses) ? invite : undefined
  }

  return {
    /** Requires CREATE_INVITE. */
    createInvite(actor: Actor, serverId: string, body: CreateInviteBody): Promise<Invite> {
      return db.transaction(async tx => {
        await requireServer(tx, clock(), actor.userId, serverId, permissionFor.createInvite)
        await lockServerRow(tx, serverId)
        const createdAt = clock()
        if ((await store.countInvites(tx, serverId, createdAt)) >= maxInvites) throw limitReached('invites')
        const code = randomBytes(CODE_BYTES).toString('base64url')
        const expiresAt = createdAt + (body.expiresIn ?? defaultInviteSeconds) * 1000
        const maxUses = body.maxUses ?? null
        await store.insertInvite(tx, {
          code,
          serverId,
          creatorId: actor.userId,
          maxUses,
          createdAt,
          expiresAt,
        })
        const invite = { code, expiresAt: new Date(expiresAt).toISOString() }
        const changes = changesOf(['maxUses', 'expiresAt'], undefined, { ...invite, maxUses })
        await auditLog.record(tx, {
          serverId,
          actor,
          action: 'INVITE_CREATE',
          target: targetOf(code),
          changes,
        })
        return invite
      })
    },

    /** The newest usable invites, newest last. Requires MANAGE_SERVER. */
    async listInvites(
      userId: string,
      serverId: string,
      { limit = defaultListLimit }: LimitQuery,
    ): Promise<ServerInvite[]> {
      await requireServer(db, clock(), userId, serverId, permissionFor.manageInvites)
      const invites = await store.listInvites(db, { serverId, now: clock(), limit })
      const creators = await findUsers(
        db,
        invites.map(invite => invite.creatorId),
      )
      return invites.flatMap(({ code, creatorId, uses, maxUses, createdAt, expiresAt }) => {
        const creator = creators.get(creatorId)
        if (creator === undefined) return []
        const timestamps = {
          createdAt: new Date(createdAt).toISOString(),
          expiresAt: new Date(expiresAt).toISOString(),
        }
        return [{ code, creator: userView(creator), uses, maxUses, ...timestamps }]
      })
    },

    /**
     * The creator can revoke the invite as long as they are a member; other members need MANAGE_SERVER. A member
     * without it gets 403 instead of 404, because everyone who has the code can preview the invite anyway.
     */
    revokeInvite(actor: Actor, code: string): Promise<void> {
      return db.transaction(async tx => {
        const invite = await store.findInvite(tx, code, clock())
        if (invite === undefined) throw notFound()
        const access = await findServerAccess(tx, clock(), actor.userId, invite.serverId)
        if (access === undefined) throw notFound()
        if (invite.creatorId !== actor.userId) requirePermissions(access, permissionFor.manageInvites)
        if (!(await store.deleteInvite(tx, code))) throw notFound()
        const { serverId } = invite
        const [createdAt, expiresAt] = [invite.createdAt, invite.expiresAt].map(at =>
          new Date(at).toISOString(),
        )
        const before = { ...invite, createdAt, expiresAt }
        const keys = ['creatorId', 'maxUses', 'uses', 'createdAt', 'expiresAt'] as const
        const changes = changesOf(keys, before, undefined)
        await auditLog.record(tx, {
          serverId,
          actor,
          action: 'INVITE_DELETE',
          target: targetOf(code),
          changes,
        })
      })
    },

    /** Needs no membership and no session. 404 if the code is not usable. */
    async previewInvite(code: string): Promise<InvitePreview> {
      const invite = await findUsable(db, code)
      const server = invite && (await findOpenServer(db, invite.serverId))
      if (!server) throw notFound()
      const { id, name, icon } = toServer(server)
      const expiresAt = new Date(invite.expiresAt).toISOString()
      const memberCount = await countHumanMembers(db, id)
      const mayRegister = (await instance.read()).registration !== 'closed'
      return { code, server: { id, name, icon }, memberCount, expiresAt, mayRegister }
    },

    /**
     * 404 if the code is not usable, 403 if the user is banned or invites are paused, 409 if the user is already a
     * member, or of 200 servers (limits/caps).
     */
    acceptInvite(userId: string, code: string): Promise<Server> {
      return db.transaction(async tx => {
        const used = await use(tx, code, userId)
        if (used === undefined) throw notFound()
        // The rollback also undoes the counted use.
        if (!used.joined) throw new AppError('conflict', 'You are already a member of this server.')
        return toServer(used.server)
      })
    },

    /** `validation_failed` at `invite` if there is a code, but it is not usable; 403 if invites are paused. */
    async onRegistrationRequested(tx: Transaction, code: string | undefined): Promise<void> {
      if (code === undefined) return
      const invite = await findUsable(tx, code)
      if (invite === undefined) throw unknownInvite()
      await findOpenServer(tx, invite.serverId)
    },

    /** Throws like `onRegistrationRequested`: the last use may have been counted since. */
    async onUserRegistered(tx: Transaction, code: string | undefined, userId: string): Promise<void> {
      if (code !== undefined && !(await use(tx, code, userId))) throw unknownInvite()
    },

    /** Deletes expired invites. */
    async sweep(): Promise<void> {
      await inBatches(limit => store.deleteExpiredInvites(db, clock(), limit))
    },
  }
}

function targetOf(code: string): Act['target'] {
  return { type: 'invite', id: code, name: code }
}

function unknownInvite(): AppError {
  return invalid('invite', 'unknown_invite', 'is invalid, has expired or has no uses left')
}
