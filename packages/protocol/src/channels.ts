import type { InferOutput } from 'valibot'
import { Id } from './ids.ts'
import * as limits from './limits.ts'
import { PermissionSet } from './permissions.ts'
import { User } from './users.ts'
import { boolean, described, integer, list, nullable, object, oneOf, optional, string, text } from './wire.ts'

export const ChannelType = oneOf(
  ['text', 'category', 'dm'],
  '`text`: a channel of a server. `category`: a group of channels, without messages. `dm`: a direct message.',
)
export type ChannelType = InferOutput<typeof ChannelType>

export const OverwriteType = oneOf(['role', 'member'], 'Whether the overwrite is for a role or for a member.')
export type OverwriteType = InferOutput<typeof OverwriteType>

/** The permissions that a role or member has in addition or lacks in one channel. `allow` overrides `deny`. */
const overwritten = {
  type: OverwriteType,
  allow: described(PermissionSet, 'The permissions that the channel allows in addition.'),
  deny: described(PermissionSet, 'The permissions that the channel denies; `allow` overrides it.'),
}

export const Overwrite = object(
  { id: described(Id, 'The id of the role or of the user.'), ...overwritten },
  'The permissions that one channel allows or denies to a role or member; `id` is the id of the role or member.',
)
export type Overwrite = InferOutput<typeof Overwrite>

export const Channel = object(
  {
    id: described(Id, 'The id of the channel.'),
    serverId: nullable(Id, 'The id of the server; null for a direct message.'),
    type: ChannelType,
    name: nullable(string(), 'The name of the channel; null for a direct message.'),
    topic: nullable(string(), 'What the channel is about; null if it has no topic.'),
    position: integer('The place in the list of channels, from the top.'),
    parentId: nullable(Id, 'The id of the category; null without one.'),
    slowMode: integer('The seconds that a member waits after each message; 0 for none.'),
    permissionOverwrites: list(Overwrite, 'What the channel allows or denies to roles and members.'),
    recipient: optional(described(User, 'The other user; only in a direct message.')),
  },
  'A channel of a server, or a direct message.',
)
export type Channel = InferOutput<typeof Channel>

const ChannelName = text({
  min: 1,
  max: limits.maxChannelName,
  description: 'The name of the channel: 1 to 100 characters.',
  clean: 'name',
})
const Topic = nullable(
  text({
    max: limits.maxTopic,
    description: 'What the channel is about: up to 1024 characters; null for none.',
    clean: 'name',
  }),
)

const Overwrites = list(Overwrite, 'What the channel allows or denies to roles and members: the whole set.', {
  max: limits.maxOverwrites,
})

export const PrivateChannel = object(
  {
    roles: list(Id, 'The ids of the roles that can view it, up to 50.', { max: limits.maxAdmitted }),
    members: list(Id, 'The ids of the members who can view it, up to 50.', { max: limits.maxAdmitted }),
  },
  'Who besides the creator can view the new channel.',
)
export type PrivateChannel = InferOutput<typeof PrivateChannel>

const place = {
  position: optional(
    integer('The place in the list of channels, from the top.', { min: 0, max: limits.maxPosition }),
  ),
  slowMode: optional(
    integer('The seconds that a member waits after each message, up to 6 hours; 0 for none.', {
      min: 0,
      max: limits.maxSlowMode,
    }),
  ),
}

/** `POST /api/servers/:id/channels` → 201 Channel. */
export const CreateChannelBody = object(
  {
    name: ChannelName,
    type: optional(oneOf(['text', 'category'], 'Default: `text`.')),
    topic: optional(Topic),
    ...place,
    parentId: optional(
      described(Id, 'The id of the category, whose overwrites the channel gets unless it is private.'),
    ),
    private: optional(PrivateChannel),
    permissionOverwrites: optional(
      described(Overwrites, 'The overwrites of the channel, instead of those of its category or `private`.'),
    ),
  },
  'A new channel.',
)
export type CreateChannelBody = InferOutput<typeof CreateChannelBody>

export const ChannelMove = object(
  {
    id: described(Id, 'The id of the channel or category.'),
    position: optional(
      integer('The place in the list of channels, from the top.', { min: 0, max: limits.maxPosition }),
    ),
    parentId: optional(nullable(Id, 'The id of the category; null for none.')),
    lockPermissions: optional(boolean('Whether the channel gets the overwrites of its category.')),
  },
  'The new place of a channel.',
)

/** `PATCH /api/servers/:id/channels` → 204. */
export const MoveChannelsBody = list(ChannelMove, 'The channels that move.', { max: limits.maxChannels })
export type MoveChannelsBody = InferOutput<typeof MoveChannelsBody>

/** `PATCH /api/channels/:id` → Channel. */
export const UpdateChannelBody = object(
  {
    name: optional(ChannelName),
    topic: optional(Topic),
    ...place,
    parentId: optional(nullable(Id, 'The id of the category; null for none.')),
    permissionOverwrites: optional(
      described(Overwrites, 'The overwrites of the channel, which replace those that it has.'),
    ),
  },
  'The fields to change.',
)
export type UpdateChannelBody = InferOutput<typeof UpdateChannelBody>

/** `PUT /api/channels/:id/overwrites/:targetId` → 204. */
export const OverwriteBody = object(
  overwritten,
  'The permission overwrite of the role or member in the path.',
)
export type OverwriteBody = InferOutput<typeof OverwriteBody>

/** `POST /api/users/@me/channels` → 201 Channel of type `dm`, 200 if it exists (community/status-codes). */
export const CreateDmBody = object(
  { recipientId: described(Id, 'The id of the other user.') },
  'The recipient of a direct message.',
)
export type CreateDmBody = InferOutput<typeof CreateDmBody>

/** `PATCH /api/users/@me/channels/:id` → 204 (community/closed-conversations, community/muted-conversations). */
export const UpdateDmBody = object(
  {
    closed: optional(
      boolean('Whether the list of the user hides it until its next message, or until they open it.'),
    ),
    muted: optional(boolean('Whether clients do not show it as unread.')),
  },
  'The fields to change.',
)
export type UpdateDmBody = InferOutput<typeof UpdateDmBody>
