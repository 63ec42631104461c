import { randomBytes } from 'node:crypto'
import { defaultInviteSeconds, defaultListLimit } from '@gatehouse/protocol/limits'
import type { LimitQuery } from '@gatehouse/protocol/lists'
import { has, Permission } from '@gatehouse/protocol/permissions'
import type {
  CreateInviteBody,
  Invite,
  InvitePreview,
  Server,
  ServerInvite,
} from '@gatehouse/protocol/servers'
import { AppError, notFound } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Database, Transaction } from '../../storage/database.ts'
import { countMembers, type Members } from '../members/index.ts'
import { requireServer, type ServerRecord, serverAccess, serverView } from '../permissions/index.ts'
import { findServer } from '../servers/index.ts'
import { findUsers, userView } from '../users/index.ts'
import * as store from './store.ts'

const CODE_BYTES = 9
const SWEEP_BATCH = 100

interface InvitesDeps {
  db: Database
  clock: Clock
  members: Pick<Members, 'addMember'>
}

export interface Invites {
  /** Any member may invite (D64). */
  createInvite(userId: string, serverId: string, body: CreateInviteBody): Promise<Invite>
  /** Those that hold, newest last; needs MANAGE_SERVER. */
  listInvites(userId: string, serverId: string, page: LimitQuery): Promise<ServerInvite[]>
  /** For a member who made it or holds MANAGE_SERVER; 404 for no member. */
  revoke(userId: string, code: string): Promise<void>
  /** Where a code leads; 404 as for `join`. */
  preview(code: string): Promise<InvitePreview>
  /** 404 where the code does not hold or has been used up; 409 for a member, and then it is not used. */
  join(userId: string, code: string): Promise<Server>
  /** For somebody who registers with a code: false where it does not hold or has been used up. */
  useInvite(tx: Transaction, code: string, userId: string): Promise<boolean>
  /** Deletes what has expired. */
  sweep(): Promise<void>
}

export function createInvites({ db, clock, members }: InvitesDeps): Invites {
  async function use(
    tx: Transaction,
    code: string,
    userId: string,
  ): Promise<{ server: ServerRecord; joined: boolean } | undefined> {
    const serverId = await store.takeUse(tx, code, clock())
    const server = serverId === undefined ? undefined : await findServer(tx, serverId)
    return server && { server, joined: await members.addMember(tx, server, userId) }
  }

  return {
    createInvite: (userId, serverId, body) =>
      db.transaction(async tx => {
        await requireServer(tx, userId, serverId)
        const now = clock()
        const code = randomBytes(CODE_BYTES).toString('base64url')
        const expiresAt = now + (body.expiresIn ?? defaultInviteSeconds) * 1000
        const maxUses = body.maxUses ?? null
        await store.insertInvite(tx, {
          code,
          serverId,
          creatorId: userId,
          maxUses,
          createdAt: now,
          expiresAt,
        })
        return { code, expiresAt: new Date(expiresAt).toISOString() }
      }),
    async listInvites(userId, serverId, { limit = defaultListLimit }) {
      await requireServer(db, userId, serverId, Permission.MANAGE_SERVER)
      const invites = await store.listInvites(db, { serverId, now: clock(), limit })
      const creators = await findUsers(
        db,
        invites.map(({ creatorId }) => creatorId),
      )
      return invites.flatMap(({ code, creatorId, uses, maxUses, createdAt, expiresAt }) => {
        const creator = creators.get(creatorId)
        if (creator === undefined) return []
        const times = {
          createdAt: new Date(createdAt).toISOString(),
          expiresAt: new Date(expiresAt).toISOString(),
        }
        return [{ code, creator: userView(creator), uses, maxUses, ...times }]
      })
    },
    revoke: (userId, code) =>
      db.transaction(async tx => {
        const invite = await store.findInvite(tx, code, clock())
        const access = invite && (await serverAccess(tx, userId, invite.serverId))
        if (access === undefined) throw notFound()
        // Whoever has the code may see where it leads, so they may know that it is there.
        if (invite?.creatorId !== userId && !has(access.permissions, Permission.MANAGE_SERVER)) {
          throw new AppError('missing_permission', 'This needs the permission MANAGE_SERVER.')
        }
        await store.deleteInvite(tx, code)
      }),
    async preview(code) {
      const serverId = await store.findServerId(db, code, clock())
      const server = serverId === undefined ? undefined : await findServer(db, serverId)
      if (server === undefined) throw notFound()
      const { id, name, icon } = serverView(server)
      return { server: { id, name, icon, memberCount: await countMembers(db, id) } }
    },
    join: (userId, code) =>
      db.transaction(async tx => {
        const used = await use(tx, code, userId)
        if (used === undefined) throw notFound()
        // The roll-back gives the use back.
        if (!used.joined) throw new AppError('conflict', 'You are a member of this server already.')
        return serverView(used.server)
      }),
    useInvite: async (tx, code, userId) => (await use(tx, code, userId)) !== undefined,
    async sweep() {
      while ((await store.deleteExpired(db, clock(), SWEEP_BATCH)) === SWEEP_BATCH);
    },
  }
}
