import type { Locale } from '@gatehouse/protocol/locales'
import { type Translate, translateTo } from '../../i18n/translate.ts'
import type { Mail } from '../../mail/mailer.ts'

interface Recipient {
  id: string
  email: string
  username: string
}

export type Mails = ReturnType<typeof createMails>

/**
 * The mails about an account, in the language of the request that causes them. They contain the username only: a user
 * chooses the display name freely and could use it to send text to the email address of another person.
 */
export function createMails(baseUrl: string) {
  const { host } = new URL(baseUrl)

  function write(to: Recipient, subject: string, paragraphs: readonly string[]): Mail {
    return { to: to.email, userId: to.id, subject, text: `${[...paragraphs, host].join('\n\n')}\n` }
  }

  function withTranslation<Rest extends unknown[]>(
    compose: (t: Translate, to: Recipient, ...rest: Rest) => Mail,
  ): (to: Recipient, locale: Locale, ...rest: Rest) => Mail {
    return (to, locale, ...rest) => compose(translateTo(locale), to, ...rest)
  }

  return {
    verify: withTranslation((t, to, token: string) =>
      write(to, t('mail.verifySubject'), [
        t('mail.verify', { username: to.username }),
        `${baseUrl}/verify-email?token=${token}`,
        t('mail.verifyAfter'),
      ]),
    ),
    reset: withTranslation((t, to, token: string) =>
      write(to, t('mail.resetSubject'), [
        t('mail.reset', { username: to.username }),
        `${baseUrl}/reset-password?token=${token}`,
        t('mail.resetAfter'),
      ]),
    ),
    passwordChanged: withTranslation((t, to) =>
      write(to, t('mail.passwordChangedSubject'), [
        t('mail.passwordChanged', { username: to.username }),
        t('mail.ifNotYou', { link: `${baseUrl}/forgot-password` }),
      ]),
    ),
    /** To the previous email address. */
    emailChanged: withTranslation((t, to) =>
      write(to, t('mail.emailChangedSubject'), [
        t('mail.emailChanged', { username: to.username }),
        t('mail.emailChangedAfter'),
      ]),
    ),
  }
}
