import { randomBytes } from 'node:crypto'
import { defaultInviteSeconds, defaultListLimit, maxInvites } from '@gatehouse/protocol/limits'
import { permissionFor } from '@gatehouse/protocol/permissions'
import type {
  CreateInviteBody,
  Invite,
  InvitePreview,
  InvitesQuery,
  Server,
  ServerInvite,
} from '@gatehouse/protocol/servers'
import { findUser, findUsers, type UserRecord, userView } from '../../accounts/users/index.ts'
import { type Act, type Actor, changesOf } from '../../audit/index.ts'
import { AppError, invalid, notFound } from '../../errors/app-error.ts'
import { limitReached } from '../../i18n/localized-error.ts'
import type { InstanceSettings } from '../../instance/index.ts'
import { inBatches } from '../../kit/batches.ts'
import type { Sql, Transaction } from '../../storage/database.ts'
import type { Deps } from '../community-deps.ts'
import { countHumanMembers, type Members } from '../members/index.ts'
import {
  canViewChannel,
  findChannelAccess,
  findOpenChannelId,
  findServerAccess,
  listVisibleChannelIds,
  lockServerRow,
  requirePermissions,
  requireServer,
  type ServerRecord,
  toServer,
} from '../permissions/index.ts'
import { findServer } from '../servers/index.ts'
import * as store from './invite-store.ts'

const CODE_BYTES = 9
export const inviteCode = /^[A-Za-z0-9_-]{1,64}$/

export type Invites = ReturnType<typeof createInvites>

/** An invite is usable until it expires or reaches its maximum number of uses. */
export function createInvites({
  db,
  clock,
  events,
  auditLog,
  members,
  instance,
}: Pick<Deps, 'db' | 'clock' | 'events' | 'auditLog'> & {
  members: Members
  instance: Pick<InstanceSettings, 'read'>
}) {
  /** Counts a use and adds the user to the server. Undefined if the code is not usable. */
  async function use(
    tx: Transaction,
    code: string,
    userId: string,
  ): Promise<{ server: ServerRecord; joined: boolean } | undefined> {
    const invite = await store.countUse(tx, code, clock())
    const server = invite && (await findOpenServer(tx, invite.serverId))
    if (invite === undefined || server === undefined) return undefined
    if (invite.uses === invite.maxUses) publishEnd(tx, invite, await channelOf(tx, invite))
    return { server, joined: await members.addMember(tx, server, userId) }
  }

  function publishEnd(
    tx: Transaction,
    { code, serverId }: store.InviteRecord,
    channelId: string | null,
  ): void {
    if (channelId === null) return
    tx.afterCommit(() => events.toServer(serverId, { t: 'INVITE_DELETE', d: { code, serverId, channelId } }))
  }

  /** Throws 403 if the invites of the server are paused (community/invites-paused). */
  async function findOpenServer(sql: Sql, serverId: string): Promise<ServerRecord | undefined> {
    const server = await findServer(sql, serverId)
    if (server?.invitesPaused === 1) {
      throw new AppError('invites_paused', 'Nobody can join this server with an invite at the moment.')
    }
    return server
  }

  /** The expiry and the server of a usable invite. Throws as `findOpenServer`. */
  async function findUsable(
    sql: Sql,
    code: string,
  ): Promise<{ expiresAt: number; server: ServerRecord } | undefined> {
    const invite = await store.findInvite(sql, code, clock())
    if (invite === undefined || (invite.maxUses !== null && invite.uses >= invite.maxUses)) return undefined
    const server = await findOpenServer(sql, invite.serverId)
    return server && { expiresAt: invite.expiresAt, server }
  }

  return {
    /** Requires CREATE_INVITE; 400 unless the caller may view the channel. */
    createInvite(actor: Actor, serverId: string, body: CreateInviteBody): Promise<Invite> {
      return db.transaction(async tx => {
        await requireServer(tx, clock(), actor.userId, serverId, permissionFor.createInvite)
        await lockServerRow(tx, serverId)
        const createdAt = clock()
        if (body.channelId !== undefined)
          await requireTextChannel(tx, createdAt, actor.userId, serverId, body.channelId)
        if ((await store.countInvites(tx, serverId, createdAt)) >= maxInvites) throw limitReached('invites')
        const creator = await findUser(tx, actor.userId)
        if (creator === undefined) throw notFound()
        const record: store.InviteRecord = {
          code: randomBytes(CODE_BYTES).toString('base64url'),
          serverId,
          creatorId: actor.userId,
          maxUses: body.maxUses ?? null,
          uses: 0,
          createdAt,
          expiresAt: createdAt + (body.expiresIn ?? defaultInviteSeconds) * 1000,
          channelId: body.channelId ?? null,
        }
        await store.insertInvite(tx, record)
        const channelId = await channelOf(tx, record)
        const invite = toServerInvite(record, creator, channelId)
        const { code, expiresAt } = invite
        await auditLog.record(tx, {
          serverId,
          actor,
          action: 'INVITE_CREATE',
          target: targetOf(code),
          changes: changesOf(['maxUses', 'expiresAt', 'channelId'], undefined, invite),
        })
        if (channelId !== null) {
          const d = { ...invite, serverId, channelId }
          tx.afterCommit(() => events.toServer(serverId, { t: 'INVITE_CREATE', d }))
        }
        return { code, expiresAt }
      })
    },

    /** The newest usable invites, newest last. Requires MANAGE_SERVER. */
    async listInvites(
      userId: string,
      serverId: string,
      { limit = defaultListLimit, channelId }: InvitesQuery,
    ): Promise<ServerInvite[]> {
      await requireServer(db, clock(), userId, serverId, permissionFor.manageInvites)
      const [invites, openId, visibleIds] = await Promise.all([
        store.listInvites(db, serverId, clock()),
        findOpenChannelId(db, serverId),
        listVisibleChannelIds(db, userId, serverId),
      ])
      const creators = await findUsers(
        db,
        invites.map(invite => invite.creatorId),
      )
      const visible = new Set(visibleIds)
      return invites
        .flatMap(invite => {
          const creator = creators.get(invite.creatorId)
          const id = invite.channelId ?? openId ?? ''
          return creator === undefined ? [] : [toServerInvite(invite, creator, visible.has(id) ? id : null)]
        })
        .filter(invite => channelId === undefined || invite.channelId === channelId)
        .slice(-limit)
    },

    /**
     * The creator can revoke the invite as long as they are a member; other members need MANAGE_SERVER. A member
     * without it gets 403 instead of 404, because everyone who has the code can preview the invite anyway. Returns the
     * invite as it was, with its channel if the caller may view it.
     */
    revokeInvite(actor: Actor, code: string): Promise<ServerInvite & { serverId: string }> {
      return db.transaction(async tx => {
        const invite = await store.findInvite(tx, code, clock())
        if (invite === undefined) throw notFound()
        const { serverId } = invite
        const access = await findServerAccess(tx, clock(), actor.userId, serverId)
        if (access === undefined) throw notFound()
        if (invite.creatorId !== actor.userId) requirePermissions(access, permissionFor.manageInvites)
        const creator = await findUser(tx, invite.creatorId)
        if (creator === undefined || !(await store.deleteInvite(tx, code))) throw notFound()
        const channelId = await channelOf(tx, invite)
        const before = { ...toServerInvite(invite, creator, channelId), creatorId: invite.creatorId }
        const keys = ['creatorId', 'maxUses', 'uses', 'createdAt', 'expiresAt', 'channelId'] as const
        const changes = changesOf(keys, before, undefined)
        const target = targetOf(code)
        await auditLog.record(tx, { serverId, actor, action: 'INVITE_DELETE', target, changes })
        publishEnd(tx, invite, channelId)
        const isVisible = channelId !== null && (await canViewChannel(tx, actor.userId, channelId))
        return { ...toServerInvite(invite, creator, isVisible ? channelId : null), serverId }
      })
    },

    /** Needs no membership and no session. 404 if the code is not usable. */
    async previewInvite(code: string): Promise<InvitePreview> {
      const invite = await findUsable(db, code)
      if (invite === undefined) throw notFound()
      const { id, name, icon } = toServer(invite.server)
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
      if (code !== undefined && !(await findUsable(tx, code))) throw unknownInvite()
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

/** The channel that the invite was created for, or else the first text channel that everyone may view. */
async function channelOf(sql: Sql, { serverId, channelId }: store.InviteRecord): Promise<string | null> {
  return channelId ?? (await findOpenChannelId(sql, serverId)) ?? null
}

/** Throws 400 unless it is a text channel of the server that the user may view. */
async function requireTextChannel(
  sql: Sql,
  now: number,
  userId: string,
  serverId: string,
  channelId: string,
): Promise<void> {
  const access = await findChannelAccess(sql, now, userId, channelId)
  if (access?.channel.type === 'text' && access.channel.serverId === serverId) return
  throw invalid('channelId', 'unknown_channel', 'must be a text channel of this server that you may view')
}

function toServerInvite(
  { code, uses, maxUses, createdAt, expiresAt }: store.InviteRecord,
  creator: UserRecord,
  channelId: string | null,
): ServerInvite {
  return {
    ...{ code, creator: userView(creator), uses, maxUses },
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
    channelId,
  }
}

function targetOf(code: string): Act['target'] {
  return { type: 'invite', id: code, name: code }
}

function unknownInvite(): AppError {
  return invalid('invite', 'unknown_invite', 'is invalid, has expired or has no uses left')
}
