import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import postgres from 'postgres'
import { migrate } from '../../server/src/storage/migrate.ts'
import { PostgresConnection } from '../../server/src/storage/postgres-connection.ts'

/*
 * A pool of migrated, empty PostgreSQL databases for tests. Creating and dropping a database takes longer than most
 * tests, so a released database is emptied and reused, also by other processes. An advisory lock on the name of the
 * database marks it as in use. PostgreSQL releases the lock when the process ends.
 */

const server = process.env.TEST_DATABASE_URL ?? 'postgres://root@127.0.0.1:5432/postgres'
const connectTimeoutMs = 5_000
const statementTimeoutMs = 60_000
const prefix = 'gatehouse_test_'
const maxDatabases = 100

/** The databases that this process has locked. */
const locked = new Set<string>()
/** Locked databases that no test uses. */
const free: string[] = []
let locks: Locks | undefined

/** Throws if the server is not reachable. */
export async function checkServer(): Promise<void> {
  await withClient(server, async () => undefined)
}

/** Returns the name of an empty database. Release it with `releaseDatabase`. */
export async function acquireDatabase(): Promise<string> {
  return free.pop() ?? (await claim())
}

/** Empties the database for the next test, or drops it if its schema has changed. */
export async function releaseDatabase(name: string): Promise<void> {
  if (await emptyDatabase(name)) free.push(name)
  else {
    await drop(name)
    await unlock(name)
  }
}

export function databaseUrl(name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** Drops all databases that no process uses. */
export async function dropTestDatabases(): Promise<void> {
  await dropUnused('')
}

async function claim(): Promise<string> {
  const version = migrationsHash()
  for (let number = 0; number < maxDatabases; number++) {
    const name = `${prefix}${version}_${number}`
    if (!(await lock(name))) continue
    if (await emptyDatabase(name)) return name
    if (number === 0) await dropUnused(version)
    await drop(name)
    await createDatabase(name)
    return name
  }
  throw new Error(`All ${maxDatabases} test databases are in use.`)
}

async function createDatabase(name: string): Promise<void> {
  // Tests do not need durability, and asynchronous commits are faster.
  await withClient(server, async client => {
    await client.script(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`)
    await client.script(`ALTER DATABASE ${name} SET synchronous_commit TO off`)
  })
  await migrate(databaseUrl(name))
  // Written last. `emptyDatabase` rejects a database without this schema, for example after an interrupted creation.
  await withClient(databaseUrl(name), client =>
    client.script(`CREATE SCHEMA original; CREATE TABLE original.columns AS ${columns};
      CREATE TABLE original.migrations AS SELECT name FROM migrations`),
  )
}

const columns = `SELECT c.relname::text AS relation, c.relkind::text AS kind, a.attname::text AS name, a.atttypid AS type
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid WHERE c.relnamespace = 'public'::regnamespace`

/** Returns false if the database does not exist or its schema differs from the migrations. */
async function emptyDatabase(name: string): Promise<boolean> {
  return withClient(databaseUrl(name), async client => {
    await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`)
    const { rows: extraTables } = await client.query(`SELECT relname FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname NOT IN (SELECT relation FROM original.columns)`)
    if (extraTables.length > 0) {
      const names = extraTables.map(({ relname }) => `"${String(relname)}"`)
      await client.script(`DROP TABLE ${names.join(', ')} CASCADE`)
    }
    const { rows: differences } = await client.query(`
      (SELECT relation, name FROM ((${columns}) EXCEPT SELECT * FROM original.columns) AS added)
      UNION ALL (SELECT relation, name FROM (SELECT * FROM original.columns EXCEPT (${columns})) AS removed)
      UNION ALL (SELECT name, name FROM migrations WHERE name NOT IN (SELECT name FROM original.migrations))`)
    if (differences.length > 0) return false
    const { rows: tables } = await client.query(
      `SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migrations'`,
    )
    const deletions = tables.map(({ tablename }) => `DELETE FROM ${String(tablename)}`)
    // Disables foreign key checks in this session, so that the order of the tables does not matter.
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

/** Returns false if this or another process has the lock. */
async function lock(name: string): Promise<boolean> {
  if (locked.has(name)) return false
  locked.add(name)
  locks ??= new Locks()
  const isLocked = await locks.call('pg_try_advisory_lock', name)
  if (!isLocked) locked.delete(name)
  return isLocked
}

async function unlock(name: string): Promise<void> {
  await locks?.call('pg_advisory_unlock', name)
  locked.delete(name)
}

/** The connection that has the advisory locks. It stays open until the process ends, and does not keep it running. */
class Locks {
  readonly #sql: postgres.Sql
  #socket: Socket | undefined

  constructor() {
    const settings = {
      max: 1,
      idle_timeout: 0,
      max_lifetime: null,
      fetch_types: false,
      // Missing in the types of the driver.
      socket: (to: { host: string[]; port: number[]; path?: string | false }) => this.#connect(to),
    }
    this.#sql = postgres(server, settings)
  }

  async call(operation: 'pg_try_advisory_lock' | 'pg_advisory_unlock', name: string): Promise<boolean> {
    this.#socket?.ref()
    const [row] = await this.#sql.unsafe(`SELECT ${operation}(hashtextextended($1, 0)) AS done`, [name])
    this.#socket?.unref()
    return row?.done === true
  }

  async #connect(to: { host: string[]; port: number[]; path?: string | false }): Promise<Socket> {
    const [host = '127.0.0.1'] = to.host
    const socket = connect(to.path ? { path: to.path } : { host, port: to.port[0] ?? 5432 })
    this.#socket = socket
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
    return socket
  }
}

/** Databases with other migrations get other names. */
function migrationsHash(): string {
  const folder = new URL('../../server/src/storage/migrations/', import.meta.url)
  const hash = createHash('sha256')
  for (const file of readdirSync(folder).toSorted())
    hash.update(file).update(readFileSync(new URL(file, folder)))
  return hash.digest('hex').slice(0, 12)
}

async function withClient<T>(url: string, f: (client: PostgresConnection) => Promise<T>): Promise<T> {
  const client = new PostgresConnection(url, { connectTimeoutMs, statementTimeoutMs })
  try {
    await client.query('SELECT 1')
    return await f(client)
  } finally {
    await client.close()
  }
}
