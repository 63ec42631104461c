import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, StorageUnavailable, UniqueViolation } from './database.ts'
import { openSqlite } from './sqlite.ts'
import { Connection } from './sqlite-connection.ts'

interface Opened {
  db: Database
  path: string
  /** Of each commit, the transactions in it. */
  commits: number[]
}

async function open(
  t: TestContext,
  options: { busyTimeoutMs?: number; maxBatchMs?: number; name?: string } = {},
): Promise<Opened> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-test-'))
  const path = join(folder, 'new', options.name ?? 'gatehouse.db')
  const commits: number[] = []
  const db = await openSqlite(path, {
    busyTimeoutMs: options.busyTimeoutMs ?? 5_000,
    maxBatchMs: options.maxBatchMs ?? Number.POSITIVE_INFINITY,
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

/** Another process that holds the lock for writing until `release`. */
async function lockFromOutside(t: TestContext, path: string): Promise<{ release(): Promise<void> }> {
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

test('what is asked for at once shares one commit', async t => {
  const { db, commits } = await open(t)
  await Promise.all(Array.from({ length: 200 }, (_, i) => insert(db, `${i}`)))
  assert.deepEqual(commits, [200])
  assert.equal(await count(db), 200)
})

test('a commit is written through to the disk', async t => {
  const { db } = await open(t)
  assert.deepEqual(await db.get`PRAGMA journal_mode`, { journal_mode: 'wal' })
  // 2 is FULL.
  assert.deepEqual(await db.get`PRAGMA synchronous`, { synchronous: 2 })
})

test('a batch is bounded in number', async t => {
  const { db, commits } = await open(t)
  await Promise.all(Array.from({ length: 1000 }, (_, i) => insert(db, `${i}`)))
  assert.deepEqual(commits, [256, 256, 256, 232])
  assert.equal(await count(db), 1000)
})

test('a batch is bounded in time', async t => {
  const { db, commits } = await open(t, { maxBatchMs: 0 })
  await Promise.all([insert(db, 'a'), insert(db, 'b'), insert(db, 'c')])
  assert.deepEqual(commits, [1, 1, 1])
})

test('work in one batch with a failure shares its commit, and the failure settles after it', async t => {
  const { db, commits } = await open(t)
  const settled: string[] = []
  await Promise.allSettled([
    insert(db, 'a').then(() => settled.push(`a after ${commits.length}`)),
    insert(db, 'a').catch(error => settled.push(`${error.name} after ${commits.length}`)),
    insert(db, 'b').then(() => settled.push(`b after ${commits.length}`)),
  ])
  assert.deepEqual(commits, [3])
  assert.deepEqual(settled, ['a after 1', 'UniqueViolation after 1', 'b after 1'])
})

test('work that awaits something foreign is rejected, and its neighbours are not', async t => {
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

test('the handle of work that was rejected for its wait is of no use any more', async t => {
  const { db } = await open(t)
  const late = Promise.withResolvers<unknown>()
  await assert.rejects(
    db.transaction(async tx => {
      await sleep(1)
      await insert(tx, 'late').then(late.resolve, late.resolve)
    }),
  )
  assert.match(String(await late.promise), /after its turn/)
  assert.equal(await count(db), 0)
})

test('work of any number of steps is no wait', async t => {
  const { db, commits } = await open(t)
  const step = async (tx: Pick<Database, 'run'>, i: number) => insert(tx, `${i}`)
  await db.transaction(async tx => {
    for (let i = 0; i < 2_000; i++) await step(tx, i)
    await Promise.resolve().then(() => undefined)
  })
  assert.deepEqual(commits, [1])
  assert.equal(await count(db), 2_000)
})

test('a lock that goes in time only costs time, and reads go on meanwhile', async t => {
  const { db, path } = await open(t)
  const lock = await lockFromOutside(t, path)
  const write = insert(db, 'a')
  assert.equal(await count(db), 0)
  await lock.release()
  assert.equal(await write, 1)
})

test('a database locked for too long is unavailable, and works again by itself', async t => {
  const { db, path } = await open(t, { busyTimeoutMs: 100 })
  const lock = await lockFromOutside(t, path)
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
  // What a test may do to the disk: every write beyond this size fails.
  execFileSync('prlimit', ['--pid', `${process.pid}`, `--fsize=${bytes}:`])
}

test('a disk without room is unavailable, keeps what was there, and works again by itself', async t => {
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
  assert.deepEqual(await db.get`PRAGMA integrity_check`, { integrity_check: 'ok' })
  await assert.rejects(insert(db, 'b'), UniqueViolation)
})

test('after an error of the disk the file is opened anew', async t => {
  const { db, path } = await open(t)
  await insert(db, 'a')
  const connection = new Connection(path, 'rw', '')
  t.after(() => connection.close())
  const before = connection.open()
  t.after(() => limitFileSize('unlimited'))
  limitFileSize(`${(await stat(`${path}-wal`)).size + 20_000}`)
  const literal = (template: TemplateStringsArray) => template
  assert.throws(() => connection.run(literal`UPDATE things SET bytes = zeroblob(100000)`), /disk I\/O error/)
  limitFileSize('unlimited')
  assert.notEqual(connection.open(), before)
  assert.equal(connection.run(literal`UPDATE things SET bytes = zeroblob(100000)`), 1)
})

test('a lost file is unavailable, never an empty database', async t => {
  const { db, path } = await open(t)
  await insert(db, 'a')
  await db.close()
  await rm(path)
  assert.throws(() => new Connection(path, 'rw', '').open(), /unable to open/)
})

test('the file is made with its folder, and its owner alone may read it', async t => {
  const { path } = await open(t, { name: 'odd name? #1 50%41.db' })
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.equal((await stat(`${path}-wal`)).mode & 0o777, 0o600)
})

test('a place where no file can be is refused at once', async () => {
  await assert.rejects(openSqlite('/dev/null/gatehouse.db'))
})
