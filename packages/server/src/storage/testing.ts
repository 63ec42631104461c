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
let postgresTemplate: Promise<string> | undefined
let made = 0

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
  postgresTemplate ??= makePostgresTemplate()
  const template = await postgresTemplate
  const name = nextName()
  await withServer(client => client.script(`CREATE DATABASE ${name} TEMPLATE ${template}`))
  const url = urlOf(name)
  try {
    const db = await openPostgres(url, { max })
    return {
      db,
      url,
      async close() {
        await db.close()
        await drop(name)
      },
    }
  } catch (error) {
    await drop(name)
    throw error
  }
}

async function makePostgresTemplate(): Promise<string> {
  await dropLeftovers()
  const name = nextName()
  await withServer(client => client.script(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`))
  atEnd(() => drop(name))
  await migrate(urlOf(name))
  return name
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

async function withServer<T>(f: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(server, { connectTimeoutMs, statementTimeoutMs })
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
