import type { Static } from 'typebox'
import { Id, Timestamp } from './ids.ts'
import * as limits from './limits.ts'
import { PageQuery } from './lists.ts'
import { PermissionSet } from './permissions.ts'
import { closed, Nullable, ShownAs } from './schema.ts'
import { Scope } from './scopes.ts'
import { Name } from './text.ts'
import { Type } from './type.ts'
import { ApplicationCard, User } from './users.ts'

const Icon = Nullable(Type.String(), { description: 'Path of the icon, or null.' })
const ServerName = Name({ min: 1, max: limits.maxServerName, description: '1 to 100 characters.' })

export const Server = Type.Object(
  { id: Id, name: Type.String(), icon: Icon, ownerId: Id },
  closed('A server.'),
)
export type Server = Static<typeof Server>

/** One of `GET /api/users/@me/servers`. */
export const UserServer = Type.Object(
  {
    id: Id,
    name: Type.String(),
    icon: Icon,
    owner: Type.Boolean({ description: 'Whether the caller owns it.' }),
    permissions: PermissionSet,
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
    nick: Nullable(Type.String()),
    roles: Type.Array(Id, { description: 'Without @everyone.' }),
    joinedAt: Timestamp,
  },
  closed('A member of a server.'),
)
export type Member = Static<typeof Member>

/** The query of `GET /api/servers/:id/members`. */
export const MembersQuery = Type.Object(
  {
    ...PageQuery.properties,
    channelId: Type.Optional(Id),
  },
  closed('A page of the list; with `channelId`, only the members who can view that channel.'),
)
export type MembersQuery = Static<typeof MembersQuery>

const RoleColor = Type.Integer({ minimum: 0, maximum: limits.maxColor, description: '0xRRGGBB; 0 for none.' })
// The schema accepts 0, because an update of @everyone may contain it.
const Position = ShownAs(
  Type.Integer({ minimum: 0, maximum: limits.maxPosition }),
  Type.Integer({
    minimum: 1,
    maximum: limits.maxPosition,
    description: 'From the lowest to the highest; only @everyone has 0.',
  }),
)
const RoleName = Name({ min: 1, max: limits.maxRoleName, description: '1 to 100 characters.' })

/** @everyone is the role whose id is the server's (community/everyone-role). */
export const Role = Type.Object(
  {
    id: Id,
    serverId: Id,
    name: Type.String(),
    permissions: PermissionSet,
    color: Type.Integer(),
    position: Type.Integer(),
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
    permissions: PermissionSet,
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
      Type.Integer({ minimum: 1, maximum: limits.maxInviteUses, description: 'Unlimited if absent.' }),
    ),
    expiresIn: Type.Optional(
      Type.Integer({
        minimum: limits.minInviteSeconds,
        maximum: limits.maxInviteSeconds,
        default: limits.defaultInviteSeconds,
        description: 'Seconds; 7 days if absent.',
      }),
    ),
  },
  closed('A new invite.'),
)
export type CreateInviteBody = Static<typeof CreateInviteBody>

export const Invite = Type.Object({ code: Type.String(), expiresAt: Timestamp }, closed('An invite.'))
export type Invite = Static<typeof Invite>

/** One of `GET /api/servers/:id/invites`. */
export const ServerInvite = Type.Object(
  {
    code: Type.String(),
    creator: User,
    uses: Type.Integer({ description: 'How often the invite was used.' }),
    maxUses: Nullable(Type.Integer(), { description: 'Null if unlimited.' }),
    createdAt: Timestamp,
    expiresAt: Timestamp,
  },
  closed('A valid invite.'),
)
export type ServerInvite = Static<typeof ServerInvite>

/** `GET /api/invites/:code`: the server of the invite. It needs no session. */
export const InvitePreview = Type.Object(
  {
    code: Type.String(),
    server: Type.Object({ id: Id, name: Type.String(), icon: Icon }),
    memberCount: Type.Integer({ description: 'The number of members without bots.' }),
    expiresAt: Timestamp,
  },
  closed('The server of an invite.'),
)
export type InvitePreview = Static<typeof InvitePreview>

/** One of `GET /api/servers/:id/integrations`. */
export const Integration = Type.Object(
  {
    application: ApplicationCard,
    bot: User,
    scopes: Type.Array(Scope),
    permissions: PermissionSet,
    addedBy: User,
    addedAt: Timestamp,
  },
  closed('An application on a server.'),
)
export type Integration = Static<typeof Integration>
