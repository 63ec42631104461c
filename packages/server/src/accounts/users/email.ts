import type { Locale } from '@gatehouse/protocol/locales'
import { LocalizedError } from '../../i18n/localized-error.ts'
import type { Transaction } from '../../storage/database.ts'
import type { RequestInfo } from '../request-info.ts'
import type { AccountDeps } from './account-deps.ts'
import { invalidMailToken } from './mail-tokens.ts'
import { mapUniqueViolations } from './unique-fields.ts'
import { emailKey, publishUserUpdate, requireUser } from './user.ts'
import * as store from './user-store.ts'

export function createEmailVerification(deps: AccountDeps) {
  const { db, limits, mailTokens, sendMail, background, securityLog } = deps

  /**
   * Sends the token to the new address, or, if another account has the address, a notice to it. Runs in the background,
   * so that neither the response nor its time reveals which of both it is (community/email-change).
   */
  async function sendChangeMail(
    user: store.UserRecord,
    email: string,
    { token, locale }: { token: string; locale: Locale | undefined },
  ): Promise<void> {
    const owner = (await store.findCredentialsByEmail(db, emailKey(email)))?.user
    if (!owner || owner.id === user.id) return sendMail({ ...user, email }, 'verify', { locale, token })
    // Counts apart from the other mails to the owner, who would otherwise not receive a password reset.
    if (await limits.countMail(`address of ${owner.id}`)) sendMail(owner, 'addressInUse', { locale })
  }

  return {
    /**
     * The new address takes effect when its token is used (community/email-change). Invalidates the tokens of previous
     * requests.
     */
    async startEmailChange(
      tx: Transaction,
      user: store.UserRecord,
      email: string,
      locale: Locale | undefined,
    ): Promise<void> {
      await store.deleteMailTokensFor(tx, user.id, 'change')
      const token = await mailTokens.createMailToken(tx, user.id, email, 'change')
      tx.afterCommit(() => background.run(() => sendChangeMail(user, email, { token, locale })))
    },

    /**
     * The account and the address that a token verifies, and whether the user `callerId` can use it. Throws
     * `validation_failed` at `token` if the token is invalid. Does not consume it.
     */
    async checkVerificationToken(
      token: string,
      callerId: string | undefined,
    ): Promise<{ username: string; email: string; mayUse: boolean }> {
      const found = await mailTokens.findMailToken(db, token, 'verify', 'change')
      const { username, email } = await requireUser(db, found.userId)
      const mayUse = mayUseToken(found, callerId)
      if (found.newEmail !== null) return { username, email: found.newEmail, mayUse }
      if (email === null || emailKey(email) !== found.emailKey) throw invalidMailToken()
      return { username, email, mayUse }
    },

    /**
     * Marks the address that received the token as verified. If it is a new one, it becomes the address of the user,
     * and the previous one receives a notice. Throws `validation_failed` at `token`, `unauthenticated` if the address
     * is new and `callerId` is not the user, or `conflict` (FieldTakenError) if another account has the new address in
     * the meantime.
     */
    async verifyEmail(
      token: string,
      { callerId, ...request }: RequestInfo & { callerId: string | undefined },
    ): Promise<void> {
      const { before, after } = await mapUniqueViolations(() =>
        db.transaction(async tx => {
          const consumed = await mailTokens.consumeMailToken(tx, token, 'verify', 'change')
          // The rollback makes the token valid again.
          if (!mayUseToken(consumed, callerId))
            throw new LocalizedError('unauthenticated', 'error.signInToVerify')
          const { userId, emailKey, newEmail } = consumed
          await store.lockUserRow(tx, userId)
          const before = await requireUser(tx, userId)
          if (newEmail === null) {
            if (!(await store.verifyEmail(tx, userId, emailKey))) throw invalidMailToken()
            await store.deleteMailTokensFor(tx, userId, 'verify')
          } else {
            await store.setEmail(tx, userId, newEmail, emailKey)
            // Also the password reset tokens: they were sent to the previous address.
            await store.deleteMailTokens(tx, userId)
            await securityLog.record(tx, { userId, kind: 'EMAIL_CHANGE', request })
          }
          const after = await requireUser(tx, userId)
          await publishUserUpdate(tx, deps, before, after)
          return { before, after }
        }),
      )
      if (after.email !== before.email) sendMail(before, 'emailChanged', request)
    },

    /** Does nothing if the email address is verified. Throws `rate_limited`. */
    async resendVerification(userId: string, { ip, locale }: { ip: string; locale?: Locale }): Promise<void> {
      await limits.countMailRequest(ip)
      const user = await store.findUser(db, userId)
      if (!user || user.email === null || user.emailVerified) return
      if (!(await limits.countMail(userId))) throw limits.tooManyMails()
      await db.transaction(tx => mailTokens.sendMailToken(tx, user, 'verify', locale))
    },
  }
}

/**
 * Only the user completes the change to a new address (community/email-change): otherwise a stranger whose address was
 * entered would give it to this account with one click. The address of a registration needs no session, because its
 * owner may read the mail on another device.
 */
function mayUseToken({ userId, newEmail }: store.MailToken, callerId: string | undefined): boolean {
  return newEmail === null || userId === callerId
}
