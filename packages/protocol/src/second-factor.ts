import * as v from 'valibot'
import { Id, Timestamp } from './ids.ts'
import * as limits from './limits.ts'
import {
  boolean,
  described,
  extended,
  integer,
  list,
  looseObject,
  nullable,
  object,
  oneOf,
  openObject,
  optional,
  rule,
  shownAs,
  string,
  text,
} from './wire.ts'

/** The methods that can complete a sign-in after the password. */
export const secondFactorMethods = ['passkey', 'totp', 'recovery_code'] as const
export type SecondFactorMethod = (typeof secondFactorMethods)[number]

/** A code of the authenticator app, or a recovery code. Spaces, hyphens and case are ignored. */
export const FactorCode = text({
  min: 1,
  max: 64,
  description: 'Six digits of the authenticator app, or a recovery code.',
})

const Base64url = /* @__NO_SIDE_EFFECTS__ */ (max: number, description: string) =>
  described(
    text({
      min: 1,
      max,
      description: 'base64url without padding.',
      clean: 'keep',
      pattern: /^[A-Za-z0-9_-]+$/,
    }),
    `${description}: base64url without padding.`,
  )

const maxBinary = 65_536

/** Allows additional fields, because browsers may add them (WebAuthn). The service reads only the fields named here. */
const fromBrowser = /* @__NO_SIDE_EFFECTS__ */ <const Entries extends v.ObjectEntries>(entries: Entries) =>
  looseObject(entries, 'As the browser returns it.')
export const CredentialId = Base64url(1400, 'The id of the passkey')
const ClientData = Base64url(maxBinary, 'What the browser signs')
const CredentialType = oneOf(['public-key'], 'The type of the credential.')
const transportsText = 'How the browser reaches the authenticator: `internal`.'
const Transports = list(text({ max: 32, clean: 'keep', pattern: /^[a-z-]+$/ }), transportsText, { max: 16 })

const credential = {
  id: CredentialId,
  rawId: CredentialId,
  type: CredentialType,
  authenticatorAttachment: optional(
    nullable(text({ max: 32, clean: 'keep' }), '`platform` or `cross-platform`; null if it is not known.'),
  ),
  clientExtensionResults: fromBrowser({}),
}

/** The result of `navigator.credentials.create()` as `RegistrationResponseJSON` (WebAuthn §5.1). */
export const PasskeyRegistration = object(
  {
    ...credential,
    response: fromBrowser({
      clientDataJSON: ClientData,
      attestationObject: Base64url(maxBinary, 'The public key'),
      transports: optional(Transports),
    }),
  },
  'A new passkey, as `PublicKeyCredential.toJSON()` returns it.',
)
export type PasskeyRegistration = v.InferOutput<typeof PasskeyRegistration>

/** The result of `navigator.credentials.get()` as `AuthenticationResponseJSON` (WebAuthn §5.1). */
export const PasskeyAssertion = object(
  {
    ...credential,
    response: fromBrowser({
      clientDataJSON: ClientData,
      authenticatorData: Base64url(maxBinary, 'What the authenticator signs'),
      signature: Base64url(maxBinary, 'The signature'),
      userHandle: optional(
        nullable(
          text({ max: 128, clean: 'keep', pattern: /^[A-Za-z0-9_-]*$/ }),
          'The user of the passkey; null if the authenticator does not return it.',
        ),
      ),
    }),
  },
  'The use of a passkey, as `PublicKeyCredential.toJSON()` returns it.',
)
export type PasskeyAssertion = v.InferOutput<typeof PasskeyAssertion>

/** A passkey that a browser may use. */
export const PasskeyDescriptor = openObject({
  id: string('The id of the passkey.'),
  type: CredentialType,
  transports: optional(list(string(), transportsText)),
})
const Challenge = string('The random value that the authenticator signs.')
const Timeout = integer('The milliseconds that the browser waits for the user.')
const requirements = ['required', 'preferred', 'discouraged'] as const
const UserVerification = oneOf(requirements, 'Whether the authenticator must ask for a PIN or a biometric.')

/** `PublicKeyCredentialCreationOptionsJSON`, for `navigator.credentials.create()`. */
export const PasskeyCreationOptions = object(
  {
    rp: openObject(
      {
        id: optional(string('The host name of the service.')),
        name: string('The name of the service.'),
      },
      'The service.',
    ),
    user: openObject(
      {
        id: string('The user handle, in base64url.'),
        name: string('The username.'),
        displayName: string('The display name.'),
      },
      'The user.',
    ),
    challenge: Challenge,
    pubKeyCredParams: list(
      openObject({
        alg: integer('The COSE identifier of the algorithm.'),
        type: CredentialType,
      }),
      'The accepted algorithms, the preferred first.',
    ),
    timeout: Timeout,
    excludeCredentials: list(PasskeyDescriptor, 'The passkeys of the user.'),
    authenticatorSelection: openObject(
      {
        residentKey: oneOf(requirements, 'Whether the authenticator must store the passkey.'),
        requireResidentKey: boolean('The same, for older browsers.'),
        userVerification: UserVerification,
      },
      'The accepted authenticators.',
    ),
    attestation: oneOf(['none'], 'Whether the authenticator proves its model.'),
  },
  'Options for `navigator.credentials.create()`. Valid for five minutes and one use.',
)
export type PasskeyCreationOptions = v.InferOutput<typeof PasskeyCreationOptions>

/** `PublicKeyCredentialRequestOptionsJSON`, for `navigator.credentials.get()`. */
export const PasskeyRequestOptions = object(
  {
    challenge: Challenge,
    rpId: string('The host name of the service.'),
    timeout: Timeout,
    allowCredentials: list(PasskeyDescriptor, 'The passkeys of the user.'),
    userVerification: UserVerification,
  },
  'Options for `navigator.credentials.get()`. Valid for five minutes and one use.',
)
export type PasskeyRequestOptions = v.InferOutput<typeof PasskeyRequestOptions>

export const Passkey = object(
  {
    id: described(Id, 'The id of the passkey on the service.'),
    name: string('The name with which the user recognizes the passkey.'),
    createdAt: described(Timestamp, 'When the passkey was added.'),
    lastUsedAt: nullable(Timestamp, 'When it was last used; null if it never was.'),
  },
  'A passkey of the user.',
)
export type Passkey = v.InferOutput<typeof Passkey>

/** `GET /api/users/@me/second-factors`. */
export const SecondFactors = object(
  {
    passkeys: list(Passkey, 'The passkeys.'),
    totp: boolean('Whether an authenticator app is set up.'),
    recoveryCodesLeft: integer('The number of unused recovery codes.'),
  },
  'The second factors of the user.',
)
export type SecondFactors = v.InferOutput<typeof SecondFactors>

export const RecoveryCodes = list(
  string(),
  'Recovery codes, shown only once; empty if the user already has some.',
)

/** `POST …/passkeys` → 201. */
export const AddedPasskey = extended(
  Passkey,
  { recoveryCodes: RecoveryCodes },
  'The new passkey, and recovery codes if it is the first second factor.',
)
export type AddedPasskey = v.InferOutput<typeof AddedPasskey>

/** `POST …/totp/confirm` and `POST …/recovery-codes`. */
export const NewRecoveryCodes = object(
  { recoveryCodes: RecoveryCodes },
  'Each recovery code is valid for one sign-in.',
)
export type NewRecoveryCodes = v.InferOutput<typeof NewRecoveryCodes>

/** `POST …/totp`. The app must be confirmed with a code. */
export const TotpSetUp = object(
  {
    secret: string('The secret in Base32, to enter by hand instead of scanning the QR code.'),
    uri: string('The same for an app: `otpauth://totp/…`.', { format: 'uri' }),
    qr: string('The URI as a QR code in SVG.'),
  },
  'The secret for an authenticator app. It is shown only once.',
)
export type TotpSetUp = v.InferOutput<typeof TotpSetUp>

const currentPassword = optional(
  text({ max: limits.maxPassword, description: 'The current password.', clean: 'keep' }),
)

/** Members with which a user proves their second factor. */
export const factorProof = { code: optional(FactorCode), passkey: optional(PasskeyAssertion) }
export type FactorProof = { code?: string; passkey?: PasskeyAssertion }

/**
 * Proof that the user changes their own factors (sign-in/factor-change-proof). It is not required within ten minutes of
 * a sign-in, and the body may be omitted then.
 */
export const RecentProof = object(
  { currentPassword, ...factorProof },
  'A user with a second factor sends `code` or `passkey`, another user `currentPassword`. ' +
    'Not required within ten minutes of a sign-in with the same.',
)
export type RecentProof = v.InferOutput<typeof RecentProof>

export const ConfirmTotpBody = object({ code: FactorCode }, 'The code that the authenticator app shows.')
export type ConfirmTotpBody = v.InferOutput<typeof ConfirmTotpBody>

export const AddPasskeyBody = object(
  {
    response: PasskeyRegistration,
    name: text({
      min: 1,
      max: limits.maxPasskeyName,
      description: 'A name with which the user recognizes the passkey.',
      clean: 'name',
    }),
  },
  'A new passkey.',
)
export type AddPasskeyBody = v.InferOutput<typeof AddPasskeyBody>

export const LoginTicket = text({
  max: 100,
  description: 'The ticket of the 401 `second_factor_required`.',
  clean: 'keep',
})

/** `POST /api/auth/login/second-factor/options` → PasskeyRequestOptions. */
export const SecondFactorTicket = object({ ticket: LoginTicket }, 'A sign-in that requires a second factor.')
export type SecondFactorTicket = v.InferOutput<typeof SecondFactorTicket>

/** `POST /api/auth/login/second-factor` → 200 SelfUser, session cookie. */
export type SecondFactorBody = { ticket: string } & ({ code: string } | { passkey: PasskeyAssertion })
const SecondFactorFields = v.pipe(
  object({ ticket: LoginTicket, ...factorProof }),
  rule(({ code, passkey }) =>
    (code === undefined) !== (passkey === undefined)
      ? []
      : [{ path: ['code'], code: 'required', message: 'or "passkey" is required, but not both' }],
  ),
)
/** The validation is that of `SecondFactorFields`, because a union has no violations of members. */
export const SecondFactorBody = shownAs(
  SecondFactorFields,
  described(
    v.union([
      object({ ticket: LoginTicket, code: FactorCode }, 'With a code.'),
      object({ ticket: LoginTicket, passkey: PasskeyAssertion }, 'With a passkey.'),
    ]),
    'The second factor of a sign-in: `code` or `passkey`.',
  ),
) as v.GenericSchema<unknown, SecondFactorBody>
