import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import postgres from 'postgres'
import { migrate } from './migrate.ts'
import { Client } from './postgres-client.ts'

/*
 * Databases of PostgreSQL for tests, migrated and with nothing in them. To make one and to drop it takes longer than
 * most tests, so a test empties what it was lent, and the next one gets it: of the same process or of another one. A
 * lock of the server, by the name of the database, tells who has it; it goes when the process ends, however it does.
 */

const server = process.env.TEST_DATABASE_URL ?? 'postgres://root@127.0.0.1:5432/postgres'
const connectTimeoutMs = 5_000
const statementTimeoutMs = 60_000
const prefix = 'gatehouse_test_'
const most = 100

/** Those of this process. */
const held = new Set<string>()
/** Of them those that no test has. */
const free: string[] = []
let locks: Locks | undefined

/** Throws where the server does not answer. */
export async function reachServer(): Promise<void> {
  await withClient(server, async () => undefined)
}

/** The name of an empty database that nobody else has; `giveBack` it. */
export async function borrow(): Promise<string> {
  return free.pop() ?? (await claim())
}

/** Emptied for the next test; dropped where it cannot be brought back to what it was. */
export async function giveBack(name: string): Promise<void> {
  if (await emptied(name)) free.push(name)
  else {
    await drop(name)
    await unlock(name)
  }
}

export function urlOf(name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** Drops all that no process has, after the last test of a run. */
export async function dropTestDatabases(): Promise<void> {
  await dropUnused('')
}

async function claim(): Promise<string> {
  const version = migrationsHash()
  for (let number = 0; number < most; number++) {
    const name = `${prefix}${version}_${number}`
    if (!(await lock(name))) continue
    if (await emptied(name)) return name
    if (number === 0) await dropUnused(version)
    await drop(name)
    await make(name)
    return name
  }
  throw new Error(`${most} test databases are in use`)
}

async function make(name: string): Promise<void> {
  // No commit of a test needs to outlive the machine: nothing is read that was not written by the running server.
  await withClient(server, async client => {
    await client.script(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`)
    await client.script(`ALTER DATABASE ${name} SET synchronous_commit TO off`)
  })
  await migrate(urlOf(name))
  // Written last: one that was not made to its end is not taken for whole.
  await withClient(urlOf(name), client =>
    client.script(`CREATE SCHEMA kept; CREATE TABLE kept.columns AS ${columns};
      CREATE TABLE kept.migrations AS SELECT name FROM migrations`),
  )
}

const columns = `SELECT c.relname::text AS relation, c.relkind::text AS kind, a.attname::text AS name, a.atttypid AS type
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid WHERE c.relnamespace = 'public'::regnamespace`

/** False where it is not there, or its tables are not those that the migrations made. */
async function emptied(name: string): Promise<boolean> {
  return withClient(urlOf(name), async client => {
    await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`)
    const { rows: strange } = await client.query(`SELECT relname FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname NOT IN (SELECT relation FROM kept.columns)`)
    if (strange.length > 0) {
      const names = strange.map(({ relname }) => `"${String(relname)}"`)
      await client.script(`DROP TABLE ${names.join(', ')} CASCADE`)
    }
    const { rows: differences } = await client.query(`
      (SELECT relation, name FROM ((${columns}) EXCEPT SELECT * FROM kept.columns) AS more)
      UNION ALL (SELECT relation, name FROM (SELECT * FROM kept.columns EXCEPT (${columns})) AS less)
      UNION ALL (SELECT name, name FROM migrations WHERE name NOT IN (SELECT name FROM kept.migrations))`)
    if (differences.length > 0) return false
    const { rows: tables } = await client.query(
      `SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migrations'`,
    )
    const deletions = tables.map(({ tablename }) => `DELETE FROM ${String(tablename)}`)
    // No foreign key asks for an order in this session.
    await client.script(`SET session_replication_role = replica; ${deletions.join(';')}`)
    return true
  }).catch(() => false)
}

async function dropUnused(version: string): Promise<void> {
  await withClient(server, async client => {
    const { rows } = await client.query(`SELECT datname FROM pg_database WHERE datname LIKE '${prefix}%'`)
    for (const name of rows.map(({ datname }) => String(datname))) {
      if (version !== '' && name.startsWith(`${prefix}${version}_`)) continue
      if (!(await lock(name))) continue
      await drop(name).catch(() => undefined)
      await unlock(name)
    }
  })
}

async function drop(name: string): Promise<void> {
  await withClient(server, client => client.script(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
}

/** False where this process or another one has it. */
async function lock(name: string): Promise<boolean> {
  if (held.has(name)) return false
  held.add(name)
  locks ??= new Locks()
  const isTaken = await locks.ask('pg_try_advisory_lock', name)
  if (!isTaken) held.delete(name)
  return isTaken
}

async function unlock(name: string): Promise<void> {
  await locks?.ask('pg_advisory_unlock', name)
  held.delete(name)
}

/** A connection as long as the process, which it does not keep from ending: what it locks is free then. */
class Locks {
  readonly #sql: postgres.Sql
  #socket: Socket | undefined

  constructor() {
    const settings = {
      max: 1,
      idle_timeout: 0,
      max_lifetime: null,
      fetch_types: false,
      // Known to the driver, not to its types.
      socket: (to: { host: string[]; port: number[]; path?: string | false }) => this.#dial(to),
    }
    this.#sql = postgres(server, settings)
  }

  async ask(what: 'pg_try_advisory_lock' | 'pg_advisory_unlock', name: string): Promise<boolean> {
    this.#socket?.ref()
    const [row] = await this.#sql.unsafe(`SELECT ${what}(hashtextextended($1, 0)) AS done`, [name])
    this.#socket?.unref()
    return row?.done === true
  }

  async #dial(to: { host: string[]; port: number[]; path?: string | false }): Promise<Socket> {
    const [host = '127.0.0.1'] = to.host
    const socket = connect(to.path ? { path: to.path } : { host, port: to.port[0] ?? 5432 })
    this.#socket = socket
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
    return socket
  }
}

/** Of other migrations other databases. */
function migrationsHash(): string {
  const folder = new URL('./migrations/', import.meta.url)
  const hash = createHash('sha256')
  for (const file of readdirSync(folder).toSorted())
    hash.update(file).update(readFileSync(new URL(file, folder)))
  return hash.digest('hex').slice(0, 12)
}

async function withClient<T>(url: string, f: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(url, { connectTimeoutMs, statementTimeoutMs })
  try {
    await client.query('SELECT 1')
    return await f(client)
  } finally {
    await client.close()
  }
}
