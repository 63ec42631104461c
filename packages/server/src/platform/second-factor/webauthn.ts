import { secondFactorSeconds } from '@gatehouse/protocol/limits'
import type {
  PasskeyAssertion,
  PasskeyCreationOptions,
  PasskeyRegistration,
  PasskeyRequestOptions,
} from '@gatehouse/protocol/second-factor'
import type { PasskeyRecord } from './store.ts'

// Loaded where it is used: the start of the service does not wait for it.
const webauthn = () => import('@simplewebauthn/server')

/** ES256, EdDSA, RS256: what every authenticator has one of (COSE). */
const algorithms = [-7, -8, -257]

/** The service as authenticators know it (WebAuthn §5.1.2): its host. */
export interface RelyingParty {
  id: string
  origin: string
}

export function relyingPartyOf(baseUrl: string): RelyingParty {
  const { hostname, origin } = new URL(baseUrl)
  return { id: hostname, origin }
}

interface Owner {
  id: string
  username: string
  displayName: string
}

/** Asks for a passkey that can sign in alone where the authenticator can make such. */
export function creationOptions(
  { id, origin }: RelyingParty,
  owner: Owner,
  { challenge, present }: { challenge: string; present: readonly PasskeyRecord[] },
): PasskeyCreationOptions {
  return {
    rp: { id, name: `Gatehouse (${new URL(origin).host})` },
    user: { id: handleOf(owner.id), name: owner.username, displayName: owner.displayName },
    challenge,
    pubKeyCredParams: algorithms.map(alg => ({ alg, type: 'public-key' as const })),
    timeout: secondFactorSeconds * 1000,
    excludeCredentials: present.map(descriptorOf),
    authenticatorSelection: {
      residentKey: 'preferred',
      requireResidentKey: false,
      userVerification: 'preferred',
    },
    // Which make the authenticator is of is nobody's business here.
    attestation: 'none',
  }
}

/** Without `present` the authenticator offers what it has for this service, and must check the person itself. */
export function requestOptions(
  { id }: RelyingParty,
  { challenge, present }: { challenge: string; present?: readonly PasskeyRecord[] },
): PasskeyRequestOptions {
  return {
    challenge,
    rpId: id,
    timeout: secondFactorSeconds * 1000,
    allowCredentials: (present ?? []).map(descriptorOf),
    userVerification: present ? 'preferred' : 'required',
  }
}

function descriptorOf({ credentialId, transports }: PasskeyRecord) {
  return { id: credentialId, type: 'public-key' as const, transports }
}

/** The user handle (WebAuthn §5.4.3): says nothing of the person but which account it is. */
export function handleOf(userId: string): string {
  return Buffer.from(userId, 'utf8').toString('base64url')
}

/** The challenge that a response answers; '' where it names none. Proves nothing by itself. */
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

/** WebAuthn §7.1. Undefined where it does not hold. */
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
        ...plain(registration),
        // Members that browsers have decoded for convenience are left out: what was signed decides.
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
    // The library throws the same plain Error for whatever does not hold.
    return undefined
  }
}

/** WebAuthn §7.2, but for the counter, which is judged where it is written. Undefined where it does not hold. */
export async function verifyAssertion(
  { id, origin }: RelyingParty,
  assertion: PasskeyAssertion,
  { passkey, challenge, alone }: { passkey: PasskeyRecord; challenge: string; alone: boolean },
): Promise<{ counter: number } | undefined> {
  const { verifyAuthenticationResponse } = await webauthn()
  const { clientDataJSON, authenticatorData, signature } = assertion.response
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...plain(assertion), response: { clientDataJSON, authenticatorData, signature } },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: alone,
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(passkey.publicKey),
        // 0 switches the library's own comparison off.
        counter: 0,
      },
    })
    return verified ? { counter: authenticationInfo.newCounter } : undefined
  } catch {
    return undefined
  }
}

function plain({ id, rawId, type }: { id: string; rawId: string; type: 'public-key' }) {
  return { id, rawId, type, clientExtensionResults: {} }
}
