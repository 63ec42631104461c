import { maxPasskeys } from '@gatehouse/protocol/limits'
import type {
  AddedPasskey,
  AddPasskeyBody,
  Passkey,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
  RecentProof,
} from '@gatehouse/protocol/second-factor'
import { AppError, invalid } from '../../errors/app-error.ts'
import { UniqueViolation } from '../../storage/database.ts'
import { passkeyAmr } from './amr.ts'
import { challengePurposes, createChallenges } from './challenges.ts'
import type { Enrollment, SettingsDeps } from './enrollment.ts'
import type { ChangeContext } from './proofs.ts'
import * as store from './second-factor-store.ts'
import {
  challengeOf,
  creationOptions,
  relyingPartyOf,
  requestOptions,
  verifyRegistration,
} from './webauthn.ts'

export function createPasskeys(
  { db, clock, ids, secretKey, baseUrl, proofs }: SettingsDeps,
  enrollment: Enrollment,
) {
  const relyingParty = relyingPartyOf(baseUrl)
  const challenges = createChallenges({ clock, secretKey })

  /** Throws `email_not_verified`, or `conflict` if the user has the maximum number of passkeys. */
  async function createPasskeyOptions(
    session: ChangeContext,
    proof: RecentProof,
  ): Promise<PasskeyCreationOptions> {
    const user = await enrollment.requireVerifiedUser(db, session.userId)
    const existing = await proofs.withProof(session, proof, async tx => {
      const passkeys = await store.listPasskeys(tx, session.userId)
      if (passkeys.length >= maxPasskeys) throw tooManyPasskeys()
      return passkeys
    })
    const challenge = challenges.createChallenge(challengePurposes.registration, session.sessionId)
    return creationOptions(relyingParty, user, { challenge, existing })
  }

  /**
   * Needs no proof: the challenge of `createPasskeyOptions` has it. Throws `validation_failed` at `response`,
   * `email_not_verified`, or `conflict` if the credential is registered already or the user has the maximum number of
   * passkeys.
   */
  async function addPasskey(
    session: ChangeContext,
    { response, name }: AddPasskeyBody,
  ): Promise<AddedPasskey> {
    const { userId, sessionId } = session
    const challenge = challengeOf(response)
    const verified = challenges.verifyChallenge(challenge, challengePurposes.registration, sessionId)
    const credential = verified && (await verifyRegistration(relyingParty, response, challenge))
    if (!credential) throw invalidRegistration()
    const passkey = { ...credential, id: ids(), userId, name, createdAt: clock(), lastUsedAt: null }
    try {
      const recoveryCodes = await enrollment.addFactor(
        session,
        'passkeyAdded',
        passkeyAmr(passkey),
        async (tx, existing) => {
          if (!(await verified.consume(tx))) throw invalidRegistration()
          if (existing.passkeys >= maxPasskeys) throw tooManyPasskeys()
          await store.insertPasskey(tx, passkey)
        },
      )
      return { ...toPasskey(passkey), recoveryCodes }
    } catch (error) {
      if (error instanceof UniqueViolation && error.constraint === 'passkeys_credential_id_key') {
        throw new AppError('conflict', 'This passkey is already registered.')
      }
      throw error
    }
  }

  /** Throws `not_found`. */
  async function removePasskey(session: ChangeContext, id: string, proof: RecentProof): Promise<void> {
    await enrollment.removeFactor(session, proof, 'passkeyRemoved', tx =>
      store.deletePasskey(tx, id, session.userId),
    )
  }

  /** The options for a passkey that proves the identity of the user before another change. */
  async function createProofOptions({ userId, sessionId }: ChangeContext): Promise<PasskeyRequestOptions> {
    const challenge = challenges.createChallenge(challengePurposes.settings, sessionId)
    return requestOptions(relyingParty, { challenge, allowed: await store.listPasskeys(db, userId) })
  }

  return { createPasskeyOptions, addPasskey, removePasskey, createProofOptions }
}

export function toPasskey({ id, name, createdAt, lastUsedAt }: store.PasskeyRecord): Passkey {
  return {
    id,
    name,
    createdAt: new Date(createdAt).toISOString(),
    lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt).toISOString(),
  }
}

function invalidRegistration(): AppError {
  return invalid('response', 'invalid_passkey', 'is not a valid registration response, or has expired')
}

function tooManyPasskeys(): AppError {
  return new AppError('conflict', `An account can have at most ${maxPasskeys} passkeys. Remove one first.`)
}
