import type { Static, TUnsafe } from 'typebox'
import { Id, Timestamp } from './ids.ts'
import * as limits from './limits.ts'
import { closed, Nullable, OneOf, ShownAs, withRules } from './schema.ts'
import { Name, Text } from './text.ts'
import { Type } from './type.ts'

/** The methods that can complete a sign-in after the password. */
export const secondFactorMethods = ['passkey', 'totp', 'recovery_code'] as const
export type SecondFactorMethod = (typeof secondFactorMethods)[number]

/** A code of the authenticator app, or a recovery code. Spaces, hyphens and case are ignored. */
const Code = Text({
  min: 1,
  max: 64,
  description: 'Six digits of the authenticator app, or a recovery code.',
})

const Base64url = (max: number) =>
  Text({ min: 1, max, pattern: '^[A-Za-z0-9_-]+$', trim: 'keep', description: 'base64url without padding.' })

const maxBinary = 65_536

/** Allows additional fields, because browsers may add them (WebAuthn). The service reads only the fields named here. */
const fromBrowser = { additionalProperties: true, description: 'As the browser returns it.' }
const CredentialId = Base64url(1400)

const credential = {
  id: CredentialId,
  rawId: CredentialId,
  type: OneOf(['public-key']),
  authenticatorAttachment: Type.Optional(Nullable(Text({ max: 32, trim: 'keep' }))),
  clientExtensionResults: Type.Object({}, fromBrowser),
}

/** The result of `navigator.credentials.create()` as `RegistrationResponseJSON` (WebAuthn §5.1). */
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
      fromBrowser,
    ),
  },
  closed('A new passkey, as `PublicKeyCredential.toJSON()` returns it.'),
)
export type PasskeyRegistration = Static<typeof PasskeyRegistration>

/** The result of `navigator.credentials.get()` as `AuthenticationResponseJSON` (WebAuthn §5.1). */
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
      fromBrowser,
    ),
  },
  closed('The use of a passkey, as `PublicKeyCredential.toJSON()` returns it.'),
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
    excludeCredentials: Type.Array(Descriptor, { description: 'The passkeys of the user.' }),
    authenticatorSelection: Type.Object({
      residentKey: OneOf(['required', 'preferred', 'discouraged']),
      requireResidentKey: Type.Boolean(),
      userVerification: OneOf(['required', 'preferred', 'discouraged']),
    }),
    attestation: OneOf(['none']),
  },
  closed('Options for `navigator.credentials.create()`. Valid for five minutes and one use.'),
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
  closed('Options for `navigator.credentials.get()`. Valid for five minutes and one use.'),
)
export type PasskeyRequestOptions = Static<typeof PasskeyRequestOptions>

const passkey = {
  id: Id,
  name: Type.String(),
  createdAt: Timestamp,
  lastUsedAt: Nullable(Timestamp),
}

export const Passkey = Type.Object(passkey, closed('A passkey of the user.'))
export type Passkey = Static<typeof Passkey>

/** `GET /api/users/@me/second-factors`. */
export const SecondFactors = Type.Object(
  {
    passkeys: Type.Array(Passkey),
    totp: Type.Boolean({ description: 'Whether an authenticator app is set up.' }),
    recoveryCodesLeft: Type.Integer(),
  },
  closed('The second factors of the user.'),
)
export type SecondFactors = Static<typeof SecondFactors>

const RecoveryCodes = Type.Array(Type.String(), {
  description: 'Shown only once. Empty if the user already has recovery codes.',
})

/** `POST …/passkeys` → 201. */
export const AddedPasskey = Type.Object(
  { ...passkey, recoveryCodes: RecoveryCodes },
  closed('The new passkey, and recovery codes if it is the first second factor.'),
)
export type AddedPasskey = Static<typeof AddedPasskey>

/** `POST …/totp/confirm` and `POST …/recovery-codes`. */
export const NewRecoveryCodes = Type.Object(
  { recoveryCodes: RecoveryCodes },
  closed('Each recovery code is valid for one sign-in.'),
)
export type NewRecoveryCodes = Static<typeof NewRecoveryCodes>

/** `POST …/totp`. The app must be confirmed with a code. */
export const TotpSetUp = Type.Object(
  {
    secret: Type.String({ description: 'Base32, to enter by hand instead of scanning the QR code.' }),
    uri: Type.String({ description: '`otpauth://totp/…`' }),
    qr: Type.String({ description: 'The URI as a QR code in SVG.' }),
  },
  closed('The secret for an authenticator app. It is shown only once.'),
)
export type TotpSetUp = Static<typeof TotpSetUp>

const currentPassword = Type.Optional(
  Text({ max: limits.maxPassword, trim: 'keep', description: 'The current password.' }),
)

/**
 * Proof that the user changes their own factors (sign-in/factor-change-proof). It is not required within ten minutes of a
 * sign-in, and the body may be omitted then.
 */
export const RecentProof = Type.Object(
  { currentPassword, code: Type.Optional(Code), passkey: Type.Optional(PasskeyAssertion) },
  closed(
    'A user with a second factor sends `code` or `passkey`, another user `currentPassword`. Not required within ten minutes of a sign-in with the same.',
  ),
)
export type RecentProof = Static<typeof RecentProof>

export const ConfirmTotpBody = Type.Object(
  { code: Code },
  closed('The code that the authenticator app shows.'),
)
export type ConfirmTotpBody = Static<typeof ConfirmTotpBody>

export const AddPasskeyBody = Type.Object(
  {
    response: PasskeyRegistration,
    name: Name({
      min: 1,
      max: limits.maxPasskeyName,
      description: 'A name with which the user recognizes the passkey.',
    }),
  },
  closed('A new passkey.'),
)
export type AddPasskeyBody = Static<typeof AddPasskeyBody>

const Ticket = Text({
  max: 100,
  trim: 'keep',
  description: 'The ticket of the 401 `second_factor_required`.',
})

/** `POST /api/auth/login/second-factor/options` → PasskeyRequestOptions. */
export const SecondFactorTicket = Type.Object(
  { ticket: Ticket },
  closed('A sign-in that requires a second factor.'),
)
export type SecondFactorTicket = Static<typeof SecondFactorTicket>

const SecondFactorFields = Type.Object(
  { ticket: Ticket, code: Type.Optional(Code), passkey: Type.Optional(PasskeyAssertion) },
  closed('The second factor of a sign-in: `code` or `passkey`.'),
)

/** `POST /api/auth/login/second-factor` → 200 SelfUser, session cookie. */
export const SecondFactorBody: TUnsafe<SecondFactorBody> = ShownAs(
  withRules<typeof SecondFactorFields, SecondFactorBody>(SecondFactorFields, ({ code, passkey }) =>
    (code === undefined) !== (passkey === undefined)
      ? []
      : [{ path: ['code'], code: 'required', message: 'or "passkey" is required, but not both' }],
  ),
  Type.Union(
    [
      Type.Object({ ticket: Ticket, code: Code }, closed('With a code.')),
      Type.Object({ ticket: Ticket, passkey: PasskeyAssertion }, closed('With a passkey.')),
    ],
    { description: 'The second factor of a sign-in.' },
  ),
)
export type SecondFactorBody = { ticket: string } & ({ code: string } | { passkey: PasskeyAssertion })
