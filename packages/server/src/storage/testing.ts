import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Database } from './database.ts'
import { migrate } from './migrate.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'
import { borrow, giveBack, reachServer, urlOf } from './test-databases.fixture.ts'

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

// All test files at once share what the server allows.
const max = 5

let reachable: Promise<string | undefined> | undefined
let sqliteTemplate: Promise<string> | undefined

export const engines: readonly Engine[] = [
  { name: 'sqlite', missing: async () => undefined },
  { name: 'postgres', missing: postgresMissing },
]

/** True where the engine is not there, and the test then skipped by name. With REQUIRE_SERVICES=1 it throws instead. */
export async function skipsWithout(t: TestContext, name: EngineName): Promise<boolean> {
  const missing = await engines.find(engine => engine.name === name)?.missing()
  if (missing !== undefined) t.skip(missing)
  return missing !== undefined
}

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
      if (await skipsWithout(t, engine.name)) return
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
  reachable ??= reachServer().then(
    () => undefined,
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
  const name = await borrow()
  const url = urlOf(name)
  const db = await openPostgres(url, { max }).catch(async error => {
    await giveBack(name)
    throw error
  })
  return {
    db,
    url,
    async close() {
      await db.close()
      await giveBack(name)
    },
  }
}

// Not a hook of the test runner: that would belong to whichever test came first.
function atEnd(f: () => Promise<unknown>): void {
  process.once('beforeExit', () => void f().catch(() => undefined))
}
