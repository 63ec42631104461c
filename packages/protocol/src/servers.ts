import type { Static } from 'typebox'
import { Id, Timestamp } from './ids.ts'
import * as limits from './limits.ts'
import { PageQuery } from './lists.ts'
import { PermissionSet } from './permissions.ts'
import { closed, Described, Nullable, ShownAs } from './schema.ts'
import { Scope } from './scopes.ts'
import { Name, Text } from './text.ts'
import { isoTime } from './timestamps.ts'
import { Type } from './type.ts'
import { ApplicationCard, IconPath, User } from './users.ts'

const ServerName = Name({
  min: 1,
  max: limits.maxServerName,
  description: 'The name of the server: 1 to 100 characters.',
})

const serverFields = {
  id: Described(Id, 'The id of the server.'),
  name: Type.String({ description: 'The name of the server.' }),
  icon: IconPath,
}

export const Server = Type.Object(
  { ...serverFields, ownerId: Described(Id, 'The id of the user who owns the server.') },
  closed('A server.'),
)
export type Server = Static<typeof Server>

/** One of `GET /api/users/@me/servers`. */
export const UserServer = Type.Object(
  {
    ...serverFields,
    owner: Type.Boolean({ description: 'Whether the caller owns it.' }),
    permissions: Described(PermissionSet, 'The permissions of the caller on the server.'),
  },
  closed('A server that the user is a member of.'),
)
export type UserServer = Static<typeof UserServer>

/** `POST /api/servers` → 201 Server. */
export const CreateServerBody = Type.Object({ name: ServerName }, closed('A new server.'))
export type CreateServerBody = Static<typeof CreateServerBody>

/** `PATCH /api/servers/:id` → Server. */
export const UpdateServerBody = Type.Object(
  { name: Type.Optional(ServerName) },
  closed('The fields to change.'),
)
export type UpdateServerBody = Static<typeof UpdateServerBody>

export const Member = Type.Object(
  {
    user: User,
    nick: Nullable(Type.String(), {
      description: 'The nickname on the server; null, because there are none yet.',
    }),
    roles: Type.Array(Id, { description: 'The ids of the roles of the member, without @everyone.' }),
    joinedAt: Described(Timestamp, 'When the user joined the server.'),
    timedOutUntil: Nullable(Timestamp, {
      description: 'When the time-out of the member ends; null if there is none.',
    }),
  },
  closed('A member of a server.'),
)
export type Member = Static<typeof Member>

/** The query of `GET /api/servers/:id/members`. */
export const MembersQuery = Type.Object(
  {
    ...PageQuery.properties,
    channelId: Type.Optional(Described(Id, 'Only the members who can view this channel.')),
  },
  closed('A page of the list; with `channelId`, only the members who can view that channel.'),
)
export type MembersQuery = Static<typeof MembersQuery>

/** `PATCH /api/servers/:id/members/:userId` → Member. */
export const UpdateMemberBody = Type.Object(
  {
    timedOutUntil: Nullable(
      Text({
        max: 64,
        pattern: isoTime.source,
        trim: 'keep',
        description: 'When the time-out ends, at most 28 days from now: ISO 8601, `2026-01-31T12:00:00Z`.',
      }),
      { description: 'When the time-out ends, at most 28 days from now; null ends it.' },
    ),
  },
  closed('The fields to change.'),
)
export type UpdateMemberBody = Static<typeof UpdateMemberBody>

/** `PUT /api/servers/:id/bans/:userId` → 204. */
export const CreateBanBody = Type.Object(
  {
    reason: Type.Optional(
      Nullable(
        Name({
          max: limits.maxBanReason,
          description: 'The reason, for members with BAN_MEMBERS: up to 512 characters; null for none.',
        }),
      ),
    ),
    deleteMessageSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: limits.maxDeletedMessageSeconds,
        default: 0,
        description:
          'Deletes the messages that the user sent on the server in the last seconds, up to 7 days.',
      }),
    ),
  },
  closed('A ban.'),
)
export type CreateBanBody = Static<typeof CreateBanBody>

export const Ban = Type.Object(
  {
    user: User,
    reason: Nullable(Type.String(), { description: 'The reason; null if none was given.' }),
  },
  closed('A user who is banned from a server.'),
)
export type Ban = Static<typeof Ban>

const RoleColor = Type.Integer({
  minimum: 0,
  maximum: limits.maxColor,
  description: 'The color of the role as 0xRRGGBB; 0 for none.',
})
// The schema accepts 0, because an update of @everyone may contain it.
const Position = ShownAs(
  Type.Integer({ minimum: 0, maximum: limits.maxPosition }),
  Type.Integer({
    minimum: 1,
    maximum: limits.maxPosition,
    description: 'The rank of the role: a higher one is above; only @everyone has 0.',
  }),
)
const RoleName = Name({
  min: 1,
  max: limits.maxRoleName,
  description: 'The name of the role: 1 to 100 characters.',
})

/** @everyone is the role whose id is the server's (community/everyone-role). */
export const Role = Type.Object(
  {
    id: Described(Id, "The id of the role; of @everyone it is the server's."),
    serverId: Described(Id, 'The id of the server.'),
    name: Type.String({ description: 'The name of the role.' }),
    permissions: Described(PermissionSet, 'The permissions that members with the role have.'),
    color: Type.Integer({ description: 'The color of the role as 0xRRGGBB; 0 for none.' }),
    position: Type.Integer({
      description: 'The rank of the role: a higher one is above; only @everyone has 0.',
    }),
    managed: Type.Boolean({
      description: 'Whether it is the role of a bot, which is deleted when the bot is removed.',
    }),
  },
  closed("A role; @everyone is the one whose id is the server's."),
)
export type Role = Static<typeof Role>

/** `POST /api/servers/:id/roles` → 201 Role. */
export const CreateRoleBody = Type.Object(
  {
    name: RoleName,
    permissions: Described(PermissionSet, 'The permissions of the role; only those that the caller has.'),
    color: Type.Optional(RoleColor),
    position: Type.Optional(Position),
  },
  closed('A new role.'),
)
export type CreateRoleBody = Static<typeof CreateRoleBody>

/** `PATCH /api/servers/:id/roles/:roleId` → Role. */
export const UpdateRoleBody = Type.Partial(CreateRoleBody, closed('The fields to change.'))
export type UpdateRoleBody = Static<typeof UpdateRoleBody>

/** `POST /api/servers/:id/invites` → 201 Invite. */
export const CreateInviteBody = Type.Object(
  {
    maxUses: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: limits.maxInviteUses,
        description: 'How often the invite can be used; unlimited if absent.',
      }),
    ),
    expiresIn: Type.Optional(
      Type.Integer({
        minimum: limits.minInviteSeconds,
        maximum: limits.maxInviteSeconds,
        default: limits.defaultInviteSeconds,
        description: 'The seconds until the invite expires; 7 days if absent.',
      }),
    ),
  },
  closed('A new invite.'),
)
export type CreateInviteBody = Static<typeof CreateInviteBody>

const InviteCode = Type.String({
  description: 'The code of the invite, which the path of an invite ends with.',
})
const InviteExpiry = Described(Timestamp, 'When the invite expires.')

export const Invite = Type.Object({ code: InviteCode, expiresAt: InviteExpiry }, closed('An invite.'))
export type Invite = Static<typeof Invite>

/** One of `GET /api/servers/:id/invites`. */
export const ServerInvite = Type.Object(
  {
    code: InviteCode,
    creator: Described(User, 'The user who created the invite.'),
    uses: Type.Integer({ description: 'How often the invite was used.' }),
    maxUses: Nullable(Type.Integer(), {
      description: 'How often the invite can be used; null if unlimited.',
    }),
    createdAt: Described(Timestamp, 'When the invite was created.'),
    expiresAt: InviteExpiry,
  },
  closed('A valid invite.'),
)
export type ServerInvite = Static<typeof ServerInvite>

/** `GET /api/invites/:code`: the server of the invite. It needs no session. */
export const InvitePreview = Type.Object(
  {
    code: InviteCode,
    server: Type.Object(serverFields, { description: 'The server that the invite is for.' }),
    memberCount: Type.Integer({ description: 'The number of members without bots.' }),
    expiresAt: InviteExpiry,
    mayRegister: Type.Boolean({
      description:
        'Whether a visitor can create an account with the invite: false with `REGISTRATION=closed`.',
    }),
  },
  closed('The server of an invite.'),
)
export type InvitePreview = Static<typeof InvitePreview>

/** One of `GET /api/servers/:id/integrations`. */
export const Integration = Type.Object(
  {
    application: ApplicationCard,
    bot: Described(User, 'The bot of the application.'),
    scopes: Type.Array(Scope, { description: 'The scopes with which it was added.' }),
    permissions: Described(PermissionSet, 'The permissions that were granted to the bot.'),
    addedBy: Described(User, 'The user who added the application.'),
    addedAt: Described(Timestamp, 'When the application was added.'),
  },
  closed('An application on a server.'),
)
export type Integration = Static<typeof Integration>
