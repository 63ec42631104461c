import { randomBytes } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../kit/clock.ts'
import type { Mail, Mailer, MailLog } from './mailer.ts'

interface Options {
  folder: string
  clock: Clock
  logger: MailLog
}

/**
 * Writes mails to files, for a service without a mail server (community/operation). Only the user of the process can
 * read them, and their names sort by time. A file appears under its name when it is complete.
 */
export function createOutbox({ folder, clock, logger }: Options): Mailer {
  const inProgress = new Set<Promise<unknown>>()
  let count = 0

  async function write(mail: Mail): Promise<string | undefined> {
    const time = new Date(clock())
    const timestamp = time.toISOString().replace(/[-:.]/g, '')
    const file = `${timestamp}-${`${count++}`.padStart(6, '0')}-${randomBytes(4).toString('hex')}.eml`
    const partial = join(folder, `.${file}.part`)
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeFile(partial, format(mail, time), { mode: 0o600, flag: 'wx' })
      await rename(partial, join(folder, file))
      logger.info({ userId: mail.userId, file }, 'mail written to the outbox')
      return undefined
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      logger.error({ userId: mail.userId, code }, 'mail could not be written to the outbox')
      return `The file of the mail cannot be written (${code}).`
    }
  }

  async function track(mail: Mail): Promise<string | undefined> {
    const writing = write(mail)
    inProgress.add(writing)
    const problem = await writing
    inProgress.delete(writing)
    return problem
  }

  return {
    send: async mail => void (await track(mail)),
    deliver: track,
    async close() {
      await Promise.all(inProgress)
    },
  }
}

/** Without a transfer encoding (RFC 6532), so that an operator can copy a link from the file. */
function format(mail: Mail, time: Date): string {
  const headers = [
    `Date: ${time.toUTCString().replace('GMT', '+0000')}`,
    `To: ${singleLine(mail.to)}`,
    `Subject: ${singleLine(mail.subject)}`,
    'MIME-Version: 1.0',
  ]
  const text = part('text/plain', mail.text)
  if (mail.html === undefined) return `${headers.join('\n')}\n${text}`
  const boundary = randomBytes(16).toString('hex')
  const parts = [text, part('text/html', mail.html)].map(each => `--${boundary}\n${each}`).join('')
  const type = `Content-Type: multipart/alternative; boundary="${boundary}"`
  return `${headers.join('\n')}\n${type}\n\n${parts}--${boundary}--\n`
}

function part(type: string, body: string): string {
  return `Content-Type: ${type}; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n${body.trimEnd()}\n`
}

/** Prevents header injection. */
function singleLine(value: string): string {
  return value.replace(/[\r\n]+/g, ' ')
}
