import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { countMessagesBefore, deleteMessagesBefore } from '../community/messages/index.ts'
import { type Config, ConfigError, findDataDir, readConfig } from '../config.ts'
import { recordBackup } from '../instance/index.ts'
import { runEvery, systemClock, systemTimers } from '../kit/clock.ts'
import { createProgress, formatCount, type Progress } from '../kit/progress.ts'
import { copyDatabase, type TableResult } from '../storage/copy/copy.ts'
import type { Database } from '../storage/database.ts'
import { parseDatabaseUrl } from '../storage/database-url.ts'
import { commandTimeouts, listPendingMigrations } from '../storage/migrate.ts'
import { leaseNodeNumber, leaseRenewalMs } from '../storage/node-lease.ts'
import { openMigrated } from '../storage/open.ts'

// The commands that need a database, but not the service.

/** Resolves to the exit code: 1 if the copy differs. */
export async function copy(urls: { from: string; to: string }): Promise<number> {
  for (const [name, url] of Object.entries(urls)) assertDatabaseUrl(`--${name}`, url)
  const results = await copyDatabase({ ...urls, clock: systemClock, onProgress: printProgress() })
  process.stdout.write(`${describeResults(results)}\n`)
  if (!results.every(({ isEqual }) => isEqual)) {
    process.stderr.write(
      'The copy differs from the source. No service can use it. Start again with an empty database.\n',
    )
    return 1
  }
  process.stdout.write(
    'The copy is complete and equal to the source. Its service needs the same key: the file ' +
      `${join(findDataDir(urls.from), 'secret.key')}, or SECRET_KEY. Mails in outbox/ are not copied.\n`,
  )
  return 0
}

/** One line for each table: its rows, the start of the checksum and the result. */
function describeResults(results: readonly TableResult[]): string {
  const width = Math.max(...results.map(({ name }) => name.length))
  const lines = results.map(({ name, from, to, isEqual }) => {
    const sums = isEqual ? [from] : [from, to]
    const described = sums.map(sum => `${formatCount(sum.rows).padStart(11)} rows  ${`${sum}`.slice(0, 16)}`)
    return `${name.padEnd(width)}  ${described.join(isEqual ? '' : ' but ')}  ${isEqual ? 'equal' : 'DIFFERENT'}`
  })
  return lines.join('\n')
}

function assertDatabaseUrl(option: string, url: string): void {
  try {
    parseDatabaseUrl(url)
  } catch (error) {
    throw new ConfigError(option, error instanceof Error ? error.message : String(error))
  }
}

/**
 * What the next start would create or migrate, if anything. Changes nothing. A command that only checks or lists calls
 * this before it composes the service, which would do the same as a start.
 */
export async function findMissing({
  databaseUrl,
  secretKey,
  dataDir,
}: Config): Promise<{ part: string; problem: string } | undefined> {
  const target = parseDatabaseUrl(databaseUrl)
  if (target.engine === 'sqlite' && !existsSync(target.path)) {
    const problem = `${target.path} does not exist. The first start or "gatehouse migrate" creates it.`
    return { part: 'database', problem }
  }
  const { length } = await listPendingMigrations(databaseUrl)
  if (length > 0) {
    const problem = `pending migrations: ${length}. Run "gatehouse migrate", or start the service.`
    return { part: 'database', problem }
  }
  const keyPath = join(dataDir, 'secret.key')
  if (secretKey !== undefined || existsSync(keyPath)) return undefined
  const problem =
    `${keyPath} does not exist. The first start creates it. If the database was used before, ` +
    'restore its key.'
  return { part: 'secret key', problem }
}

/** Ids count from 2015. */
const maxDays = 3650

const dayMs = 24 * 60 * 60 * 1000

/** `age`: `365d`. Resolves to the text that is printed. */
export async function prune({ age, dryRun }: { age: string; dryRun: boolean }): Promise<string> {
  const time = systemClock() - parseDays('--messages-older-than', age)
  const { databaseUrl } = readConfig()
  const db = await openUpToDate(databaseUrl)
  const bound = new Date(time).toISOString()
  try {
    const total = await countMessagesBefore(db, time)
    if (dryRun) return `Messages older than ${bound}: ${formatCount(total)}. None was deleted.`
    const onProgress = printProgress()
    const deleted = await withLease(db, () =>
      deleteMessagesBefore(db, time, rows =>
        onProgress({ action: 'Deleted', rows: Math.min(rows, total), total }),
      ),
    )
    return `Deleted messages older than ${bound}: ${formatCount(deleted)}.`
  } finally {
    await db.close()
  }
}

/** Records that a backup was made now (administration/backup-time). */
export async function recordBackupTime(databaseUrl: string): Promise<void> {
  const db = await openUpToDate(databaseUrl)
  try {
    await withLease(db, () => recordBackup(db, systemClock()))
  } finally {
    await db.close()
  }
}

async function openUpToDate(databaseUrl: string): Promise<Database> {
  const pending = await listPendingMigrations(databaseUrl)
  if (pending.length > 0) throw new Error('The database is not up to date. Run "gatehouse migrate" first.')
  return openMigrated(databaseUrl, commandTimeouts)
}

/** Like each process that writes, `work` has a node number, so that no copy of the database begins meanwhile. */
async function withLease<T>(db: Database, work: () => Promise<T>): Promise<T> {
  const lease = await leaseNodeNumber(db, { clock: systemClock })
  const renewal = runEvery(systemTimers, leaseRenewalMs, () => lease.renew().catch(() => undefined))
  try {
    return await work()
  } finally {
    await renewal.close()
    await lease.release()
  }
}

function parseDays(option: string, text: string): number {
  const days = Number(/^([1-9]\d{0,3})d$/.exec(text)?.[1])
  if (!(days <= maxDays)) throw new ConfigError(option, `expected 1d to ${maxDays}d, such as 365d for a year`)
  return days * dayMs
}

function printProgress(): (progress: Progress) => void {
  return createProgress(process.stdout, () => performance.now())
}
