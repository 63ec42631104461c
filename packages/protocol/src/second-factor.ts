import type { Static, TUnsafe } from 'typebox'
import { Id, Timestamp } from './ids.ts'
import * as limits from './limits.ts'
import { closed, Nullable, OneOf, withRules } from './schema.ts'
import { Name, Text } from './text.ts'
import { Type } from './type.ts'

/** The methods that can complete a sign-in after the password. */
export const secondFactorMethods = ['passkey', 'totp', 'recovery_code'] as const
export type SecondFactorMethod = (typeof secondFactorMethods)[number]

/** Of the authenticator app, or a recovery code: spaces, hyphens and case do not matter. */
const Code = Text({
  min: 1,
  max: 64,
  description: 'Six digits of the authenticator app, or a recovery code.',
})

const Base64url = (max: number) =>
  Text({ min: 1, max, pattern: '^[A-Za-z0-9_-]+$', trim: 'keep', description: 'base64url without padding.' })

const maxBinary = 65_536

/** Allows additional fields, because browsers may add them (WebAuthn). The service reads only the fields named here. */
const madeByBrowser = { additionalProperties: true, description: 'As the browser makes it.' }
const CredentialId = Base64url(1400)

const credential = {
  id: CredentialId,
  rawId: CredentialId,
  type: OneOf(['public-key']),
  authenticatorAttachment: Type.Optional(Nullable(Text({ max: 32, trim: 'keep' }))),
  clientExtensionResults: Type.Object({}, madeByBrowser),
}

/** What `navigator.credentials.create()` gave, as `RegistrationResponseJSON` (WebAuthn §5.1). */
export const PasskeyRegistration = Type.Object(
  {
    ...credential,
    response: Type.Object(
      {
        clientDataJSON: Base64url(maxBinary),
        attestationObject: Base64url(maxBinary),
        transports: Type.Optional(
          Type.Array(Text({ max: 32, pattern: '^[a-z-]+$', trim: 'keep' }), { maxItems: 16 }),
        ),
      },
      madeByBrowser,
    ),
  },
  closed('A new passkey, as `PublicKeyCredential.toJSON()` gives it.'),
)
export type PasskeyRegistration = Static<typeof PasskeyRegistration>

/** What `navigator.credentials.get()` gave, as `AuthenticationResponseJSON` (WebAuthn §5.1). */
export const PasskeyAssertion = Type.Object(
  {
    ...credential,
    response: Type.Object(
      {
        clientDataJSON: Base64url(maxBinary),
        authenticatorData: Base64url(maxBinary),
        signature: Base64url(maxBinary),
        userHandle: Type.Optional(Nullable(Text({ max: 128, pattern: '^[A-Za-z0-9_-]*$', trim: 'keep' }))),
      },
      madeByBrowser,
    ),
  },
  closed('A passkey that was used, as `PublicKeyCredential.toJSON()` gives it.'),
)
export type PasskeyAssertion = Static<typeof PasskeyAssertion>

const Descriptor = Type.Object({
  id: Type.String(),
  type: OneOf(['public-key']),
  transports: Type.Optional(Type.Array(Type.String())),
})

/** `PublicKeyCredentialCreationOptionsJSON`, for `navigator.credentials.create()`. */
export const PasskeyCreationOptions = Type.Object(
  {
    rp: Type.Object({ id: Type.Optional(Type.String()), name: Type.String() }),
    user: Type.Object({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
    challenge: Type.String(),
    pubKeyCredParams: Type.Array(Type.Object({ alg: Type.Integer(), type: OneOf(['public-key']) })),
    timeout: Type.Integer({ description: 'Milliseconds.' }),
    excludeCredentials: Type.Array(Descriptor, { description: 'Those that the person has already.' }),
    authenticatorSelection: Type.Object({
      residentKey: OneOf(['required', 'preferred', 'discouraged']),
      requireResidentKey: Type.Boolean(),
      userVerification: OneOf(['required', 'preferred', 'discouraged']),
    }),
    attestation: OneOf(['none']),
  },
  closed('For `navigator.credentials.create()`; holds for five minutes, once.'),
)
export type PasskeyCreationOptions = Static<typeof PasskeyCreationOptions>

/** `PublicKeyCredentialRequestOptionsJSON`, for `navigator.credentials.get()`. */
export const PasskeyRequestOptions = Type.Object(
  {
    challenge: Type.String(),
    rpId: Type.String(),
    timeout: Type.Integer({ description: 'Milliseconds.' }),
    allowCredentials: Type.Array(Descriptor),
    userVerification: OneOf(['required', 'preferred', 'discouraged']),
  },
  closed('For `navigator.credentials.get()`; holds for five minutes, once.'),
)
export type PasskeyRequestOptions = Static<typeof PasskeyRequestOptions>

const passkey = {
  id: Id,
  name: Type.String(),
  createdAt: Timestamp,
  lastUsedAt: Nullable(Timestamp),
}

export const Passkey = Type.Object(passkey, closed('A passkey of oneself.'))
export type Passkey = Static<typeof Passkey>

/** `GET /api/users/@me/second-factors`. */
export const SecondFactors = Type.Object(
  {
    passkeys: Type.Array(Passkey),
    totp: Type.Boolean({ description: 'Whether an authenticator app is set up.' }),
    recoveryCodesLeft: Type.Integer(),
  },
  closed('By what a person signs in beside the password.'),
)
export type SecondFactors = Static<typeof SecondFactors>

const RecoveryCodes = Type.Array(Type.String(), {
  description: 'Shown this once. Empty where the person has a set already.',
})

/** `POST …/passkeys` → 201. */
export const AddedPasskey = Type.Object(
  { ...passkey, recoveryCodes: RecoveryCodes },
  closed('The new passkey; with the first factor, codes for the day it is lost.'),
)
export type AddedPasskey = Static<typeof AddedPasskey>

/** `POST …/totp/confirm` and `POST …/recovery-codes`. */
export const NewRecoveryCodes = Type.Object(
  { recoveryCodes: RecoveryCodes },
  closed('Each opens one sign-in.'),
)
export type NewRecoveryCodes = Static<typeof NewRecoveryCodes>

/** `POST …/totp`: to be confirmed with a first code. */
export const TotpSetUp = Type.Object(
  {
    secret: Type.String({ description: 'base32, to be typed where the picture cannot be scanned.' }),
    uri: Type.String({ description: '`otpauth://totp/…`' }),
    qr: Type.String({ description: 'The URI as a QR code: SVG.' }),
  },
  closed('For an authenticator app; shown this once.'),
)
export type TotpSetUp = Static<typeof TotpSetUp>

const currentPassword = Type.Optional(
  Text({ max: limits.maxPassword, trim: 'keep', description: 'The present password.' }),
)

/**
 * What shows that it is the person who changes their factors: the password, or nothing within ten minutes of a sign-in.
 * The body may be left out.
 */
export const RecentProof = Nullable(
  Type.Object({ currentPassword }, closed('The present password, unless one has just signed in.')),
)
export type RecentProof = Static<typeof RecentProof>

export const ConfirmTotpBody = Type.Object({ code: Code }, closed('What the app shows.'))
export type ConfirmTotpBody = Static<typeof ConfirmTotpBody>

export const AddPasskeyBody = Type.Object(
  {
    response: PasskeyRegistration,
    name: Name({ min: 1, max: limits.maxPasskeyName, description: 'By which the person knows it again.' }),
  },
  closed('A new passkey.'),
)
export type AddPasskeyBody = Static<typeof AddPasskeyBody>

const Ticket = Text({ max: 100, trim: 'keep', description: 'Of the 401 `second_factor_required`.' })

/** `POST /api/auth/login/second-factor/options` → PasskeyRequestOptions. */
export const SecondFactorTicket = Type.Object({ ticket: Ticket }, closed('A sign-in that waits.'))
export type SecondFactorTicket = Static<typeof SecondFactorTicket>

const SecondFactorFields = Type.Object(
  { ticket: Ticket, code: Type.Optional(Code), passkey: Type.Optional(PasskeyAssertion) },
  closed('The second factor of a sign-in: `code` or `passkey`.'),
)

/** `POST /api/auth/login/second-factor` → 200 SelfUser, session cookie. */
export const SecondFactorBody: TUnsafe<SecondFactorBody> = withRules(
  SecondFactorFields,
  ({ code, passkey }) =>
    (code === undefined) !== (passkey === undefined)
      ? []
      : [{ path: ['code'], code: 'required', message: 'or "passkey" is required, but not both' }],
)
export type SecondFactorBody = { ticket: string } & ({ code: string } | { passkey: PasskeyAssertion })
