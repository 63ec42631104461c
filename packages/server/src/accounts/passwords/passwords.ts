import type { Locale } from '@gatehouse/protocol/locales'
import type { RequestInfo } from '../request-info.ts'
import type { AccountDeps } from '../users/account-deps.ts'
import { invalidMailToken } from '../users/mail-tokens.ts'
import { emailKey, rejectDisabled, requireUser } from '../users/user.ts'
import * as store from '../users/user-store.ts'
import { rejectCommonPassword } from './common-passwords.ts'

export function createPasswordReset(deps: AccountDeps) {
  const { db, passwords, limits, mailTokens, sendMail, background, sessions, mfaLogin } = deps
  const { domainEvents, securityLog, knownDevices } = deps

  async function sendResetMail(email: string, locale: Locale | undefined): Promise<void> {
    const credentials = await store.findCredentialsByEmail(db, emailKey(email))
    if (!credentials || credentials.user.disabledAt !== null) return
    if (!(await limits.countMail(credentials.user.id))) return
    // Uses the stored email address: two addresses with the same key can be two mailboxes.
    await db.transaction(tx => mailTokens.sendMailToken(tx, credentials.user, 'reset', locale))
  }

  return {
    /**
     * Sends a reset link to the account with this email address, if there is one. Runs in the background, so that
     * neither the response nor its time reveals whether the account exists. Throws `rate_limited`.
     */
    async forgotPassword(email: string, { ip, locale }: { ip: string; locale?: Locale }): Promise<void> {
      await limits.countMailRequest(ip)
      background.run(() => sendResetMail(email, locale))
    },

    /** Throws `validation_failed` at `token` if the token is invalid. Does not consume it. */
    async checkResetToken(token: string): Promise<void> {
      await mailTokens.findMailToken(db, token, 'reset')
    },

    /**
     * Revokes every session and access token of the user. If the email address was not verified before, another person
     * may have registered with it: the second factors and the consents are removed too (sign-in/reset-verifies-first).
     * Throws `validation_failed` at `token` or `password`, or `rate_limited`.
     */
    async resetPassword(
      { token, password }: { token: string; password: string },
      request: RequestInfo,
    ): Promise<void> {
      // Avoids the expensive hash for an invalid token. Of concurrent requests `consumeMailToken` decides.
      const { userId } = await mailTokens.findMailToken(db, token, 'reset')
      await rejectCommonPassword(password, await requireUser(db, userId))
      await limits.countConfirmation(userId, 'mail')
      const passwordHash = await passwords.hash(password)
      const { user, factorsRemoved } = await db.transaction(async tx => {
        const { userId, emailKey } = await mailTokens.consumeMailToken(tx, token, 'reset')
        await store.setPasswordHash(tx, userId, passwordHash)
        const user = await requireUser(tx, userId)
        rejectDisabled(user)
        // The token proves that the user reads this mailbox. It is invalid if the account has another address now.
        if (!(await store.verifyEmail(tx, userId, emailKey))) throw invalidMailToken()
        await store.deleteMailTokens(tx, userId)
        await sessions.revokeSessions(tx, userId)
        await domainEvents.publish(tx, 'PasswordChanged', { userId })
        await securityLog.record(tx, { userId, kind: 'PASSWORD_RESET', request })
        if (user.emailVerified) return { user, factorsRemoved: false }
        await domainEvents.publish(tx, 'VerifiedByReset', { userId })
        await knownDevices.forgetAll(tx, userId)
        return { user, factorsRemoved: await mfaLogin.deleteAllFactors(tx, userId, request) }
      })
      await limits.resetWrongPasswords(user, request.ip)
      sendMail(user, 'passwordChanged', request)
      if (factorsRemoved) sendMail(user, 'allRemoved', request)
    },
  }
}
