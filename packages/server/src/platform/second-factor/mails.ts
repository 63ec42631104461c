import type { Locale } from '@gatehouse/protocol/locales'
import type { Key } from '../../i18n/en.ts'
import { translateTo } from '../../i18n/translate.ts'
import type { Mailer } from '../../mail/mailer.ts'
import type { Sql } from '../../storage/database.ts'

/** The part of a user record that this folder reads. */
export interface FactorUser {
  id: string
  username: string
  displayName: string
  email: string | null
}

export type FindUser = (sql: Sql, userId: string) => Promise<FactorUser | undefined>

/** A change of the second factors of a user. */
export type FactorEvent =
  | 'passkeyAdded'
  | 'passkeyRemoved'
  | 'appAdded'
  | 'appRemoved'
  | 'newRecoveryCodes'
  | 'allRemoved'
  | { recoveryCodesLeft: number }

/** Sends the mail about `event`. Call it after the commit. */
export type NotifyUser = (user: FactorUser, locale: Locale, event: FactorEvent) => Promise<void>

/**
 * The mails contain the username only. A user chooses the display name freely and could use it to send text to the email
 * address of another person.
 */
export function createNotifyUser(baseUrl: string, mailer: Pick<Mailer, 'send'>): NotifyUser {
  const { host } = new URL(baseUrl)
  return async ({ id, email, username }, locale, event) => {
    if (email === null) return
    const t = translateTo(locale)
    const key = typeof event === 'object' ? 'recoveryCodeUsed' : event
    const params = typeof event === 'object' ? { left: event.recoveryCodesLeft } : {}
    const message = t(`mail.${key}`, { username, ...params })
    const advice = t('mail.ifNotYou', { link: `${baseUrl}/forgot-password` })
    const text = `${[message, advice, host].join('\n\n')}\n`
    const subject: Key = `mail.${key}Subject`
    await mailer.send({ to: email, userId: id, subject: t(subject), text })
  }
}
