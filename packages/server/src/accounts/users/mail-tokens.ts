import type { Locale } from '@gatehouse/protocol/locales'
import { invalid } from '../../errors/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import { createSecret, hashSecret, isWellFormedSecret, secretPrefixes } from '../../kit/secret.ts'
import type { Sql, Transaction } from '../../storage/database.ts'
import type { SendMail } from '../account-mails.ts'
import { emailKey } from './user.ts'
import * as store from './user-store.ts'

const HOUR_MS = 60 * 60 * 1000
const lifetimeMs = { verify: 24 * HOUR_MS, change: 24 * HOUR_MS, reset: HOUR_MS } as const satisfies Record<
  store.MailTokenPurpose,
  number
>

export type MailTokens = ReturnType<typeof createMailTokens>

/** The single-use tokens of the links in mails. */
export function createMailTokens({
  clock,
  sendMail,
}: {
  clock: Clock
  sendMail: (...mail: Parameters<SendMail>) => void
}) {
  /** Returns the token for a mail to `email`. */
  async function createMailToken(
    tx: Transaction,
    userId: string,
    email: string,
    purpose: store.MailTokenPurpose,
  ): Promise<string> {
    const token = createSecret(secretPrefixes.mailToken)
    await store.insertMailToken(tx, {
      userId,
      emailKey: emailKey(email),
      newEmail: purpose === 'change' ? email : null,
      purpose,
      expiresAt: clock() + lifetimeMs[purpose],
      tokenHash: hashSecret(token),
    })
    return token
  }

  return {
    createMailToken,

    /** The mail is sent after the commit. */
    async sendMailToken(
      tx: Transaction,
      user: store.UserRecord,
      purpose: 'verify' | 'reset',
      locale: Locale | undefined,
    ): Promise<void> {
      if (user.email === null) throw new TypeError('A bot has no email address.')
      const token = await createMailToken(tx, user.id, user.email, purpose)
      tx.afterCommit(() => sendMail(user, purpose, { locale, token }))
    },

    /** Throws `validation_failed` at `token` if the token is invalid. Does not consume it. */
    async findMailToken(
      sql: Sql,
      token: string,
      ...purposes: store.MailTokenPurpose[]
    ): Promise<store.MailToken> {
      const found = await store.findMailToken(sql, hashOf(token), purposes, clock())
      if (!found) throw invalidMailToken()
      return found
    },

    /** Throws like `findMailToken`. Of concurrent calls exactly one returns. */
    async consumeMailToken(
      tx: Transaction,
      token: string,
      ...purposes: store.MailTokenPurpose[]
    ): Promise<store.MailToken> {
      const consumed = await store.consumeMailToken(tx, hashOf(token), purposes, clock())
      if (!consumed) throw invalidMailToken()
      return consumed
    },
  }
}

function hashOf(token: string): string {
  if (!isWellFormedSecret(secretPrefixes.mailToken, token)) throw invalidMailToken()
  return hashSecret(token)
}

/** The same error for an unknown, an expired and a used token. */
export function invalidMailToken() {
  return invalid('token', 'invalid_token', 'is invalid, has expired or was already used')
}
