import { closeSync, existsSync, openSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import { splitDatabaseUrl } from './url.ts'

/**
 * Copies the database of a service, which may be running, to `file`, page by page, as it stood at one moment. Like the
 * original it can be read by its owner alone. Only for SQLite: PostgreSQL has pg_dump. Throws where `file` exists.
 */
export async function backupDatabase(url: string, file: string): Promise<void> {
  const target = splitDatabaseUrl(url)
  if (target.engine !== 'sqlite') throw new Error('backup is for SQLite; for PostgreSQL use pg_dump')
  if (existsSync(file)) throw new Error(`${file} exists already`)
  const source = new DatabaseSync(target.path, { readOnly: true })
  try {
    closeSync(openSync(file, 'wx', 0o600))
    await backup(source, file)
  } finally {
    source.close()
  }
}
