import { readdir, readFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { type Clock, systemClock } from '../kit/clock.ts'
import { Client } from './postgres-client.ts'
import { createFile, whileBusy } from './sqlite-connection.ts'
import { splitDatabaseUrl } from './url.ts'

const ownFolder = new URL('./migrations/', import.meta.url)
const fileName = /^(\d{4}-[a-z0-9-]+)\.sql$/

interface MigrateOptions {
  clock?: Clock
  /** Where the files are; ends with a slash. */
  folder?: URL
}

/** What the engines do differently. */
interface Session {
  /** Names of what was applied; none where the table is missing. */
  applied(): Promise<string[]>
  /** In one transaction and under a lock; nothing happens where another process was faster. True where it was applied. */
  apply(name: string, text: string, now: number): Promise<boolean>
  close(): Promise<void>
}

/**
 * Brings the database up to this version, file by file in the order of their names; nodes that start at once do not
 * disturb each other. Returns the names applied by this call. Throws where the database is newer than this version.
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<string[]> {
  const { clock = systemClock, folder = ownFolder } = options
  const [known, session] = await Promise.all([migrationNames(folder), openSession(url)])
  const done: string[] = []
  try {
    const applied = new Set(await session.applied())
    refuseUnknown(applied, known)
    for (const name of known) {
      if (applied.has(name)) continue
      const text = await readFile(new URL(`${name}.sql`, folder), 'utf8')
      if (await session.apply(name, text, clock())) done.push(name)
    }
  } finally {
    await session.close()
  }
  return done
}

async function migrationNames(folder: URL): Promise<string[]> {
  const files = await readdir(folder)
  return files
    .map(file => {
      const name = fileName.exec(file)?.[1]
      if (name === undefined) throw new Error(`a migration is named NNNN-name.sql, not ${file}`)
      return name
    })
    .sort()
}

function refuseUnknown(applied: ReadonlySet<string>, known: readonly string[]): void {
  const unknown = [...applied].filter(name => !known.includes(name))
  if (unknown.length === 0) return
  throw new Error(
    `the database is newer than this version of Gatehouse, which does not know its migration ${unknown.join(', ')}: ` +
      'start the version that made it, or restore a backup',
  )
}

async function openSession(url: string): Promise<Session> {
  const target = splitDatabaseUrl(url)
  return target.engine === 'sqlite' ? openSqliteSession(target.path) : openPostgresSession(target.url)
}

const table = 'CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at BIGINT NOT NULL)'

async function openSqliteSession(path: string): Promise<Session> {
  createFile(path)
  const db = await whileBusy(() => new DatabaseSync(path))
  await whileBusy(() =>
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 100'),
  )
  return {
    async applied() {
      const exists = db
        .prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'`)
        .get()
      return exists === undefined
        ? []
        : db
            .prepare('SELECT name FROM migrations')
            .all()
            .map(row => String(row.name))
    },
    async apply(name, text, now) {
      await whileBusy(() => db.exec('BEGIN IMMEDIATE'))
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

/** An arbitrary number that stands for "the schema of Gatehouse is being changed". */
const lockKey = 7_236_510_441

// An index over a large table takes longer than any statement of a request may.
const statementTimeoutMs = 3_600_000

async function openPostgresSession(url: string): Promise<Session> {
  const client = new Client(url, { connectTimeoutMs: 5_000, statementTimeoutMs })
  return {
    async applied() {
      const exists =
        await client.query(`SELECT 1 FROM pg_tables WHERE schemaname = ANY (current_schemas(false))
        AND tablename = 'migrations'`)
      if (exists.rows.length === 0) return []
      const { rows } = await client.query('SELECT name FROM migrations')
      return rows.map(row => String(row.name))
    },
    async apply(name, text, now) {
      try {
        await client.query('BEGIN')
        // Held until the end of the transaction, so that it works through a pooler too.
        await client.query('SELECT pg_advisory_xact_lock($1::bigint)', [lockKey])
        await client.query(table)
        const claimed = await client.query(
          'INSERT INTO migrations (name, applied_at) VALUES ($1, $2) ON CONFLICT DO NOTHING',
          [name, now],
        )
        if (claimed.count === 1) await client.script(text)
        await client.query('COMMIT')
        return claimed.count === 1
      } catch (error) {
        await client.query('ROLLBACK').catch(() => client.abort(error))
        throw new Error(`the migration ${name} failed`, { cause: error })
      }
    },
    close: () => client.close(),
  }
}
