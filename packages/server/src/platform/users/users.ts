import { defaultLocale, type Locale } from '@gatehouse/protocol/locales'
import type { UpdateSelfBody } from '@gatehouse/protocol/users'
import { AppError } from '../../kit/app-error.ts'
import { createBackgroundTasks } from '../../kit/background.ts'
import type { Clock } from '../../kit/clock.ts'
import type { RateLimiter } from '../../kit/rate-limiter.ts'
import type { Mail, Mailer } from '../../mail/mailer.ts'
import type { Database, Sql, Transaction } from '../../storage/database.ts'
import { sweepSessions } from '../sessions/index.ts'
import type { AccountDeps } from './account-deps.ts'
import { createAvatars } from './avatar.ts'
import { createBotUsers } from './bots.ts'
import { createDeviceCookies } from './device-cookies.ts'
import { createEmailVerification } from './email.ts'
import { createAccountLimits, tooManyMails } from './limits.ts'
import { createLogin } from './login.ts'
import { createMailTokens, type UnsentMail } from './mail-tokens.ts'
import { createMails } from './mails.ts'
import { createPasswordReset } from './password.ts'
import { createRegistration, type RegistrationMode, type RegistrationOptions } from './register.ts'
import * as store from './store.ts'
import { mapUniqueViolations, rejectReservedUsername, rejectTakenFields } from './unique-fields.ts'
import { accountNotFound, emailKey, publishUserUpdate, type UserRecord } from './user.ts'

export type Users = ReturnType<typeof createUsers>

interface UsersDeps
  extends Pick<
    AccountDeps,
    'db' | 'clock' | 'ids' | 'passwords' | 'sessions' | 'mfaLogin' | 'events' | 'domainEvents'
  > {
  mailer: Pick<Mailer, 'send'>
  /** Signs device cookies. */
  secretKey: Uint8Array
  baseUrl: string
  registration: RegistrationMode
  requireVerifiedEmail: boolean
  rateLimiter: RateLimiter
  useInvite: RegistrationOptions['useInvite']
  /** Called if a background task fails. */
  onError: (error: unknown) => void
}

export function createUsers({ mailer, secretKey, baseUrl, registration, useInvite, ...rest }: UsersDeps) {
  const { db, clock, sessions, passwords, mfaLogin, events, domainEvents } = rest
  const limits = createAccountLimits(rest.rateLimiter)
  const background = createBackgroundTasks(rest.onError)
  const sendMail = (mail: Mail) => background.run(() => mailer.send(mail))
  const mails = createMails(baseUrl)
  const mailTokens = createMailTokens({ clock, mails, sendMail })
  const deps: AccountDeps = { ...rest, limits, background, sendMail, mails, mailTokens }
  const login = createLogin(deps)

  async function changePassword(
    tx: Transaction,
    { user, passwordHash }: store.Credentials,
    newHash: string,
    currentSessionId: string,
  ): Promise<void> {
    if (!(await store.replacePasswordHash(tx, user.id, { before: passwordHash, after: newHash }))) {
      throw new AppError('conflict', 'Another request changed the password at the same time.')
    }
    await store.deleteMailTokensFor(tx, user.id, 'reset')
    await sessions.revokeSessions(tx, user.id, { except: currentSessionId })
    await domainEvents.publish(tx, 'PasswordChanged', { userId: user.id })
  }

  async function changeEmail(tx: Transaction, user: UserRecord, email: string): Promise<UnsentMail> {
    await store.setEmail(tx, user.id, email, emailKey(email))
    // Also the password reset tokens: they were sent to the previous email address.
    await store.deleteMailTokens(tx, user.id)
    return mailTokens.createMailToken(tx, { ...user, email }, 'verify')
  }

  /**
   * A new password revokes the other sessions and publishes `PasswordChanged`. A new email address must be verified again.
   * Both require the current password (sign-in/session-lifetime). Throws `validation_failed` at `currentPassword`,
   * `conflict` (FieldTakenError), or `rate_limited`.
   */
  async function updateSelf(
    {
      userId,
      sessionId,
      ip,
      locale = defaultLocale,
    }: {
      userId: string
      sessionId: string
      ip: string
      locale?: Locale
    },
    changes: UpdateSelfBody,
  ): Promise<UserRecord> {
    const credentials = await store.findCredentialsById(db, userId)
    if (!credentials) throw accountNotFound()
    const { user } = credentials
    const { username, displayName, password } = changes
    const email = changes.email === user.email ? undefined : changes.email
    if (email !== undefined || password !== undefined) {
      await login.checkCurrentPassword(credentials, changes.currentPassword, { ip })
    }
    if (username !== undefined && username !== user.username) rejectReservedUsername(username)
    await rejectTakenFields(db, { username: username ?? user.username, email: changes.email }, userId)
    if (email !== undefined && !limits.countMail(userId)) throw tooManyMails()
    const newHash = password === undefined ? undefined : await passwords.hash(password)

    const { updated, verificationMail } = await mapUniqueViolations(() =>
      db.transaction(async tx => {
        if (username !== undefined) await store.setUsername(tx, userId, username)
        if (displayName !== undefined) await store.setDisplayName(tx, userId, displayName)
        if (newHash !== undefined) await changePassword(tx, credentials, newHash, sessionId)
        const current = await store.findUser(tx, userId)
        if (!current) throw accountNotFound()
        const verificationMail = email === undefined ? undefined : await changeEmail(tx, current, email)
        const updated = email === undefined ? current : { ...current, email, emailVerified: false }
        await publishUserUpdate(tx, { events, domainEvents }, user, updated)
        return { updated, verificationMail }
      }),
    )

    verificationMail?.send(locale)
    // The notices are for the previous email address, because the new one is not verified.
    if (user.email !== null) {
      const to = { id: userId, email: user.email, username: updated.username }
      if (verificationMail) sendMail(mails.emailChanged(to, locale))
      if (newHash !== undefined) sendMail(mails.passwordChanged(to, locale))
    }
    return updated
  }

  /**
   * Throws `email_not_verified` if the service requires a verified email address and the user has none. Bots are exempt
   * (community/unverified-email).
   */
  async function requireVerified(sql: Sql, userId: string): Promise<void> {
    if (!rest.requireVerifiedEmail) return
    const user = await store.findUser(sql, userId)
    if (!user || user.bot || user.emailVerified) return
    throw new AppError('email_not_verified', 'Verify your email address first.')
  }

  return {
    ...login,
    ...createRegistration(deps, { mode: registration, useInvite }),
    ...createEmailVerification(deps),
    ...createPasswordReset(deps),
    ...createAvatars(deps),
    ...createBotUsers(deps),
    updateSelf,
    requireVerified,
    findMfaTicket: mfaLogin.findMfaTicket,
    createMfaOptions: mfaLogin.createMfaOptions,
    createPasskeyLoginOptions: mfaLogin.createPasskeyLoginOptions,
    deviceCookies: createDeviceCookies(secretKey),
    /** Resolves when no background task runs. Await it before the database closes. */
    idle: background.idle,
  }
}

const SWEEP_BATCH = 100

/** Deletes expired sessions and mail tokens, in small batches so that other writers do not wait. */
export async function sweepUsers(db: Database, clock: Clock): Promise<void> {
  await sweepSessions(db, clock, SWEEP_BATCH)
  while ((await store.deleteExpiredMailTokens(db, clock(), SWEEP_BATCH)) === SWEEP_BATCH);
}
