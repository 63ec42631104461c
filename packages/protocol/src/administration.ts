import type { InferOutput } from 'valibot'
import { Id, Timestamp } from './ids.ts'
import * as limits from './limits.ts'
import { PageQuery } from './lists.ts'
import { RecentProof } from './second-factor.ts'
import { Session, User } from './users.ts'
import {
  boolean,
  constant,
  described,
  integer,
  list,
  nullable,
  object,
  oneOf,
  optional,
  partial,
  string,
  text,
} from './wire.ts'

const adminUserFields = {
  ...User.entries,
  email: string('The email address.'),
  emailVerified: boolean('Whether the user has confirmed the email address.'),
  administrator: boolean('Whether the user is an administrator of the instance.'),
  disabledAt: nullable(Timestamp, 'When the user was disabled; null if they are not.'),
  createdAt: described(Timestamp, 'When the user registered.'),
}

export const defaultInstanceName = 'Gatehouse'
export const registrationModes = ['open', 'invite', 'closed'] as const
export type RegistrationMode = (typeof registrationModes)[number]
export const serverCreators = ['everyone', 'administrators'] as const

const settingsFields = {
  registration: oneOf(
    registrationModes,
    'Who can register an account: everyone (`open`), only with an invite (`invite`), nobody (`closed`).',
  ),
  serverCreation: oneOf(serverCreators, 'Who can create servers: everyone, or only administrators.'),
  name: text({
    min: 1,
    max: limits.maxInstanceName,
    clean: 'name',
    description: 'The name of the community, which pages, mails and the web client show.',
  }),
}

/** `GET /api/admin/settings`. */
export const InstanceSettings = object(
  {
    ...settingsFields,
    logo: nullable(string(), 'The path of the logo; null without one.'),
  },
  'The settings of the instance.',
)
export type InstanceSettings = InferOutput<typeof InstanceSettings>

/** `PATCH /api/admin/settings` → InstanceSettings. */
export const UpdateInstanceSettingsBody = object(
  { ...partial(settingsFields), ...RecentProof.entries },
  'The settings to change, with the proof of the administrator, as in `UpdateAdminUserBody`.',
)
export type UpdateInstanceSettingsBody = InferOutput<typeof UpdateInstanceSettingsBody>

/** What each part of the health has. */
const partFields = {
  ok: boolean('Whether it works.'),
  problem: nullable(string(), 'What is wrong, in a sentence; null if it works.'),
}

/** `GET /api/admin/health`. */
export const AdminHealth = object(
  {
    version: string('The version of the node that responds.'),
    nodes: list(
      object(
        {
          id: integer('The number of the node.'),
          lastSeenAt: described(
            Timestamp,
            'When it last reported to the database, which it does every 20 s.',
          ),
        },
        'A running node, or a command of the operator.',
      ),
      'The running nodes.',
    ),
    database: object(
      {
        ...partFields,
        engine: oneOf(['sqlite', 'postgres'], 'The kind of the database.'),
        serverVersion: string('The version of SQLite or PostgreSQL.'),
        size: integer('The size in bytes.'),
        lastMigration: string('The name of the last migration.'),
      },
      'The database, and its clock against that of the node.',
    ),
    bus: object(
      { ...partFields, kind: oneOf(['local', 'nats'], 'Whether there is one node (`local`), or NATS.') },
      'The connection to the other nodes.',
    ),
    mail: object(
      {
        ...partFields,
        kind: oneOf(['smtp', 'files'], 'Whether mails are sent (`smtp`), or written to files.'),
      },
      'The mail server, up to the authentication.',
    ),
    disk: object(
      { ...partFields, free: nullable(integer(), 'The free bytes; null without a data folder.') },
      'The disk of the data folder of the node.',
    ),
    lastBackupAt: nullable(Timestamp, 'When `gatehouse backup` last ran; null if never.'),
  },
  'Whether the service and what it needs work, for administrators.',
)
export type AdminHealth = InferOutput<typeof AdminHealth>

/** One of `GET /api/admin/users`. */
export const AdminUser = object(adminUserFields, 'A user, for administrators.')
export type AdminUser = InferOutput<typeof AdminUser>

const AdminUserServer = object(
  { id: described(Id, 'The id of the server.'), name: string('The name of the server.') },
  'A server of the user.',
)

/** `GET /api/admin/users/:id`. */
export const AdminUserDetails = object(
  {
    ...adminUserFields,
    secondFactor: boolean('Whether the user has a passkey or an authenticator app.'),
    lastSeenAt: nullable(Timestamp, 'When one of the sessions was last used; null without a session.'),
    sessions: list(Session, 'The sessions that have not expired.'),
    servers: list(AdminUserServer, 'The servers of which the user is a member.'),
  },
  'A user with their sessions and servers, for administrators.',
)
export type AdminUserDetails = InferOutput<typeof AdminUserDetails>

/** `GET /api/admin/users`, `…/servers` and `…/applications`, newest first. */
export const AdminListQuery = object(
  {
    before: PageQuery.entries.before,
    limit: PageQuery.entries.limit,
    query: optional(
      text({
        max: limits.maxEmail,
        description:
          'The id, or a part of the name: of a user also of the email address, of the others also the id of the owner.',
      }),
    ),
  },
  'A page of a list.',
)
export type AdminListQuery = InferOutput<typeof AdminListQuery>

/** `PATCH /api/admin/users/:id` → AdminUser. */
export const UpdateAdminUserBody = object(
  {
    disabled: optional(
      boolean('Whether no credential of the user is valid, nor of their bots and applications.'),
    ),
    administrator: optional(boolean('Whether the user is an administrator of the instance.')),
    emailVerified: optional(constant(true, 'Confirms the email address of the user.')),
    ...RecentProof.entries,
  },
  'The fields to change, with the proof of the administrator: a user with a second factor sends `code` or `passkey`, ' +
    'another user `currentPassword`. Not required within ten minutes of a sign-in with the same.',
)
export type UpdateAdminUserBody = InferOutput<typeof UpdateAdminUserBody>

const ownedFields = {
  icon: nullable(string(), 'The path of the icon; null without one.'),
  owner: described(User, 'The owner.'),
  disabledAt: nullable(Timestamp, 'When an administrator disabled it; null if it is not.'),
  createdAt: described(Timestamp, 'When it was created.'),
}

/** One of `GET /api/admin/servers`. */
export const AdminServer = object(
  {
    id: described(Id, 'The id of the server.'),
    name: string('The name of the server.'),
    ...ownedFields,
    members: integer('The number of members, with bots.'),
    channels: integer('The number of channels.'),
  },
  'A server, for administrators.',
)
export type AdminServer = InferOutput<typeof AdminServer>

const newOwner = optional(
  text({
    min: 1,
    max: limits.maxEmail,
    description: 'The new owner: the id, the username or the email address of a person.',
  }),
)

/** `PATCH /api/admin/servers/:id` → AdminServer. */
export const UpdateAdminServerBody = object(
  {
    disabled: optional(boolean('Whether nobody finds the server, nor anything of it.')),
    owner: newOwner,
    ...RecentProof.entries,
  },
  'The fields to change, with the proof of the administrator, as in `UpdateAdminUserBody`.',
)
export type UpdateAdminServerBody = InferOutput<typeof UpdateAdminServerBody>

/** One of `GET /api/admin/applications`. */
export const AdminApplication = object(
  {
    id: described(Id, 'The id of the application.'),
    name: string('The name of the application.'),
    ...ownedFields,
    bot: nullable(User, 'The bot; null without one.'),
    authorizations: integer('The number of users who have allowed it access.'),
  },
  'An application, for administrators.',
)
export type AdminApplication = InferOutput<typeof AdminApplication>

/** `PATCH /api/admin/applications/:id` → AdminApplication. */
export const UpdateAdminApplicationBody = object(
  {
    disabled: optional(boolean('Whether no credential of the application is valid, nor its bot.')),
    owner: newOwner,
    ...RecentProof.entries,
  },
  'The fields to change, with the proof of the administrator, as in `UpdateAdminUserBody`.',
)
export type UpdateAdminApplicationBody = InferOutput<typeof UpdateAdminApplicationBody>
