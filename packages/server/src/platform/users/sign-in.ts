import type { PasskeyAssertion } from '@gatehouse/protocol/second-factor'
import { AppError, invalid } from '../../kit/app-error.ts'
import type { Database, Sql, Transaction } from '../../storage/database.ts'
import type { HalfSignIn, Proof, SecondFactor } from '../second-factor/index.ts'
import type { Seen, Sessions } from '../sessions/index.ts'
import type { PeopleLimits } from './limits.ts'
import type { Passwords } from './password.ts'
import * as store from './store.ts'
import { emailKey, type UserRecord } from './user.ts'

interface SignInDeps {
  db: Database
  passwords: Passwords
  limits: PeopleLimits
  sessions: Pick<Sessions, 'startSession' | 'endSession' | 'reauthenticated'>
  secondFactor: Pick<SecondFactor, 'begin' | 'finish' | 'passkeyAlone'>
}

/** From where a password comes; `known` tells whether the browser was used by that person before. */
export interface Attempt {
  ip: string
  known?: (userId: string) => boolean
}

/** The session that the browser has already. */
export interface PresentSession {
  userId: string
  sessionId: string
  secret: string
}

/** The browser that signs in. */
export interface From extends Seen {
  present?: PresentSession
}

export interface SignedIn {
  user: UserRecord
  /** For the session's cookie. */
  secret: string
}

export interface SignIn {
  /**
   * Who signs in with username or address. Throws `invalid_credentials`, the same and as slow whichever of the two is
   * wrong, or `rate_limited` (D75).
   */
  checkPassword(login: string, password: string, attempt: Attempt): Promise<UserRecord>
  /** For what asks for the present password. Throws `validation_failed` at `currentPassword`, or `rate_limited`. */
  checkCurrentPassword(
    credentials: store.Credentials,
    currentPassword: string | undefined,
    attempt: { ip: string },
  ): Promise<void>
  /**
   * Signs in. Who has proved again who they are keeps the session, with a new time of authentication; another person's
   * session in this browser ends. Nothing of that happens before a person with a second factor has shown it: they get a
   * ticket, which holds in the browser with the id `browser`.
   */
  signIn(
    login: string,
    password: string,
    from: From & { known?: (userId: string) => boolean; browser: string },
  ): Promise<SignedIn | HalfSignIn>
  /** Throws `unauthenticated` where the ticket does not hold, `invalid_credentials`, or `rate_limited` (D75). */
  finishSignIn(half: { ticket: string; browser: string; proof: Proof }, from: From): Promise<SignedIn>
  /** Without a password. Throws `invalid_credentials`. */
  signInByPasskey(given: { passkey: PasskeyAssertion; browser: string }, from: From): Promise<SignedIn>
}

export const passwordMethod = ['pwd']

export function createSignIn({ db, passwords, limits, sessions, secondFactor }: SignInDeps): SignIn {
  /** For a person who has shown all that is asked of them. */
  async function enter(
    tx: Transaction,
    user: UserRecord,
    amr: string[],
    { present, ip, userAgent }: From,
  ): Promise<SignedIn> {
    if (present?.userId === user.id && (await sessions.reauthenticated(tx, present.sessionId, amr))) {
      return { user, secret: present.secret }
    }
    if (present) await sessions.endSession(tx, present.sessionId)
    const { secret } = await sessions.startSession(tx, { ip, userAgent, userId: user.id, amr })
    return { user, secret }
  }

  const enterById =
    (from: From) =>
    async (tx: Transaction, { userId, amr }: { userId: string; amr: string[] }): Promise<SignedIn> => {
      const user = await store.findUser(tx, userId)
      if (!user) throw new AppError('unauthenticated', 'The account is no longer there.')
      return enter(tx, user, amr, from)
    }

  /** Counts, compares, and takes the count back where it was right. */
  async function compare(
    password: string,
    stored: string | undefined,
    attempt: { account: string; ip: string; known: boolean },
  ): Promise<boolean> {
    const counted = limits.beginPassword(attempt)
    let spared = true
    try {
      const right = await passwords.verify(password, stored)
      spared = right
      return right
    } finally {
      // What could not be compared was no wrong password.
      if (spared) counted.wasRight()
    }
  }

  async function checkPassword(login: string, password: string, { ip, known }: Attempt): Promise<UserRecord> {
    const credentials = await credentialsOf(db, login)
    const user = credentials?.user
    const attempt = {
      account: user?.id ?? `unknown ${login.toLowerCase()}`,
      ip,
      known: user !== undefined && (known?.(user.id) ?? false),
    }
    const right = await compare(password, credentials?.passwordHash, attempt)
    if (!credentials || !right) {
      throw new AppError('invalid_credentials', 'The username, address or password is wrong.')
    }
    await renewHash(credentials, password)
    return credentials.user
  }

  /** Costs of hashing grow over the years; only now is the password at hand. */
  async function renewHash({ user, passwordHash }: store.Credentials, password: string): Promise<void> {
    if (!passwords.needsRehash(passwordHash)) return
    const after = await passwords.hash(password)
    await store.replacePasswordHash(db, user.id, { before: passwordHash, after })
  }

  return {
    checkPassword,
    async checkCurrentPassword({ user, passwordHash }, currentPassword, { ip }) {
      if (currentPassword === undefined) {
        throw invalid('currentPassword', 'required', 'is required to change the password or the mail address')
      }
      const right = await compare(currentPassword, passwordHash, { account: user.id, ip, known: true })
      if (!right) throw invalid('currentPassword', 'wrong_password', 'is not the present password')
    },
    async signIn(login, password, { known, browser, ...from }) {
      const alreadyHere = (userId: string) => from.present?.userId === userId || (known?.(userId) ?? false)
      const user = await checkPassword(login, password, { ip: from.ip, known: alreadyHere })
      return db.transaction(async tx => {
        // Whoever adds a first factor at this moment ends the sessions that were begun without it: this one comes
        // before that, or sees the factor.
        await store.holdUser(tx, user.id)
        return (await secondFactor.begin(tx, user.id, browser)) ?? enter(tx, user, passwordMethod, from)
      })
    },
    finishSignIn: (half, from) => secondFactor.finish(half, enterById(from)),
    signInByPasskey: (given, from) => secondFactor.passkeyAlone(given, enterById(from)),
  }
}

/** A username holds no `@`. People write the first letter of theirs large. */
export async function credentialsOf(sql: Sql, login: string): Promise<store.Credentials | undefined> {
  return login.includes('@')
    ? store.credentialsByEmail(sql, emailKey(login))
    : store.credentialsByUsername(sql, login.toLowerCase())
}
