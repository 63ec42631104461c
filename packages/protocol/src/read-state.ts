import type { Static } from 'typebox'
import { Id } from './ids.ts'
import { closed } from './schema.ts'
import { Type } from './type.ts'

/** `PUT /api/channels/:id/read` → 204. */
export const MarkReadBody = Type.Object(
  { messageId: Id },
  closed('Up to which message, this one too, the channel has been read.'),
)
export type MarkReadBody = Static<typeof MarkReadBody>

/** What a person has read of a channel that they may view. */
export interface ReadState {
  channelId: string
  /** Null for a direct message. */
  serverId: string | null
  /** Null where nothing was said yet. */
  lastMessageId: string | null
  /** Up to it all is read; it need not be the id of a message. */
  lastReadId: string
  /**
   * Unread messages that mention the person, one of their roles or everyone; in a direct message all of the other's.
   * Counted up to `maxMentionCount`.
   */
  mentionCount: number
}
