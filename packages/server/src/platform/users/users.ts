import type { Locale } from '@gatehouse/protocol/locales'
import type { UpdateSelfBody } from '@gatehouse/protocol/users'
import { AppError } from '../../kit/app-error.ts'
import { createBackgroundTasks } from '../../kit/background.ts'
import { inBatches } from '../../kit/batches.ts'
import type { Clock } from '../../kit/clock.ts'
import type { RateLimiter } from '../../kit/rate-limiter.ts'
import type { Mailer } from '../../mail/mailer.ts'
import type { Database, Sql, Transaction } from '../../storage/database.ts'
import type { Deps } from '../deps.ts'
import { createMailSender } from '../mails.ts'
import type { MfaLogin } from '../second-factor/index.ts'
import { type Sessions, sweepSessions } from '../sessions/index.ts'
import type { AccountDeps } from './account-deps.ts'
import { createAvatars } from './avatar.ts'
import { createBotUsers } from './bots.ts'
import { createDeviceCookies } from './device-cookies.ts'
import { createEmailVerification } from './email.ts'
import { createAccountLimits, tooManyMails } from './limits.ts'
import { createLogin } from './login.ts'
import { createMailTokens } from './mail-tokens.ts'
import { createPasswordReset } from './password.ts'
import type { Passwords } from './password-hash.ts'
import { createRegistration, type RegistrationMode, type RegistrationOptions } from './register.ts'
import * as store from './store.ts'
import { mapUniqueViolations, rejectReservedUsername, rejectTakenFields } from './unique-fields.ts'
import { emailKey, publishUserUpdate, requireCredentials, requireUser } from './user.ts'

export type Users = ReturnType<typeof createUsers>

interface UsersDeps extends Deps, Pick<RegistrationOptions, 'useInvite'> {
  passwords: Passwords
  sessions: Sessions
  mfaLogin: MfaLogin
  mailer: Pick<Mailer, 'send'>
  /** Signs device cookies. */
  secretKey: Uint8Array
  baseUrl: string
  registration: RegistrationMode
  requireVerifiedEmail: boolean
  rateLimiter: RateLimiter
  /** Called if a background task fails. */
  onError: (error: unknown) => void
}

export function createUsers(options: UsersDeps) {
  const { db, clock, sessions, passwords, mfaLogin, domainEvents, baseUrl } = options
  const limits = createAccountLimits(options.rateLimiter)
  const background = createBackgroundTasks(options.onError)
  const send = createMailSender(baseUrl, options.mailer)
  const sendMail: AccountDeps['sendMail'] = (...mail) => background.run(() => send(...mail))
  const mailTokens = createMailTokens({ clock, sendMail })
  const deps: AccountDeps = { ...options, limits, background, sendMail, mailTokens }
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

  async function changeEmail(
    tx: Transaction,
    user: store.UserRecord,
    email: string,
    locale: Locale | undefined,
  ): Promise<void> {
    await store.setEmail(tx, user.id, email, emailKey(email))
    // Also the password reset tokens: they were sent to the previous email address.
    await store.deleteMailTokens(tx, user.id)
    await mailTokens.sendMailToken(tx, { ...user, email }, 'verify', locale)
  }

  /**
   * A new password revokes the other sessions and publishes `PasswordChanged`. A new email address must be verified again.
   * Both require the current password (sign-in/session-lifetime). Throws `validation_failed` at `currentPassword`,
   * `conflict` (FieldTakenError), or `rate_limited`.
   */
  async function updateSelf(
    { userId, sessionId, ip, locale }: { userId: string; sessionId: string; ip: string; locale?: Locale },
    changes: UpdateSelfBody,
  ): Promise<store.UserRecord> {
    const credentials = await requireCredentials(db, userId)
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

    const updated = await mapUniqueViolations(() =>
      db.transaction(async tx => {
        await store.setNames(tx, userId, { username, displayName })
        if (newHash !== undefined) await changePassword(tx, credentials, newHash, sessionId)
        const current = await requireUser(tx, userId)
        const updated = email === undefined ? current : { ...current, email, emailVerified: false }
        if (email !== undefined) await changeEmail(tx, current, email, locale)
        await publishUserUpdate(tx, deps, user, updated)
        return updated
      }),
    )

    // The notices are for the previous email address, because the new one is not verified.
    const recipient = { ...updated, email: user.email }
    if (email !== undefined) sendMail(recipient, 'emailChanged', { locale })
    if (newHash !== undefined) sendMail(recipient, 'passwordChanged', { locale })
    return updated
  }

  /**
   * Throws `email_not_verified` if the service requires a verified email address and the user has none. Bots are exempt
   * (community/unverified-email).
   */
  async function requireVerified(sql: Sql, userId: string): Promise<void> {
    if (!options.requireVerifiedEmail) return
    const user = await store.findUser(sql, userId)
    if (!user || user.bot || user.emailVerified) return
    throw new AppError('email_not_verified', 'Verify your email address first.')
  }

  return {
    ...login,
    ...createRegistration(deps, { mode: options.registration, useInvite: options.useInvite }),
    ...createEmailVerification(deps),
    ...createPasswordReset(deps),
    ...createAvatars(deps),
    ...createBotUsers(deps),
    updateSelf,
    requireVerified,
    findMfaTicket: mfaLogin.findMfaTicket,
    createMfaOptions: mfaLogin.createMfaOptions,
    createPasskeyLoginOptions: mfaLogin.createPasskeyLoginOptions,
    deviceCookies: createDeviceCookies(options.secretKey),
    /** Resolves when no background task runs. Await it before the database closes. */
    idle: background.idle,
  }
}

/** Deletes expired sessions and mail tokens. */
export async function sweepUsers(db: Database, clock: Clock): Promise<void> {
  await sweepSessions(db, clock)
  await inBatches(limit => store.deleteExpiredMailTokens(db, clock(), limit))
}
