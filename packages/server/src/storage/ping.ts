import type { Sql } from './database.ts'

/** Whether the database answers. */
export async function answers(sql: Sql): Promise<boolean> {
  return sql.get`SELECT 1 AS one`.then(
    () => true,
    () => false,
  )
}
