import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { fdatasync, fstatSync, readFileSync } from 'node:fs'
import { copyFile, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, StorageUnavailable, type Transaction, UniqueViolation } from '../database.ts'
import { sql } from '../sql-template.ts'
import { openSqlite } from './sqlite.ts'
import { SqliteConnection } from './sqlite-connection.ts'
import { type LogFile, rewriteFile, type SyncFile } from './wal-sync.ts'

interface Opened {
  db: Database
  path: string
  /** The number of transactions of each commit. */
  commits: number[]
}

async function open(
  t: TestContext,
  options: { busyTimeoutMs?: number; maxGroupMs?: number; name?: string } = {},
): Promise<Opened> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-test-'))
  const path = join(folder, 'new', options.name ?? 'gatehouse.db')
  const commits: number[] = []
  const db = await openSqlite(path, {
    busyTimeoutMs: options.busyTimeoutMs ?? 5_000,
    maxGroupMs: options.maxGroupMs ?? Number.POSITIVE_INFINITY,
    onCommit: transactions => commits.push(transactions),
  })
  t.after(async () => {
    await db.close()
    await rm(folder, { recursive: true, force: true })
  })
  await db.run`CREATE TABLE things (id TEXT PRIMARY KEY, n BIGINT NOT NULL, bytes BYTEA)`
  commits.length = 0
  return { db, path, commits }
}

async function count(db: Database): Promise<number> {
  const row = await db.get<{ count: number }>`SELECT COUNT(*) AS count FROM things`
  return row?.count ?? -1
}

function insert(db: Pick<Database, 'run'>, id: string): Promise<number> {
  return db.run`INSERT INTO things (id, n) VALUES (${id}, 1)`
}

/** Starts a process that has the write lock until `release`. */
async function lockFromOtherProcess(t: TestContext, path: string): Promise<{ release(): Promise<void> }> {
  const script = `const db = new (require('node:sqlite').DatabaseSync)(process.argv[1])
    db.exec('BEGIN IMMEDIATE')
    console.log('locked')
    process.stdin.once('data', () => { db.exec('COMMIT'); db.close(); process.exit() })`
  const child = spawn(process.execPath, ['-e', script, path], { stdio: ['pipe', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  const gone = new Promise<void>(resolve => child.once('exit', () => resolve()))
  await new Promise(resolve => child.stdout.once('data', resolve))
  return {
    async release() {
      child.stdin.write('go')
      await gone
    },
  }
}

test('concurrent transactions share one commit', async t => {
  const { db, commits } = await open(t)
  await Promise.all(Array.from({ length: 200 }, (_, i) => insert(db, `${i}`)))
  assert.deepEqual(commits, [200])
  assert.equal(await count(db), 200)
})

/** A `SyncFile` whose calls complete only when the test calls `end`, or `unblock`, after which no call waits. */
function createBlockedSync() {
  const syncs: { inode: number; end(error?: Error): void }[] = []
  let isBlocked = true
  const syncFile: SyncFile = (descriptor, callback) => {
    const end = (error?: Error) => (error ? callback(error) : fdatasync(descriptor, callback))
    if (isBlocked) syncs.push({ inode: fstatSync(descriptor).ino, end })
    else end()
  }
  function unblock(): void {
    isBlocked = false
    for (const { end } of syncs.splice(0)) end()
  }
  return { syncs, syncFile, unblock }
}

/** The state of a promise after all runnable work has run. */
async function stateOf(promise: Promise<unknown>): Promise<'pending' | 'settled'> {
  let state: 'pending' | 'settled' = 'pending'
  const settled = () => {
    state = 'settled'
  }
  promise.then(settled, settled)
  for (let round = 0; round < 5; round++) await new Promise(resolve => setImmediate(resolve))
  return state
}

async function openWithBlockedSync(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-test-'))
  const path = join(folder, 'gatehouse.db')
  const disk = createBlockedSync()
  const db = await openSqlite(path, { syncFile: disk.syncFile })
  const table = db.run`CREATE TABLE things (id TEXT PRIMARY KEY, n BIGINT NOT NULL)`
  t.after(async () => {
    // A test that failed has left a sync for which `close` would wait.
    disk.unblock()
    await db.close()
    await rm(folder, { recursive: true, force: true })
  })
  await stateOf(table)
  disk.syncs.shift()?.end()
  await table
  return { db, path, syncs: disk.syncs }
}

test('a transaction resolves only after its commit is synced to the disk', async t => {
  const { db, path, syncs } = await openWithBlockedSync(t)
  assert.deepEqual(await db.get`SELECT journal_mode FROM pragma_journal_mode`, { journalMode: 'wal' })
  // 1 is NORMAL: `WalSync` syncs the log.
  const writing = db.transaction(tx => tx.get`SELECT synchronous FROM pragma_synchronous`)
  await stateOf(writing)
  syncs.shift()?.end()
  assert.deepEqual(await writing, { synchronous: 1 })
  const written = insert(db, 'a')
  assert.equal(await stateOf(written), 'pending')
  assert.deepEqual(
    syncs.map(({ inode }) => inode),
    [(await stat(`${path}-wal`)).ino],
  )
  syncs.shift()?.end()
  assert.equal(await written, 1)
})

test('transactions that arrive during a sync form one group with its own sync', async t => {
  const { db, syncs } = await openWithBlockedSync(t)
  const first = insert(db, 'a')
  assert.equal(await stateOf(first), 'pending')
  const others = Promise.all([insert(db, 'b'), insert(db, 'c')])
  assert.equal(await stateOf(others), 'pending')
  assert.equal(syncs.length, 1)
  syncs.shift()?.end()
  assert.equal(await first, 1)
  assert.equal(await stateOf(others), 'pending')
  assert.equal(syncs.length, 1)
  syncs.shift()?.end()
  assert.deepEqual(await others, [1, 1])
})

test('a read that sees a commit resolves only when the commit is durable', async t => {
  const { db, syncs } = await openWithBlockedSync(t)
  const written = insert(db, 'a')
  await stateOf(written)
  const seen = count(db)
  assert.equal(await stateOf(seen), 'pending')
  syncs.shift()?.end()
  assert.equal(await seen, 1)
  assert.equal(await stateOf(count(db)), 'settled')
})

test('a failed sync rejects the commit and the reads that saw it', async t => {
  const { db, syncs } = await openWithBlockedSync(t)
  const written = insert(db, 'a')
  await stateOf(written)
  const seen = count(db)
  syncs.shift()?.end(new Error('EIO'))
  await assert.rejects(written, StorageUnavailable)
  await assert.rejects(seen, StorageUnavailable)
  const next = insert(db, 'b')
  await stateOf(next)
  syncs.shift()?.end()
  assert.equal(await next, 1)
})

/**
 * A disk whose syncs may fail. As on Linux, the bytes of a failed sync count as written: a later sync writes them only
 * if they are written to the file again.
 */
function createFailingDisk(path: string) {
  const log = `${path}-wal`
  /** The bytes of the log that a sync does not write. */
  let clean = Buffer.alloc(0)
  let onDisk = Buffer.alloc(0)
  const disk = { error: undefined as Error | undefined, isReadable: true }
  const file: LogFile = {
    syncFile(_, callback) {
      const bytes = readFileSync(log)
      const written = Buffer.alloc(bytes.length)
      onDisk.copy(written)
      for (const [i, byte] of bytes.entries()) if (byte !== clean[i]) written[i] = byte
      if (disk.error === undefined) onDisk = written
      clean = bytes
      setImmediate(callback, disk.error ?? null)
    },
    rewriteFile(descriptor) {
      if (!disk.isReadable) throw new Error('EIO')
      const before = readFileSync(log)
      rewriteFile(descriptor)
      assert.deepEqual(readFileSync(log), before)
      clean = Buffer.alloc(0)
    },
  }
  return {
    disk,
    file,
    /** The ids that a start after a power failure finds. */
    async readAfterPowerFailure(): Promise<unknown[]> {
      const copy = `${path}-copy`
      await copyFile(path, copy)
      await writeFile(`${copy}-wal`, onDisk)
      const db = new DatabaseSync(copy)
      try {
        return db
          .prepare('SELECT id FROM things ORDER BY id')
          .all()
          .map(({ id }) => id)
      } finally {
        db.close()
      }
    },
  }
}

test('a commit after a failed sync is confirmed only when the whole log is on the disk', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-test-'))
  const path = join(folder, 'gatehouse.db')
  const { disk, file, readAfterPowerFailure } = createFailingDisk(path)
  const db = await openSqlite(path, file)
  t.after(async () => {
    await db.close()
    await rm(folder, { recursive: true, force: true })
  })
  await db.run`CREATE TABLE things (id TEXT PRIMARY KEY, n BIGINT NOT NULL)`
  await insert(db, 'a')
  disk.error = new Error('EIO')
  await assert.rejects(insert(db, 'b'), StorageUnavailable)
  await assert.rejects(insert(db, 'c'), StorageUnavailable)
  assert.deepEqual(await readAfterPowerFailure(), ['a'])
  disk.error = undefined
  disk.isReadable = false
  await assert.rejects(insert(db, 'd'), StorageUnavailable)
  disk.isReadable = true
  await insert(db, 'e')
  assert.deepEqual(await readAfterPowerFailure(), ['a', 'b', 'c', 'e'])
})

test('a group has a maximum number of transactions', async t => {
  const { db, commits } = await open(t)
  await Promise.all(Array.from({ length: 1000 }, (_, i) => insert(db, `${i}`)))
  assert.deepEqual(commits, [256, 256, 256, 232])
  assert.equal(await count(db), 1000)
})

test('a group has a maximum duration', async t => {
  const { db, commits } = await open(t, { maxGroupMs: 0 })
  await Promise.all([insert(db, 'a'), insert(db, 'b'), insert(db, 'c')])
  assert.deepEqual(commits, [1, 1, 1])
})

test('a failed transaction does not affect its group and rejects after the commit', async t => {
  const { db, commits } = await open(t)
  const settled: string[] = []
  await Promise.allSettled([
    insert(db, 'a').then(() => settled.push(`a after ${commits.length}`)),
    insert(db, 'a').catch(error => settled.push(`${error.name} after ${commits.length}`)),
    insert(db, 'b').then(() => settled.push(`b after ${commits.length}`)),
  ])
  assert.deepEqual(commits, [2])
  assert.deepEqual(settled, ['a after 1', 'UniqueViolation after 1', 'b after 1'])
})

type Fail = (tx: Pick<Database, 'run' | 'get'>) => Promise<unknown>

/** Runs a group of three transactions of which the second fails. */
async function assertIsUndone(db: Database, fail: Fail): Promise<void> {
  const runs = [0, 0, 0]
  const hooks: string[] = []
  const works = [
    (tx: Transaction) => insert(tx, 'a'),
    async (tx: Transaction) => {
      await fail(tx)
      throw new Error('its own error')
    },
    (tx: Transaction) => insert(tx, 'c'),
  ]
  const results = await Promise.allSettled(
    works.map((work, i) =>
      db.transaction(async tx => {
        runs[i] = (runs[i] ?? 0) + 1
        tx.afterCommit(() => hooks.push(`of ${i}`))
        await work(tx)
      }),
    ),
  )
  assert.deepEqual(
    results.map(result => result.status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  assert.deepEqual(runs, [1, 1, 1])
  assert.deepEqual(hooks, ['of 0', 'of 2'])
  assert.deepEqual(await db.all`SELECT id FROM things ORDER BY id`, [{ id: 'a' }, { id: 'c' }])
  await db.run`DELETE FROM things`
}

test('a transaction that fails is undone, and the others of its group run once', async t => {
  const { db, commits } = await open(t)
  const failures: Fail[] = [
    async () => undefined,
    tx => tx.get`SELECT COUNT(*) AS n FROM things`,
    tx => tx.run`DELETE FROM things WHERE id = 'none'`,
    tx => tx.get`DELETE FROM things WHERE id = 'none' RETURNING id`,
    tx => insert(tx, 'a'),
    tx => insert(tx, 'left'),
    tx => tx.get`INSERT INTO things (id, n) VALUES ('left', 1) RETURNING id`,
    async tx => {
      await insert(tx, 'left')
      await insert(tx, 'left')
    },
  ]
  for (const fail of failures) await assertIsUndone(db, fail)
  assert.deepEqual(
    commits,
    failures.flatMap(() => [2, 1]),
  )
})

test('get and all reject a statement that returns no rows', async t => {
  const { db } = await open(t)
  await assert.rejects(db.get`INSERT INTO things (id, n) VALUES ('a', 1)`, /use `run`/)
  await assert.rejects(db.all`INSERT INTO things (id, n) VALUES ('a', 1)`, /use `run`/)
  assert.equal(await count(db), 0)
})

test('a failed transaction that is alone in its group is rolled back, and the next one runs', async t => {
  const { db, commits } = await open(t)
  const failures = {
    'its own error': () => Promise.reject(new Error('its own error')),
    UniqueViolation: (tx: Pick<Database, 'run'>) => insert(tx, 'failed'),
    'something other than its own handle': () => sleep(1),
  }
  for (const [reason, fail] of Object.entries(failures)) {
    const hooks: string[] = []
    await assert.rejects(
      db.transaction(async tx => {
        await insert(tx, 'failed')
        tx.afterCommit(() => hooks.push('called'))
        await fail(tx)
      }),
      error => String(error).includes(reason),
    )
    assert.deepEqual(hooks, [])
  }
  assert.equal(await count(db), 0)
  assert.deepEqual(commits, [])
  assert.equal(await insert(db, 'failed'), 1)
  assert.equal(await count(db), 1)
  assert.deepEqual(commits, [1])
})

test('a failed transaction that is alone in its group rejects only after a sync', async t => {
  const { db, syncs } = await openWithBlockedSync(t)
  const failed = db.transaction(async tx => {
    await insert(tx, 'a')
    throw new Error('its own error')
  })
  failed.catch(() => undefined)
  assert.equal(await stateOf(failed), 'pending')
  const seen = count(db)
  assert.equal(await stateOf(seen), 'pending')
  syncs.shift()?.end()
  await assert.rejects(failed, /its own error/)
  assert.equal(await seen, 0)
})

test('a transaction that awaits anything but its handle is rejected, others of the group are not', async t => {
  const { db } = await open(t)
  const foreign = [
    () => new Promise(resolve => setImmediate(resolve)),
    () => sleep(1),
    () => new Promise(() => undefined),
    () => stat('/'),
    () => insert(db, 'nested'),
    () => db.transaction(async () => undefined),
  ]
  const results = await Promise.allSettled([
    insert(db, 'before'),
    ...foreign.map((wait, i) =>
      db.transaction(async tx => {
        await insert(tx, `foreign-${i}`)
        await wait()
        await insert(tx, `late-${i}`)
      }),
    ),
    insert(db, 'after'),
  ])
  const rejected = results.flatMap(result => (result.status === 'rejected' ? [String(result.reason)] : []))
  assert.equal(rejected.length, foreign.length)
  for (const reason of rejected) assert.match(reason, /awaited something other than its own handle/)
  await sleep(20)
  assert.deepEqual(await db.all`SELECT id FROM things ORDER BY id`, [
    { id: 'after' },
    { id: 'before' },
    { id: 'nested' },
  ])
})

test('the handle of a transaction that was rejected for its wait throws', async t => {
  const { db } = await open(t)
  const late = Promise.withResolvers<unknown>()
  await assert.rejects(
    db.transaction(async tx => {
      await sleep(1)
      await insert(tx, 'late').then(late.resolve, late.resolve)
    }),
  )
  assert.match(String(await late.promise), /has ended/)
  assert.equal(await count(db), 0)
})

test('a transaction may have any number of steps', async t => {
  const { db, commits } = await open(t)
  const step = async (tx: Pick<Database, 'run'>, i: number) => insert(tx, `${i}`)
  await db.transaction(async tx => {
    for (let i = 0; i < 2_000; i++) await step(tx, i)
    await Promise.resolve().then(() => undefined)
  })
  assert.deepEqual(commits, [1])
  assert.equal(await count(db), 2_000)
})

test('a write waits for the lock of another process while reads continue', async t => {
  const { db, path } = await open(t)
  const lock = await lockFromOtherProcess(t, path)
  const write = insert(db, 'a')
  assert.equal(await count(db), 0)
  await lock.release()
  assert.equal(await write, 1)
})

test('a database that stays locked is unavailable, and recovers when the lock is released', async t => {
  const { db, path } = await open(t, { busyTimeoutMs: 100 })
  const lock = await lockFromOtherProcess(t, path)
  const results = await Promise.allSettled(Array.from({ length: 600 }, (_, i) => insert(db, `${i}`)))
  for (const result of results) {
    assert.equal(result.status, 'rejected')
    assert.ok(result.reason instanceof StorageUnavailable)
  }
  assert.equal(await count(db), 0)
  await lock.release()
  assert.equal(await insert(db, 'a'), 1)
})

function limitFileSize(bytes: string): void {
  // Makes every write beyond this file size fail.
  execFileSync('prlimit', ['--pid', `${process.pid}`, `--fsize=${bytes}:`])
}

test('a full disk makes the database unavailable without data loss, and it recovers', async t => {
  const { db, path } = await open(t)
  await insert(db, 'a')
  t.after(() => limitFileSize('unlimited'))
  limitFileSize(`${(await stat(`${path}-wal`)).size + 20_000}`)
  const results = await Promise.allSettled(
    Array.from({ length: 50 }, (_, i) =>
      db.transaction(async tx => {
        await insert(tx, `${i}`)
        await tx.run`UPDATE things SET bytes = ${new Uint8Array(10_000)} WHERE id = ${`${i}`}`
      }),
    ),
  )
  assert.ok(
    results.every(result => result.status === 'rejected' && result.reason instanceof StorageUnavailable),
  )
  assert.equal(await count(db), 1)
  limitFileSize('unlimited')
  await insert(db, 'b')
  assert.equal(await count(db), 2)
  assert.deepEqual(await db.get`PRAGMA integrity_check`, { integrityCheck: 'ok' })
  await assert.rejects(insert(db, 'b'), UniqueViolation)
})

test('the file is reopened after an I/O error', async t => {
  const { db, path } = await open(t)
  await insert(db, 'a')
  const connection = new SqliteConnection(path, 'rw', '')
  t.after(() => connection.close())
  const before = connection.open()
  t.after(() => limitFileSize('unlimited'))
  limitFileSize(`${(await stat(`${path}-wal`)).size + 20_000}`)
  assert.throws(() => connection.run(sql`UPDATE things SET bytes = zeroblob(100000)`), /disk I\/O error/)
  limitFileSize('unlimited')
  assert.notEqual(connection.open(), before)
  assert.equal(connection.run(sql`UPDATE things SET bytes = zeroblob(100000)`), 1)
})

test('a deleted file makes the database unavailable instead of empty', async t => {
  const { db, path } = await open(t)
  await insert(db, 'a')
  await db.close()
  await rm(path)
  assert.throws(() => new SqliteConnection(path, 'rw', '').open(), /unable to open/)
})

test('the file and its directory are created readable only by the owner', async t => {
  const { path } = await open(t, { name: 'odd name? #1 50%41.db' })
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.equal((await stat(`${path}-wal`)).mode & 0o777, 0o600)
})

test('a path that cannot be created is rejected immediately', async () => {
  await assert.rejects(openSqlite('/dev/null/gatehouse.db'))
})
