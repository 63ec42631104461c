import type { ChannelType } from '@gatehouse/protocol/channels'
import type { Server } from '@gatehouse/protocol/servers'
import { imagePath } from '../images/index.ts'

export interface ServerRecord {
  id: string
  name: string
  /** The hash of the picture, null for none. */
  icon: string | null
  ownerId: string
}

export interface ChannelRecord {
  id: string
  /** Null for a direct message (D56). */
  serverId: string | null
  type: ChannelType
  name: string | null
  topic: string | null
  position: number
}

/** Where a role stands among the others of its server. */
export interface RoleRank {
  id: string
  position: number
}

export interface MemberRecord {
  serverId: string
  userId: string
  nick: string | null
  /** Milliseconds since the Unix epoch. */
  joinedAt: number
}

/** What somebody may do in a channel that they may view. */
export interface Access {
  channel: ChannelRecord
  /** Undefined for a direct message. */
  server: ServerRecord | undefined
  permissions: bigint
}

/** What a member may do on a server, before the overwrites of any channel. */
export interface ServerAccess {
  server: ServerRecord
  permissions: bigint
  member: MemberRecord & {
    /** Without @everyone. */
    roles: string[]
    /** The highest of them; @everyone where there is none. */
    highest: RoleRank
  }
}

export function serverView(record: ServerRecord): Server {
  const icon = record.icon === null ? null : imagePath('servers', record.id, record.icon)
  return { id: record.id, name: record.name, icon, ownerId: record.ownerId }
}
