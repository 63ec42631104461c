import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Database } from './database.ts'
import { migrate } from './migrate.ts'
import { openPostgres } from './postgres.ts'
import { Client } from './postgres-client.ts'
import { openSqlite } from './sqlite.ts'

export type EngineName = Database['engine']

export interface Engine {
  name: EngineName
  /** Why its tests cannot run here, or undefined. With REQUIRE_SERVICES=1 it throws instead. */
  missing(): Promise<string | undefined>
}

export interface TestDatabase {
  db: Database
  url: string
  /** Closes `db` too. */
  close(): Promise<void>
}

const server = process.env.TEST_DATABASE_URL ?? 'postgres://root@127.0.0.1:5432/postgres'
const connectTimeoutMs = 5_000
const statementTimeoutMs = 60_000
// All test files at once share what the server allows.
const max = 5
const leftoverMs = 3_600_000

let reachable: Promise<string | undefined> | undefined
let sqliteTemplate: Promise<string> | undefined
let swept: Promise<void> | undefined
let made = 0
/** Migrated and with nothing in them: to make one takes longer than most tests. */
const empty: PostgresDatabase[] = []
atEnd(dropEmpty)

interface PostgresDatabase {
  name: string
  /** What its tables are; of one that a test has changed it is another. */
  shape: string
}

export const engines: readonly Engine[] = [
  { name: 'sqlite', missing: async () => undefined },
  { name: 'postgres', missing: postgresMissing },
]

/** One test per engine, each on a new and migrated database. */
export function eachEngine(name: string, run: (t: TestContext, db: Database) => Promise<void>): void {
  eachDatabase(name, (t, { db }) => run(t, db))
}

/** Like `eachEngine`, with the address of the database, for tests that open it a second time. */
export function eachDatabase(
  name: string,
  run: (t: TestContext, database: TestDatabase) => Promise<void>,
): void {
  for (const engine of engines) {
    test(`${name} (${engine.name})`, async t => {
      const missing = await engine.missing()
      if (missing !== undefined) return t.skip(missing)
      const database = await openTestDatabase(engine.name)
      try {
        await run(t, database)
      } finally {
        await database.close()
      }
    })
  }
}

/** A new, migrated database of its own; `close` removes it. */
export function openTestDatabase(engine: EngineName): Promise<TestDatabase> {
  return engine === 'sqlite' ? openTestSqlite() : openTestPostgres()
}

async function postgresMissing(): Promise<string | undefined> {
  reachable ??= withServer(async () => undefined).catch(
    () => 'PostgreSQL does not answer at TEST_DATABASE_URL',
  )
  const missing = await reachable
  if (missing !== undefined && process.env.REQUIRE_SERVICES === '1') throw new Error(missing)
  return missing
}

async function openTestSqlite(): Promise<TestDatabase> {
  sqliteTemplate ??= makeSqliteTemplate()
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-test-'))
  const path = join(folder, 'gatehouse.db')
  await copyFile(await sqliteTemplate, path)
  const db = await openSqlite(path)
  return {
    db,
    url: `sqlite:${path}`,
    async close() {
      await db.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function makeSqliteTemplate(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-test-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'template.db')
  await migrate(`sqlite:${path}`)
  return path
}

async function openTestPostgres(): Promise<TestDatabase> {
  const database = empty.pop() ?? (await makePostgres())
  const url = urlOf(database.name)
  try {
    const db = await openPostgres(url, { max })
    return {
      db,
      url,
      async close() {
        await db.close()
        await giveBack(database)
      },
    }
  } catch (error) {
    await drop(database.name)
    throw error
  }
}

async function makePostgres(): Promise<PostgresDatabase> {
  swept ??= dropLeftovers()
  await swept
  const name = nextName()
  await withServer(client => client.script(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`))
  const url = urlOf(name)
  await migrate(url)
  return { name, shape: await withServer(shapeOf, url) }
}

/** Emptied for the next test; dropped where a test has changed its tables, or it cannot be emptied. */
async function giveBack(database: PostgresDatabase): Promise<void> {
  const { name, shape } = database
  const isEmpty = await withServer(async client => {
    await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`)
    if ((await shapeOf(client)) !== shape) return false
    // No foreign key asks for an order in this session.
    await client.script(`SET session_replication_role = replica; ${await deletionsOf(client)}`)
    return true
  }, urlOf(name)).catch(() => false)
  if (isEmpty) empty.push(database)
  else await drop(name)
}

async function dropEmpty(): Promise<void> {
  for (const { name } of empty.splice(0)) await drop(name)
}

async function shapeOf(client: Client): Promise<string> {
  const { rows } = await client.query(`
    SELECT md5(string_agg(format('%s %s %s', c.relname, a.attname, a.atttypid), ',' ORDER BY c.relname, a.attnum)) AS shape
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid WHERE c.relnamespace = 'public'::regnamespace`)
  return String(rows[0]?.shape)
}

async function deletionsOf(client: Client): Promise<string> {
  const { rows } = await client.query(
    `SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migrations'`,
  )
  return rows.map(({ tablename }) => `DELETE FROM ${String(tablename)}`).join(';')
}

// The name tells when it was made, so that what a killed run left behind can be told from what is in use.
function nextName(): string {
  return `gatehouse_test_${Date.now()}_${process.pid}_${made++}`
}

async function dropLeftovers(): Promise<void> {
  const { rows } = await withServer(client =>
    client.query(`SELECT datname FROM pg_database WHERE datname LIKE 'gatehouse\\_test\\_%'`),
  )
  for (const { datname } of rows) {
    const age = Date.now() - Number(/^gatehouse_test_(\d+)_\d+_\d+$/.exec(String(datname))?.[1])
    if (age > leftoverMs) await drop(String(datname)).catch(() => undefined)
  }
}

function drop(name: string): Promise<unknown> {
  return withServer(client => client.script(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
}

async function withServer<T>(f: (client: Client) => Promise<T>, url = server): Promise<T> {
  const client = new Client(url, { connectTimeoutMs, statementTimeoutMs })
  try {
    await client.query('SELECT 1')
    return await f(client)
  } finally {
    await client.close()
  }
}

function urlOf(name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

// Not a hook of the test runner: that would belong to whichever test came first.
function atEnd(f: () => Promise<unknown>): void {
  process.once('beforeExit', () => void f().catch(() => undefined))
}
