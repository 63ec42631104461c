import { createTransport } from 'nodemailer'
import { systemTimers, type Timers } from '../kit/clock.ts'
import type { Mail, Mailer, MailLog } from './mailer.ts'

interface Options {
  /** `smtp://user:password@host:port` or `smtps://…`. */
  url: string
  /** `Name <address>`. */
  from: string
  logger: MailLog
  timers?: Timers
  /** The pauses before the second, third, … attempt. Default 2 s, 15 s, 60 s. */
  retryMs?: readonly number[]
  /** Of one step: to connect, to be greeted, to be answered. Default 10 s. */
  timeoutMs?: number
  /** Mails held at once; those beyond are refused, and that is logged. Default 1,000. */
  maxQueued?: number
  /** How long `close` waits. Default 5 s. */
  closeMs?: number
}

/**
 * Mail by SMTP. A mail waits in memory and is tried a few times; a refusal for good (5xx) is not repeated. The log tells
 * of a mail that was given up, by the person's id and the server's code: never the address, the words, or the server's
 * text, which may repeat them.
 */
export function createSmtpMailer(options: Options): Mailer {
  const { logger, timers = systemTimers, retryMs = [2000, 15_000, 60_000] } = options
  const { timeoutMs = 10_000, maxQueued = 1000, closeMs = 5000 } = options
  const transport = createTransport({
    url: options.url,
    pool: true,
    maxConnections: 2,
    // The attempts are counted here: by itself it would add five where a connection ends in the middle.
    maxRequeues: 0,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const underWay = new Set<Promise<void>>()
  const closing = Promise.withResolvers<'closing'>()
  let closed = false

  async function deliver(mail: Mail): Promise<void> {
    const { to, subject, text, html } = mail
    for (let attempt = 0; ; attempt++) {
      try {
        await transport.sendMail({
          from: options.from,
          to: { name: '', address: to },
          subject,
          text,
          ...(html === undefined ? {} : { html }),
        })
        logger.info({ userId: mail.userId, attempts: attempt + 1 }, 'a mail was sent')
        return
      } catch (error) {
        const pause = retryMs[attempt]
        const failure = failureOf(error)
        if (failure.final || pause === undefined || closed || (await rest(pause)) === 'closing') {
          const fields = {
            userId: mail.userId,
            attempts: attempt + 1,
            code: failure.code,
            status: failure.status,
          }
          logger.error(fields, 'a mail could not be sent and was given up')
          return
        }
      }
    }
  }

  function rest(ms: number): Promise<'closing' | 'rested'> {
    const rested = Promise.withResolvers<'rested'>()
    const timer = timers.after(ms, () => rested.resolve('rested'))
    return Promise.race([closing.promise, rested.promise]).finally(() => timer.cancel())
  }

  return {
    async send(mail) {
      if (closed || underWay.size >= maxQueued) {
        logger.error({ userId: mail.userId, queued: underWay.size }, 'a mail was not taken: too many wait')
        return
      }
      const delivery = deliver(mail).finally(() => underWay.delete(delivery))
      underWay.add(delivery)
    },
    async close() {
      closed = true
      closing.resolve('closing')
      const patience = Promise.withResolvers<void>()
      const timer = timers.after(closeMs, patience.resolve)
      await Promise.race([Promise.all(underWay), patience.promise])
      timer.cancel()
      transport.close()
    },
  }
}

function failureOf(error: unknown): { final: boolean; code: unknown; status: unknown } {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const status = error instanceof Error && 'responseCode' in error ? error.responseCode : undefined
  return { final: typeof status === 'number' && status >= 500, code, status }
}
