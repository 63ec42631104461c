import { defaultLocale, type Locale } from '@gatehouse/protocol/locales'
import type { Key } from '../i18n/en.ts'
import { formatTime, type Translate, translateTo } from '../i18n/translate.ts'
import type { Mailer } from '../mail/mailer.ts'

/** The dictionary has `mail.<name>` and `mail.<name>Subject`. */
type MailName = Key extends infer K ? (K extends `mail.${infer Name}Subject` ? Name : never) : never

interface Recipient {
  id: string
  username: string
  /** Null for a bot, which receives no mail. */
  email: string | null
}

interface Details {
  /** Default: `defaultLocale`. */
  locale?: Locale | undefined
  /** The token of the link. */
  token?: string
  /** The number of recovery codes that are left. */
  left?: number
  /** Of a sign-in. `time` is in milliseconds. */
  device?: { ip: string; browser: string | undefined; time: number }
  /** The name of an application, which its owner, the recipient, has chosen. */
  application?: string
}

export type SendMail = ReturnType<typeof createMailSender>

/**
 * Sends the mails about an account. They contain the username only: a user chooses the display name freely and could
 * use it to send text to the email address of another person.
 */
export function createMailSender(baseUrl: string, mailer: Pick<Mailer, 'send'>) {
  const { host } = new URL(baseUrl)

  function nextSteps(
    name: MailName,
    t: Translate,
    { username, token }: { username: string; token: string },
  ): string[] {
    if (name === 'verify') return [`${baseUrl}/verify-email?token=${token}`, t('mail.verifyAfter')]
    if (name === 'reset') return [`${baseUrl}/reset-password?token=${token}`, t('mail.resetAfter')]
    if (name === 'newDevice') return [t('mail.newDeviceAfter', { link: `${baseUrl}/settings/security` })]
    if (name === 'bindingKept' || name === 'bindingEnded' || name === 'described')
      return [t(`mail.${name}After`, { link: `${baseUrl}/developers` })]
    if (name === 'emailChanged') return [t('mail.emailChangedAfter')]
    if (name === 'addressInUse')
      return [t('mail.addressInUseAfter', { username, link: `${baseUrl}/forgot-password` })]
    return [t('mail.ifNotYou', { link: `${baseUrl}/forgot-password` })]
  }

  /** Has no user agent: whoever signs in chooses its text, which the mail would then send. */
  function describe({ ip, browser, time }: NonNullable<Details['device']>, locale: Locale): string {
    const t = translateTo(locale)
    const known = browser ?? t('mail.unknownBrowser')
    return t('mail.device', { browser: known, ip, time: formatTime(locale, time) })
  }

  return async (
    { id, username, email }: Recipient,
    name: MailName,
    { locale = defaultLocale, token = '', left = 0, device, application = '' }: Details = {},
  ): Promise<void> => {
    if (email === null) return
    const t = translateTo(locale)
    const paragraphs = [
      t(`mail.${name}`, { username, left, application }),
      ...(device ? [describe(device, locale)] : []),
      ...nextSteps(name, t, { username, token }),
      host,
    ]
    const subject = t(`mail.${name}Subject`)
    await mailer.send({ to: email, userId: id, subject, text: `${paragraphs.join('\n\n')}\n` })
  }
}
