import type { Database, Sql } from './database.ts'
import { parseDatabaseUrl } from './database-url.ts'
import { migrate } from './migrate.ts'
import type { PostgresOptions } from './postgres.ts'
import { openSqlite } from './sqlite.ts'

/** Opens `sqlite:PATH` or `postgres://…` and applies pending migrations. */
export async function openDatabase(url: string): Promise<Database> {
  await migrate(url)
  return openMigrated(url)
}

/** Opens a database that has all migrations. */
export async function openMigrated(url: string, options: Partial<PostgresOptions> = {}): Promise<Database> {
  const target = parseDatabaseUrl(url)
  if (target.engine === 'sqlite') return openSqlite(target.path)
  const { openPostgres } = await import('./postgres.ts')
  return openPostgres(target.url, options)
}

export async function isReachable(sql: Sql): Promise<boolean> {
  return sql.get`SELECT 1 AS one`.then(
    () => true,
    () => false,
  )
}
