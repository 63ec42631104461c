import { AppError, invalid } from '../../kit/app-error.ts'
import type { Database, Sql } from '../../storage/database.ts'
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
   * Signs in: the session's secret for the cookie. Who has proved again who they are keeps the session, with a new time
   * of authentication; another person's session in this browser ends.
   */
  signIn(
    login: string,
    password: string,
    from: Seen & { known?: (userId: string) => boolean; present?: PresentSession },
  ): Promise<{ user: UserRecord; secret: string }>
}

export const passwordMethod = ['pwd']

export function createSignIn({ db, passwords, limits, sessions }: SignInDeps): SignIn {
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
    async signIn(login, password, { known, present, ...seen }) {
      const alreadyHere = (userId: string) => present?.userId === userId || (known?.(userId) ?? false)
      const user = await checkPassword(login, password, { ip: seen.ip, known: alreadyHere })
      return db.transaction(async tx => {
        if (
          present?.userId === user.id &&
          (await sessions.reauthenticated(tx, present.sessionId, passwordMethod))
        ) {
          return { user, secret: present.secret }
        }
        if (present) await sessions.endSession(tx, present.sessionId)
        const { secret } = await sessions.startSession(tx, { ...seen, userId: user.id, amr: passwordMethod })
        return { user, secret }
      })
    },
  }
}

/** A username holds no `@`. People write the first letter of theirs large. */
export async function credentialsOf(sql: Sql, login: string): Promise<store.Credentials | undefined> {
  return login.includes('@')
    ? store.credentialsByEmail(sql, emailKey(login))
    : store.credentialsByUsername(sql, login.toLowerCase())
}
