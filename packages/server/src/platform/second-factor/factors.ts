import { maxPasskeys, recentProofSeconds, totpSetUpSeconds } from '@gatehouse/protocol/limits'
import type {
  AddedPasskey,
  AddPasskeyBody,
  Passkey,
  PasskeyCreationOptions,
  SecondFactors,
  TotpSetUp,
} from '@gatehouse/protocol/second-factor'
import { AppError, invalid, notFound } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Sealer } from '../../kit/seal.ts'
import type { Mailer } from '../../mail/mailer.ts'
import { type Database, type Transaction, UniqueViolation } from '../../storage/database.ts'
import type { Sessions } from '../sessions/index.ts'
import { createChallenges } from './challenges.ts'
import { createNotify, type FindPerson, type Person } from './mails.ts'
import { codeMethods, passkeyMethods } from './methods.ts'
import { hashRecoveryCode, makeRecoveryCodes } from './recovery-codes.ts'
import * as store from './store.ts'
import { describeTotp, makeTotpSecret, sealContext, stepOf } from './totp.ts'
import { challengeOf, creationOptions, relyingPartyOf, verifyRegistration } from './webauthn.ts'

interface FactorsDeps {
  db: Database
  clock: Clock
  ids: () => string
  sealer: Sealer
  secretKey: Uint8Array
  baseUrl: string
  sessions: Pick<Sessions, 'findSession' | 'endSessions' | 'addMethods'>
  mailer: Pick<Mailer, 'send'>
  findPerson: FindPerson
  /** Lets one change of a person's sign-in at a time through, until the transaction ends. */
  holdUser: (tx: Transaction, userId: string) => Promise<void>
  /** Throws `validation_failed` at `currentPassword`, or `rate_limited`. */
  checkCurrentPassword: (userId: string, password: string, from: { ip: string }) => Promise<void>
}

/** The person who changes their factors, in the browser where they do. */
interface Owner {
  userId: string
  sessionId: string
  ip: string
}

/**
 * What a person adds and removes. Where `currentPassword` is asked for, nothing will do within ten minutes of a sign-in;
 * else `validation_failed` at `currentPassword`. The person gets a mail about each change.
 */
export interface Factors {
  list(userId: string): Promise<SecondFactors>
  /** A new authenticator app, to be confirmed within 15 minutes. Throws `conflict` where there is one. */
  beginTotp(owner: Owner, currentPassword: string | undefined): Promise<TotpSetUp>
  /** Throws `validation_failed` at `code`, or `conflict` where there is none to confirm. */
  confirmTotp(owner: Owner, code: string): Promise<{ recoveryCodes: string[] }>
  /** Throws `not_found` where there is none. */
  removeTotp(owner: Owner, currentPassword: string | undefined): Promise<void>
  passkeyOptions(owner: Owner, currentPassword: string | undefined): Promise<PasskeyCreationOptions>
  /** Throws `validation_failed` at `response`, or `conflict` where it is known or one too many. */
  addPasskey(owner: Owner, given: AddPasskeyBody): Promise<AddedPasskey>
  /** Throws `not_found`. */
  removePasskey(owner: Owner, id: string, currentPassword: string | undefined): Promise<void>
  /** The old ones no longer hold. Throws `conflict` where there is no factor that they could stand for. */
  renewRecoveryCodes(owner: Owner, currentPassword: string | undefined): Promise<{ recoveryCodes: string[] }>
}

export function createFactors(deps: FactorsDeps): Factors {
  const { db, clock, ids, sealer, secretKey, sessions, holdUser } = deps
  const party = relyingPartyOf(deps.baseUrl)
  const challenges = createChallenges({ clock, secretKey })
  const notify = createNotify(deps.baseUrl, deps.mailer)

  async function personOf(userId: string): Promise<Person> {
    const person = await deps.findPerson(db, userId)
    if (!person) throw new AppError('unauthenticated', 'The account is no longer there.')
    return person
  }

  async function requireRecentProof({ userId, sessionId, ip }: Owner, password: string | undefined) {
    if (password !== undefined) return deps.checkCurrentPassword(userId, password, { ip })
    const session = await sessions.findSession(db, sessionId)
    if (session && clock() - session.authTime < recentProofSeconds * 1000) return
    throw invalid('currentPassword', 'required', 'is required, unless you have signed in just now')
  }

  async function newRecoveryCodes(tx: Transaction, userId: string): Promise<string[]> {
    const codes = makeRecoveryCodes()
    const hashes = codes.map(code => hashRecoveryCode(secretKey, userId, code))
    await store.replaceRecoveryCodes(tx, userId, hashes)
    return codes
  }

  /**
   * After a factor came in. With the first, whoever has shown the password alone goes out, so that every session of a
   * person with a second factor was begun with it; the one that shows the factor right now stays.
   */
  async function afterAdding(
    tx: Transaction,
    { userId, sessionId }: Owner,
    before: store.Inventory,
    methods: readonly string[],
  ): Promise<string[]> {
    if (before.passkeys === 0 && !before.totp) {
      await sessions.endSessions(tx, userId, { except: sessionId })
      await sessions.addMethods(tx, sessionId, methods)
    }
    return before.recoveryCodes > 0 ? [] : newRecoveryCodes(tx, userId)
  }

  /** After a factor went: recovery codes stand for a factor, so they go with the last. */
  async function afterRemoving(tx: Transaction, userId: string): Promise<void> {
    const { passkeys, totp } = await store.inventory(tx, userId)
    if (passkeys > 0 || totp) return
    await store.deleteRecoveryCodes(tx, userId)
    await store.deleteHalves(tx, userId)
  }

  return {
    async list(userId) {
      const { totp, recoveryCodes } = await store.inventory(db, userId)
      const passkeys = await store.passkeysOfUser(db, userId)
      return { passkeys: passkeys.map(passkeyView), totp, recoveryCodesLeft: recoveryCodes }
    },
    async beginTotp(owner, currentPassword) {
      await requireRecentProof(owner, currentPassword)
      const { id, username } = await personOf(owner.userId)
      const secret = await makeTotpSecret()
      const issuer = `Gatehouse (${new URL(deps.baseUrl).host})`
      const described = await describeTotp(secret, { issuer, username })
      const sealed = sealer.seal(secret, sealContext(id))
      if (!(await store.beginApp(db, id, sealed, clock()))) {
        throw new AppError('conflict', 'You have an authenticator app already. Remove it first.')
      }
      return { secret, ...described }
    },
    async confirmTotp(owner, code) {
      const { userId } = owner
      const person = await personOf(userId)
      const app = await store.findApp(db, userId)
      if (!app || app.confirmed || clock() - app.createdAt >= totpSetUpSeconds * 1000)
        throw nothingToConfirm()
      const { sealed } = app
      const digits = code.replace(/\s/g, '')
      const step = await stepOf(sealer.open(sealed, sealContext(userId)), digits, clock())
      if (step === undefined) throw invalid('code', 'wrong_code', 'is not what the app shows at the moment')
      const recoveryCodes = await db.transaction(async tx => {
        await holdUser(tx, userId)
        const before = await store.inventory(tx, userId)
        if (!(await store.confirmApp(tx, userId, { sealed, step, now: clock() }))) throw nothingToConfirm()
        return afterAdding(tx, owner, before, codeMethods)
      })
      await notify(person, 'app added')
      return { recoveryCodes }
    },
    async removeTotp(owner, currentPassword) {
      await requireRecentProof(owner, currentPassword)
      const person = await personOf(owner.userId)
      await db.transaction(async tx => {
        await holdUser(tx, owner.userId)
        if (!(await store.deleteApp(tx, owner.userId))) throw notFound()
        await afterRemoving(tx, owner.userId)
      })
      await notify(person, 'app removed')
    },
    async passkeyOptions(owner, currentPassword) {
      await requireRecentProof(owner, currentPassword)
      const person = await personOf(owner.userId)
      const present = await store.passkeysOfUser(db, owner.userId)
      if (present.length >= maxPasskeys) throw tooMany()
      const challenge = challenges.make('register', owner.sessionId)
      return creationOptions(party, person, { challenge, present })
    },
    async addPasskey(owner, { response, name }) {
      const { userId, sessionId } = owner
      const person = await personOf(userId)
      const challenge = challengeOf(response)
      const made = challenges.read(challenge, 'register', sessionId)
      const verified = made && (await verifyRegistration(party, response, challenge))
      if (!verified) throw notAccepted()
      const passkey = { ...verified, id: ids(), userId, name, createdAt: clock(), lastUsedAt: null }
      const recoveryCodes = await orKnown(() =>
        db.transaction(async tx => {
          await holdUser(tx, userId)
          if (!(await made.use(tx))) throw notAccepted()
          const before = await store.inventory(tx, userId)
          if (before.passkeys >= maxPasskeys) throw tooMany()
          await store.insertPasskey(tx, passkey)
          return afterAdding(tx, owner, before, passkeyMethods(passkey))
        }),
      )
      await notify(person, 'passkey added')
      return { ...passkeyView(passkey), recoveryCodes }
    },
    async removePasskey(owner, id, currentPassword) {
      await requireRecentProof(owner, currentPassword)
      const person = await personOf(owner.userId)
      await db.transaction(async tx => {
        await holdUser(tx, owner.userId)
        if (!(await store.deletePasskey(tx, id, owner.userId))) throw notFound()
        await afterRemoving(tx, owner.userId)
      })
      await notify(person, 'passkey removed')
    },
    async renewRecoveryCodes(owner, currentPassword) {
      await requireRecentProof(owner, currentPassword)
      const person = await personOf(owner.userId)
      const recoveryCodes = await db.transaction(async tx => {
        await holdUser(tx, owner.userId)
        const { passkeys, totp } = await store.inventory(tx, owner.userId)
        if (passkeys === 0 && !totp) {
          throw new AppError('conflict', 'Add a passkey or an authenticator app first.')
        }
        return newRecoveryCodes(tx, owner.userId)
      })
      await notify(person, 'new recovery codes')
      return { recoveryCodes }
    },
  }
}

function passkeyView({ id, name, createdAt, lastUsedAt }: store.PasskeyRecord): Passkey {
  return {
    id,
    name,
    createdAt: new Date(createdAt).toISOString(),
    lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt).toISOString(),
  }
}

async function orKnown<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof UniqueViolation && error.constraint === 'passkeys_credential_id_key') {
      throw new AppError('conflict', 'This passkey is in use already.')
    }
    throw error
  }
}

function nothingToConfirm(): AppError {
  return new AppError('conflict', 'There is no new authenticator app to confirm. Begin again.')
}

function notAccepted(): AppError {
  return invalid('response', 'invalid_passkey', 'does not hold, or has come too late')
}

function tooMany(): AppError {
  return new AppError('conflict', `You have ${maxPasskeys} passkeys already. Remove one first.`)
}
