import { commandTimeouts } from '../migrate.ts'
import type { PostgresConnection } from '../postgres/postgres-connection.ts'
import { createConnector } from '../postgres/postgres-hosts.ts'
import {
  type Column,
  columnList,
  describeRow,
  quote,
  type Row,
  type Side,
  type Table,
  toColumnDescription,
  type Value,
} from './side.ts'

const types = { text: 'text', integer: 'bigint', bytes: 'bytea' } as const satisfies Record<
  Column['kind'],
  string
>

const schema = '(SELECT oid FROM pg_namespace WHERE nspname = current_schema())'

/** With `lock`, no node or command can start until the connection is closed. */
export async function openPostgresSide(url: string, { lock }: { lock: boolean }): Promise<Side> {
  const connection = createConnector(url, commandTimeouts)()
  try {
    if (lock) {
      // Everything that writes leases a node number first. The lock precedes the snapshot, so nothing is between them.
      await connection.script(
        'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; LOCK TABLE nodes IN SHARE MODE',
      )
    } else {
      // After a crash of the server the last commits may be missing, and the copy continues from there.
      await connection.script('SET synchronous_commit = off')
    }
    const { rows } = await connection.query(
      `SELECT 'postgres ' || (SELECT system_identifier FROM pg_control_system()) || ' ' || oid AS identity
       FROM pg_database WHERE datname = current_database()`,
    )
    return new PostgresSide(connection, String(rows[0]?.identity))
  } catch (error) {
    await connection.close()
    throw error
  }
}

class PostgresSide implements Side {
  readonly engine = 'postgres'
  readonly identity: string
  readonly #connection: PostgresConnection

  constructor(connection: PostgresConnection, identity: string) {
    this.#connection = connection
    this.identity = identity
  }

  async query(text: string, values: readonly Value[] = []): Promise<unknown[][]> {
    const { rows } = await this.#connection.query(text, [...values])
    return rows.map(row => Object.values(row))
  }

  /** One parameter for all rows: a list of JSON objects with the members `c0`, `c1` … */
  async insert(table: Table, rows: readonly Row[]): Promise<void> {
    const names = table.columns.map((_, place) => `c${place}`)
    const declared = table.columns.map(({ kind }, place) => `c${place} ${types[kind]}`)
    await this.#connection.query(
      `INSERT INTO ${quote(table.name)} (${columnList(table)})
       SELECT ${names.join(', ')} FROM json_to_recordset($1::text::json) AS r(${declared.join(', ')})`,
      [JSON.stringify(rows.map(row => toObject(table, row)))],
    )
  }

  async describeColumns() {
    const rows = await this.query(`
      SELECT c.relname::text AS a, a.attname::text AS b, format_type(a.atttypid, a.atttypmod) AS c,
        COALESCE(array_position(i.indkey::int2[], a.attnum) + 1, 0) AS d
      FROM pg_class c
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
      WHERE c.relnamespace = ${schema} AND c.relkind IN ('r', 'p')
      ORDER BY c.relname, a.attnum`)
    return rows.map(toColumnDescription)
  }

  async listReferences() {
    const rows = await this.query(`
      SELECT c.relname::text AS a, r.relname::text AS b FROM pg_constraint f
      JOIN pg_class c ON c.oid = f.conrelid JOIN pg_class r ON r.oid = f.confrelid
      WHERE f.contype = 'f' AND c.relnamespace = ${schema}`)
    return rows.map(([from, to]) => [String(from), String(to)] as const)
  }

  async complete(): Promise<void> {
    await this.#connection.script('SET synchronous_commit = on')
    // Autovacuum would do this within a minute. Until then the server plans as if the tables were empty.
    await this.#connection.script('ANALYZE')
  }

  close(): Promise<void> {
    return this.#connection.close()
  }
}

function toObject(table: Table, row: Row): Record<string, string | null> {
  const object: Record<string, string | null> = {}
  for (const [place, value] of row.entries()) {
    if (typeof value === 'string' && value.includes('\0')) {
      throw new Error(
        `${describeRow(table, row)} has U+0000 in the column ${table.columns[place]?.name}, ` +
          'which PostgreSQL cannot store',
      )
    }
    object[`c${place}`] = value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value
  }
  return object
}
