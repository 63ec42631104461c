import type { ChannelType } from '@gatehouse/protocol/channels'
import type { RolePosition } from '@gatehouse/protocol/role-order'
import type { Server, VerificationLevel } from '@gatehouse/protocol/servers'
import type { AppError } from '../../errors/app-error.ts'
import { imagePath } from '../../images/index.ts'

export interface ServerRecord {
  id: string
  name: string
  /** The hash of the icon. */
  icon: string | null
  ownerId: string
  /** 0 or 1. */
  invitesPaused: number
  verificationLevel: VerificationLevel
}

export interface ChannelRecord {
  id: string
  /** Null for a direct message (bots/interaction-payload). */
  serverId: string | null
  type: ChannelType
  name: string | null
  topic: string | null
  position: number
  /** The id of the category. */
  parentId: string | null
  /** Seconds. */
  slowMode: number
}

export interface MemberRecord {
  serverId: string
  userId: string
  nick: string | null
  /** Milliseconds since the Unix epoch. */
  joinedAt: number
  /** The end of the last time-out, which may be over. */
  timedOutUntil: number | null
}

/** What a user may do at this time. */
export interface Access {
  permissions: bigint
  /** The end of the time-out; null if there is none. */
  timedOutUntil: number | null
}

/** The permissions of a user in a channel that they can view. */
export interface ChannelAccess extends Access {
  channel: ChannelRecord
  /** Undefined for a direct message. */
  server: Pick<ServerRecord, 'id' | 'name' | 'icon' | 'ownerId'> | undefined
  /** The roles of the member, without @everyone. */
  roleIds: readonly string[]
  /** Why the user does not meet the verification level of the server (community/verification-level). */
  unverified: AppError | undefined
}

/** The permissions of a member on a server, before the overwrites of a channel. */
export interface ServerAccess extends Access {
  server: ServerRecord
  member: MemberRecord & {
    /** From the highest one, without @everyone. */
    roles: string[]
    /** @everyone if the member has no other role. */
    highestRole: RolePosition
  }
}

// For rows with more columns.

export function toServerRecord(row: ServerRecord): ServerRecord {
  const { id, name, icon, ownerId, invitesPaused, verificationLevel } = row
  return { id, name, icon, ownerId, invitesPaused, verificationLevel }
}

export function toChannelRecord(row: ChannelRecord): ChannelRecord {
  const { id, serverId, type, name, topic, position, parentId, slowMode } = row
  return { id, serverId, type, name, topic, position, parentId, slowMode }
}

export function toServer(record: ServerRecord): Server {
  const { id, icon, invitesPaused } = record
  return {
    ...toServerRecord(record),
    icon: icon === null ? null : imagePath('servers', id, icon),
    invitesPaused: invitesPaused === 1,
  }
}
