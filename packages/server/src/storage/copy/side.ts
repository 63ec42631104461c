/** Text, an integer as decimal text (a number is exact only up to 2^53), bytes or NULL. */
export type Value = string | Uint8Array | null
export type Row = readonly Value[]

export interface Column {
  name: string
  /** Both engines store booleans as integers and JSON as text. */
  kind: 'text' | 'integer' | 'bytes'
}

export interface Table {
  name: string
  columns: readonly Column[]
  /** The positions of the columns of the primary key in `columns`, in the order of the key. */
  key: readonly number[]
}

/** A column as the engine describes it. */
export interface ColumnDescription {
  table: string
  column: string
  type: string
  /** The place in the primary key, from 1; 0 if the column is not part of it. */
  keyPlace: number
}

/** One of the two databases of a copy. Has one connection. */
export interface Side {
  readonly engine: 'sqlite' | 'postgres'
  /** Equal for two URLs of the same database. */
  readonly identity: string
  /** The rows as lists of values. `text` is SQL of both engines, with the parameters `$1`, `$2` … in this order. */
  query(text: string, values?: readonly Value[]): Promise<unknown[][]>
  insert(table: Table, rows: readonly Row[]): Promise<void>
  /** In the order of the tables' names, then of the columns. */
  describeColumns(): Promise<ColumnDescription[]>
  /** Pairs of tables: the first has a foreign key to the second. */
  listReferences(): Promise<(readonly [string, string])[]>
  /** Makes all commits durable and collects the statistics of the tables, if the engine needs that. */
  complete(): Promise<void>
  close(): Promise<void>
}

/** A row of the table's name, the column's name, its type and its place in the key. */
export function toColumnDescription([table, column, type, keyPlace]: readonly unknown[]): ColumnDescription {
  return { table: String(table), column: String(column), type: String(type), keyPlace: Number(keyPlace) }
}

export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

export function columnList(table: Table): string {
  return table.columns.map(({ name }) => quote(name)).join(', ')
}

/** For errors: the table and the primary key of a row. */
export function describeRow(table: Table, row: readonly unknown[]): string {
  const key = table.key.map(place => `${table.columns[place]?.name} = ${String(row[place])}`)
  return `the row of ${table.name} with ${key.join(', ')}`
}
