import type { Locale } from '@gatehouse/protocol/locales'
import type { Transaction } from '../../storage/database.ts'
import type { AccountDeps } from './account-deps.ts'
import { invalidMailToken } from './mail-tokens.ts'
import * as store from './store.ts'
import { mapUniqueViolations } from './unique-fields.ts'
import { emailKey, publishUserUpdate, requireUser } from './user.ts'

export function createEmailVerification(deps: AccountDeps) {
  const { db, limits, mailTokens, sendMail, background } = deps

  /**
   * Sends the token to the new address, or, if another account has the address, a notice to it. Runs in the background, so
   * that neither the response nor its time reveals which of both it is (community/email-change).
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
     * The account and the address that a token verifies. Throws `validation_failed` at `token` if the token is invalid. Does
     * not consume it.
     */
    async checkVerificationToken(token: string): Promise<{ username: string; email: string }> {
      const found = await mailTokens.findMailToken(db, token, 'verify', 'change')
      const { username, email } = await requireUser(db, found.userId)
      if (found.newEmail !== null) return { username, email: found.newEmail }
      if (email === null || emailKey(email) !== found.emailKey) throw invalidMailToken()
      return { username, email }
    },

    /**
     * Marks the address that received the token as verified. If it is a new one, it becomes the address of the user, and the
     * previous one receives a notice. Throws `validation_failed` at `token`, or `conflict` (FieldTakenError) if another
     * account has the new address in the meantime.
     */
    async verifyEmail(token: string, locale?: Locale): Promise<void> {
      const { before, after } = await mapUniqueViolations(() =>
        db.transaction(async tx => {
          const { userId, emailKey, newEmail } = await mailTokens.consumeMailToken(
            tx,
            token,
            'verify',
            'change',
          )
          await store.lockUserRow(tx, userId)
          const before = await requireUser(tx, userId)
          if (newEmail === null) {
            if (!(await store.verifyEmail(tx, userId, emailKey))) throw invalidMailToken()
            await store.deleteMailTokensFor(tx, userId, 'verify')
          } else {
            await store.setEmail(tx, userId, newEmail, emailKey)
            // Also the password reset tokens: they were sent to the previous address.
            await store.deleteMailTokens(tx, userId)
          }
          const after = await requireUser(tx, userId)
          await publishUserUpdate(tx, deps, before, after)
          return { before, after }
        }),
      )
      if (after.email !== before.email) sendMail(before, 'emailChanged', { locale })
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
