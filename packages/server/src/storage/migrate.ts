import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { type Clock, systemClock } from '../kit/clock.ts'
import { parseDatabaseUrl } from './database-url.ts'
import type { PostgresConnection } from './postgres/postgres-connection.ts'
import { createFile, retryWhileBusy } from './sqlite/sqlite-connection.ts'

const defaultFolder = new URL('./migrations/', import.meta.url)
const fileName = /^(\d{4}-[a-z0-9-]+)\.sql$/

interface MigrateOptions {
  clock?: Clock
  /** The directory of the migration files, with a trailing slash. */
  folder?: URL
  /** For the command that continues the copy. */
  allowUnfinishedCopy?: boolean
}

/** Exists while `gatehouse copy` copies into the database. */
export const unfinishedCopyTable = 'unfinished_copy'

/** The first migration of 0.1 and 0.2, whose schema cannot be migrated. */
const firstOfOldVersions = '0001-nodes'

interface ReadSession {
  hasTable(name: string): Promise<boolean>
  /** The names of applied migrations. The table must exist. */
  listApplied(): Promise<string[]>
  close(): Promise<void>
}

/** The operations that differ between the engines. */
interface Session extends ReadSession {
  /** Applies a migration in one transaction under a lock. Returns false if another process has applied it. */
  apply(name: string, text: string, now: number): Promise<boolean>
}

/**
 * Applies pending migrations in the order of their file names; several nodes may do this concurrently. Returns the
 * names that this call applied. Throws if the database has a migration that this version does not know, holds an
 * unfinished copy, or is of 0.1 or 0.2.
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<string[]> {
  const { clock = systemClock, folder = defaultFolder, allowUnfinishedCopy = false } = options
  const [known, session] = await Promise.all([migrationNames(folder), openSession(url)])
  const appliedNow: string[] = []
  try {
    const applied = await readApplied(session, known)
    if (!allowUnfinishedCopy) await assertNoUnfinishedCopy(session)
    for (const name of known) {
      if (applied.has(name)) continue
      const text = await readFile(new URL(`${name}.sql`, folder), 'utf8')
      if (await session.apply(name, text, clock())) appliedNow.push(name)
    }
  } finally {
    await session.close()
  }
  return appliedNow
}

/**
 * The names of the migrations that `migrate` would apply. Changes nothing: a SQLite file that does not exist is not
 * created. Throws like `migrate`.
 */
export async function listPendingMigrations(url: string, folder = defaultFolder): Promise<string[]> {
  const known = await migrationNames(folder)
  const target = parseDatabaseUrl(url)
  if (target.engine === 'sqlite' && !existsSync(target.path)) return known
  const session = await (target.engine === 'sqlite'
    ? readSqlite(target.path)
    : openPostgresSession(target.url))
  try {
    const applied = await readApplied(session, known)
    await assertNoUnfinishedCopy(session)
    return known.filter(name => !applied.has(name))
  } finally {
    await session.close()
  }
}

/** Throws if the SQLite database is of 0.1 or 0.2. Changes nothing. */
export async function assertNotOld(path: string): Promise<void> {
  const session = await readSqlite(path)
  try {
    await listApplied(session)
  } finally {
    await session.close()
  }
}

async function migrationNames(folder: URL): Promise<string[]> {
  const files = await readdir(folder)
  return files
    .map(file => {
      const name = fileName.exec(file)?.[1]
      if (name === undefined)
        throw new Error(`the name of a migration must have the form NNNN-name.sql: ${file}`)
      return name
    })
    .sort()
}

async function assertNoUnfinishedCopy(session: ReadSession): Promise<void> {
  if (!(await session.hasTable(unfinishedCopyTable))) return
  throw new Error(
    'the database holds an unfinished copy: run the same "gatehouse copy" again to complete ' +
      'it, or use another database',
  )
}

/** The names of the applied migrations. Throws if the database is of 0.1 or 0.2. */
async function listApplied(session: ReadSession): Promise<ReadonlySet<string>> {
  const applied = new Set((await session.hasTable('migrations')) ? await session.listApplied() : [])
  if (!applied.has(firstOfOldVersions)) return applied
  throw new Error(
    'the database is of Gatehouse 0.1 or 0.2, and 0.3.0 and later versions cannot use it: ' +
      'start with an empty database, ' +
      'with another DATABASE_URL. Nothing in this one was changed.',
  )
}

/** Like `listApplied`. Also throws if a migration is not known. */
async function readApplied(session: ReadSession, known: readonly string[]): Promise<ReadonlySet<string>> {
  const applied = await listApplied(session)
  const unknown = [...applied].filter(name => !known.includes(name))
  if (unknown.length === 0) return applied
  throw new Error(
    `the database is newer than this version of Gatehouse, which does not know the migration ${unknown.join(', ')}: ` +
      'start the version that created it, or restore a backup',
  )
}

async function openSession(url: string): Promise<Session> {
  const target = parseDatabaseUrl(url)
  return target.engine === 'sqlite' ? openSqliteSession(target.path) : openPostgresSession(target.url)
}

const table = 'CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at BIGINT NOT NULL)'

async function openSqliteSession(path: string): Promise<Session> {
  createFile(path)
  const db = await retryWhileBusy(() => new DatabaseSync(path))
  await retryWhileBusy(() =>
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 100'),
  )
  return {
    hasTable: async name => hasTableSqlite(db, name),
    listApplied: async () => listAppliedSqlite(db),
    async apply(name, text, now) {
      await retryWhileBusy(() => db.exec('BEGIN IMMEDIATE'))
      try {
        db.exec(table)
        const claimed = db
          .prepare('INSERT INTO migrations (name, applied_at) VALUES (?, ?) ON CONFLICT DO NOTHING')
          .run(name, BigInt(now))
        if (claimed.changes === 1) db.exec(text)
        db.exec('COMMIT')
        return claimed.changes === 1
      } catch (error) {
        if (db.isTransaction) db.exec('ROLLBACK')
        throw new Error(`the migration ${name} failed`, { cause: error })
      }
    },
    async close() {
      db.close()
    },
  }
}

async function readSqlite(path: string): Promise<ReadSession> {
  const location = pathToFileURL(resolve(path))
  // Not `readOnly`, which leaves the files -wal and -shm, possibly with an owner that the service cannot write as.
  location.searchParams.set('mode', 'rw')
  const db = await retryWhileBusy(() => new DatabaseSync(location))
  return {
    hasTable: name => retryWhileBusy(() => hasTableSqlite(db, name)),
    listApplied: () => retryWhileBusy(() => listAppliedSqlite(db)),
    close: async () => db.close(),
  }
}

function hasTableSqlite(db: DatabaseSync, name: string): boolean {
  return db.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`).get(name) !== undefined
}

function listAppliedSqlite(db: DatabaseSync): string[] {
  const rows = db.prepare('SELECT name FROM migrations').all()
  return rows.map(row => String(row.name))
}

/** The key of the advisory lock for migrations: an arbitrary number. */
const lockKey = 7_236_510_441

/**
 * For commands: creating an index on a large table, or counting its rows, takes longer than a statement of a request
 * may.
 */
export const commandTimeouts = { connectTimeoutMs: 5_000, statementTimeoutMs: 3_600_000 }

async function openPostgresSession(url: string): Promise<Session> {
  const { createConnector } = await import('./postgres/postgres-hosts.ts')
  const connect = createConnector(url, commandTimeouts)
  const connection = connect()
  await rejectTransactionPooling(connection, connect()).catch(async error => {
    await connection.close()
    throw error
  })
  return {
    async hasTable(name) {
      const { rows } = await connection.query(
        'SELECT 1 FROM pg_tables WHERE schemaname = ANY (current_schemas(false)) AND tablename = $1',
        [name],
      )
      return rows.length > 0
    },
    async listApplied() {
      const { rows } = await connection.query('SELECT name FROM migrations')
      return rows.map(row => String(row.name))
    },
    async apply(name, text, now) {
      try {
        await connection.query('BEGIN')
        // A lock of the transaction instead of the session, because poolers such as PgBouncer share sessions.
        await connection.query('SELECT pg_advisory_xact_lock($1::bigint)', [lockKey])
        await connection.query(table)
        const claimed = await connection.query(
          'INSERT INTO migrations (name, applied_at) VALUES ($1, $2) ON CONFLICT DO NOTHING',
          [name, now],
        )
        if (claimed.count === 1) await connection.script(text)
        await connection.query('COMMIT')
        return claimed.count === 1
      } catch (error) {
        await connection.query('ROLLBACK').catch(() => connection.abort(error))
        throw new Error(`the migration ${name} failed`, { cause: error })
      }
    },
    close: () => connection.close(),
  }
}

/**
 * With transaction pooling, two clients that are connected at the same time share a connection to the server. The
 * service prepares statements and changes settings of its connections, so it needs one for itself.
 */
async function rejectTransactionPooling(
  first: PostgresConnection,
  second: PostgresConnection,
): Promise<void> {
  const readPid = async (connection: PostgresConnection) =>
    (await connection.script('SELECT pg_backend_pid() AS pid')).rows[0]?.pid
  try {
    if ((await readPid(first)) !== (await readPid(second))) return
  } finally {
    await second.close()
  }
  throw new Error(
    'DATABASE_URL leads to a connection pooler that pools transactions. The service needs session pooling: set ' +
      'pool_mode = session in PgBouncer, or connect to PostgreSQL directly.',
  )
}
