/** How the service writes to people. */
export interface Mailer {
  /**
   * Takes a mail over. Resolves once that is done, which says nothing about its arrival: whether a mail server answers,
   * and how fast, must not show to who asked for the mail. Never rejects; what cannot be delivered is in the log.
   */
  send(mail: Mail): Promise<void>
  /** Waits a few seconds for what is under way, then gives up the rest. */
  close(): Promise<void>
}

export interface Mail {
  /** The address. */
  to: string
  /** The id of the person, for the log, where no address stands. */
  userId?: string
  subject: string
  text: string
  html?: string
}

/** As much of a log as mail needs; never given an address, a subject, a text. */
export interface MailLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
