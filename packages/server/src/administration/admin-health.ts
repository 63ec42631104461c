import { statfs } from 'node:fs/promises'
import type { AdminHealth as Health } from '@gatehouse/protocol/administration'
import type { Locale } from '@gatehouse/protocol/locales'
import { version } from '@gatehouse/protocol/version'
import { findUser } from '../accounts/users/index.ts'
import type { Bus } from '../bus/bus.ts'
import { AppError } from '../errors/app-error.ts'
import type { SessionCaller } from '../http/caller.ts'
import { translateTo } from '../i18n/translate.ts'
import { findLastBackup } from '../instance/index.ts'
import type { Clock } from '../kit/clock.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { Database } from '../storage/database.ts'
import { listNodes } from '../storage/node-lease.ts'
import { readDatabaseTime, readLastMigration } from '../storage/open.ts'
import type { Administrators } from './administrators.ts'

interface Deps {
  db: Database
  administrators: Pick<Administrators, 'act'>
  clock: Clock
  bus: Pick<Bus, 'healthy'>
  mailer: Pick<Mailer, 'deliver'>
  baseUrl: string
  dataDir: string
  natsUrl: string | undefined
  smtpUrl: string | undefined
}

const mebibyte = 1024 ** 2
const minFreeBytes = 256 * mebibyte
/** Deadlines and the leases of node numbers depend on the clocks (docs/scale.md). */
const maxClockOffsetMs = 2000

export type AdminHealth = ReturnType<typeof createAdminHealth>

export function createAdminHealth({
  db,
  administrators,
  clock,
  bus,
  mailer,
  baseUrl,
  dataDir,
  natsUrl,
  smtpUrl,
}: Deps) {
  async function checkDatabase(): Promise<Health['database']> {
    const [{ version: serverVersion, size }, lastMigration, databaseTime] = await Promise.all([
      db.describe(),
      readLastMigration(db),
      readDatabaseTime(db),
    ])
    const problem = describeOffset(databaseTime - clock())
    return { ...part(problem), engine: db.engine, serverVersion, size, lastMigration }
  }

  async function checkMail(): Promise<Health['mail']> {
    if (smtpUrl === undefined) return { ...part(undefined), kind: 'files' }
    const { findSmtpProblem } = await import('../mail/smtp.ts')
    return { ...part(await findSmtpProblem(smtpUrl)), kind: 'smtp' }
  }

  return {
    /** (administration/health) */
    async read(): Promise<Health> {
      const [nodes, database, mail, disk, lastBackup] = await Promise.all([
        listNodes(db, clock),
        checkDatabase(),
        checkMail(),
        checkDisk(dataDir),
        findLastBackup(db),
      ])
      const busProblem = bus.healthy() ? undefined : 'NATS is not reachable.'
      return {
        version,
        nodes: nodes.map(({ id, lastSeenAt }) => ({ id, lastSeenAt: toIso(lastSeenAt) })),
        database,
        bus: { ...part(busProblem), kind: natsUrl === undefined ? 'local' : 'nats' },
        mail,
        disk,
        lastBackupAt: lastBackup === undefined ? null : toIso(lastBackup),
      }
    },

    /** Throws `mail_failed` with the reason (administration/test-mail). */
    async sendTestMail(administrator: SessionCaller, locale: Locale): Promise<void> {
      const { userId } = administrator
      const user = await administrators.act(administrator, tx => findUser(tx, userId))
      if (!user || user.email === null) return
      const t = translateTo(locale)
      const problem = await mailer.deliver({
        to: user.email,
        userId,
        subject: t('testMail.subject'),
        text: `${t('testMail.text', { username: user.username })}\n\n${new URL(baseUrl).host}\n`,
      })
      if (problem !== undefined) throw new AppError('mail_failed', problem)
    },
  }
}

function part(problem: string | undefined): { ok: boolean; problem: string | null } {
  return { ok: problem === undefined, problem: problem ?? null }
}

function toIso(time: number): string {
  return new Date(time).toISOString()
}

/** What is wrong if the clock of the database is `offsetMs` ahead of this machine. */
function describeOffset(offsetMs: number): string | undefined {
  if (Math.abs(offsetMs) <= maxClockOffsetMs) return undefined
  const seconds = (Math.abs(offsetMs) / 1000).toFixed(1)
  const direction = offsetMs > 0 ? 'behind' : 'ahead of'
  return `The clock of this machine is ${seconds} s ${direction} that of the database. Synchronize both (NTP).`
}

async function checkDisk(folder: string): Promise<Health['disk']> {
  try {
    const { bavail, bsize } = await statfs(folder)
    const free = bavail * bsize
    const problem =
      `${Math.floor(free / mebibyte)} MiB are free in the data folder, ` +
      `and at least ${minFreeBytes / mebibyte} MiB are needed.`
    return { ...part(free < minFreeBytes ? problem : undefined), free }
  } catch (error) {
    // With PostgreSQL and SECRET_KEY the service may not have the folder.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      return { ...part(undefined), free: null }
    throw error
  }
}
