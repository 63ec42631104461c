import { rmSync } from 'node:fs'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Database, Transaction } from '../../server/src/storage/database.ts'
import { migrate } from '../../server/src/storage/migrate.ts'
import { openMigrated } from '../../server/src/storage/open.ts'
import { acquireDatabase, checkServer, databaseUrl, releaseDatabase } from './postgres-databases.ts'
import { waitUntil } from './wait-until.ts'

export type EngineName = Database['engine']

export interface Engine {
  name: EngineName
  /** Returns why the engine is unavailable, or undefined. With REQUIRE_SERVICES=1, throws instead. */
  unavailableReason(): Promise<string | undefined>
}

export interface TestDatabase {
  db: Database
  url: string
  /** Closes `db` too. */
  close(): Promise<void>
}

const options = {
  // Parallel test files share the connection limit of the server.
  max: 5,
  // Longer than on a busy machine.
  connectTimeoutMs: 60_000,
  statementTimeoutMs: 60_000,
}

let reachable: Promise<string | undefined> | undefined
let sqliteTemplate: Promise<string> | undefined

export const engines: readonly Engine[] = [
  { name: 'sqlite', unavailableReason: async () => undefined },
  { name: 'postgres', unavailableReason: checkPostgres },
]

/** Skips the test and returns true if the engine is unavailable. With REQUIRE_SERVICES=1, throws instead. */
export async function skipIfUnavailable(t: TestContext, name: EngineName): Promise<boolean> {
  const reason = await engines.find(engine => engine.name === name)?.unavailableReason()
  if (reason !== undefined) t.skip(reason)
  return reason !== undefined
}

/** Declares one test per engine. Each test gets a migrated database without rows. */
export function eachEngine(name: string, run: (t: TestContext, db: Database) => Promise<void>): void {
  eachDatabase(name, (t, { db }) => run(t, db))
}

/** Like `eachEngine`, with the URL of the database, for tests that open it a second time. */
export function eachDatabase(
  name: string,
  run: (t: TestContext, database: TestDatabase) => Promise<void>,
): void {
  for (const engine of engines) {
    test(`${name} (${engine.name})`, async t => {
      if (await skipIfUnavailable(t, engine.name)) return
      const database = await openTestDatabase(engine.name)
      try {
        await run(t, database)
      } finally {
        await database.close()
      }
    })
  }
}

/** Opens a migrated database without rows. */
export async function openTestDatabase(engine: EngineName): Promise<TestDatabase> {
  const { url, remove } = await createTestDatabase(engine)
  const db = await openMigrated(url, options).catch(async error => {
    await remove()
    throw error
  })
  return {
    db,
    url,
    async close() {
      await db.close()
      await remove()
    },
  }
}

/** Creates a migrated database without rows. */
export async function createTestDatabase(
  engine: EngineName,
): Promise<{ url: string; remove(): Promise<void> }> {
  if (engine === 'postgres') {
    const name = await acquireDatabase()
    return { url: databaseUrl(name), remove: () => releaseDatabase(name) }
  }
  sqliteTemplate ??= createSqliteTemplate()
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-test-'))
  const path = join(folder, 'gatehouse.db')
  await copyFile(await sqliteTemplate, path)
  return { url: `sqlite:${path}`, remove: () => rm(folder, { recursive: true, force: true }) }
}

/**
 * Runs `change` in a transaction that commits while `sweep` waits for it. SQLite runs transactions one after the other,
 * so there the sweep runs after the change.
 */
export async function sweepDuring(
  db: Database,
  change: (tx: Transaction) => Promise<unknown>,
  sweep: () => Promise<unknown>,
): Promise<void> {
  if (db.engine === 'sqlite') {
    await db.transaction(change)
    await sweep()
    return
  }
  const changed = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const changing = db.transaction(async tx => {
    await change(tx)
    changed.resolve()
    await released.promise
  })
  await Promise.race([changed.promise, changing])
  const sweeping = sweep()
  await waitUntil(async () => {
    const waiting = await db.get`
      SELECT 1 AS one FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    return waiting !== undefined
  })
  released.resolve()
  await changing
  await sweeping
}

async function checkPostgres(): Promise<string | undefined> {
  reachable ??= checkServer().then(
    () => undefined,
    () => 'PostgreSQL is not reachable at TEST_DATABASE_URL',
  )
  const reason = await reachable
  if (reason !== undefined && process.env.REQUIRE_SERVICES === '1') throw new Error(reason)
  return reason
}

async function createSqliteTemplate(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-test-'))
  // `beforeExit` would also run when a test waits for an unreferenced timer only.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'template.db')
  await migrate(`sqlite:${path}`)
  return path
}

export { type Database, list, type SqlValue } from '../../server/src/storage/database.ts'
export { openDatabase } from '../../server/src/storage/open.ts'
