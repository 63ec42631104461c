import { hash } from 'node:crypto'
import { describeRow, quote, type Row, type Side, type Table, type Value } from './side.ts'

/** At most a few MiB: rows are small, except those with bytes, of up to 1 MiB (limits/image-encoding). */
const batchRows = 1000
const batchRowsWithBytes = 16

/** Yields the rows in batches, in the order of the primary key. `after`: the key of the last row that is not wanted. */
export async function* readTable(side: Side, table: Table, after?: Row): AsyncGenerator<Row[]> {
  const limit = table.columns.some(({ kind }) => kind === 'bytes') ? batchRowsWithBytes : batchRows
  let last = after
  for (;;) {
    const rows = await readRows(side, table, last, limit)
    if (rows.length > 0) yield rows
    const end = rows.at(-1)
    if (end === undefined || rows.length < limit) return
    last = keyOf(table, end)
  }
}

export function keyOf(table: Table, row: Row): Row {
  return table.key.map(place => row[place] ?? null)
}

async function readRows(side: Side, table: Table, after: Row | undefined, limit: number): Promise<Row[]> {
  const columns = table.columns.map(({ name, kind }, place) => {
    const value = kind === 'integer' ? `CAST(${quote(name)} AS TEXT)` : quote(name)
    return `${value} AS c${place}`
  })
  const key = table.key.map(place => quote(table.columns[place]?.name ?? '')).join(', ')
  const condition = after ? `WHERE (${key}) > (${after.map((_, place) => `$${place + 1}`).join(', ')})` : ''
  const rows = await side.query(
    `SELECT ${columns.join(', ')} FROM ${quote(table.name)} ${condition} ORDER BY ${key} LIMIT ${limit}`,
    after,
  )
  for (const row of rows) assertTypes(table, row)
  return rows as Row[]
}

/** SQLite accepts a value of any type in any column. */
function assertTypes(table: Table, row: readonly unknown[]): void {
  for (const [place, { name, kind }] of table.columns.entries()) {
    if (!hasKind(row[place], kind))
      throw new Error(`${describeRow(table, row)} has a value in the column ${name} that is not ${kind}`)
  }
}

function hasKind(value: unknown, kind: 'text' | 'integer' | 'bytes'): value is Value {
  if (value === null) return true
  if (kind === 'bytes') return value instanceof Uint8Array
  return typeof value === 'string' && (kind === 'text' || /^-?\d{1,19}$/.test(value))
}

/** The sum of the SHA-256 values of rows. It does not depend on their order, which differs between the engines. */
export class Checksum {
  rows = 0
  readonly #sum = new Uint32Array(8)

  add(row: Row): void {
    const values = row.map(value =>
      value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
    )
    const digest = hash('sha256', JSON.stringify(values), 'buffer')
    for (let i = 0; i < this.#sum.length; i++) this.#sum[i] = (this.#sum[i] ?? 0) + digest.readUInt32BE(4 * i)
    this.rows++
  }

  toString(): string {
    return Buffer.from(this.#sum.buffer).toString('hex')
  }
}
