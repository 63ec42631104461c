import type { Static } from 'typebox'
import { Id } from './ids.ts'
import { maxMentionCount } from './limits.ts'
import { closed, Described, Nullable } from './schema.ts'
import { Type } from './type.ts'

/** `PUT /api/channels/:id/read` → 204. */
export const MarkReadBody = Type.Object(
  { messageId: Described(Id, 'The id of the last message that the user has read.') },
  closed('The last message that the user has read.'),
)
export type MarkReadBody = Static<typeof MarkReadBody>

/** What a user has read of a channel that they may view. */
export const ReadState = Type.Object(
  {
    channelId: Described(Id, 'The id of the channel.'),
    serverId: Nullable(Id, { description: 'The id of the server; null for a direct message.' }),
    lastMessageId: Nullable(Id, {
      description: 'The id of the newest message; null if the channel has none.',
    }),
    lastReadId: Type.String({
      description: 'Messages up to this id are read. It need not be the id of a message.',
    }),
    mentionCount: Type.Integer({
      maximum: maxMentionCount,
      description:
        'Unread messages that mention the user, one of their roles or everyone; in a direct message all of the other user.',
    }),
  },
  closed('What the user has read of a channel.'),
)
export type ReadState = Static<typeof ReadState>
