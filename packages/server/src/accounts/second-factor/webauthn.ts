import { secondFactorSeconds } from '@gatehouse/protocol/limits'
import type {
  PasskeyAssertion,
  PasskeyCreationOptions,
  PasskeyRegistration,
  PasskeyRequestOptions,
} from '@gatehouse/protocol/second-factor'
import type { PasskeyRecord } from './second-factor-store.ts'

// Imported at the first use, because loading it delays the start.
const webauthn = () => import('@simplewebauthn/server')

/** COSE algorithms ES256, EdDSA and RS256. Every authenticator supports one of them. */
const algorithms = [-7, -8, -257]

/** `id` is the host of the service (WebAuthn §5.1.2). */
export interface RelyingParty {
  id: string
  origin: string
}

export function relyingPartyOf(baseUrl: string): RelyingParty {
  const { hostname, origin } = new URL(baseUrl)
  return { id: hostname, origin }
}

/**
 * The options request a discoverable credential, which can sign in without a password, if the authenticator supports
 * it.
 */
export function creationOptions(
  { id, origin }: RelyingParty,
  user: { id: string; username: string; displayName: string },
  { challenge, existing }: { challenge: string; existing: readonly PasskeyRecord[] },
): PasskeyCreationOptions {
  return {
    rp: { id, name: `Gatehouse (${new URL(origin).host})` },
    user: { id: userHandleOf(user.id), name: user.username, displayName: user.displayName },
    challenge,
    pubKeyCredParams: algorithms.map(alg => ({ alg, type: 'public-key' as const })),
    timeout: secondFactorSeconds * 1000,
    excludeCredentials: existing.map(descriptorOf),
    authenticatorSelection: {
      residentKey: 'preferred',
      requireResidentKey: false,
      userVerification: 'preferred',
    },
    // Attestation would reveal the model of the authenticator, which the service does not need.
    attestation: 'none',
  }
}

/**
 * Without `allowed` the authenticator offers its discoverable credentials for this service and must verify the user:
 * the passkey replaces the password.
 */
export function requestOptions(
  { id }: RelyingParty,
  { challenge, allowed }: { challenge: string; allowed?: readonly PasskeyRecord[] },
): PasskeyRequestOptions {
  return {
    challenge,
    rpId: id,
    timeout: secondFactorSeconds * 1000,
    allowCredentials: (allowed ?? []).map(descriptorOf),
    userVerification: allowed ? 'preferred' : 'required',
  }
}

function descriptorOf({ credentialId, transports }: PasskeyRecord) {
  return { id: credentialId, type: 'public-key' as const, transports }
}

/** The user handle (WebAuthn §5.4.3). It contains no personal data, only the user id. */
export function userHandleOf(userId: string): string {
  return Buffer.from(userId, 'utf8').toString('base64url')
}

/** The challenge in the client data, or '' if there is none. It is not verified. */
export function challengeOf(response: { response: { clientDataJSON: string } }): string {
  try {
    const data: unknown = JSON.parse(
      Buffer.from(response.response.clientDataJSON, 'base64url').toString('utf8'),
    )
    if (typeof data !== 'object' || data === null || !('challenge' in data)) return ''
    return typeof data.challenge === 'string' ? data.challenge : ''
  } catch {
    return ''
  }
}

export type NewPasskey = Pick<
  PasskeyRecord,
  'credentialId' | 'publicKey' | 'counter' | 'transports' | 'synced'
>

/** WebAuthn §7.1. Undefined if the verification fails. */
export async function verifyRegistration(
  { id, origin }: RelyingParty,
  registration: PasskeyRegistration,
  challenge: string,
): Promise<NewPasskey | undefined> {
  const { verifyRegistrationResponse } = await webauthn()
  const { transports = [], clientDataJSON, attestationObject } = registration.response
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        ...credentialMembers(registration),
        // Only the signed members. Browsers add decoded copies of them, which are not signed.
        response: { clientDataJSON, attestationObject, transports },
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: false,
      supportedAlgorithmIDs: algorithms,
    })
    if (!verified) return undefined
    const { credential, credentialDeviceType } = registrationInfo
    return {
      credentialId: credential.id,
      publicKey: credential.publicKey,
      counter: credential.counter,
      transports,
      synced: credentialDeviceType === 'multiDevice',
    }
  } catch {
    // The library throws a plain Error for every failed step of the verification.
    return undefined
  }
}

/**
 * WebAuthn §7.2 except for the signature counter, which `updatePasskeyCounter` checks. Undefined if the verification
 * fails.
 */
export async function verifyAssertion(
  { id, origin }: RelyingParty,
  assertion: PasskeyAssertion,
  {
    passkey,
    challenge,
    requireUserVerification,
  }: { passkey: PasskeyRecord; challenge: string; requireUserVerification: boolean },
): Promise<{ counter: number } | undefined> {
  const { verifyAuthenticationResponse } = await webauthn()
  const { clientDataJSON, authenticatorData, signature } = assertion.response
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        ...credentialMembers(assertion),
        response: { clientDataJSON, authenticatorData, signature },
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification,
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(passkey.publicKey),
        // With 0 the library does not compare counters.
        counter: 0,
      },
    })
    return verified ? { counter: authenticationInfo.newCounter } : undefined
  } catch {
    return undefined
  }
}

function credentialMembers({ id, rawId, type }: { id: string; rawId: string; type: 'public-key' }) {
  return { id, rawId, type, clientExtensionResults: {} }
}
