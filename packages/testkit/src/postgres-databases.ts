import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { migrate } from '../../server/src/storage/migrate.ts'
import { PostgresClient } from './postgres-client.ts'

/*
 * A pool of migrated, empty PostgreSQL databases for tests. Creating and dropping a database takes longer than most
 * tests, so a released database is emptied and reused, also by other processes. An advisory lock on the name of the
 * database marks it as in use. PostgreSQL releases the lock when the process ends.
 */

const server = process.env.TEST_DATABASE_URL ?? 'postgres://root@127.0.0.1:5432/postgres'
const prefix = 'gatehouse_test_'
const maxDatabases = 100

/** The databases that this process has locked. */
const locked = new Set<string>()
/** Locked databases that no test uses. */
const free: string[] = []
/** The connections that empty the databases. Opening one takes longer than that. */
const cleaners = new Map<string, PostgresClient>()
/** Has the advisory locks. */
const locks = new PostgresClient(server)

/** Throws if the server is not reachable. */
export async function checkServer(): Promise<void> {
  await withClient(server, client => client.query('SELECT 1'))
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

/** Creates an empty database without migrations, whose commits are durable. */
export async function createDurableDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `gatehouse_bench_${randomBytes(4).toString('hex')}`
  await withClient(server, client =>
    client.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`),
  )
  return { url: databaseUrl(name), drop: () => drop(name) }
}

async function createDatabase(name: string): Promise<void> {
  // Tests do not need durability, and asynchronous commits are faster.
  await withClient(server, async client => {
    await client.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`)
    await client.query(`ALTER DATABASE ${name} SET synchronous_commit TO off`)
  })
  await migrate(databaseUrl(name))
  // Written last. `emptyDatabase` rejects a database without this schema, for example after an interrupted creation.
  await withClient(databaseUrl(name), client =>
    client.query(`CREATE SCHEMA original; CREATE TABLE original.columns AS ${columns};
      CREATE TABLE original.migrations AS SELECT name FROM migrations`),
  )
}

const columns = `SELECT c.relname::text AS relation, c.relkind::text AS kind, a.attname::text AS name,
a.atttypid AS type
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid WHERE c.relnamespace = 'public'::regnamespace`

/** Returns false if the database does not exist or its schema differs from the migrations. */
function emptyDatabase(name: string): Promise<boolean> {
  const client = cleaners.get(name) ?? new PostgresClient(databaseUrl(name))
  cleaners.set(name, client)
  const attempt = async (): Promise<boolean> => {
    const before = await inspect(client)
    if (before.drops !== null) await client.query(before.drops)
    const { differs, deletions } = before.drops === null ? before : await inspect(client)
    if (differs) return false
    // Disables foreign key checks in this session, so that the order of the tables does not matter.
    await client.query(`SET session_replication_role = replica; ${deletions ?? ''}`)
    return true
  }
  // A test may have terminated the connection. The second attempt has a new one.
  return attempt()
    .catch(attempt)
    .catch(() => false)
}

interface Contents {
  /** The statements that drop the tables which the migrations do not create. */
  drops: string | null
  /** Whether the columns or the applied migrations differ. */
  differs: boolean
  /** The statements that empty the tables which contain rows, or did. */
  deletions: string | null
}

/** Ends the other connections to the database and returns what the test left. */
async function inspect(client: PostgresClient): Promise<Contents> {
  const [contents] = await client.query<Contents>(`
    WITH ended AS MATERIALIZED (SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()),
      present AS MATERIALIZED (${columns}),
      tables AS (SELECT relname::text AS name, oid FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind = 'r')
    SELECT
      (SELECT string_agg(format('DROP TABLE IF EXISTS %I CASCADE', name), ';') FROM tables
        WHERE name NOT IN (SELECT relation FROM original.columns)) AS drops,
      EXISTS ((TABLE present EXCEPT TABLE original.columns) UNION ALL (TABLE original.columns EXCEPT TABLE present))
        OR EXISTS (SELECT name FROM migrations EXCEPT SELECT name FROM original.migrations) AS differs,
      (SELECT string_agg(format('DELETE FROM %I', name), ';') FROM tables
        WHERE name <> 'migrations' AND pg_relation_size(oid) > 0) AS deletions
    FROM ended`)
  if (!contents) throw new Error('The query returned no row.')
  return contents
}

async function dropUnused(version: string): Promise<void> {
  await withClient(server, async client => {
    const rows = await client.query(`SELECT datname FROM pg_database WHERE datname LIKE '${prefix}%'`)
    for (const name of rows.map(({ datname }) => String(datname))) {
      if (version !== '' && name.startsWith(`${prefix}${version}_`)) continue
      if (!(await lock(name))) continue
      await drop(name).catch(() => undefined)
      await unlock(name)
    }
  })
}

async function drop(name: string): Promise<void> {
  await cleaners.get(name)?.close()
  cleaners.delete(name)
  await withClient(server, client => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
}

/** Returns false if this or another process has the lock. */
async function lock(name: string): Promise<boolean> {
  if (locked.has(name)) return false
  locked.add(name)
  const [row] = await locks.query('SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS done', [name])
  if (row?.done !== true) locked.delete(name)
  return locked.has(name)
}

async function unlock(name: string): Promise<void> {
  await locks.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [name])
  locked.delete(name)
}

/** Databases with other migrations get other names. */
function migrationsHash(): string {
  const folder = new URL('../../server/src/storage/migrations/', import.meta.url)
  const hash = createHash('sha256')
  for (const file of readdirSync(folder).toSorted())
    hash.update(file).update(readFileSync(new URL(file, folder)))
  return hash.digest('hex').slice(0, 12)
}

async function withClient<T>(url: string, f: (client: PostgresClient) => Promise<T>): Promise<T> {
  const client = new PostgresClient(url)
  try {
    return await f(client)
  } finally {
    await client.close()
  }
}
