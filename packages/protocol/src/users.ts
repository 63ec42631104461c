import type { Static } from 'typebox'
import { Id, Timestamp } from './ids.ts'
import * as limits from './limits.ts'
import { closed, Described, Nullable } from './schema.ts'
import { Scope } from './scopes.ts'
import { factorProof } from './second-factor.ts'
import { Name, Text } from './text.ts'
import { Type } from './type.ts'

export const Username = Text({
  min: limits.minUsername,
  max: limits.maxUsername,
  pattern: `^${limits.usernameCharacter}*$`,
  description: '2 to 32 characters: a-z, 0-9, `_` and `.`.',
})

export const DisplayName = Name({ min: 1, max: limits.maxDisplayName, description: '1 to 32 characters.' })

/** Not trimmed: spaces are part of a password. */
export const Password = Text({
  min: limits.minPassword,
  max: limits.maxPassword,
  trim: 'keep',
  description: '8 to 256 characters.',
})

/** A password to compare. It has only a maximum length, so that a wrong password is always a credentials error. */
const GivenPassword = Text({ max: limits.maxPassword, trim: 'keep', description: 'The current password.' })

/**
 * The rule of HTML for `<input type=email>`, with letters, marks and digits of every script (RFC 6531 §3.3, RFC 5890
 * §2.3.2.1): no control, format or space character, no quotes, and no separator of a list of addresses.
 */
const atom = "[\\p{L}\\p{M}\\p{Nd}.!#$%&'*+\\/=?^_`{|}~\\-]+"
const hostLabel = '[\\p{L}\\p{Nd}]([\\p{L}\\p{M}\\p{Nd}\\-]{0,61}[\\p{L}\\p{M}\\p{Nd}])?'

export const Email = Text({
  min: 3,
  max: limits.maxEmail,
  pattern: `^${atom}@${hostLabel}(\\.${hostLabel})*$`,
  description: 'An email address, as `<input type=email>` accepts it.',
})

const publicFields = {
  id: Described(Id, 'The id of the user.'),
  username: Type.String({ description: 'The unique name of the user.' }),
  displayName: Type.String({ description: 'The name that other users see.' }),
  avatar: Type.String({ description: 'The path of the avatar on the service; never null.' }),
}

/** The public fields of a user or bot. */
const IsBot = Type.Boolean({ description: 'Whether it is a bot.' })

export const User = Type.Object({ ...publicFields, bot: IsBot }, closed('A user or a bot.'))
export type User = Static<typeof User>

/**
 * The caller: `GET · PATCH /api/users/@me`. `email` and `emailVerified` are absent for a bearer token without the scope
 * `email`, and for a bot.
 */
export const SelfUser = Type.Object(
  {
    ...publicFields,
    bot: IsBot,
    email: Type.Optional(
      Type.String({
        description: 'The email address; absent for bots and tokens without the scope `email`.',
      }),
    ),
    emailVerified: Type.Optional(
      Type.Boolean({ description: 'Whether the user has confirmed the email address; absent like `email`.' }),
    ),
  },
  closed('The caller.'),
)
export type SelfUser = Static<typeof SelfUser>

/** The user of an interaction (bots/interaction-payload). */
export const InteractionUser = Type.Object(publicFields, closed('The user of the interaction.'))
export type InteractionUser = Static<typeof InteractionUser>

/** `POST /api/auth/register` → 201 SelfUser. */
export const RegisterBody = Type.Object(
  {
    username: Username,
    email: Email,
    password: Password,
    displayName: Type.Optional(DisplayName),
    invite: Type.Optional(Text({ max: 64, description: 'Code of an invite, if registration requires one.' })),
  },
  closed('A new account.'),
)
export type RegisterBody = Static<typeof RegisterBody>

/** `POST /api/auth/login` → 200 SelfUser. */
export const LoginBody = Type.Object(
  {
    login: Text({ min: 1, max: limits.maxEmail, description: 'Username or email.' }),
    password: GivenPassword,
  },
  closed('The credentials of a user.'),
)
export type LoginBody = Static<typeof LoginBody>

const MailToken = Text({ min: 1, max: 200, trim: 'keep', description: 'The token from the email.' })

/** `POST /api/auth/email/verify` → 204. */
export const VerifyEmailBody = Type.Object({ token: MailToken }, closed('Verifies an email address.'))
export type VerifyEmailBody = Static<typeof VerifyEmailBody>

/** `POST /api/auth/password/forgot` → 202 always. */
export const ForgotPasswordBody = Type.Object({ email: Email }, closed('The email address of the account.'))
export type ForgotPasswordBody = Static<typeof ForgotPasswordBody>

/** `POST /api/auth/password/reset` → 204. */
export const ResetPasswordBody = Type.Object(
  { token: MailToken, password: Password },
  closed('A new password.'),
)
export type ResetPasswordBody = Static<typeof ResetPasswordBody>

/**
 * `PATCH /api/users/@me` → SelfUser. `email` and `password` require `currentPassword`, and `code` or `passkey` of a user with a
 * second factor (sign-in/credential-change-proof).
 */
export const UpdateSelfBody = Type.Object(
  {
    username: Type.Optional(Username),
    displayName: Type.Optional(DisplayName),
    email: Type.Optional(Email),
    password: Type.Optional(Password),
    currentPassword: Type.Optional(GivenPassword),
    ...factorProof,
  },
  closed(
    'The fields to change; `email` and `password` require `currentPassword`, and `code` or `passkey` unless the user has no second factor or has signed in with it within ten minutes.',
  ),
)
export type UpdateSelfBody = Static<typeof UpdateSelfBody>

/** One of `GET /api/users/@me/sessions`. */
export const Session = Type.Object(
  {
    id: Described(Id, 'The id of the session.'),
    createdAt: Described(Timestamp, 'When the user signed in.'),
    lastUsedAt: Described(Timestamp, 'When the session was last used.'),
    userAgent: Nullable(Type.String(), {
      description: 'The `User-Agent` of the sign-in; null if the request had none.',
    }),
    ip: Nullable(Type.String(), { description: 'The IP address of the sign-in; null if it is not known.' }),
    current: Type.Boolean({ description: 'Whether it is the session of this request.' }),
  },
  closed('A session of the user.'),
)
export type Session = Static<typeof Session>

/** `DELETE /api/users/@me/sessions` → 204. */
export const EndSessionsBody = Type.Object(
  {
    revokeTokens: Type.Optional(
      Type.Boolean({
        description:
          'Whether to also revoke all tokens of applications. The consents remain. False by default.',
      }),
    ),
  },
  closed('What to end besides the other sessions.'),
)
export type EndSessionsBody = Static<typeof EndSessionsBody>

export const IconPath = Nullable(Type.String(), {
  description: 'The path of the icon on the service; null if there is none.',
})

/** An application as part of another object. */
export const ApplicationCard = Type.Object(
  {
    id: Described(Id, 'The id of the application, which is its `client_id`.'),
    name: Type.String({ description: 'The name of the application.' }),
    icon: IconPath,
  },
  closed('Id, name and icon of an application.'),
)
export type ApplicationCard = Static<typeof ApplicationCard>

/** One of `GET /api/users/@me/authorizations`. */
export const Authorization = Type.Object(
  {
    application: ApplicationCard,
    scopes: Type.Array(Scope, { description: 'The scopes that the user has granted or that tokens have.' }),
    grantedAt: Described(Timestamp, 'When the user granted the access.'),
    lastUsedAt: Nullable(Timestamp, { description: 'When a token was last used; null if none was used.' }),
  },
  closed('The access that the user has granted to an application.'),
)
export type Authorization = Static<typeof Authorization>
