import type { Static } from 'typebox'
import { Id } from './ids.ts'
import * as limits from './limits.ts'
import { PermissionSet } from './permissions.ts'
import { closed, Nullable, OneOf } from './schema.ts'
import { Name } from './text.ts'
import { Type } from './type.ts'
import { User } from './users.ts'

export const ChannelType = OneOf(['text', 'dm'])
export type ChannelType = Static<typeof ChannelType>

export const OverwriteType = OneOf(['role', 'member'])
export type OverwriteType = Static<typeof OverwriteType>

/** The permissions that a role or member has in addition or lacks in one channel. `allow` overrides `deny`. */
export const Overwrite = Type.Object(
  { id: Id, type: OverwriteType, allow: PermissionSet, deny: PermissionSet },
  closed(
    'The permissions that one channel allows or denies to a role or member; `id` is the id of the role or member.',
  ),
)
export type Overwrite = Static<typeof Overwrite>

export const Channel = Type.Object(
  {
    id: Id,
    serverId: Nullable(Id, { description: 'Null for a direct message.' }),
    type: ChannelType,
    name: Nullable(Type.String(), { description: 'Null for a direct message.' }),
    topic: Nullable(Type.String()),
    position: Type.Integer(),
    permissionOverwrites: Type.Array(Overwrite),
    recipient: Type.Optional(User),
  },
  closed('A channel of a server, or a direct message, whose `recipient` is the other user.'),
)
export type Channel = Static<typeof Channel>

const ChannelName = Name({ min: 1, max: limits.maxChannelName, description: '1 to 100 characters.' })
const Topic = Nullable(Name({ max: limits.maxTopic, description: 'Up to 1024 characters; null for none.' }))

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
    position: Type.Optional(Type.Integer({ minimum: 0, maximum: limits.maxPosition })),
  },
  closed('The fields to change.'),
)
export type UpdateChannelBody = Static<typeof UpdateChannelBody>

/** `PUT /api/channels/:id/overwrites/:targetId` → 204. */
export const OverwriteBody = Type.Object(
  { type: OverwriteType, allow: PermissionSet, deny: PermissionSet },
  closed('The permission overwrite of the role or member in the path.'),
)
export type OverwriteBody = Static<typeof OverwriteBody>

/** `POST /api/users/@me/channels` → 201 Channel of type `dm`, 200 if it exists (community/status-codes). */
export const CreateDmBody = Type.Object({ recipientId: Id }, closed('The recipient of a direct message.'))
export type CreateDmBody = Static<typeof CreateDmBody>
