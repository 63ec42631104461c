import type { Database } from '../../storage/database.ts'
import { type PeopleLimits, tooManyMails } from './limits.ts'
import { type MailLinks, spent } from './mail-links.ts'
import * as store from './store.ts'

interface EmailDeps {
  db: Database
  limits: PeopleLimits
  links: MailLinks
}

export interface EmailConfirmation {
  /** Whether the link in a mail still holds; throws `validation_failed` at `token` where not. */
  lookAtVerification(token: string): Promise<void>
  /** Confirms the address to which the token was sent. Throws `validation_failed` at `token`. */
  verifyEmail(token: string): Promise<void>
  /** Sends the mail again; nothing where the address is confirmed. Throws `rate_limited`. */
  resendVerification(userId: string): Promise<void>
}

export function createEmailConfirmation({ db, limits, links }: EmailDeps): EmailConfirmation {
  return {
    async lookAtVerification(token) {
      await links.look(db, token, 'verify')
    },
    verifyEmail: token =>
      db.transaction(async tx => {
        const { userId, emailKey } = await links.take(tx, token, 'verify')
        if (!(await store.confirmEmail(tx, userId, emailKey))) throw spent()
        await store.deleteMailTokensFor(tx, userId, 'verify')
      }),
    async resendVerification(userId) {
      const user = await store.findUser(db, userId)
      if (!user || user.email === null || user.emailVerified) return
      if (!limits.countMail(userId)) throw tooManyMails()
      const link = await db.transaction(tx => links.make(tx, user, 'verify'))
      link.send()
    },
  }
}
