import { secondFactorSeconds } from '@gatehouse/protocol/limits'
import type {
  PasskeyAssertion,
  PasskeyRequestOptions,
  SecondFactorMethod,
} from '@gatehouse/protocol/second-factor'
import { AppError } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Sealer } from '../../kit/seal.ts'
import { hashSecret, isWellFormedSecret, makeSecret, secretPrefixes } from '../../kit/secret.ts'
import type { Mailer } from '../../mail/mailer.ts'
import type { Database, Transaction } from '../../storage/database.ts'
import { createChallenges } from './challenges.ts'
import { createCodeLimits, createNoCodeLimits } from './limits.ts'
import { createNotify, type FindPerson } from './mails.ts'
import { createProofs, type Proven } from './proofs.ts'
import * as store from './store.ts'
import { sweepSecondFactor } from './sweep.ts'
import { relyingPartyOf, requestOptions } from './webauthn.ts'

interface SecondFactorDeps {
  db: Database
  clock: Clock
  sealer: Sealer
  secretKey: Uint8Array
  baseUrl: string
  rateLimits: boolean
  mailer: Pick<Mailer, 'send'>
  findPerson: FindPerson
}

/** What is shown after the password. */
export type Proof = { code: string } | { passkey: PasskeyAssertion }

/** A sign-in whose password was right and that waits for its second factor. */
export interface HalfSignIn {
  ticket: string
  methods: SecondFactorMethod[]
}

/** Begins the session of somebody who has shown all that was asked for, in the transaction that uses it up. */
type Enter<T> = (tx: Transaction, who: { userId: string; amr: string[] }) => Promise<T>

/** `browser` is the id that a browser keeps in a cookie: tickets and challenges hold in it alone. */
export interface SecondFactor {
  /**
   * In the transaction of a sign-in, after the password and before any session: what to wait for, undefined for a person
   * without a second factor. The ticket holds for five minutes, once.
   */
  begin(tx: Transaction, userId: string, browser: string): Promise<HalfSignIn | undefined>
  /** Who waits behind a ticket, and what they can go on with; undefined where it does not hold (any more). */
  lookAtTicket(
    ticket: string,
    browser: string,
  ): Promise<{ userId: string; methods: SecondFactorMethod[] } | undefined>
  /** For a passkey after the password. Throws `unauthenticated` where the ticket does not hold. */
  passkeyOptions(ticket: string, browser: string): Promise<PasskeyRequestOptions>
  /** Throws `unauthenticated` where the ticket does not hold, `invalid_credentials`, or `rate_limited` (D75). */
  finish<T>(given: { ticket: string; browser: string; proof: Proof }, enter: Enter<T>): Promise<T>
  /** For a passkey without password. */
  passkeyAloneOptions(browser: string): PasskeyRequestOptions
  /** Throws `invalid_credentials`. */
  passkeyAlone<T>(given: { browser: string; passkey: PasskeyAssertion }, enter: Enter<T>): Promise<T>
  /** A password changed: what was begun with the old one ends. */
  forgetHalves(tx: Transaction, userId: string): Promise<void>
  /** Everything that the person signs in with beside the password; the mail about it goes after the commit. */
  removeAll(userId: string): Promise<void>
  /** Deletes what has expired, in small batches. */
  sweep(): Promise<void>
}

export function createSecondFactor(deps: SecondFactorDeps): SecondFactor {
  const { db, clock, secretKey, findPerson } = deps
  const party = relyingPartyOf(deps.baseUrl)
  const challenges = createChallenges({ clock, secretKey })
  const proofs = createProofs({ ...deps, party, challenges })
  const limits = deps.rateLimits ? createCodeLimits(clock) : createNoCodeLimits()
  const notify = createNotify(deps.baseUrl, deps.mailer)

  async function halfOf(ticket: string, browser: string) {
    if (!isWellFormedSecret(secretPrefixes.signInTicket, ticket) || browser === '') return undefined
    const hash = hashSecret(ticket)
    const userId = await store.findHalf(db, hash, hashSecret(browser), clock())
    return userId === undefined ? undefined : { hash, userId }
  }

  async function lookAtTicket(ticket: string, browser: string) {
    const half = await halfOf(ticket, browser)
    if (!half) return undefined
    const methods = methodsOf(await store.inventory(db, half.userId))
    return methods.length === 0 ? undefined : { ...half, methods }
  }

  async function prove(half: { hash: string; userId: string }, proof: Proof): Promise<Proven | undefined> {
    return 'code' in proof
      ? proofs.code(half.userId, proof.code)
      : proofs.passkey(half.userId, proof.passkey, half.hash)
  }

  return {
    async begin(tx, userId, browser) {
      const methods = methodsOf(await store.inventory(tx, userId))
      if (methods.length === 0) return undefined
      const ticket = makeSecret(secretPrefixes.signInTicket)
      await store.insertHalf(tx, {
        ticketHash: hashSecret(ticket),
        userId,
        browserHash: hashSecret(browser),
        expiresAt: clock() + secondFactorSeconds * 1000,
      })
      return { ticket, methods }
    },
    lookAtTicket,
    async passkeyOptions(ticket, browser) {
      const half = await halfOf(ticket, browser)
      if (!half) throw over()
      const challenge = challenges.make('second factor', half.hash)
      return requestOptions(party, { challenge, present: await store.passkeysOfUser(db, half.userId) })
    },
    async finish({ ticket, browser, proof }, enter) {
      const half = await lookAtTicket(ticket, browser)
      if (!half) throw over()
      const guess = 'code' in proof ? limits.begin(half.userId) : undefined
      let wrong = false
      try {
        const proven = await prove(half, proof)
        // A recovery code that is used up may be the work of whoever found the list: the person is told.
        const person = proven?.recoveryCode ? await findPerson(db, half.userId) : undefined
        const { entered, left } = await db.transaction(async tx => {
          if (!proven || !(await proven.spend(tx))) throw new Wrong('code' in proof ? 'code' : 'passkey')
          if (!(await store.takeHalf(tx, half.hash, clock()))) throw over()
          const { recoveryCodes } = await store.inventory(tx, half.userId)
          const amr = ['pwd', ...proven.amr]
          return { entered: await enter(tx, { userId: half.userId, amr }), left: recoveryCodes }
        })
        if (person) await notify(person, { recoveryCodesLeft: left })
        return entered
      } catch (error) {
        wrong = error instanceof Wrong
        throw error
      } finally {
        // What could not be compared was no wrong code.
        if (!wrong) guess?.wasNotWrong()
      }
    },
    passkeyAloneOptions: browser =>
      requestOptions(party, { challenge: challenges.make('alone', hashSecret(browser)) }),
    async passkeyAlone({ browser, passkey }, enter) {
      const proven = await proofs.passkeyAlone(passkey, hashSecret(browser))
      if (!proven) throw new Wrong('passkey')
      return db.transaction(async tx => {
        if (!(await proven.spend(tx))) throw new Wrong('passkey')
        return enter(tx, { userId: proven.userId, amr: [...proven.amr] })
      })
    },
    forgetHalves: store.deleteHalves,
    async removeAll(userId) {
      const person = await findPerson(db, userId)
      const removed = await db.transaction(async tx => {
        await store.deleteHalves(tx, userId)
        return store.deleteFactors(tx, userId)
      })
      if (removed && person) await notify(person, 'all removed')
    },
    sweep: () => sweepSecondFactor(db, clock),
  }
}

/** In the order in which they are offered. A recovery code alone is nothing to sign in with. */
function methodsOf({ passkeys, totp, recoveryCodes }: store.Inventory): SecondFactorMethod[] {
  if (passkeys === 0 && !totp) return []
  return [
    ...(passkeys > 0 ? (['passkey'] as const) : []),
    ...(totp ? (['totp'] as const) : []),
    ...(recoveryCodes > 0 ? (['recovery_code'] as const) : []),
  ]
}

/** 401: what was shown does not fit, or has been used. */
class Wrong extends AppError {
  constructor(what: 'code' | 'passkey') {
    const words = {
      code: 'The code is wrong, or has been used.',
      passkey: 'The passkey was not accepted. Try once more.',
    }
    super('invalid_credentials', words[what])
  }
}

function over(): AppError {
  return new AppError(
    'unauthenticated',
    'This sign-in has taken too long, or was begun in another browser. Begin again.',
  )
}
