import { parseDatabaseUrl } from '../database-url.ts'
import type { Side } from './side.ts'
import { openSqliteSide } from './sqlite-side.ts'

/** The database must exist. With `lock`, nothing can change it until it is closed. */
export async function openSide(url: string, options: { lock: boolean }): Promise<Side> {
  const target = parseDatabaseUrl(url)
  if (target.engine === 'sqlite') return openSqliteSide(target.path, options)
  const { openPostgresSide } = await import('./postgres-side.ts')
  return openPostgresSide(target.url, options)
}
