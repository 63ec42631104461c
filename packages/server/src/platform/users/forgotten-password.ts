import type { Mail } from '../../mail/mailer.ts'
import type { Database, Transaction } from '../../storage/database.ts'
import type { Sessions } from '../sessions/index.ts'
import type { Background } from './background.ts'
import type { PeopleLimits } from './limits.ts'
import type { MailLinks } from './mail-links.ts'
import type { Mails } from './mails.ts'
import type { Passwords } from './password.ts'
import * as store from './store.ts'
import { emailKey } from './user.ts'

interface ForgottenPasswordDeps {
  db: Database
  passwords: Passwords
  limits: PeopleLimits
  links: MailLinks
  mails: Mails
  post: (mail: Mail) => void
  background: Background
  sessions: Pick<Sessions, 'endSessions'>
  onPasswordChanged: (tx: Transaction, userId: string) => Promise<void>
}

export interface ForgottenPassword {
  /** Sends a link to the account with this address, if there is one; neither answer nor time tells. */
  forgotPassword(email: string): void
  /** Whether the link in a mail still holds; throws `validation_failed` at `token` where not. */
  lookAtReset(token: string): Promise<void>
  /** Ends every session and every token of the person. Throws `validation_failed` at `token`. */
  resetPassword(reset: { token: string; password: string }, from: { ip: string }): Promise<void>
}

export function createForgottenPassword(deps: ForgottenPasswordDeps): ForgottenPassword {
  const { db, passwords, limits, links, mails, post, background, sessions, onPasswordChanged } = deps

  async function sendLink(email: string): Promise<void> {
    const found = await store.credentialsByEmail(db, emailKey(email))
    if (!found || !limits.countMail(found.user.id)) return
    // To the address as it is kept, not as it was typed: two that look alike may be two mailboxes.
    const link = await db.transaction(tx => links.make(tx, found.user, 'reset'))
    link.send()
  }

  return {
    forgotPassword: email => background.run(() => sendLink(email)),
    async lookAtReset(token) {
      await links.look(db, token, 'reset')
    },
    async resetPassword({ token, password }, { ip }) {
      // Before the costly part; what decides is that it is used up below.
      await links.look(db, token, 'reset')
      const passwordHash = await passwords.hash(password)
      const user = await db.transaction(async tx => {
        const { userId, emailKey } = await links.take(tx, token, 'reset')
        await store.setPasswordHash(tx, userId, passwordHash)
        // Whoever got the mail reads the mailbox.
        await store.confirmEmail(tx, userId, emailKey)
        await store.deleteMailTokens(tx, userId)
        await sessions.endSessions(tx, userId)
        await onPasswordChanged(tx, userId)
        return store.findUser(tx, userId)
      })
      if (!user || user.email === null) return
      limits.forgivePasswords(user.id, ip)
      post(mails.passwordChanged({ id: user.id, email: user.email, username: user.username }))
    },
  }
}
