import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import { parseDatabaseUrl } from './database-url.ts'
import { assertNotOld } from './migrate.ts'

/**
 * Copies a consistent snapshot of a SQLite database to `file`, also while the service runs. Only the owner can read the
 * copy. Throws if `file` exists, or the database is of 0.1 or 0.2. For PostgreSQL use pg_dump.
 */
export async function backupDatabase(url: string, file: string): Promise<void> {
  const target = parseDatabaseUrl(url)
  if (target.engine !== 'sqlite') throw new Error('backup supports only SQLite; use pg_dump for PostgreSQL')
  assertNew(file)
  await assertNotOld(target.path)
  // So that a copy that is not complete, because the disk is full or the process was killed, is not taken for a backup.
  const partial = `${file}.${randomUUID()}.partial`
  const source = new DatabaseSync(target.path, { readOnly: true })
  try {
    // Without a read transaction, each commit of the service would start the copy again.
    source.exec('BEGIN')
    source.prepare('SELECT COUNT(*) FROM sqlite_schema').get()
    closeSync(openSync(partial, 'wx', 0o600))
    await backup(source, partial)
    assertNew(file)
    renameSync(partial, file)
  } finally {
    source.close()
    rmSync(partial, { force: true })
  }
}

function assertNew(file: string): void {
  if (existsSync(file)) throw new Error(`${file} exists already`)
}
