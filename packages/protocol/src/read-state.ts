import type { Static } from 'typebox'
import { Id } from './ids.ts'
import { closed } from './schema.ts'
import { Type } from './type.ts'

/** `PUT /api/channels/:id/read` → 204. */
export const MarkReadBody = Type.Object({ messageId: Id }, closed('The last message that the user has read.'))
export type MarkReadBody = Static<typeof MarkReadBody>

/** What a user has read of a channel that they may view. */
export interface ReadState {
  channelId: string
  /** Null for a direct message. */
  serverId: string | null
  /** Null if the channel has no messages. */
  lastMessageId: string | null
  /** Messages up to this id are read. It need not be the id of a message. */
  lastReadId: string
  /**
   * Unread messages that mention the user, one of their roles or everyone; in a direct message all of the other user.
   * Counted up to `maxMentionCount`.
   */
  mentionCount: number
}
