import type { Static } from 'typebox'
import { Channel } from './channels.ts'
import { Id } from './ids.ts'
import { InteractionCreate, InteractionUpdate } from './interactions.ts'
import { maxShards } from './limits.ts'
import { Message } from './messages.ts'
import { ReadState } from './read-state.ts'
import { closed, Described, Nullable } from './schema.ts'
import { Member, Role, Server } from './servers.ts'
import { Type } from './type.ts'
import { SelfUser, User } from './users.ts'

// The payloads of the events. They are not in gateway.ts, so that a client can import its types and constants without these schemas.

/** `[id, count]`, with id < count (gateway/shards). */
export const ShardPair = Type.Array(Type.Integer({ minimum: 0, maximum: maxShards }), {
  minItems: 2,
  maxItems: 2,
  examples: [[0, 2]],
})

/** `d` of READY. */
export const Ready = Type.Object(
  {
    sessionId: Type.String({ description: 'For a resume.' }),
    resumeUrl: Type.String({ format: 'uri', description: 'The URL for a resume.' }),
    user: SelfUser,
    application: Type.Optional(
      Type.Object(
        { id: Described(Id, 'The id of the application.') },
        closed('The application of the bot; only for a bot.'),
      ),
    ),
    servers: Type.Array(
      Type.Object(
        {
          id: Described(Id, 'The id of the server.'),
          name: Type.String({ description: 'The name of the server.' }),
          roles: Type.Optional(
            Type.Array(Id, { description: 'Only for a user: the ids of their roles without @everyone.' }),
          ),
        },
        closed('A server of the user or bot.'),
      ),
      { description: 'The servers of the user or bot.' },
    ),
    shard: Type.Optional(Described(ShardPair, 'Only for a bot that identified with it.')),
    readStates: Type.Optional(
      Type.Array(ReadState, { description: 'Only for a user: of the channels with the newest messages.' }),
    ),
  },
  closed('The state at the start of a gateway session.'),
)
export type Ready = Static<typeof Ready>

const MessageCreate = Type.Object(
  {
    ...Message.properties,
    nonce: Type.Optional(
      Type.String({ description: 'Only for the sessions of the author, if the request had one.' }),
    ),
  },
  closed('A new message.'),
)
const serverId = Described(Id, 'The id of the server.')
const channelId = Described(Id, 'The id of the channel.')
const nullableServerId = Nullable(Id, { description: 'The id of the server; null for a direct message.' })
const MemberEvent = (description: string) =>
  Type.Object({ ...Member.properties, serverId }, closed(description))

/** The events of bots and users. */
const sharedEvents = {
  READY: Ready,
  RESUMED: Type.Unsafe<Record<string, never>>(Type.Object({}, closed('All missed events were sent.'))),
  SERVER_ADD: Described(Server, 'The user or bot is now a member of the server.'),
  SERVER_UPDATE: Described(Server, 'The name or icon of the server was changed.'),
  SERVER_REMOVE: Type.Object(
    { id: Described(Id, 'The id of the server.') },
    closed('The user or bot is no longer a member of the server.'),
  ),
  MESSAGE_CREATE: MessageCreate,
  MESSAGE_UPDATE: Described(Message, 'The message was changed.'),
  MESSAGE_DELETE: Type.Object(
    { id: Described(Id, 'The id of the message.'), channelId, serverId: nullableServerId },
    closed('The message was deleted.'),
  ),
  CHANNEL_CREATE: Described(Channel, 'There is a new channel, or the user or bot can now view it.'),
  CHANNEL_UPDATE: Described(Channel, 'The channel was changed.'),
  CHANNEL_DELETE: Type.Object(
    { id: channelId, serverId: nullableServerId },
    closed('The channel was deleted, or the user or bot can no longer view it.'),
  ),
  MEMBER_ADD: MemberEvent('The server has a new member.'),
  MEMBER_UPDATE: MemberEvent('The roles, the name or the timeout of the member were changed.'),
  MEMBER_REMOVE: Type.Object({ serverId, user: User }, closed('The user is no longer a member.')),
  ROLE_CREATE: Described(Role, 'The server has a new role.'),
  ROLE_UPDATE: Described(Role, 'The role was changed.'),
  ROLE_DELETE: Type.Object(
    { id: Described(Id, 'The id of the role.'), serverId },
    closed('The role was deleted.'),
  ),
}

/** The payloads of the events of a bot. Which of them it receives, its intents decide (gateway/intents). */
export const botEvents = {
  ...sharedEvents,
  BAN_ADD: Type.Object({ serverId, user: User }, closed('The user was banned from the server.')),
  BAN_REMOVE: Type.Object({ serverId, user: User }, closed('The ban of the user has ended.')),
  INTERACTION_CREATE: Described(
    InteractionCreate,
    'A user ran a command, used a component, submitted a modal, or types in an option.',
  ),
}

/** The payloads of the events of a user: only what they may view at that time (gateway/event-payloads). */
export const userEvents = {
  ...sharedEvents,
  INTERACTION_UPDATE: Described(InteractionUpdate, 'The state of an interaction of the user has changed.'),
  CHANNEL_READ: Type.Object(
    { channelId, messageId: Described(Id, 'The id of the last message that the user has read.') },
    closed('The user has read the channel up to this message, in this session or another one.'),
  ),
  USER_UPDATE: Described(SelfUser, 'The account of the user was changed.'),
  COMMANDS_UPDATE: Type.Object({ serverId }, closed('The commands of the server have changed.')),
}
