import type { InferOutput } from 'valibot'
import { Id, Timestamp } from './ids.ts'
import * as limits from './limits.ts'
import { LimitQuery, PageQuery } from './lists.ts'
import { PermissionSet } from './permissions.ts'
import { Scope } from './scopes.ts'
import { factorProof } from './second-factor.ts'
import { isoTime } from './timestamps.ts'
import { ApplicationCard, GivenPassword, IconPath, ImageUri, User } from './users.ts'
import {
  boolean,
  described,
  integer,
  keywords,
  list,
  nullable,
  object,
  oneOf,
  openObject,
  optional,
  partial,
  string,
  text,
} from './wire.ts'

const ServerName = text({
  min: 1,
  max: limits.maxServerName,
  description: 'The name of the server: 1 to 100 characters.',
  clean: 'name',
})

const serverFields = {
  id: described(Id, 'The id of the server.'),
  name: string('The name of the server.'),
  icon: IconPath,
}

export const verificationLevels = ['none', 'email', 'member'] as const

export const VerificationLevel = oneOf(
  verificationLevels,
  'What members without a role need to write and to use commands. `none`: nothing. `email`: a verified email ' +
    'address. `member`: also a membership of 10 minutes.',
)
export type VerificationLevel = InferOutput<typeof VerificationLevel>

export const Server = object(
  {
    ...serverFields,
    ownerId: described(Id, 'The id of the user who owns the server.'),
    invitesPaused: boolean('Whether nobody can join with an invite at the moment.'),
    verificationLevel: VerificationLevel,
  },
  'A server.',
)
export type Server = InferOutput<typeof Server>

/** One of `GET /api/users/@me/servers`. */
export const UserServer = object(
  {
    ...serverFields,
    owner: boolean('Whether the caller owns it.'),
    permissions: described(PermissionSet, 'The permissions of the caller on the server.'),
  },
  'A server that the user is a member of.',
)
export type UserServer = InferOutput<typeof UserServer>

/** `POST /api/servers` → 201 Server. */
export const CreateServerBody = object({ name: ServerName }, 'A new server.')
export type CreateServerBody = InferOutput<typeof CreateServerBody>

/** `PATCH /api/servers/:id` → Server. */
export const UpdateServerBody = object(
  {
    name: optional(ServerName),
    invitesPaused: optional(boolean('Whether nobody can join with an invite.')),
    verificationLevel: optional(VerificationLevel),
    icon: optional(nullable(ImageUri, 'The icon; null for none.')),
  },
  'The fields to change.',
)
export type UpdateServerBody = InferOutput<typeof UpdateServerBody>

/** One of `GET /api/users/@me/ownership-transfers` (community/ownership-transfer). */
export const OwnershipTransfer = object(
  {
    server: openObject(serverFields, 'The server.'),
    owner: described(User, 'The owner, who offers it.'),
    user: described(User, 'The member who can accept it.'),
    expiresAt: described(Timestamp, 'When the offer ends.'),
  },
  'The offer of a server to a member.',
)
export type OwnershipTransfer = InferOutput<typeof OwnershipTransfer>

/** `PUT /api/servers/:id/ownership-transfer` → OwnershipTransfer. */
export const OfferOwnershipBody = object(
  {
    userId: described(Id, 'The id of the member.'),
    currentPassword: GivenPassword,
    ...factorProof,
  },
  'To whom the owner offers the server; with `code` or `passkey`, unless the owner has no ' +
    'second factor or has signed in with it within ten minutes.',
)
export type OfferOwnershipBody = InferOutput<typeof OfferOwnershipBody>

/** `POST /api/servers/:id/ownership-transfer` → Server. */
export const AcceptOwnershipBody = object(
  {
    keptApplications: optional(
      list(
        Id,
        'The bound applications that stay bound; all others end. Without it, all of them stay. Ids of other ' +
          'applications have no effect.',
        { max: limits.maxKeptApplications },
      ),
    ),
  },
  'What becomes of the applications that are bound to the server.',
)
export type AcceptOwnershipBody = InferOutput<typeof AcceptOwnershipBody>

export const Member = object(
  {
    user: User,
    nick: nullable(string(), 'The nickname on the server; null, because there are none yet.'),
    roles: list(Id, 'The ids of the roles of the member, without @everyone.'),
    joinedAt: described(Timestamp, 'When the user joined the server.'),
    timedOutUntil: nullable(Timestamp, 'When the time-out of the member ends; null if there is none.'),
  },
  'A member of a server.',
)
export type Member = InferOutput<typeof Member>

/** The query of `GET /api/servers/:id/members`. */
export const MembersQuery = object(
  {
    ...PageQuery.entries,
    channelId: optional(described(Id, 'Only the members who can view this channel.')),
  },
  'A page of the list; with `channelId`, only the members who can view that channel.',
)
export type MembersQuery = InferOutput<typeof MembersQuery>

/** `PATCH /api/servers/:id/members/:userId` → Member. */
export const UpdateMemberBody = object(
  {
    timedOutUntil: optional(
      nullable(
        text({
          max: 64,
          description: 'When the time-out ends, at most 28 days from now: ISO 8601, `2026-01-31T12:00:00Z`.',
          clean: 'keep',
          pattern: new RegExp(isoTime.source, 'u'),
        }),
        'When the time-out ends, at most 28 days from now; null ends it.',
      ),
    ),
    roles: optional(
      list(Id, 'The ids of all roles that the member is to have, without @everyone.', {
        max: limits.maxRoles,
      }),
    ),
  },
  'The fields to change.',
)
export type UpdateMemberBody = InferOutput<typeof UpdateMemberBody>

/** `PUT /api/servers/:id/bans/:userId` → 204. */
export const CreateBanBody = object(
  {
    reason: optional(
      nullable(
        text({
          max: limits.maxBanReason,
          description: 'The reason, for members with BAN_MEMBERS: up to 512 characters; null for none.',
          clean: 'name',
        }),
      ),
    ),
    deleteMessageSeconds: optional(
      integer('Deletes the messages that the user sent on the server in the last seconds, up to 7 days.', {
        min: 0,
        max: limits.maxDeletedMessageSeconds,
        default: 0,
      }),
    ),
  },
  'A ban.',
)
export type CreateBanBody = InferOutput<typeof CreateBanBody>

/** `POST /api/servers/:id/bans` → CreatedBans. */
export const CreateBansBody = object(
  {
    userIds: list(Id, 'The users and bots to ban: 1 to 200 ids.', { min: 1, max: limits.maxBannedTogether }),
    ...CreateBanBody.entries,
  },
  'Bans of many users.',
)
export type CreateBansBody = InferOutput<typeof CreateBansBody>

export const CreatedBans = object(
  {
    bannedUserIds: list(Id, 'Those who are banned now.'),
    failedUserIds: list(Id, 'Those who do not exist, were banned already, or whom the caller may not ban.'),
  },
  'The result of the bans of many users.',
)
export type CreatedBans = InferOutput<typeof CreatedBans>

export const Ban = object(
  {
    user: User,
    reason: nullable(string(), 'The reason; null if none was given.'),
    moderator: nullable(User, 'Who banned the user; null for a ban of a version before 0.4.0.'),
    createdAt: nullable(Timestamp, 'When the user was banned; null for a ban of a version before 0.4.0.'),
  },
  'A user who is banned from a server.',
)
export type Ban = InferOutput<typeof Ban>

const RoleColor = integer('The color of the role as 0xRRGGBB; 0 for none.', { min: 0, max: limits.maxColor })
// The schema accepts 0, because an update of @everyone may contain it.
const Position = keywords(
  integer('The rank of the role: a higher one is above; only @everyone has 0.', {
    min: 0,
    max: limits.maxPosition,
  }),
  { minimum: 1 },
)
const RoleName = text({
  min: 1,
  max: limits.maxRoleName,
  description: 'The name of the role: 1 to 100 characters.',
  clean: 'name',
})

/** @everyone is the role whose id is the server's (community/everyone-role). */
export const Role = object(
  {
    id: described(Id, "The id of the role; of @everyone it is the server's."),
    serverId: described(Id, 'The id of the server.'),
    name: string('The name of the role.'),
    permissions: described(PermissionSet, 'The permissions that members with the role have.'),
    color: integer('The color of the role as 0xRRGGBB; 0 for none.'),
    position: integer('The rank of the role: a higher one is above; only @everyone has 0.'),
    managed: boolean('Whether it is the role of a bot, which is deleted when the bot is removed.'),
  },
  "A role; @everyone is the one whose id is the server's.",
)
export type Role = InferOutput<typeof Role>

/** `POST /api/servers/:id/roles` → 201 Role. */
export const CreateRoleBody = object(
  {
    name: RoleName,
    permissions: described(PermissionSet, 'The permissions of the role; only those that the caller has.'),
    color: optional(RoleColor),
    position: optional(Position),
  },
  'A new role.',
)
export type CreateRoleBody = InferOutput<typeof CreateRoleBody>

/** `PATCH /api/servers/:id/roles/:roleId` → Role. */
export const UpdateRoleBody = object(partial(CreateRoleBody.entries), 'The fields to change.')
export type UpdateRoleBody = InferOutput<typeof UpdateRoleBody>

export const RoleMove = object(
  {
    id: described(Id, 'The id of the role.'),
    position: integer('The place among all roles: 0 is that of @everyone, below which none is.', {
      min: 0,
      max: limits.maxPosition,
    }),
  },
  'The new place of a role.',
)

/** `PATCH /api/servers/:id/roles` → Role[]. */
export const MoveRolesBody = list(RoleMove, 'The roles that move; the others keep their order.', {
  max: limits.maxRoles,
})
export type MoveRolesBody = InferOutput<typeof MoveRolesBody>

/** `POST /api/servers/:id/invites` → 201 Invite. */
export const CreateInviteBody = object(
  {
    maxUses: optional(
      integer('How often the invite can be used; unlimited if absent.', {
        min: 1,
        max: limits.maxInviteUses,
      }),
    ),
    expiresIn: optional(
      integer('The seconds until the invite expires; 7 days if absent.', {
        min: limits.minInviteSeconds,
        max: limits.maxInviteSeconds,
        default: limits.defaultInviteSeconds,
      }),
    ),
    channelId: optional(
      described(Id, 'A text channel of the server that the caller may view, which the invite remembers.'),
    ),
  },
  'A new invite.',
)
export type CreateInviteBody = InferOutput<typeof CreateInviteBody>

const InviteCode = string('The code of the invite, which the path of an invite ends with.')
const InviteExpiry = described(Timestamp, 'When the invite expires.')

export const Invite = object({ code: InviteCode, expiresAt: InviteExpiry }, 'An invite.')
export type Invite = InferOutput<typeof Invite>

/** One of `GET /api/servers/:id/invites`. */
export const ServerInvite = object(
  {
    code: InviteCode,
    creator: described(User, 'The user who created the invite.'),
    uses: integer('How often the invite was used.'),
    maxUses: nullable(integer(), 'How often the invite can be used; null if unlimited.'),
    createdAt: described(Timestamp, 'When the invite was created.'),
    expiresAt: InviteExpiry,
    channelId: nullable(
      Id,
      'The channel that the invite was created for, or else the first text channel that everyone may view; ' +
        'null if there is none, or if the caller may not view it.',
    ),
  },
  'A valid invite.',
)
export type ServerInvite = InferOutput<typeof ServerInvite>

/** The query of `GET /api/servers/:id/invites`. */
export const InvitesQuery = object(
  { ...LimitQuery.entries, channelId: optional(described(Id, 'Only the invites with this channel.')) },
  'The maximum number of entries, and their channel.',
)
export type InvitesQuery = InferOutput<typeof InvitesQuery>

/** `GET /api/invites/:code`: the server of the invite. It needs no session. */
export const InvitePreview = object(
  {
    code: InviteCode,
    server: openObject(serverFields, 'The server that the invite is for.'),
    memberCount: integer('The number of members without bots.'),
    expiresAt: InviteExpiry,
    mayRegister: boolean(
      'Whether a visitor can create an account with the invite: false while registration is closed.',
    ),
  },
  'The server of an invite.',
)
export type InvitePreview = InferOutput<typeof InvitePreview>

/** One of `GET /api/servers/:id/integrations`. */
export const Integration = object(
  {
    application: ApplicationCard,
    bot: described(User, 'The bot of the application.'),
    scopes: list(Scope, 'The scopes with which it was added.'),
    permissions: described(PermissionSet, 'The permissions that were granted to the bot.'),
    addedBy: described(User, 'The user who added the application.'),
    addedAt: described(Timestamp, 'When the application was added.'),
  },
  'An application on a server.',
)
export type Integration = InferOutput<typeof Integration>
