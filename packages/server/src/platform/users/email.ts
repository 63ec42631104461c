import type { Locale } from '@gatehouse/protocol/locales'
import type { AccountDeps } from './account-deps.ts'
import { tooManyMails } from './limits.ts'
import { invalidMailToken } from './mail-tokens.ts'
import * as store from './store.ts'
import { selfView } from './user.ts'

export function createEmailVerification({ db, limits, mailTokens, events }: AccountDeps) {
  return {
    /** Throws `validation_failed` at `token` if the token is invalid. Does not consume it. */
    async checkVerificationToken(token: string): Promise<void> {
      await mailTokens.findMailToken(db, token, 'verify')
    },

    /** Marks the email address that received the token as verified. Throws `validation_failed` at `token`. */
    async verifyEmail(token: string): Promise<void> {
      await db.transaction(async tx => {
        const { userId, emailKey } = await mailTokens.consumeMailToken(tx, token, 'verify')
        if (!(await store.verifyEmail(tx, userId, emailKey))) throw invalidMailToken()
        await store.deleteMailTokensFor(tx, userId, 'verify')
        const user = await store.findUser(tx, userId)
        if (user) tx.afterCommit(() => events.toUser(userId, { t: 'USER_UPDATE', d: selfView(user) }))
      })
    },

    /** Does nothing if the email address is verified. Throws `rate_limited`. */
    async resendVerification(userId: string, locale?: Locale): Promise<void> {
      const user = await store.findUser(db, userId)
      if (!user || user.email === null || user.emailVerified) return
      if (!limits.countMail(userId)) throw tooManyMails()
      await db.transaction(tx => mailTokens.sendMailToken(tx, user, 'verify', locale))
    },
  }
}
