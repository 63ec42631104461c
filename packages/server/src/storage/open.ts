import type { Database, Sql } from './database.ts'
import { parseDatabaseUrl } from './database-url.ts'
import { migrate } from './migrate.ts'
import type { PostgresOptions } from './postgres/postgres.ts'
import { openSqlite } from './sqlite/sqlite.ts'

/** Opens `sqlite:PATH` or `postgres://…` and applies pending migrations. */
export async function openDatabase(url: string): Promise<Database> {
  await migrate(url)
  return openMigrated(url)
}

/** Opens a database that has all migrations. */
export async function openMigrated(url: string, options: Partial<PostgresOptions> = {}): Promise<Database> {
  const target = parseDatabaseUrl(url)
  if (target.engine === 'sqlite') return openSqlite(target.path)
  const { openPostgres } = await import('./postgres/postgres.ts')
  return openPostgres(target.url, options)
}

export async function isReachable(sql: Sql): Promise<boolean> {
  return sql.get`SELECT 1 AS one`.then(
    () => true,
    () => false,
  )
}

/** Databases always have one: `openMigrated` is called after all of them. */
export async function readLastMigration(sql: Sql): Promise<string> {
  const row = await sql.get<{ name: string }>`SELECT max(name) AS name FROM migrations`
  return row?.name ?? ''
}

/** The time of the database server in milliseconds. SQLite has the clock of this machine, in whole seconds. */
export async function readDatabaseTime(sql: Sql): Promise<number> {
  // `2026-11-21 10:00:00.123+00` on PostgreSQL, in any time zone, and without an offset on SQLite, where it is UTC.
  const row = await sql.get<{ now: string }>`SELECT CAST(CURRENT_TIMESTAMP AS TEXT) AS now`
  const [, date, time, sign, hours, minutes = '00'] =
    /^(\S+) ([\d:.]+)(?:([+-])(\d\d)(?::(\d\d))?)?$/.exec(row?.now ?? '') ?? []
  return Date.parse(`${date}T${time}${sign === undefined ? 'Z' : `${sign}${hours}:${minutes}`}`)
}
