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
  /** The delays before the second, third, … attempt. Default: 2 s, 15 s, 60 s. */
  retryMs?: readonly number[]
  /** The timeout of each step: DNS lookup, connection, greeting, response. Default: 10 s. */
  timeoutMs?: number
  /** The number of mails in progress. Further mails are dropped and logged. Default: 1,000. */
  maxQueued?: number
  /** How long `close` waits. Default: 5 s. */
  closeMs?: number
}

const defaultTimeoutMs = 10_000

function connectionOptions(url: string, timeoutMs: number) {
  return {
    url,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/**
 * Connects to the mail server and authenticates, with TLS if the URL or the server asks for it. Resolves to what
 * failed, or to undefined, like `deliver`.
 */
export async function findSmtpProblem(
  url: string,
  timeoutMs = defaultTimeoutMs,
): Promise<string | undefined> {
  const transport = createTransport(connectionOptions(url, timeoutMs))
  try {
    await transport.verify()
    return undefined
  } catch (error) {
    return describeProblem(error)
  } finally {
    transport.close()
  }
}

/** What failed and its codes, without the password and without a text of the server, which may repeat it. */
function describeProblem(error: unknown): string {
  const { code, status } = describeFailure(error)
  const codes = [code, status].filter(part => part !== undefined).join(' ')
  return `${findReason(error, code, status)}${codes === '' ? '' : ` (${codes})`}.`
}

function findReason(error: unknown, code: unknown, status: unknown): string {
  if (code === 'EAUTH') return 'The mail server rejects the user name or the password'
  if (status === undefined && error instanceof Error) return explain(error)
  if (code === 'EENVELOPE') return 'The mail server rejects the sender or the recipient'
  return code === 'EMESSAGE' ? 'The mail server rejects the mail' : 'The mail server rejects the connection'
}

/**
 * Not the rest of the message of Node.js, which may have the name or the address of the server.
 *
 * A message of OpenSSL has several lines of internals, and `wrong version number` if the port does not expect TLS at
 * once.
 */
function explain({ message }: Error): string {
  const reason = /:SSL routines:[^:]*:([^:\n]+)/.exec(message)?.[1]
  if (reason === 'wrong version number') return 'The port of the mail server does not expect TLS at once'
  if (reason !== undefined) return `TLS with the mail server fails: ${reason}`
  return `The mail server is not reachable: ${/^[^:.]*?\bE[A-Z]{3,}\b|^[^:.]*/.exec(message)?.[0]}`
}

/**
 * Sends mails by SMTP. The queue is in memory. A transient failure is retried, a permanent one (5xx) is not. The log
 * has the user id and the codes of a failed mail, but not the response text of the server, which may repeat the email
 * address or the body.
 */
export function createSmtpMailer(options: Options): Mailer {
  const { logger, timers = systemTimers, retryMs = [2000, 15_000, 60_000] } = options
  const { timeoutMs = defaultTimeoutMs, maxQueued = 1000, closeMs = 5000 } = options
  const transport = createTransport({
    ...connectionOptions(options.url, timeoutMs),
    pool: true,
    maxConnections: 2,
    // By default nodemailer itself retries five times after a lost connection, in addition to `retryMs`.
    maxRequeues: 0,
  })
  const inProgress = new Set<Promise<void>>()
  const closing = Promise.withResolvers<'closing'>()
  let closed = false

  function sendOnce({ to, subject, text, html }: Mail): Promise<unknown> {
    return transport.sendMail({
      from: options.from,
      to: { name: '', address: to },
      subject,
      text,
      ...(html === undefined ? {} : { html }),
    })
  }

  async function sendWithRetries(mail: Mail): Promise<void> {
    const { userId } = mail
    for (let attempts = 1; ; attempts++) {
      try {
        await sendOnce(mail)
        logger.info({ userId, attempts }, 'mail sent')
        return
      } catch (error) {
        const delay = retryMs[attempts - 1]
        const { isPermanent, code, status } = describeFailure(error)
        if (isPermanent || delay === undefined || closed || (await wait(delay)) === 'closing') {
          logger.error({ userId, attempts, code, status }, 'mail failed')
          return
        }
      }
    }
  }

  function wait(ms: number): Promise<'closing' | 'elapsed'> {
    const elapsed = Promise.withResolvers<'elapsed'>()
    const timer = timers.after(ms, () => elapsed.resolve('elapsed'))
    return Promise.race([closing.promise, elapsed.promise]).finally(() => timer.cancel())
  }

  return {
    async send(mail) {
      if (closed || inProgress.size >= maxQueued) {
        const reason = closed ? 'the mailer is closed' : 'the queue is full'
        logger.error({ userId: mail.userId, queued: inProgress.size }, `mail dropped: ${reason}`)
        return
      }
      const sending = sendWithRetries(mail).finally(() => inProgress.delete(sending))
      inProgress.add(sending)
    },
    async deliver(mail) {
      const { userId } = mail
      try {
        await sendOnce(mail)
        logger.info({ userId, attempts: 1 }, 'mail sent')
        return undefined
      } catch (error) {
        const { code, status } = describeFailure(error)
        logger.error({ userId, attempts: 1, code, status }, 'mail failed')
        return describeProblem(error)
      }
    },
    async close() {
      closed = true
      closing.resolve('closing')
      const timeout = Promise.withResolvers<void>()
      const timer = timers.after(closeMs, timeout.resolve)
      await Promise.race([Promise.all(inProgress), timeout.promise])
      timer.cancel()
      transport.close()
    },
  }
}

function describeFailure(error: unknown): { isPermanent: boolean; code: unknown; status: unknown } {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const status = error instanceof Error && 'responseCode' in error ? error.responseCode : undefined
  return { isPermanent: typeof status === 'number' && status >= 500, code, status }
}
