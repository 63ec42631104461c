import type { Mail } from '../../mail/mailer.ts'

interface To {
  id: string
  email: string
  username: string
}

/**
 * What people get by mail. No display name stands in them: whoever registers with somebody else's address would choose
 * the words that this service sends there.
 */
export interface Mails {
  verify(to: To, token: string): Mail
  reset(to: To, token: string): Mail
  passwordChanged(to: To): Mail
  /** To the address that was given up. */
  emailChanged(to: To): Mail
}

export function createMails(baseUrl: string): Mails {
  const host = new URL(baseUrl).host

  function mail(to: To, subject: string, paragraphs: readonly string[]): Mail {
    return { to: to.email, userId: to.id, subject, text: `${[...paragraphs, host].join('\n\n')}\n` }
  }

  return {
    verify: (to, token) =>
      mail(to, 'Confirm your mail address', [
        `Somebody, hopefully you, gave this address for the account ${to.username}. To confirm it, open:`,
        `${baseUrl}/verify-email?token=${token}`,
        'The link holds for 24 hours and works once. If it was not you, nothing needs to be done.',
      ]),
    reset: (to, token) =>
      mail(to, 'Choose a new password', [
        `Somebody, hopefully you, asked for a new password for the account ${to.username}. To choose it, open:`,
        `${baseUrl}/reset-password?token=${token}`,
        'The link holds for one hour and works once. If it was not you, nothing needs to be done: the password stays.',
      ]),
    passwordChanged: to =>
      mail(to, 'Your password was changed', [
        `The password of the account ${to.username} was changed. Other browsers and applications were signed out.`,
        `If it was not you, choose a new one at once: ${baseUrl}/forgot-password`,
      ]),
    emailChanged: to =>
      mail(to, 'Your mail address was changed', [
        `The account ${to.username} has another mail address now; this one no longer belongs to it.`,
        'If it was not you, tell whoever runs this service: somebody knows your password.',
      ]),
  }
}
