import type { Database } from './database.ts'
import { migrate } from './migrate.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'
import { splitDatabaseUrl } from './url.ts'

/** Opens `sqlite:PATH` or `postgres://…`, brought up to this version. */
export async function openDatabase(url: string): Promise<Database> {
  const target = splitDatabaseUrl(url)
  await migrate(url)
  return target.engine === 'sqlite' ? openSqlite(target.path) : openPostgres(target.url)
}
