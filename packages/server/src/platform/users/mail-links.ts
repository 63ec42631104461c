import { invalid } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import { hashSecret, isWellFormedSecret, makeSecret, secretPrefixes } from '../../kit/secret.ts'
import type { Mail } from '../../mail/mailer.ts'
import type { Sql, Transaction } from '../../storage/database.ts'
import type { Mails } from './mails.ts'
import * as store from './store.ts'
import { emailKey, type UserRecord } from './user.ts'

const HOUR_MS = 60 * 60 * 1000
const lifeMs = { verify: 24 * HOUR_MS, reset: HOUR_MS } as const satisfies Record<store.MailPurpose, number>

/** The links in mails: made, looked at, and used up. */
export interface MailLinks {
  /** Keeps a new one in the transaction; `send` puts it into a mail to the person, after the commit. */
  make(tx: Transaction, user: UserRecord, purpose: store.MailPurpose): Promise<{ send(): void }>
  /** Throws `validation_failed` at `token` where it does not hold. Uses nothing up. */
  look(sql: Sql, token: string, purpose: store.MailPurpose): Promise<store.MailToken>
  /** The same, and uses it up: of several at once one gets it. */
  take(tx: Transaction, token: string, purpose: store.MailPurpose): Promise<store.MailToken>
}

interface MailLinksDeps {
  clock: Clock
  mails: Mails
  post: (mail: Mail) => void
}

export function createMailLinks({ clock, mails, post }: MailLinksDeps): MailLinks {
  return {
    async make(tx, user, purpose) {
      const { email } = user
      if (email === null) throw new TypeError('a bot gets no mail')
      const token = makeSecret(secretPrefixes.mailToken)
      const kept = {
        userId: user.id,
        emailKey: emailKey(email),
        purpose,
        expiresAt: clock() + lifeMs[purpose],
      }
      await store.insertMailToken(tx, { ...kept, tokenHash: hashSecret(token) })
      return { send: () => post(mails[purpose]({ id: user.id, email, username: user.username }, token)) }
    },
    async look(sql, token, purpose) {
      const found = await store.findMailToken(sql, hashOf(token), purpose, clock())
      if (!found) throw spent()
      return found
    },
    async take(tx, token, purpose) {
      const taken = await store.takeMailToken(tx, hashOf(token), purpose, clock())
      if (!taken) throw spent()
      return taken
    },
  }
}

function hashOf(token: string): string {
  if (!isWellFormedSecret(secretPrefixes.mailToken, token)) throw spent()
  return hashSecret(token)
}

/** The same for what never was, what is over, and what has been used. */
export function spent() {
  return invalid('token', 'invalid_token', 'does not hold: it is wrong, has expired, or has been used')
}
