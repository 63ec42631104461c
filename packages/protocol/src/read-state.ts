import type { InferOutput } from 'valibot'
import { Id } from './ids.ts'
import { maxMentionCount } from './limits.ts'
import { boolean, described, integer, nullable, object, string } from './wire.ts'

/** `PUT /api/channels/:id/read` → 204. */
export const MarkReadBody = object(
  { messageId: described(Id, 'The id of the last message that the user has read.') },
  'The last message that the user has read.',
)
export type MarkReadBody = InferOutput<typeof MarkReadBody>

/** What a user has read of a channel that they may view. */
export const ReadState = object(
  {
    channelId: described(Id, 'The id of the channel.'),
    serverId: nullable(Id, 'The id of the server; null for a direct message.'),
    lastMessageId: nullable(Id, 'The id of the newest message; null if the channel has none.'),
    lastReadId: string('Messages up to this id are read. It need not be the id of a message.'),
    mentionCount: integer(
      'Unread messages that mention the user, one of their roles or everyone; in a direct ' +
        'message all of the other user.',
      { max: maxMentionCount },
    ),
    muted: boolean('Whether the user has muted the direct message: clients do not show it as unread.'),
  },
  'What the user has read of a channel.',
)
export type ReadState = InferOutput<typeof ReadState>
