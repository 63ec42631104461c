import type { TestContext } from 'node:test'
import { openSide } from '../../server/src/storage/copy/open-side.ts'
import { columnList } from '../../server/src/storage/copy/side.ts'
import { listTables } from '../../server/src/storage/copy/tables.ts'
import type { TestService } from './service.ts'

/**
 * Returns a function that reads the rows of all tables, each as text, except of those of `without`. They have no time
 * of a last use, which the service writes later.
 */
export async function openDump(
  t: TestContext,
  { config }: Pick<TestService, 'config'>,
  without: readonly string[],
): Promise<() => Promise<Record<string, string[]>>> {
  const side = await openSide(config.databaseUrl, { lock: false })
  t.after(() => side.close())
  const tables = (await listTables(side, without)).map(table => ({
    ...table,
    columns: table.columns.filter(({ name }) => name !== 'last_used_at'),
  }))
  return async () => {
    const dump: Record<string, string[]> = {}
    for (const table of tables) {
      const rows = await side.query(`SELECT ${columnList(table)} FROM ${table.name}`)
      dump[table.name] = rows.map(row => JSON.stringify(row.map(String))).toSorted()
    }
    return dump
  }
}
