/** Sends mails to users. */
export interface Mailer {
  /**
   * Accepts a mail for sending. Resolves before the delivery, because the response time of the mail server must not
   * reveal to the client whether a mail is sent. Never rejects: the log has the mails that failed.
   */
  send(mail: Mail): Promise<void>
  /**
   * Sends a mail without a retry. Resolves to why that failed, in a sentence without a name or address, or to
   * undefined.
   */
  deliver(mail: Mail): Promise<string | undefined>
  /** Waits some seconds for the mails in progress and drops the others. */
  close(): Promise<void>
}

/** Mails have the name of the community in the subject and at the end, if it has one. */
export function withName({ send, deliver, close }: Mailer, readName: () => string | undefined): Mailer {
  function named({ subject, text, ...mail }: Mail): Mail {
    const name = readName()
    if (name === undefined) return { subject, text, ...mail }
    return { ...mail, subject: `${subject} · ${name}`, text: `${text}${name}\n` }
  }
  return { send: mail => send(named(mail)), deliver: mail => deliver(named(mail)), close }
}

export interface Mail {
  /** The email address of the recipient. */
  to: string
  /** The log has this id instead of the email address. */
  userId?: string
  subject: string
  text: string
  html?: string
}

/** Log lines about mails never contain an email address, a subject or a body. */
export interface MailLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
