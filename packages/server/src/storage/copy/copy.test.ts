import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createTestClock } from '@gatehouse/testkit/clock'
import {
  createTestDatabase,
  engines,
  openTestDatabase,
  skipIfUnavailable,
  type TestDatabase,
} from '@gatehouse/testkit/databases'
import { PostgresClient } from '@gatehouse/testkit/postgres-client'
import type { Progress } from '../../kit/progress.ts'
import type { Database } from '../database.ts'
import { listPendingMigrations } from '../migrate.ts'
import { leaseNodeNumber } from '../node-lease.ts'
import { openDatabase, openMigrated } from '../open.ts'
import { copyDatabase } from './copy.ts'
import { openSide } from './open-side.ts'
import { listTables } from './tables.ts'

const clock = createTestClock()
const now = clock.now()
const pairs = engines.flatMap(({ name: from }) => engines.map(({ name: to }) => ({ from, to })))

/** Declares one test for each pair of engines, with a migrated source. The target has no rows. */
function eachPair(
  name: string,
  run: (t: TestContext, source: TestDatabase, to: string) => Promise<void>,
): void {
  for (const { from, to } of pairs) {
    test(`${name} (${from} to ${to})`, async t => {
      if ((await skipIfUnavailable(t, from)) || (await skipIfUnavailable(t, to))) return
      const target = await createTestDatabase(to)
      t.after(target.remove)
      const source = await openTestDatabase(from)
      t.after(() => source.close())
      await run(t, source, target.url)
    })
  }
}

function copy(from: string, to: string, onProgress: (progress: Progress) => void = () => undefined) {
  return copyDatabase({ from, to, clock: clock.now, onProgress })
}

async function withDatabase<T>(url: string, f: (db: Database) => Promise<T>): Promise<T> {
  const db = await openMigrated(url)
  try {
    return await f(db)
  } finally {
    await db.close()
  }
}

/** A user, a channel and messages with ids from 1. */
async function fill(db: Database, messages: number): Promise<void> {
  await db.run`INSERT INTO users (id, username, display_name, created_at) VALUES ('1', 'ana', 'Ana', ${now})`
  await db.run`INSERT INTO channels (id, type, position, created_at) VALUES ('1', 'dm', 0, ${now})`
  await db.run`
    WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < ${messages})
    INSERT INTO messages (id, channel_id, author_id, content, embeds, components, mentions, state, created_at)
    SELECT CAST(1000000 + i AS TEXT), '1', '1', 'Message ' || i, '[]', '[]', '', 'sent', i FROM n`
}

async function countMessages(url: string): Promise<number | undefined> {
  return withDatabase(url, async db => (await db.get<{ n: number }>`SELECT COUNT(*) AS n FROM messages`)?.n)
}

async function runAndKill(from: string, to: string, rows: number): Promise<void> {
  const script = fileURLToPath(new URL('./killed-copy.fixture.ts', import.meta.url))
  const child = spawn(process.execPath, [script, from, to, String(rows)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [, signal] = await once(child, 'exit')
  assert.equal(signal, 'SIGKILL')
}

eachPair('values of all types are the same in the copy', async (_t, { db, url }, to) => {
  await fill(db, 0)
  const values = {
    large: '9223372036854775807',
    small: '-9223372036854775808',
    text: '\u0001 "\'\\ \t\r\n {"a":[1,null]} \u2028 Привет 🎲 e\u0301 ',
    bytes: new Uint8Array(256).map((_, index) => index),
  }
  await db.run`INSERT INTO nodes (id, holder, expires_at)
    VALUES (CAST(${values.large} AS BIGINT), '', CAST(${values.small} AS BIGINT))`
  await db.run`UPDATE users SET display_name = ${values.text}, email = '', avatar = NULL`
  await db.run`INSERT INTO images (kind, owner_id, uploader_id, hash, content_type, bytes)
    VALUES ('users', '1', '1', '', 'image/png', ${values.bytes}), ('users', '2', '1', '', 'image/png',
    ${new Uint8Array()})`
  const results = await copy(url, to)
  assert.ok(results.every(({ isEqual }) => isEqual))
  await withDatabase(to, async copied => {
    const node =
      await copied.get`SELECT CAST(id AS TEXT) AS id, CAST(expires_at AS TEXT) AS expires_at FROM nodes`
    assert.deepEqual(node, { id: values.large, expiresAt: values.small })
    const user = await copied.get`SELECT display_name, email, avatar FROM users`
    assert.deepEqual(user, { displayName: values.text, email: '', avatar: null })
    const images = await copied.all<{ bytes: Uint8Array }>`SELECT bytes FROM images ORDER BY owner_id`
    assert.deepEqual(
      images.map(({ bytes }) => [...bytes]),
      [[...values.bytes], []],
    )
  })
})

eachPair(
  'a killed copy continues with the next row, and the service waits for it',
  async (_t, { db, url }, to) => {
    await fill(db, 5000)
    await runAndKill(url, to, 2500)
    const copied = (await countMessages(to)) ?? 0
    assert.ok(copied >= 2000 && copied < 5000, `${copied} messages`)
    const unfinished = /holds an unfinished copy: run the same "gatehouse copy" again/
    await assert.rejects(openDatabase(to), unfinished)
    await assert.rejects(listPendingMigrations(to), unfinished)
    await assert.rejects(copy(to, url), unfinished)

    const progress: Progress[] = []
    const results = await copy(url, to, entry => progress.push(entry))
    assert.ok(results.every(({ isEqual }) => isEqual))
    assert.ok((progress[0]?.rows ?? 0) > copied, 'copied rows are not copied again')
    assert.deepEqual(progress.filter(({ action }) => action === 'Copied').at(-1), {
      action: 'Copied',
      rows: 5002,
      total: 5002,
    })
    assert.deepEqual(progress.at(-1), { action: 'Verified', rows: 10_004, total: 10_004 })
    assert.equal(await countMessages(to), 5000)
    await (await openDatabase(to)).close()
    await assert.rejects(
      copy(url, to),
      /^Error: --to: the database must be empty, but the table users has rows$/,
    )
  },
)

const faults = {
  'a changed row': (db: Database) => db.run`UPDATE messages SET content = 'Message 3.' WHERE id = '1000003'`,
  'a missing row': (db: Database) => db.run`DELETE FROM messages WHERE id = '1000003'`,
  'an additional row': (db: Database) => db.run`
    INSERT INTO messages (id, channel_id, author_id, content, embeds, components, mentions, state, created_at)
    VALUES ('1', '1', '1', '', '', '', '', '', 1)`,
  'NULL instead of an empty text': (db: Database) =>
    db.run`UPDATE messages SET nonce = NULL WHERE id = '1000001'`,
  'two swapped values': (db: Database) => db.run`
    UPDATE messages SET content = CASE id WHEN '1000003' THEN 'Message 4' ELSE 'Message 3' END
    WHERE id IN ('1000003', '1000004')`,
} as const

for (const [fault, plant] of Object.entries(faults)) {
  eachPair(`community/copy: the verification finds ${fault}`, async (_t, { db, url }, to) => {
    await fill(db, 2500)
    await db.run`UPDATE messages SET nonce = '' WHERE id = '1000001'`
    const stop = new Error('stopped after 2,000 rows')
    const stopping = copy(url, to, ({ rows }) => {
      if (rows >= 2000) throw stop
    })
    await assert.rejects(stopping, error => error === stop)
    await withDatabase(to, plant)
    for (const _ of ['first', 'again']) {
      const results = await copy(url, to)
      assert.deepEqual(
        results.filter(({ isEqual }) => !isEqual).map(({ name }) => name),
        ['messages'],
      )
      await assert.rejects(openDatabase(to), /unfinished copy/)
    }
  })
}

eachPair(
  'an unfinished copy is not continued from another source or a later state',
  async (_t, { db, url }, to) => {
    await fill(db, 2500)
    const lease = await leaseNodeNumber(db, { clock: clock.now, holder: 'a service' })
    await lease.release()
    await assert.rejects(
      copy(url, to, () => {
        throw new Error('stop')
      }),
      /stop/,
    )
    const later = createTestClock(now + 60_000)
    await (await leaseNodeNumber(db, { clock: later.now, holder: 'the next start' })).release()
    await assert.rejects(
      copy(url, to),
      /unfinished copy of another database, or the service used the source since then/,
    )
  },
)

eachPair('community/copy: a service that runs on either database is found', async (_t, { db, url }, to) => {
  const source = await leaseNodeNumber(db, { clock: clock.now, holder: 'a service' })
  await assert.rejects(copy(url, to), /^Error: --from: a service uses the database\. Stop all of its nodes\./)
  await source.release()
  const db2 = await openMigrated(to)
  const target = await leaseNodeNumber(db2, { clock: clock.now, holder: 'a service' })
  await assert.rejects(copy(url, to), /^Error: --to: a service uses the database/)
  await target.release()
  await db2.close()
  await assert.rejects(copy(url, to), /--to: the database must be empty, but the table nodes has rows/)
})

for (const { name } of engines) {
  test(`community/copy: the source has all migrations, and is not the target (${name})`, async t => {
    if (await skipIfUnavailable(t, name)) return
    const source = await openTestDatabase(name)
    t.after(() => source.close())
    const target = await createTestDatabase('sqlite')
    t.after(target.remove)
    await assert.rejects(copy(source.url, source.url), /^Error: --from and --to are the same database$/)
    await source.db.run`DELETE FROM migrations WHERE name = '0001-schema'`
    await assert.rejects(copy(source.url, target.url), {
      message:
        '--from: the database does not have the migration 0001-schema of this version. ' +
        'Run "gatehouse migrate" with its DATABASE_URL first.',
    })
    await source.db
      .run`INSERT INTO migrations (name, applied_at) VALUES ('0001-schema', 1), ('0999-later', 1)`
    await assert.rejects(copy(source.url, target.url), /--from: the database is newer .* 0999-later/)
  })

  test(`tables come after those that they reference, and none has a sequence (${name})`, async t => {
    if (await skipIfUnavailable(t, name)) return
    const database = await createTestDatabase(name)
    t.after(database.remove)
    const side = await openSide(database.url, { lock: false })
    const tables = await listTables(side, [])
    const names = tables.map(table => table.name)
    for (const expected of ['messages', 'migrations', 'users']) assert.ok(names.includes(expected))
    for (const [from, to] of await side.listReferences())
      assert.ok(names.indexOf(to) < names.indexOf(from), `${from} references ${to}`)
    assert.deepEqual(
      tables.find(table => table.name === 'images'),
      {
        name: 'images',
        columns: [
          { name: 'kind', kind: 'text' },
          { name: 'owner_id', kind: 'text' },
          { name: 'uploader_id', kind: 'text' },
          { name: 'hash', kind: 'text' },
          { name: 'content_type', kind: 'text' },
          { name: 'bytes', kind: 'bytes' },
        ],
        key: [0, 1],
      },
    )
    // The next value of a sequence would have to be copied too.
    if (name === 'postgres')
      assert.deepEqual(await side.query(`SELECT relname FROM pg_class WHERE relkind = 'S'`), [])
    await side.query('CREATE TABLE later (id BIGINT PRIMARY KEY, price NUMERIC)')
    await assert.rejects(listTables(side, []), /^Error: the column price of later has the type NUMERIC,/i)
    await side.query('DROP TABLE later')
    await side.query('CREATE TABLE later (id BIGINT)')
    await assert.rejects(listTables(side, []), /^Error: the table later has no primary key,/)
    await side.close()
  })

  test(`nothing can write to the source during the copy (${name})`, async t => {
    if (await skipIfUnavailable(t, name)) return
    const { url, remove } = await createTestDatabase(name)
    t.after(remove)
    const side = await openSide(url, { lock: true })
    try {
      if (name === 'sqlite') {
        const other = new DatabaseSync(url.slice('sqlite:'.length))
        assert.throws(() => other.exec('BEGIN IMMEDIATE'), /database is locked/)
        other.close()
      } else {
        const other = new PostgresClient(url)
        const lock = 'BEGIN; LOCK TABLE nodes IN ROW EXCLUSIVE MODE NOWAIT'
        await assert.rejects(other.query(lock), /could not obtain lock/)
        await other.close()
      }
    } finally {
      await side.close()
    }
  })
}

test('a second copy into the same database is found', async t => {
  const [source, target] = [await openTestDatabase('sqlite'), await createTestDatabase('sqlite')]
  t.after(target.remove)
  t.after(() => source.close())
  await fill(source.db, 10)
  const other = new DatabaseSync(target.url.slice('sqlite:'.length))
  const move = () => other.exec(`UPDATE unfinished_copy SET position = '{}'`)
  await assert.rejects(
    copy(source.url, target.url, move),
    /--to: channels: another copy into this database is running$/,
  )
  other.close()
})

test('a file that does not exist is not created', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-copy-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const [from, to] = [join(folder, 'from.db'), join(folder, 'to.db')]
  await assert.rejects(copy(`sqlite:${from}`, `sqlite:${to}`), {
    message: `--from: the file ${from} does not exist`,
  })
  assert.deepEqual(await readdir(folder), [])
})

test('a value that PostgreSQL cannot store is named with its table, key and column', async t => {
  if (await skipIfUnavailable(t, 'postgres')) return
  const [source, target] = [await openTestDatabase('sqlite'), await createTestDatabase('postgres')]
  t.after(target.remove)
  t.after(() => source.close())
  await fill(source.db, 3)
  await source.db.run`UPDATE messages SET content = 'a' || char(0) || 'b' WHERE id = '1000002'`
  await assert.rejects(copy(source.url, target.url), {
    message:
      '--to: messages: the row of messages with id = 1000002 has U+0000 in the column ' +
      'content, which PostgreSQL cannot store',
  })
  await source.db.run`UPDATE messages SET content = 'ab'`
  await source.db.run`UPDATE messages SET created_at = 'yesterday' WHERE id = '1000003'`
  await assert.rejects(copy(source.url, target.url), {
    message: 'the row of messages with id = 1000003 has a value in the column created_at that is not integer',
  })
})
