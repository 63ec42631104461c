import type { Database, SqlValue } from '../../server/src/storage/database.ts'

/** The database, with the number of rows that `all` has returned outside transactions. */
export function countRows(db: Database): Database & { rows: number } {
  const counted = {
    rows: 0,
    engine: db.engine,
    get: db.get.bind(db),
    run: db.run.bind(db),
    transaction: db.transaction.bind(db),
    batch: db.batch.bind(db),
    readAndChange: db.readAndChange.bind(db),
    close: db.close.bind(db),
    async all<Row>(text: TemplateStringsArray, ...values: SqlValue[]): Promise<Row[]> {
      const rows = await db.all<Row>(text, ...values)
      counted.rows += rows.length
      return rows
    },
  }
  return counted
}
