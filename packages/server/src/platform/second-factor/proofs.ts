import type { PasskeyAssertion } from '@gatehouse/protocol/second-factor'
import type { Clock } from '../../kit/clock.ts'
import type { Sealer } from '../../kit/seal.ts'
import type { Database, Transaction } from '../../storage/database.ts'
import type { ChallengePurpose, Challenges } from './challenges.ts'
import { codeMethods, passkeyAloneMethods, passkeyMethods } from './methods.ts'
import { hashRecoveryCode } from './recovery-codes.ts'
import * as store from './store.ts'
import { isTotpCode, sealContext, stepOf } from './totp.ts'
import { challengeOf, handleOf, type RelyingParty, verifyAssertion } from './webauthn.ts'

interface ProofDeps {
  db: Database
  clock: Clock
  sealer: Sealer
  secretKey: Uint8Array
  party: RelyingParty
  challenges: Challenges
}

/** A factor that was shown and fits. It counts once it is spent. */
export interface Proven {
  userId: string
  /** RFC 8176, without the password. */
  amr: readonly string[]
  recoveryCode: boolean
  /** In the transaction of the sign-in: true for the one who uses it. */
  spend(tx: Transaction): Promise<boolean>
}

/** Judge what a person shows; undefined where it does not fit. Nothing is used up here. */
export interface Proofs {
  /** A code of the app, or else a recovery code. */
  code(userId: string, code: string): Promise<Proven | undefined>
  /** After the password; `holder` is whom the challenge was made for. */
  passkey(userId: string, assertion: PasskeyAssertion, holder: string): Promise<Proven | undefined>
  /** Without one: the passkey says who it is, and its authenticator has checked the person. */
  passkeyAlone(assertion: PasskeyAssertion, holder: string): Promise<Proven | undefined>
}

export function createProofs({ db, clock, sealer, secretKey, party, challenges }: ProofDeps): Proofs {
  async function codeOfApp(userId: string, code: string): Promise<Proven | undefined> {
    const app = await store.findApp(db, userId)
    if (!app?.confirmed) return undefined
    const { sealed } = app
    const step = await stepOf(sealer.open(sealed, sealContext(userId)), code, clock())
    if (step === undefined) return undefined
    const spend = (tx: Transaction) => store.spendStep(tx, userId, { sealed, step })
    return { userId, amr: codeMethods, recoveryCode: false, spend }
  }

  async function spendable(
    passkey: store.PasskeyRecord,
    assertion: PasskeyAssertion,
    { purpose, holder }: { purpose: ChallengePurpose; holder: string },
  ): Promise<Proven['spend'] | undefined> {
    const challenge = challengeOf(assertion)
    const made = challenges.read(challenge, purpose, holder)
    if (!made) return undefined
    const alone = purpose === 'alone'
    const verified = await verifyAssertion(party, assertion, { passkey, challenge, alone })
    if (!verified) return undefined
    return async tx =>
      (await made.use(tx)) && (await store.markPasskeyUsed(tx, passkey.id, verified.counter, clock()))
  }

  return {
    async code(userId, code) {
      const digits = code.replace(/[\s\p{Pd}]/gu, '')
      if (isTotpCode(digits)) return codeOfApp(userId, digits)
      const hash = hashRecoveryCode(secretKey, userId, code)
      const spend = (tx: Transaction) => store.spendRecoveryCode(tx, userId, hash)
      return { userId, amr: codeMethods, recoveryCode: true, spend }
    },
    async passkey(userId, assertion, holder) {
      const passkey = await store.passkeyByCredential(db, assertion.id)
      const handle = assertion.response.userHandle ?? ''
      // WebAuthn §7.2: a key that is not kept in the authenticator names nobody.
      if (passkey?.userId !== userId || (handle !== '' && handle !== handleOf(userId))) return undefined
      const spend = await spendable(passkey, assertion, { purpose: 'second factor', holder })
      return spend && { userId, amr: passkeyMethods(passkey), recoveryCode: false, spend }
    },
    async passkeyAlone(assertion, holder) {
      const passkey = await store.passkeyByCredential(db, assertion.id)
      if (!passkey || assertion.response.userHandle !== handleOf(passkey.userId)) return undefined
      const spend = await spendable(passkey, assertion, { purpose: 'alone', holder })
      const { userId } = passkey
      return spend && { userId, amr: passkeyAloneMethods(passkey), recoveryCode: false, spend }
    },
  }
}
