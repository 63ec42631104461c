import type { Static, TUnsafe } from 'typebox'
import { Id, Timestamp } from './ids.ts'
import * as limits from './limits.ts'
import { closed, Described, Extended, Nullable, OneOf, ShownAs, withRules } from './schema.ts'
import { Name, Text } from './text.ts'
import { Type } from './type.ts'

/** The methods that can complete a sign-in after the password. */
export const secondFactorMethods = ['passkey', 'totp', 'recovery_code'] as const
export type SecondFactorMethod = (typeof secondFactorMethods)[number]

/** A code of the authenticator app, or a recovery code. Spaces, hyphens and case are ignored. */
export const FactorCode = Text({
  min: 1,
  max: 64,
  description: 'Six digits of the authenticator app, or a recovery code.',
})

const Base64url = (max: number, description: string) =>
  Described(
    Text({
      min: 1,
      max,
      pattern: '^[A-Za-z0-9_-]+$',
      trim: 'keep',
      description: 'base64url without padding.',
    }),
    `${description}: base64url without padding.`,
  )

const maxBinary = 65_536

/** Allows additional fields, because browsers may add them (WebAuthn). The service reads only the fields named here. */
const fromBrowser = { additionalProperties: true, description: 'As the browser returns it.' }
export const CredentialId = Base64url(1400, 'The id of the passkey')
const ClientData = Base64url(maxBinary, 'What the browser signs')
const CredentialType = OneOf(['public-key'], { description: 'The type of the credential.' })
const transportsText = { description: 'How the browser reaches the authenticator: `internal`.' }
const Transports = Type.Array(Text({ max: 32, pattern: '^[a-z-]+$', trim: 'keep' }), {
  maxItems: 16,
  ...transportsText,
})

const credential = {
  id: CredentialId,
  rawId: CredentialId,
  type: CredentialType,
  authenticatorAttachment: Type.Optional(
    Nullable(Text({ max: 32, trim: 'keep' }), {
      description: '`platform` or `cross-platform`; null if it is not known.',
    }),
  ),
  clientExtensionResults: Type.Object({}, fromBrowser),
}

/** The result of `navigator.credentials.create()` as `RegistrationResponseJSON` (WebAuthn §5.1). */
export const PasskeyRegistration = Type.Object(
  {
    ...credential,
    response: Type.Object(
      {
        clientDataJSON: ClientData,
        attestationObject: Base64url(maxBinary, 'The public key'),
        transports: Type.Optional(Transports),
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
        clientDataJSON: ClientData,
        authenticatorData: Base64url(maxBinary, 'What the authenticator signs'),
        signature: Base64url(maxBinary, 'The signature'),
        userHandle: Type.Optional(
          Nullable(Text({ max: 128, pattern: '^[A-Za-z0-9_-]*$', trim: 'keep' }), {
            description: 'The user of the passkey; null if the authenticator does not return it.',
          }),
        ),
      },
      fromBrowser,
    ),
  },
  closed('The use of a passkey, as `PublicKeyCredential.toJSON()` returns it.'),
)
export type PasskeyAssertion = Static<typeof PasskeyAssertion>

/** A passkey that a browser may use. */
export const PasskeyDescriptor = Type.Object({
  id: Type.String({ description: 'The id of the passkey.' }),
  type: CredentialType,
  transports: Type.Optional(Type.Array(Type.String(), transportsText)),
})
const Challenge = Type.String({ description: 'The random value that the authenticator signs.' })
const Timeout = Type.Integer({ description: 'The milliseconds that the browser waits for the user.' })
const requirements = ['required', 'preferred', 'discouraged'] as const
const UserVerification = OneOf(requirements, {
  description: 'Whether the authenticator must ask for a PIN or a biometric.',
})

/** `PublicKeyCredentialCreationOptionsJSON`, for `navigator.credentials.create()`. */
export const PasskeyCreationOptions = Type.Object(
  {
    rp: Type.Object(
      {
        id: Type.Optional(Type.String({ description: 'The host name of the service.' })),
        name: Type.String({ description: 'The name of the service.' }),
      },
      { description: 'The service.' },
    ),
    user: Type.Object(
      {
        id: Type.String({ description: 'The user handle, in base64url.' }),
        name: Type.String({ description: 'The username.' }),
        displayName: Type.String({ description: 'The display name.' }),
      },
      { description: 'The user.' },
    ),
    challenge: Challenge,
    pubKeyCredParams: Type.Array(
      Type.Object({
        alg: Type.Integer({ description: 'The COSE identifier of the algorithm.' }),
        type: CredentialType,
      }),
      { description: 'The accepted algorithms, the preferred first.' },
    ),
    timeout: Timeout,
    excludeCredentials: Type.Array(PasskeyDescriptor, { description: 'The passkeys of the user.' }),
    authenticatorSelection: Type.Object(
      {
        residentKey: OneOf(requirements, {
          description: 'Whether the authenticator must store the passkey.',
        }),
        requireResidentKey: Type.Boolean({ description: 'The same, for older browsers.' }),
        userVerification: UserVerification,
      },
      { description: 'The accepted authenticators.' },
    ),
    attestation: OneOf(['none'], { description: 'Whether the authenticator proves its model.' }),
  },
  closed('Options for `navigator.credentials.create()`. Valid for five minutes and one use.'),
)
export type PasskeyCreationOptions = Static<typeof PasskeyCreationOptions>

/** `PublicKeyCredentialRequestOptionsJSON`, for `navigator.credentials.get()`. */
export const PasskeyRequestOptions = Type.Object(
  {
    challenge: Challenge,
    rpId: Type.String({ description: 'The host name of the service.' }),
    timeout: Timeout,
    allowCredentials: Type.Array(PasskeyDescriptor, { description: 'The passkeys of the user.' }),
    userVerification: UserVerification,
  },
  closed('Options for `navigator.credentials.get()`. Valid for five minutes and one use.'),
)
export type PasskeyRequestOptions = Static<typeof PasskeyRequestOptions>

export const Passkey = Type.Object(
  {
    id: Described(Id, 'The id of the passkey on the service.'),
    name: Type.String({ description: 'The name with which the user recognizes the passkey.' }),
    createdAt: Described(Timestamp, 'When the passkey was added.'),
    lastUsedAt: Nullable(Timestamp, { description: 'When it was last used; null if it never was.' }),
  },
  closed('A passkey of the user.'),
)
export type Passkey = Static<typeof Passkey>

/** `GET /api/users/@me/second-factors`. */
export const SecondFactors = Type.Object(
  {
    passkeys: Type.Array(Passkey, { description: 'The passkeys.' }),
    totp: Type.Boolean({ description: 'Whether an authenticator app is set up.' }),
    recoveryCodesLeft: Type.Integer({ description: 'The number of unused recovery codes.' }),
  },
  closed('The second factors of the user.'),
)
export type SecondFactors = Static<typeof SecondFactors>

export const RecoveryCodes = Type.Array(Type.String(), {
  description: 'Recovery codes, shown only once; empty if the user already has some.',
})

/** `POST …/passkeys` → 201. */
export const AddedPasskey = Extended(
  Passkey,
  { recoveryCodes: RecoveryCodes },
  'The new passkey, and recovery codes if it is the first second factor.',
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
    secret: Type.String({
      description: 'The secret in Base32, to enter by hand instead of scanning the QR code.',
    }),
    uri: Type.String({ format: 'uri', description: 'The same for an app: `otpauth://totp/…`.' }),
    qr: Type.String({ description: 'The URI as a QR code in SVG.' }),
  },
  closed('The secret for an authenticator app. It is shown only once.'),
)
export type TotpSetUp = Static<typeof TotpSetUp>

const currentPassword = Type.Optional(
  Text({ max: limits.maxPassword, trim: 'keep', description: 'The current password.' }),
)

/** Members with which a user proves their second factor. */
export const factorProof = { code: Type.Optional(FactorCode), passkey: Type.Optional(PasskeyAssertion) }
export type FactorProof = { code?: string; passkey?: PasskeyAssertion }

/**
 * Proof that the user changes their own factors (sign-in/factor-change-proof). It is not required within ten minutes of a
 * sign-in, and the body may be omitted then.
 */
export const RecentProof = Type.Object(
  { currentPassword, ...factorProof },
  closed(
    'A user with a second factor sends `code` or `passkey`, another user `currentPassword`. Not required within ten minutes of a sign-in with the same.',
  ),
)
export type RecentProof = Static<typeof RecentProof>

export const ConfirmTotpBody = Type.Object(
  { code: FactorCode },
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

export const LoginTicket = Text({
  max: 100,
  trim: 'keep',
  description: 'The ticket of the 401 `second_factor_required`.',
})

/** `POST /api/auth/login/second-factor/options` → PasskeyRequestOptions. */
export const SecondFactorTicket = Type.Object(
  { ticket: LoginTicket },
  closed('A sign-in that requires a second factor.'),
)
export type SecondFactorTicket = Static<typeof SecondFactorTicket>

const SecondFactorFields = Type.Object(
  { ticket: LoginTicket, code: Type.Optional(FactorCode), passkey: Type.Optional(PasskeyAssertion) },
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
      Type.Object({ ticket: LoginTicket, code: FactorCode }, closed('With a code.')),
      Type.Object({ ticket: LoginTicket, passkey: PasskeyAssertion }, closed('With a passkey.')),
    ],
    { description: 'The second factor of a sign-in.' },
  ),
)
export type SecondFactorBody = { ticket: string } & ({ code: string } | { passkey: PasskeyAssertion })
