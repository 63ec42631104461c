import type { Mail, Mailer } from '../../mail/mailer.ts'
import type { Sql } from '../../storage/database.ts'

/** As much of a person as is needed here. */
export interface Person {
  id: string
  username: string
  displayName: string
  email: string | null
}

export type FindPerson = (sql: Sql, userId: string) => Promise<Person | undefined>

/** What happened to a person's factors. */
export type Notice =
  | 'passkey added'
  | 'passkey removed'
  | 'app added'
  | 'app removed'
  | 'new recovery codes'
  | 'all removed'
  | { recoveryCodesLeft: number }

/** Tells a person by mail, after the commit. */
export type Notify = (person: Person, notice: Notice) => Promise<void>

/** No name that somebody chose stands in these mails: whoever uses a stranger's address would choose the words. */
export function createNotify(baseUrl: string, mailer: Pick<Mailer, 'send'>): Notify {
  const host = new URL(baseUrl).host
  return async (person, notice) => {
    const { id, email, username } = person
    if (email === null) return
    const [subject, what] = wordsFor(notice, username)
    const advice = `If it was not you, choose a new password at once: ${baseUrl}/forgot-password`
    const mail: Mail = { to: email, userId: id, subject, text: `${[what, advice, host].join('\n\n')}\n` }
    await mailer.send(mail)
  }
}

function wordsFor(notice: Notice, username: string): [subject: string, what: string] {
  if (typeof notice === 'object') {
    const left = notice.recoveryCodesLeft
    const what = `Somebody, hopefully you, signed in to the account ${username} with a recovery code.`
    return ['A recovery code was used', `${what} Codes that are left: ${left}.`]
  }
  switch (notice) {
    case 'passkey added':
      return ['A passkey was added', `The account ${username} can be signed in to with a new passkey.`]
    case 'passkey removed':
      return ['A passkey was removed', `A passkey no longer opens the account ${username}.`]
    case 'app added':
      return [
        'An authenticator app was added',
        `To sign in to the account ${username}, a code of an authenticator app is asked for from now on.`,
      ]
    case 'app removed':
      return [
        'The authenticator app was removed',
        `Codes of the authenticator app no longer open the account ${username}.`,
      ]
    case 'new recovery codes':
      return [
        'New recovery codes were made',
        `The account ${username} has new recovery codes; the old ones no longer hold.`,
      ]
    case 'all removed':
      return [
        'The second factor was removed',
        `Whoever runs this service took passkeys, authenticator app and recovery codes from the account ${username}.`,
      ]
  }
}
