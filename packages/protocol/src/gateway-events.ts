import type { InferOutput } from 'valibot'
import { AuditLogEntry } from './audit-log.ts'
import { Channel } from './channels.ts'
import { Id } from './ids.ts'
import { InteractionCreate, InteractionUpdate } from './interactions.ts'
import { maxShards } from './limits.ts'
import { Message } from './messages.ts'
import { ReadState } from './read-state.ts'
import { Report } from './reports.ts'
import { Member, OwnershipTransfer, Role, Server, ServerInvite } from './servers.ts'
import { SelfUser, User } from './users.ts'
import {
  boolean,
  described,
  extended,
  integer,
  keywords,
  list,
  nullable,
  object,
  optional,
  string,
} from './wire.ts'

// The payloads of the events. They are not in gateway.ts, so that a client can import its types and constants without
// these schemas.

/** `[id, count]`, with id < count (gateway/shards). */
export const ShardPair = keywords(
  list(integer(undefined, { min: 0, max: maxShards }), undefined, { min: 2, max: 2 }),
  { examples: [[0, 2]] },
)

/** `d` of READY. */
export const Ready = object(
  {
    sessionId: string('For a resume.'),
    resumeUrl: string('The URL for a resume.', { format: 'uri' }),
    user: SelfUser,
    application: optional(
      object(
        { id: described(Id, 'The id of the application.') },
        'The application of the bot; only for a bot.',
      ),
    ),
    servers: list(
      object(
        {
          id: described(Id, 'The id of the server.'),
          name: string('The name of the server.'),
          roles: optional(list(Id, 'Only for a user: the ids of their roles without @everyone.')),
        },
        'A server of the user or bot.',
      ),
      'The servers of the user or bot.',
    ),
    shard: optional(described(ShardPair, 'Only for a bot that identified with it.')),
    readStates: optional(list(ReadState, 'Only for a user: of the channels with the newest messages.')),
  },
  'The state at the start of a gateway session.',
)
export type Ready = InferOutput<typeof Ready>

export const MessageCreate = extended(
  Message,
  { nonce: optional(string('Only for the sessions of the author, if the request had one.')) },
  'A new message.',
)
const serverId = described(Id, 'The id of the server.')
const channelId = described(Id, 'The id of the channel.')
const nullableServerId = nullable(Id, 'The id of the server; null for a direct message.')
export const MemberEvent = extended(Member, { serverId }, 'A member of a server, in the events of members.')

/** The events of bots and users. */
const sharedEvents = {
  READY: Ready,
  RESUMED: object({}, 'All missed events were sent.'),
  SERVER_ADD: described(Server, 'The user or bot is now a member of the server.'),
  SERVER_UPDATE: described(Server, 'The name, the icon or the owner of the server was changed.'),
  SERVER_REMOVE: object(
    { id: described(Id, 'The id of the server.') },
    'The user or bot is no longer a member of the server.',
  ),
  MESSAGE_CREATE: MessageCreate,
  MESSAGE_UPDATE: described(Message, 'The message was changed.'),
  MESSAGE_DELETE: object(
    { id: described(Id, 'The id of the message.'), channelId, serverId: nullableServerId },
    'The message was deleted.',
  ),
  CHANNEL_CREATE: described(Channel, 'There is a new channel, or the user or bot can now view it.'),
  CHANNEL_UPDATE: described(Channel, 'The channel was changed.'),
  CHANNEL_DELETE: object(
    { id: channelId, serverId: nullableServerId },
    'The channel was deleted, or the user or bot can no longer view it.',
  ),
  MEMBER_ADD: described(MemberEvent, 'The server has a new member.'),
  MEMBER_UPDATE: described(MemberEvent, 'The roles, the name or the timeout of the member were changed.'),
  MEMBER_REMOVE: object({ serverId, user: User }, 'The user is no longer a member.'),
  ROLE_CREATE: described(Role, 'The server has a new role.'),
  ROLE_UPDATE: described(Role, 'The role was changed.'),
  ROLE_DELETE: object({ id: described(Id, 'The id of the role.'), serverId }, 'The role was deleted.'),
  REPORT_CREATE: described(Report, 'A message or member was reported.'),
  REPORT_UPDATE: described(Report, 'The report was resolved, dismissed or opened again.'),
}

/** The payloads of the events of a bot. Which of them it receives, its intents decide (gateway/intents). */
export const botEvents = {
  ...sharedEvents,
  BAN_ADD: object({ serverId, user: User }, 'The user was banned from the server.'),
  BAN_REMOVE: object({ serverId, user: User }, 'The ban of the user has ended.'),
  AUDIT_LOG_ENTRY_CREATE: described(AuditLogEntry, 'An act was recorded in the audit log of the server.'),
  INVITE_CREATE: object(
    { ...ServerInvite.entries, serverId, channelId: described(Id, 'The id of the channel of the invite.') },
    'The server has a new invite.',
  ),
  INVITE_DELETE: object(
    {
      code: string('The code of the invite.'),
      serverId,
      channelId: described(Id, 'The id of the channel of the invite.'),
    },
    'The invite was revoked or has no use left.',
  ),
  WEBHOOKS_UPDATE: object({ serverId, channelId }, 'The webhooks of the channel have changed.'),
  INTERACTION_CREATE: described(
    InteractionCreate,
    'A user ran a command, used a component, submitted a modal, or types in an option.',
  ),
}

/** The payloads of the events of a user: only what they may view at that time (gateway/event-payloads). */
export const userEvents = {
  ...sharedEvents,
  INTERACTION_UPDATE: described(InteractionUpdate, 'The state of an interaction of the user has changed.'),
  CHANNEL_READ: object(
    { channelId, messageId: described(Id, 'The id of the last message that the user has read.') },
    'The user has read the channel up to this message, in this session or another one.',
  ),
  CHANNEL_MUTE: object(
    { channelId, muted: boolean('Whether it is muted.') },
    'The user has muted the direct message, or ended that.',
  ),
  BLOCK_UPDATE: object(
    { userId: described(Id, 'The id of the other user or bot.'), blocked: boolean('Whether it is blocked.') },
    'The user has blocked a user or bot, or ended a block.',
  ),
  USER_UPDATE: described(SelfUser, 'The account of the user was changed.'),
  OWNERSHIP_TRANSFER_UPDATE: object(
    { serverId, transfer: nullable(OwnershipTransfer, 'The offer; null if it has ended.') },
    'The server is offered to or by the user, or the offer has ended.',
  ),
  COMMANDS_UPDATE: object({ serverId }, 'The commands of the server have changed.'),
}
