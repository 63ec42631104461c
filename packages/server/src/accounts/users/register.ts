import type { RegistrationMode } from '@gatehouse/protocol/administration'
import type { RegisterBody } from '@gatehouse/protocol/users'
import { invalid } from '../../errors/app-error.ts'
import { LocalizedError } from '../../i18n/localized-error.ts'
import type { AdministratorCode, InstanceSettings } from '../../instance/index.ts'
import { rejectCommonPassword } from '../passwords/common-passwords.ts'
import type { AccountDeps } from './account-deps.ts'
import { type LoginRequest, type LoginResult, passwordAmr } from './login.ts'
import { mapUniqueViolations, rejectReservedUsername, rejectTakenFields } from './unique-fields.ts'
import { emailKey } from './user.ts'
import * as store from './user-store.ts'

export interface RegistrationDeps {
  instance: Pick<InstanceSettings, 'read'>
  administratorCode: Pick<AdministratorCode, 'take' | 'check' | 'isOutstanding'>
}

export function createRegistration(
  { db, clock, ids, domainEvents, passwords, limits, mailTokens, sessions, knownDevices }: AccountDeps,
  { instance, administratorCode }: RegistrationDeps,
) {
  return {
    /** Who can register, and whether the first user can become administrator with a code. */
    async readRegistration(): Promise<{ mode: RegistrationMode; asksCode: boolean }> {
      const [{ registration }, asksCode] = await Promise.all([
        instance.read(),
        administratorCode.isOutstanding(),
      ])
      return { mode: registration, asksCode }
    },

    /**
     * Creates an account and signs it in. The session of another user in this browser is revoked. Throws
     * `registration_closed`, `conflict` (FieldTakenError), `validation_failed` at `invite`, `administratorCode` or
     * `password`, or `rate_limited`.
     */
    async register(body: RegisterBody, { currentSession, ...request }: LoginRequest): Promise<LoginResult> {
      const { administratorCode: code } = body
      const invite = body.invite === '' ? undefined : body.invite
      const { registration } = await instance.read()
      if (registration === 'closed')
        throw new LocalizedError('registration_closed', 'error.registration_closed')
      // There is nobody yet who could invite the first administrator (administration/first-administrator).
      if (registration === 'invite' && invite === undefined && code === undefined) {
        throw invalid('invite', 'required', 'is required')
      }
      await rejectCommonPassword(body.password, body)
      await limits.countRegistration(request.ip)
      if (code !== undefined) await administratorCode.check(code)
      // Before the names: who has no invite does not learn which names and addresses exist (community/invite-first).
      await db.transaction(tx => domainEvents.publish(tx, 'RegistrationRequested', { invite }))
      const user = newUser(body, { id: ids(), createdAt: clock() })
      await rejectTakenFields(db, clock, body)
      const passwordHash = await passwords.hash(body.password)
      const { secret, administrator } = await mapUniqueViolations(() =>
        db.transaction(async tx => {
          await store.insertUser(tx, user, { emailKey: emailKey(body.email), passwordHash })
          const administrator = await administratorCode.take(tx, code)
          if (administrator) await store.setAdministrator(tx, user.id, true)
          // Before the server of the invite is locked: a consent that adds a bot locks the session first, too.
          if (currentSession) await sessions.revokeSession(tx, currentSession.sessionId)
          await domainEvents.publish(tx, 'UserRegistered', { userId: user.id, invite, administrator })
          await mailTokens.sendMailToken(tx, user, 'verify', request.locale)
          await knownDevices.remember(tx, user.id, request.browser.id)
          const { secret } = await sessions.createSession(tx, {
            ...request,
            userId: user.id,
            amr: passwordAmr,
          })
          return { secret, administrator }
        }),
      )
      // The first mail counts towards the limit, but is always sent.
      await limits.countMail(user.id)
      return { user: { ...user, administrator }, secret, browserCookies: request.browser.cookies }
    },
  }
}

/** Throws FieldTakenError for a reserved username. */
export function newUser(
  body: Pick<RegisterBody, 'username' | 'displayName' | 'email'>,
  { id, createdAt }: { id: string; createdAt: number },
): store.UserRecord {
  rejectReservedUsername(body.username)
  return {
    id,
    username: body.username,
    displayName: body.displayName ?? body.username,
    email: body.email,
    emailVerified: false,
    avatar: null,
    bot: false,
    directMessages: 'members',
    createdAt,
    administrator: false,
    disabledAt: null,
  }
}
