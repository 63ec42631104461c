import type { UpdateSelfBody } from '@gatehouse/protocol/users'
import { AppError } from '../../errors/app-error.ts'
import { createBackgroundTasks } from '../../kit/background.ts'
import { inBatches } from '../../kit/batches.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Mailer } from '../../mail/mailer.ts'
import type { RateLimiter } from '../../rate-limits/rate-limiter.ts'
import type { Database, Sql, Transaction } from '../../storage/database.ts'
import { createMailSender } from '../account-mails.ts'
import { rejectCommonPassword } from '../passwords/common-passwords.ts'
import { createPasswordReset } from '../passwords/passwords.ts'
import type { RequestInfo } from '../request-info.ts'
import { createProofs } from '../second-factor/index.ts'
import { type CurrentSession, type RenewedSecret, sweepSessions } from '../sessions/index.ts'
import type { AccountDeps } from './account-deps.ts'
import { createAvatars } from './avatar.ts'
import { createBotUsers } from './bot-users.ts'
import { createEmailVerification } from './email.ts'
import { createKnownDevices } from './known-devices.ts'
import { createLogin } from './login.ts'
import { createMailTokens } from './mail-tokens.ts'
import { createRegistration, type RegistrationDeps } from './register.ts'
import {
  changeUsername,
  mapUniqueViolations,
  rejectReservedUsername,
  rejectTakenFields,
} from './unique-fields.ts'
import { publishUserUpdate, requireCredentials } from './user.ts'
import { createAccountLimits } from './user-limits.ts'
import { createUserStates } from './user-states.ts'
import * as store from './user-store.ts'

export type Users = ReturnType<typeof createUsers>

export interface UsersDeps
  extends Omit<AccountDeps, 'limits' | 'mailTokens' | 'sendMail' | 'background' | 'knownDevices'>,
    RegistrationDeps {
  mailer: Pick<Mailer, 'send'>
  baseUrl: string
  requireVerifiedEmail: boolean
  rateLimiter: RateLimiter
  /** Called if a background task fails. */
  onError: (error: unknown) => void
}

export function createUsers(options: UsersDeps) {
  const { db, clock, sessions, passwords, mfaLogin, domainEvents, securityLog, baseUrl } = options
  const limits = createAccountLimits(options.rateLimiter)
  const background = createBackgroundTasks(options.onError)
  const send = createMailSender(baseUrl, options.mailer)
  const sendMail: AccountDeps['sendMail'] = (...mail) => background.run(() => send(...mail))
  const mailTokens = createMailTokens({ clock, sendMail })
  const knownDevices = createKnownDevices({ db, clock })
  const deps: AccountDeps = { ...options, limits, background, sendMail, mailTokens, knownDevices }
  const login = createLogin(deps)
  const emails = createEmailVerification(deps)
  const proofs = createProofs({
    db,
    clock,
    sessions,
    useFactor: mfaLogin.useFactor,
    lockUserRow: store.lockUserRow,
    checkCurrentPassword: login.confirmPassword,
  })

  /** Returns the new secret of the current session. */
  async function changePassword(
    tx: Transaction,
    { user, passwordHash }: store.Credentials,
    newHash: string,
    { currentSession, request }: { currentSession: CurrentSession; request: RequestInfo },
  ): Promise<RenewedSecret> {
    if (!(await store.replacePasswordHash(tx, user.id, { before: passwordHash, after: newHash }))) {
      throw passwordChangedMeanwhile()
    }
    await store.deleteMailTokensFor(tx, user.id, 'reset', 'change')
    await sessions.revokeSessions(tx, user.id, { except: currentSession.sessionId })
    // Before the tokens are revoked: it waits for a request that issues a code for this session.
    const renewed = await sessions.renewSecret(tx, currentSession)
    await domainEvents.publish(tx, 'PasswordChanged', { userId: user.id })
    await securityLog.record(tx, { userId: user.id, kind: 'PASSWORD_CHANGE', request })
    return renewed
  }

  /**
   * A new password revokes the other sessions and publishes `PasswordChanged`. The current session continues with the
   * secret of `renewed`. A new email address takes effect when the user opens the link in the mail to it
   * (community/email-change). Both require the current password, and the second factor if there is one
   * (sign-in/credential-change-proof). Throws `validation_failed` at `currentPassword`, `code`, `passkey` or
   * `password`, `conflict` (FieldTakenError), `rate_limited`, or `unauthenticated` if the current session has ended.
   */
  async function updateSelf(
    { currentSession, ...request }: RequestInfo & { currentSession: CurrentSession },
    changes: UpdateSelfBody,
  ): Promise<{ user: store.UserRecord; renewed: RenewedSecret | undefined }> {
    const { userId } = currentSession
    const { ip, locale } = request
    const credentials = await requireCredentials(db, userId)
    const { user } = credentials
    const { username, displayName, directMessages, password } = changes
    const email = changes.email === user.email ? undefined : changes.email
    const changesCredentials = email !== undefined || password !== undefined
    if (changesCredentials) await login.checkCurrentPassword(credentials, changes.currentPassword, { ip })
    if (password !== undefined) {
      const { email = user.email } = changes
      await rejectCommonPassword(password, {
        username: username ?? user.username,
        displayName: displayName ?? user.displayName,
        email,
      })
    }
    if (username !== undefined && username !== user.username) rejectReservedUsername(username)
    if (username !== undefined) await rejectTakenFields(db, clock, { username }, userId)
    const newHash = password === undefined ? undefined : await passwords.hash(password)

    async function change(tx: Transaction) {
      if (username !== undefined) await changeUsername(tx, clock, userId, username)
      if (displayName !== undefined) await store.setDisplayName(tx, userId, displayName)
      if (directMessages !== undefined) await store.setDirectMessages(tx, userId, directMessages)
      const renewed =
        newHash === undefined
          ? undefined
          : await changePassword(tx, credentials, newHash, { currentSession, request })
      const { user: updated, passwordHash } = await requireCredentials(tx, userId)
      if (email !== undefined) {
        if (passwordHash !== (newHash ?? credentials.passwordHash)) throw passwordChangedMeanwhile()
        // After the proof of the second factor: a missing one sends no mail.
        await limits.countMailRequest(ip)
        if (!(await limits.countMail(userId))) throw limits.tooManyMails()
        await emails.startEmailChange(tx, updated, email, locale)
      }
      await publishUserUpdate(tx, deps, user, updated)
      return { updated, renewed }
    }

    const { updated, renewed } = await mapUniqueViolations(() =>
      changesCredentials
        ? proofs.withFactor({ ...currentSession, ip }, changes, change)
        : db.transaction(change),
    )

    if (newHash !== undefined) sendMail(updated, 'passwordChanged', { locale })
    return { user: updated, renewed }
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
    ...createRegistration(deps, options),
    ...emails,
    ...createPasswordReset(deps),
    ...createAvatars(deps),
    ...createBotUsers(deps),
    ...createUserStates(deps),
    updateSelf,
    proofs,
    requireVerified,
    /**
     * Tells the owner of an application about it. Does nothing if the address is not verified, because it may belong to
     * another person, and beyond the limit of mails.
     */
    mailAboutApplication(
      ownerId: string,
      name: 'bindingKept' | 'bindingEnded' | 'described',
      application: string,
    ): void {
      background.run(async () => {
        const owner = await store.findUser(db, ownerId)
        if (!owner?.emailVerified || !(await limits.countMail(`applications of ${ownerId}`))) return
        await send(owner, name, { application })
      })
    },
    hasFactor: mfaLogin.hasFactor,
    removeAllFactors: mfaLogin.removeAllFactors,
    findMfaTicket: mfaLogin.findMfaTicket,
    createMfaOptions: mfaLogin.createMfaOptions,
    createPasskeyLoginOptions: mfaLogin.createPasskeyLoginOptions,
    /** Resolves when no background task runs. Await it before the database closes. */
    idle: background.idle,
  }
}

function passwordChangedMeanwhile(): AppError {
  return new AppError('conflict', 'Another request changed the password at the same time.')
}

/** Deletes expired sessions, mail tokens and former usernames. */
export async function sweepUsers(db: Database, clock: Clock): Promise<void> {
  await sweepSessions(db, clock)
  await inBatches(limit => store.deleteExpiredMailTokens(db, clock(), limit))
  await inBatches(limit => store.deleteExpiredFormerUsernames(db, clock(), limit))
}
