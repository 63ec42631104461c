import type { Database } from '../../storage/database.ts'
import type { Events } from '../events.ts'
import { type PeopleLimits, tooManyMails } from './limits.ts'
import { type MailLinks, spent } from './mail-links.ts'
import * as store from './store.ts'
import { selfView } from './user.ts'

interface EmailDeps {
  db: Database
  limits: PeopleLimits
  links: MailLinks
  events: Pick<Events, 'toUser'>
}

export interface EmailConfirmation {
  /** Whether the link in a mail still holds; throws `validation_failed` at `token` where not. */
  lookAtVerification(token: string): Promise<void>
  /** Confirms the address to which the token was sent; USER_UPDATE. Throws `validation_failed` at `token`. */
  verifyEmail(token: string): Promise<void>
  /** Sends the mail again; nothing where the address is confirmed. Throws `rate_limited`. */
  resendVerification(userId: string): Promise<void>
}

export function createEmailConfirmation({ db, limits, links, events }: EmailDeps): EmailConfirmation {
  return {
    async lookAtVerification(token) {
      await links.look(db, token, 'verify')
    },
    verifyEmail: token =>
      db.transaction(async tx => {
        const { userId, emailKey } = await links.take(tx, token, 'verify')
        if (!(await store.confirmEmail(tx, userId, emailKey))) throw spent()
        await store.deleteMailTokensFor(tx, userId, 'verify')
        const user = await store.findUser(tx, userId)
        if (user === undefined) return
        tx.afterCommit(() => events.toUser(userId, { t: 'USER_UPDATE', d: selfView(user, { email: true }) }))
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
