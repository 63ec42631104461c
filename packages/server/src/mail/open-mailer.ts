import { join } from 'node:path'
import type { Clock } from '../kit/clock.ts'
import type { Mailer, MailLog } from './mailer.ts'
import { createOutbox } from './outbox.ts'

interface Options {
  /** Default: mails are written to `outbox/` in the data folder. */
  smtpUrl: string | undefined
  /** The sender of the mails. */
  from: string
  dataDir: string
  clock: Clock
  logger: MailLog
}

/** Imports SMTP only if it is configured, because that delays the start. */
export async function openMailer({ smtpUrl, from, dataDir, clock, logger }: Options): Promise<Mailer> {
  if (smtpUrl === undefined) return createOutbox({ folder: join(dataDir, 'outbox'), clock, logger })
  const { createSmtpMailer } = await import('./smtp.ts')
  return createSmtpMailer({ url: smtpUrl, from, logger })
}
