import { closeSync, existsSync, openSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import { parseDatabaseUrl } from './database-url.ts'

/**
 * Copies a consistent snapshot of a SQLite database to `file`, also while the service runs. Only the owner can read the
 * copy. Throws if `file` exists. For PostgreSQL use pg_dump.
 */
export async function backupDatabase(url: string, file: string): Promise<void> {
  const target = parseDatabaseUrl(url)
  if (target.engine !== 'sqlite') throw new Error('backup supports only SQLite; use pg_dump for PostgreSQL')
  if (existsSync(file)) throw new Error(`${file} exists already`)
  const source = new DatabaseSync(target.path, { readOnly: true })
  try {
    closeSync(openSync(file, 'wx', 0o600))
    await backup(source, file)
  } finally {
    source.close()
  }
}
