import type { InferOutput } from 'valibot'
import { Id, Timestamp } from './ids.ts'
import * as limits from './limits.ts'
import { Scope } from './scopes.ts'
import { factorProof } from './second-factor.ts'
import { boolean, described, list, nullable, object, oneOf, optional, pattern, string, text } from './wire.ts'

export const Username = text({
  min: limits.minUsername,
  max: limits.maxUsername,
  description: '2 to 32 characters: a-z, 0-9, `_` and `.`.',
  pattern: new RegExp(`^${limits.usernameCharacter}*$`),
})

export const DisplayName = text({
  min: 1,
  max: limits.maxDisplayName,
  description: '1 to 32 characters.',
  clean: 'name',
})

/** Not trimmed: spaces are part of a password. */
export const Password = text({
  min: limits.minPassword,
  max: limits.maxPassword,
  description: '8 to 256 characters.',
  clean: 'keep',
})

/** A password to compare. It has only a maximum length, so that a wrong password is always a credentials error. */
export const GivenPassword = text({
  max: limits.maxPassword,
  description: 'The current password.',
  clean: 'keep',
})

/**
 * The rule of HTML for `<input type=email>`, with letters, marks and digits of every script (RFC 6531 §3.3, RFC 5890
 * §2.3.2.1): no control, format or space character, no quotes, and no separator of a list of addresses.
 */
const atom = "[\\p{L}\\p{M}\\p{Nd}.!#$%&'*+\\/=?^_`{|}~\\-]+"
const hostLabel = '[\\p{L}\\p{Nd}]([\\p{L}\\p{M}\\p{Nd}\\-]{0,61}[\\p{L}\\p{M}\\p{Nd}])?'

export const Email = text({
  min: 3,
  max: limits.maxEmail,
  description: 'An email address, as `<input type=email>` accepts it.',
  pattern: new RegExp(`^${atom}@${hostLabel}(\\.${hostLabel})*$`, 'u'),
})

const publicFields = {
  id: described(Id, 'The id of the user.'),
  username: string('The unique name of the user.'),
  displayName: string('The name that other users see.'),
  avatar: string('The path of the avatar on the service; never null.'),
}

/** The public fields of a user or bot. */
const IsBot = boolean('Whether it is a bot.')

export const User = object({ ...publicFields, bot: IsBot }, 'A user or a bot.')
export type User = InferOutput<typeof User>

export const DirectMessageSetting = oneOf(
  ['members', 'nobody'],
  'Who may write to the user first: `members` of a common server, or `nobody`.',
)
export type DirectMessageSetting = InferOutput<typeof DirectMessageSetting>

/**
 * The caller: `GET · PATCH /api/users/@me`. `email` and `emailVerified` are absent for a bearer token without the scope
 * `email`, and for a bot; `directMessages` for every bearer token and for a bot.
 */
export const SelfUser = object(
  {
    ...publicFields,
    bot: IsBot,
    email: optional(string('The email address; absent for bots and tokens without the scope `email`.')),
    emailVerified: optional(
      boolean('Whether the user has confirmed the email address; absent like `email`.'),
    ),
    directMessages: optional(DirectMessageSetting),
    administrator: optional(
      boolean('True for an administrator of the instance in a session; absent otherwise.'),
    ),
  },
  'The caller.',
)
export type SelfUser = InferOutput<typeof SelfUser>

/** The user of an interaction (bots/interaction-payload). */
export const InteractionUser = object(publicFields, 'The user of the interaction.')
export type InteractionUser = InferOutput<typeof InteractionUser>

/** `POST /api/auth/register` → 201 SelfUser. */
export const RegisterBody = object(
  {
    username: Username,
    email: Email,
    password: Password,
    displayName: optional(DisplayName),
    invite: optional(text({ max: 64, description: 'Code of an invite, if registration requires one.' })),
    administratorCode: optional(
      text({
        max: 64,
        description: 'The code of the first start, with which the first user becomes administrator.',
        empty: 'absent',
      }),
    ),
  },
  'A new account.',
)
export type RegisterBody = InferOutput<typeof RegisterBody>

/** `POST /api/auth/login` → 200 SelfUser. */
export const LoginBody = object(
  {
    login: text({ min: 1, max: limits.maxEmail, description: 'Username or email.' }),
    password: GivenPassword,
  },
  'The credentials of a user.',
)
export type LoginBody = InferOutput<typeof LoginBody>

const MailToken = text({ min: 1, max: 200, description: 'The token from the email.', clean: 'keep' })

/** `POST /api/auth/email/verify` → 204. */
export const VerifyEmailBody = object({ token: MailToken }, 'Verifies an email address.')
export type VerifyEmailBody = InferOutput<typeof VerifyEmailBody>

/** `POST /api/auth/password/forgot` → 202 always. */
export const ForgotPasswordBody = object({ email: Email }, 'The email address of the account.')
export type ForgotPasswordBody = InferOutput<typeof ForgotPasswordBody>

/** `POST /api/auth/password/reset` → 204. */
export const ResetPasswordBody = object({ token: MailToken, password: Password }, 'A new password.')
export type ResetPasswordBody = InferOutput<typeof ResetPasswordBody>

/**
 * `PATCH /api/users/@me` → SelfUser. `email` and `password` require `currentPassword`, and `code` or `passkey` of a
 * user with a second factor (sign-in/credential-change-proof).
 */
export const UpdateSelfBody = object(
  {
    username: optional(Username),
    displayName: optional(DisplayName),
    directMessages: optional(DirectMessageSetting),
    email: optional(Email),
    password: optional(Password),
    currentPassword: optional(GivenPassword),
    ...factorProof,
  },
  'The fields to change; `email` and `password` require `currentPassword`, and `code` or ' +
    '`passkey` unless the user has no second factor or has signed in with it within ten ' +
    'minutes.',
)
export type UpdateSelfBody = InferOutput<typeof UpdateSelfBody>

/** One of `GET /api/users/@me/blocks`. */
export const Block = object(
  { user: User, createdAt: described(Timestamp, 'When the user was blocked.') },
  'A user or bot that the user blocks.',
)
export type Block = InferOutput<typeof Block>

/** One of `GET /api/users/@me/sessions`. */
export const Session = object(
  {
    id: described(Id, 'The id of the session.'),
    createdAt: described(Timestamp, 'When the user signed in.'),
    lastUsedAt: described(Timestamp, 'When the session was last used.'),
    userAgent: nullable(string(), 'The `User-Agent` of the sign-in; null if the request had none.'),
    ip: nullable(string(), 'The IP address of the sign-in; null if it is not known.'),
    current: boolean('Whether it is the session of this request.'),
  },
  'A session of the user.',
)
export type Session = InferOutput<typeof Session>

/** `DELETE /api/users/@me/sessions` → 204. */
export const EndSessionsBody = object(
  {
    revokeTokens: optional(
      boolean('Whether to also revoke all tokens of applications. The consents remain. False by default.'),
    ),
  },
  'What to end besides the other sessions.',
)
export type EndSessionsBody = InferOutput<typeof EndSessionsBody>

export const IconPath = nullable(string(), 'The path of the icon on the service; null if there is none.')

export const imageUriForm = /^data:image\/[a-z.+-]{1,20};base64,[A-Za-z0-9+/]+={0,2}$/

/** A picture in a body of JSON. The service checks that the bytes are an image. */
export const ImageUri = pattern(
  imageUriForm,
  'A PNG, JPEG, GIF or WebP image as data URI: `data:image/png;base64,…`.',
)

/** An application as part of another object. */
export const ApplicationCard = object(
  {
    id: described(Id, 'The id of the application, which is its `client_id`.'),
    name: string('The name of the application.'),
    icon: IconPath,
  },
  'Id, name and icon of an application.',
)
export type ApplicationCard = InferOutput<typeof ApplicationCard>

/** One of `GET /api/users/@me/authorizations`. */
export const Authorization = object(
  {
    application: ApplicationCard,
    scopes: list(Scope, 'The scopes that the user has granted or that tokens have.'),
    grantedAt: described(Timestamp, 'When the user granted the access.'),
    lastUsedAt: nullable(Timestamp, 'When a token was last used; null if none was used.'),
  },
  'The access that the user has granted to an application.',
)
export type Authorization = InferOutput<typeof Authorization>
