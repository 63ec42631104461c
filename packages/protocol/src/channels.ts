import type { Static } from 'typebox'
import { Id } from './ids.ts'
import * as limits from './limits.ts'
import { PermissionSet } from './permissions.ts'
import { closed, Described, Nullable, OneOf } from './schema.ts'
import { Name } from './text.ts'
import { Type } from './type.ts'
import { User } from './users.ts'

export const ChannelType = OneOf(['text', 'dm'], {
  description: '`text`: a channel of a server. `dm`: a direct message.',
})
export type ChannelType = Static<typeof ChannelType>

export const OverwriteType = OneOf(['role', 'member'], {
  description: 'Whether the overwrite is for a role or for a member.',
})
export type OverwriteType = Static<typeof OverwriteType>

/** The permissions that a role or member has in addition or lacks in one channel. `allow` overrides `deny`. */
const overwritten = {
  type: OverwriteType,
  allow: Described(PermissionSet, 'The permissions that the channel allows in addition.'),
  deny: Described(PermissionSet, 'The permissions that the channel denies; `allow` overrides it.'),
}

export const Overwrite = Type.Object(
  { id: Described(Id, 'The id of the role or of the user.'), ...overwritten },
  closed(
    'The permissions that one channel allows or denies to a role or member; `id` is the id of the role or member.',
  ),
)
export type Overwrite = Static<typeof Overwrite>

export const Channel = Type.Object(
  {
    id: Described(Id, 'The id of the channel.'),
    serverId: Nullable(Id, { description: 'The id of the server; null for a direct message.' }),
    type: ChannelType,
    name: Nullable(Type.String(), { description: 'The name of the channel; null for a direct message.' }),
    topic: Nullable(Type.String(), { description: 'What the channel is about; null if it has no topic.' }),
    position: Type.Integer({ description: 'The place in the list of channels, from the top.' }),
    permissionOverwrites: Type.Array(Overwrite, {
      description: 'What the channel allows or denies to roles and members.',
    }),
    recipient: Type.Optional(Described(User, 'The other user; only in a direct message.')),
  },
  closed('A channel of a server, or a direct message.'),
)
export type Channel = Static<typeof Channel>

const ChannelName = Name({
  min: 1,
  max: limits.maxChannelName,
  description: 'The name of the channel: 1 to 100 characters.',
})
const Topic = Nullable(
  Name({
    max: limits.maxTopic,
    description: 'What the channel is about: up to 1024 characters; null for none.',
  }),
)

/** `POST /api/servers/:id/channels` → 201 Channel. */
export const CreateChannelBody = Type.Object(
  { name: ChannelName, topic: Type.Optional(Topic) },
  closed('A new channel.'),
)
export type CreateChannelBody = Static<typeof CreateChannelBody>

/** `PATCH /api/channels/:id` → Channel. */
export const UpdateChannelBody = Type.Object(
  {
    name: Type.Optional(ChannelName),
    topic: Type.Optional(Topic),
    position: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: limits.maxPosition,
        description: 'The place in the list of channels, from the top.',
      }),
    ),
  },
  closed('The fields to change.'),
)
export type UpdateChannelBody = Static<typeof UpdateChannelBody>

/** `PUT /api/channels/:id/overwrites/:targetId` → 204. */
export const OverwriteBody = Type.Object(
  overwritten,
  closed('The permission overwrite of the role or member in the path.'),
)
export type OverwriteBody = Static<typeof OverwriteBody>

/** `POST /api/users/@me/channels` → 201 Channel of type `dm`, 200 if it exists (community/status-codes). */
export const CreateDmBody = Type.Object(
  { recipientId: Described(Id, 'The id of the other user.') },
  closed('The recipient of a direct message.'),
)
export type CreateDmBody = Static<typeof CreateDmBody>
