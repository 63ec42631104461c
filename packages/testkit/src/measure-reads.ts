import type { Database, SqlValue } from '../../server/src/storage/database.ts'

/** The database, with the rows and the JSON bytes that each call of `all` outside a transaction has returned. */
export function measureReads(db: Database): Database & { rows: number; bytes: number[] } {
  const measured = {
    rows: 0,
    bytes: [] as number[],
    engine: db.engine,
    get: db.get.bind(db),
    run: db.run.bind(db),
    transaction: db.transaction.bind(db),
    describe: db.describe.bind(db),
    close: db.close.bind(db),
    async all<Row>(text: TemplateStringsArray, ...values: SqlValue[]): Promise<Row[]> {
      const rows = await db.all<Row>(text, ...values)
      measured.rows += rows.length
      measured.bytes.push(JSON.stringify(rows).length)
      return rows
    },
  }
  return measured
}
