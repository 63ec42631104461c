import { browserName } from '@gatehouse/protocol/browser-name'
import type { PasskeyAssertion } from '@gatehouse/protocol/second-factor'
import { invalid } from '../../errors/app-error.ts'
import type { BrowserCookie } from '../../http/cookies.ts'
import { LocalizedError } from '../../i18n/localized-error.ts'
import type { Sql, Transaction } from '../../storage/database.ts'
import type { RequestInfo } from '../request-info.ts'
import type { FactorResponse, MfaTicket } from '../second-factor/index.ts'
import type { CurrentSession } from '../sessions/index.ts'
import type { AccountDeps } from './account-deps.ts'
import { emailKey, rejectDisabled, requireCredentials, requireUser } from './user.ts'
import { loginAccount, type PasswordAttempt, userAccount } from './user-limits.ts'
import * as store from './user-store.ts'

export interface LoginRequest extends RequestInfo {
  browser: BrowserCookie
  /** The session that the browser has before a login. */
  currentSession?: CurrentSession
}

export interface LoginResult {
  user: store.UserRecord
  /** For the session cookie. */
  secret: string
  browserCookies: readonly string[]
}

/** RFC 8176. */
export const passwordAmr = ['pwd']

export function createLogin({
  db,
  passwords,
  limits,
  sessions,
  mfaLogin,
  securityLog,
  knownDevices,
  background,
  clock,
  sendMail,
}: Omit<AccountDeps, 'ids' | 'events' | 'domainEvents' | 'mailTokens'>) {
  async function verifyPassword(
    password: string,
    passwordHash: string | undefined,
    attempt: PasswordAttempt,
  ): Promise<boolean> {
    const counted = await limits.countWrongPassword(attempt)
    let isWrong = false
    try {
      isWrong = !(await passwords.verify(password, passwordHash))
      return !isWrong
    } finally {
      // An error during the comparison is not a wrong password.
      if (!isWrong) await counted.undo()
    }
  }

  /** A login is the only time when the password is available to hash it with the current cost parameters. */
  async function rehashPassword(
    { user, passwordHash }: store.Credentials,
    password: string,
  ): Promise<store.Credentials> {
    if (!passwords.needsRehash(passwordHash)) return { user, passwordHash }
    const after = await passwords.hash(password)
    const isReplaced = await store.replacePasswordHash(db, user.id, { before: passwordHash, after })
    return { user, passwordHash: isReplaced ? after : passwordHash }
  }

  /** Counts only if `signIn` succeeds. Beyond the limit, correct and wrong credentials are rejected alike. */
  async function countSignIn<T>(ip: string, signIn: () => Promise<T>): Promise<T> {
    const counted = await limits.countSignIn(ip)
    try {
      return await signIn()
    } catch (error) {
      await counted.undo()
      throw error
    }
  }

  /**
   * `login` is a username or an email address. Throws `invalid_credentials`, with the same message and after the same
   * time for an unknown login and a wrong password, or `rate_limited` (sign-in/password-guessing).
   */
  async function checkPassword(
    login: string,
    password: string,
    request: LoginRequest,
  ): Promise<store.Credentials> {
    const credentials = await findCredentials(db, login)
    const user = credentials?.user
    // Also for an unknown login, which takes as long then.
    const isKnownDevice = await knownDevices.isKnown(user?.id ?? '', request.browser.id)
    const isCorrect = await verifyPassword(password, credentials?.passwordHash, {
      account: loginAccount(login),
      ip: request.ip,
      isKnownDevice: isKnownDevice || (user !== undefined && request.currentSession?.userId === user.id),
    })
    if (!credentials || !isCorrect) {
      // In the background: the time of the response does not show whether the user exists.
      background.run(() => securityLog.recordFailedSignIn(user?.id, request))
      throw new LocalizedError('invalid_credentials', 'error.wrongPassword')
    }
    return rehashPassword(credentials, password)
  }

  /**
   * For a change that requires the current password. Throws `validation_failed` at `currentPassword`, or
   * `rate_limited`.
   */
  async function checkCurrentPassword(
    { user, passwordHash }: store.Credentials,
    currentPassword: string | undefined,
    { ip }: { ip: string },
  ): Promise<void> {
    if (currentPassword === undefined) {
      throw invalid('currentPassword', 'required', 'is required to change the password or the email address')
    }
    await limits.countConfirmation(user.id, 'session')
    const attempt = { account: userAccount(user.id), ip, isKnownDevice: true }
    if (await verifyPassword(currentPassword, passwordHash, attempt)) return
    throw invalid('currentPassword', 'wrong_password', 'is not the current password')
  }

  /** Throws `unauthenticated` if the account was deleted, and like `checkCurrentPassword`. */
  async function confirmPassword(
    userId: string,
    currentPassword: string,
    request: { ip: string },
  ): Promise<void> {
    await checkCurrentPassword(await requireCredentials(db, userId), currentPassword, request)
  }

  /**
   * If the user of the current session authenticates again, the session remains and has a new `authTime` and a new
   * secret. The session of another user in this browser is revoked.
   */
  async function createSession(
    tx: Transaction,
    { userId, amr }: { userId: string; amr: string[] },
    { currentSession, ...request }: LoginRequest,
  ): Promise<LoginResult> {
    await store.lockUserRow(tx, userId)
    const user = await requireUser(tx, userId)
    rejectDisabled(user)
    await securityLog.record(tx, { userId, kind: 'SIGN_IN', request })
    const isNewDevice = await knownDevices.remember(tx, userId, request.browser.id)
    const { cookies: browserCookies } = request.browser
    if (currentSession?.userId === userId) {
      const secret = await sessions.reauthenticate(tx, currentSession, amr)
      if (secret !== undefined) return { user, secret, browserCookies }
      // A parallel login of the same user may have replaced the secret. Both responses have a cookie that works.
    } else if (currentSession) await sessions.revokeSession(tx, currentSession.sessionId)
    if (isNewDevice && user.emailVerified)
      tx.afterCommit(() => background.run(() => sendDeviceMail(user, request)))
    const { secret } = await sessions.createSession(tx, { ...request, userId, amr })
    return { user, secret, browserCookies }
  }

  /** Counts apart from the other mails to the user, who would otherwise not receive a password reset. */
  async function sendDeviceMail(
    user: store.UserRecord,
    { ip, userAgent, locale }: RequestInfo,
  ): Promise<void> {
    if (!(await limits.countMail(`device of ${user.id}`))) return
    sendMail(user, 'newDevice', { locale, device: { ip, browser: browserName(userAgent), time: clock() } })
  }

  /**
   * Signs in with a password. A user with a second factor gets an MFA ticket for the browser, and no
   * session changes. Throws like `checkPassword`.
   */
  async function login(
    loginName: string,
    password: string,
    request: LoginRequest,
  ): Promise<LoginResult | MfaTicket> {
    const { user, passwordHash } = await countSignIn(request.ip, () =>
      checkPassword(loginName, password, request),
    )
    const result = await db.transaction(async tx => {
      // Adding a first factor and changing the password revoke sessions. With the lock, this login either commits
      // before and its session is revoked, or it sees the new factor or password.
      await store.lockUserRow(tx, user.id)
      const current = await requireCredentials(tx, user.id)
      if (current.passwordHash !== passwordHash) return undefined
      rejectDisabled(current.user)
      const ticket = await mfaLogin.createMfaTicket(tx, user.id, request.browser.id)
      return ticket ?? createSession(tx, { userId: user.id, amr: passwordAmr }, request)
    })
    // The password changed since it was checked, or a parallel login hashed it again.
    return result ?? login(loginName, password, request)
  }

  /** Throws `unauthenticated` if the ticket is invalid, `invalid_credentials`, or `rate_limited` (limits/rates). */
  function completeLogin(
    mfa: { ticket: string; response: FactorResponse },
    request: LoginRequest,
  ): Promise<LoginResult> {
    return mfaLogin.completeMfa({ ...mfa, browserId: request.browser.id, request }, (tx, user) =>
      createSession(tx, user, request),
    )
  }

  /** Signs in without a password. Throws `invalid_credentials` or `rate_limited`. */
  function loginWithPasskey(passkey: PasskeyAssertion, request: LoginRequest): Promise<LoginResult> {
    const given = { passkey, browserId: request.browser.id }
    return countSignIn(request.ip, () =>
      mfaLogin.completePasskeyLogin(given, (tx, user) => createSession(tx, user, request)),
    )
  }

  return {
    checkPassword,
    checkCurrentPassword,
    confirmPassword,
    login,
    completeLogin,
    loginWithPasskey,
  }
}

/** A username has no `@`. Usernames are lower case, but keyboards capitalize the first letter. */
export async function findCredentials(sql: Sql, login: string): Promise<store.Credentials | undefined> {
  return login.includes('@')
    ? store.findCredentialsByEmail(sql, emailKey(login))
    : store.findCredentialsByUsername(sql, login.toLowerCase())
}
