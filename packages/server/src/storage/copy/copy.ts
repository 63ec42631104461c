import { existsSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../kit/clock.ts'
import type { Progress } from '../../kit/progress.ts'
import { parseDatabaseUrl } from '../database-url.ts'
import { listPendingMigrations, migrate, unfinishedCopyTable } from '../migrate.ts'
import { liveLeases } from '../node-lease.ts'
import { openSide } from './open-side.ts'
import { Checksum, keyOf, readTable } from './rows.ts'
import { quote, type Row, type Side, type Table } from './side.ts'
import { listTables } from './tables.ts'

/** The migrations of the target are its own, and the position of the copy is deleted at the end. */
const notCopied = ['migrations', unfinishedCopyTable]

export interface TableResult {
  name: string
  from: Checksum
  to: Checksum
  /** Whether both databases have the same rows. */
  isEqual: boolean
}

interface CopyOptions {
  from: string
  to: string
  clock: Clock
  /** Is called after each batch. */
  onProgress: (progress: Progress) => void
}

/** Where the copy goes on. Stored in the same transaction as the rows. */
interface Position {
  /** The table that is being copied; null after the last one. */
  table: string | null
  /** The key of its last row that was copied. */
  key: Row | null
  /** In all tables. */
  rows: number
}

/**
 * Copies all rows of a database into another one, which must be empty, and compares them. Continues an unfinished copy.
 * No service can use the target before it is complete and equal.
 */
export async function copyDatabase({ from, to, clock, onProgress }: CopyOptions): Promise<TableResult[]> {
  await assertMigrated(from)
  const source = await withOption('--from', openSide(from, { lock: true }))
  try {
    await assertNotInUse(source, '--from', clock)
    await withOption('--to', migrate(to, { allowUnfinishedCopy: true }))
    const target = await withOption('--to', openSide(to, { lock: false }))
    try {
      if (source.identity === target.identity) throw new Error('--from and --to are the same database')
      await assertNotInUse(target, '--to', clock)
      const tables = await listTables(target, notCopied)
      const total = await sum(tables, table => count(source, table))
      await copyTables(source, target, tables, rows => onProgress({ action: 'Copied', rows, total }))
      let verified = 0
      const results: TableResult[] = []
      for (const table of tables) {
        const result = await compare(source, target, table, rows => {
          verified += rows
          // The target may have more rows.
          onProgress({ action: 'Verified', rows: Math.min(verified, 2 * total), total: 2 * total })
        })
        results.push(result)
      }
      if (results.every(({ isEqual }) => isEqual)) await finish(target)
      return results
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

/** An error of the source or the target starts with the name of its option. */
async function withOption<T>(option: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw new Error(`${option}: ${messageOf(error)}`, { cause: error })
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message
}

async function assertMigrated(from: string): Promise<void> {
  const source = parseDatabaseUrl(from)
  if (source.engine === 'sqlite' && !existsSync(source.path))
    throw new Error(`--from: the file ${source.path} does not exist`)
  const pending = await withOption('--from', listPendingMigrations(from))
  if (pending.length > 0) {
    throw new Error(
      `--from: the database does not have the migration ${pending.join(', ')} of this version. ` +
        'Run "gatehouse migrate" with its DATABASE_URL first.',
    )
  }
}

async function assertNotInUse(side: Side, option: string, clock: Clock): Promise<void> {
  const leased = await side.query(liveLeases, [String(clock())])
  if (leased.length === 0) return
  throw new Error(
    `${option}: a service uses the database. Stop all of its nodes. ` +
      'If one was killed, its lease ends within a minute.',
  )
}

async function count(side: Side, table: Table): Promise<number> {
  const [row] = await side.query(`SELECT CAST(COUNT(*) AS TEXT) AS n FROM ${quote(table.name)}`)
  return Number(row?.[0])
}

async function sum<T>(items: readonly T[], f: (item: T) => Promise<number>): Promise<number> {
  let total = 0
  for (const item of items) total += await f(item)
  return total
}

async function copyTables(
  source: Side,
  target: Side,
  tables: readonly Table[],
  onRows: (rows: number) => void,
): Promise<void> {
  let position = await findOrBegin(source, target, tables)
  async function write(next: Position, table?: Table, rows: readonly Row[] = []): Promise<void> {
    await target.query('BEGIN')
    try {
      // A copy that runs at the same time has another position.
      const moved = await target.query(
        `UPDATE ${unfinishedCopyTable} SET position = $1 WHERE position = $2 RETURNING 1 AS one`,
        [JSON.stringify(next), JSON.stringify(position)],
      )
      if (moved.length === 0) throw new Error('another copy into this database is running')
      if (table) await target.insert(table, rows)
      await target.query('COMMIT')
    } catch (error) {
      await target.query('ROLLBACK').catch(() => undefined)
      throw new Error(`--to: ${table?.name ?? unfinishedCopyTable}: ${messageOf(error)}`, { cause: error })
    }
    position = next
    onRows(next.rows)
  }
  if (position.table === null) return
  const first = tables.findIndex(({ name }) => name === position.table)
  for (const table of tables.slice(first)) {
    let { rows } = position
    let writing = Promise.resolve()
    const after = position.table === table.name ? position.key : null
    for await (const batch of readTable(source, table, after ?? undefined)) {
      await writing
      rows += batch.length
      writing = write({ table: table.name, key: keyOf(table, batch.at(-1) ?? []), rows }, table, batch)
      // The next iteration reads while the batch is being written. It is awaited there.
      writing.catch(() => undefined)
      await setImmediate()
    }
    await writing
  }
  await write({ ...position, table: null, key: null })
}

/** The position of an unfinished copy, or that of a new one. */
async function findOrBegin(source: Side, target: Side, tables: readonly Table[]): Promise<Position> {
  const state = await stateOf(source, tables)
  const isUnfinished = (await target.describeColumns()).some(({ table }) => table === unfinishedCopyTable)
  if (isUnfinished) {
    const [found] = await target.query(`SELECT source, position FROM ${unfinishedCopyTable}`)
    if (found?.[0] !== state) {
      throw new Error(
        '--to: the database holds an unfinished copy of another database, or the service used the source since then. ' +
          'Start again with an empty database.',
      )
    }
    return JSON.parse(String(found[1]))
  }
  for (const { name } of tables) {
    const [row] = await target.query(`SELECT 1 AS one FROM ${quote(name)} LIMIT 1`)
    if (row) throw new Error(`--to: the database must be empty, but the table ${name} has rows`)
  }
  const position: Position = { table: tables[0]?.name ?? null, key: null, rows: 0 }
  await target.query('BEGIN')
  await target.query(`CREATE TABLE ${unfinishedCopyTable} (source TEXT PRIMARY KEY, position TEXT NOT NULL)`)
  await target.query(`INSERT INTO ${unfinishedCopyTable} (source, position) VALUES ($1, $2)`, [
    state,
    JSON.stringify(position),
  ])
  await target.query('COMMIT')
  return position
}

/**
 * Differs between two databases, and before and after a service or a command has used one: each leases a node number
 * before it writes.
 */
async function stateOf(source: Side, tables: readonly Table[]): Promise<string> {
  const checksum = new Checksum()
  for (const table of tables.filter(({ name }) => name === 'nodes' || name === 'secret_key_check'))
    for await (const rows of readTable(source, table)) for (const row of rows) checksum.add(row)
  return checksum.toString()
}

async function compare(
  source: Side,
  target: Side,
  table: Table,
  onRows: (rows: number) => void,
): Promise<TableResult> {
  async function read(side: Side): Promise<Checksum> {
    const checksum = new Checksum()
    for await (const rows of readTable(side, table)) {
      for (const row of rows) checksum.add(row)
      onRows(rows.length)
      await setImmediate()
    }
    // Reading in batches must not skip a row.
    if (checksum.rows !== (await count(side, table)))
      throw new Error(`not all rows of the table ${table.name} could be read`)
    return checksum
  }
  const [from, to] = await Promise.all([read(source), read(target)])
  return { name: table.name, from, to, isEqual: from.rows === to.rows && `${from}` === `${to}` }
}

async function finish(target: Side): Promise<void> {
  await target.complete()
  await target.query(`DROP TABLE ${unfinishedCopyTable}`)
}
