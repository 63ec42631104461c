import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { createTestDatabase, eachDatabase, eachEngine } from '@gatehouse/testkit/databases'
import fc from 'fast-check'
import { copyDatabase } from './copy/copy.ts'
import {
  type Database,
  fragment,
  list,
  ReferenceViolation,
  StorageUnavailable,
  UniqueViolation,
} from './database.ts'
import { listPendingMigrations, migrate } from './migrate.ts'
import { openDatabase } from './open.ts'

async function makeThings(db: Database): Promise<void> {
  await db.run`CREATE TABLE things (id TEXT PRIMARY KEY, n BIGINT NOT NULL, flag SMALLINT, bytes BYTEA, note TEXT)`
}

async function makeAccounts(db: Database, balances: number[]): Promise<void> {
  await db.run`CREATE TABLE accounts (id BIGINT PRIMARY KEY, balance BIGINT NOT NULL CHECK (balance >= 0))`
  for (const [id, balance] of balances.entries()) {
    await db.run`INSERT INTO accounts (id, balance) VALUES (${id}, ${balance})`
  }
}

async function count(db: Database): Promise<number> {
  const row = await db.get<{ count: number }>`SELECT COUNT(*) AS count FROM things`
  return row?.count ?? -1
}

eachEngine('get returns the first row as a plain object, or undefined', async (_t, db) => {
  await makeThings(db)
  await db.run`INSERT INTO things (id, n) VALUES ('b', 2), ('a', 1)`
  assert.deepEqual(await db.get`SELECT id, n FROM things ORDER BY id`, { id: 'a', n: 1 })
  assert.equal(await db.get`SELECT id FROM things WHERE id = ${'c'}`, undefined)
})

eachEngine('column names are converted to camelCase', async (_t, db) => {
  await db.run`CREATE TABLE notes (id TEXT PRIMARY KEY, created_at BIGINT NOT NULL, last_read_by_id TEXT)`
  await db.run`INSERT INTO notes (id, created_at) VALUES ('a', 1)`
  assert.deepEqual(await db.get`SELECT * FROM notes`, { id: 'a', createdAt: 1, lastReadById: null })
  assert.deepEqual(
    await db.all`SELECT n.created_at, MAX(n.id) AS last_id FROM notes n GROUP BY n.created_at`,
    [{ createdAt: 1, lastId: 'a' }],
  )
  assert.deepEqual(await db.get`UPDATE notes SET last_read_by_id = 'b' RETURNING last_read_by_id`, {
    lastReadById: 'b',
  })
})

eachEngine('all returns every row in a plain array', async (_t, db) => {
  await makeThings(db)
  assert.deepEqual(await db.all`SELECT id FROM things`, [])
  await db.run`INSERT INTO things (id, n) VALUES ('b', 2), ('a', 1)`
  assert.deepEqual(await db.all`SELECT id, n FROM things ORDER BY id`, [
    { id: 'a', n: 1 },
    { id: 'b', n: 2 },
  ])
})

eachEngine('run returns the number of changed rows', async (_t, db) => {
  await makeThings(db)
  assert.equal(await db.run`INSERT INTO things (id, n) VALUES ('a', 1), ('b', 1), ('c', 2)`, 3)
  assert.equal(await db.run`INSERT INTO things (id, n) VALUES ('a', 9) ON CONFLICT DO NOTHING`, 0)
  assert.equal(
    await db.run`INSERT INTO things (id, n) VALUES ('a', 9) ON CONFLICT (id) DO UPDATE SET note = 'x'`,
    1,
  )
  assert.equal(await db.run`UPDATE things SET note = 'y' WHERE n = ${1}`, 2)
  assert.equal(await db.run`UPDATE things SET note = 'y' WHERE n = ${77}`, 0)
  assert.equal(await db.run`DELETE FROM things`, 3)
})

eachEngine('values are read as they were written', async (_t, db) => {
  await makeThings(db)
  const texts = ['', ' ', "it's", '"quoted"', '$1 ? :a', 'Ёжик 🦔 é', 'line\nbreak\\', '{"a":[1]}', '007']
  for (const note of texts) {
    await db.run`INSERT INTO things (id, n, note) VALUES ('x', 0, ${note})`
    assert.deepEqual(await db.get`DELETE FROM things RETURNING note`, { note })
  }
  for (const n of [0, -1, 2 ** 31, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
    await db.run`INSERT INTO things (id, n) VALUES ('x', ${n})`
    assert.deepEqual(await db.get`SELECT n FROM things WHERE n = ${n}`, { n })
    await db.run`DELETE FROM things`
  }
  for (const bytes of [new Uint8Array(), Uint8Array.of(0, 255, 39, 92), new Uint8Array(70_000).fill(7)]) {
    await db.run`INSERT INTO things (id, n, bytes) VALUES ('x', 0, ${bytes})`
    assert.deepEqual(await db.get`DELETE FROM things RETURNING bytes`, { bytes })
  }
  await db.run`INSERT INTO things (id, n, flag, bytes, note) VALUES ('x', 0, ${null}, ${null}, ${null})`
  assert.deepEqual(await db.get`SELECT flag, bytes, note FROM things`, {
    flag: null,
    bytes: null,
    note: null,
  })
})

eachEngine('a view of a larger buffer is stored without the rest of the buffer', async (_t, db) => {
  await makeThings(db)
  const part = Buffer.from('abcdef').subarray(2, 4)
  await db.run`INSERT INTO things (id, n, bytes) VALUES ('x', 0, ${part})`
  assert.deepEqual(await db.get`SELECT bytes FROM things`, { bytes: Uint8Array.of(99, 100) })
})

eachEngine('counts, sums, integer divisions and booleans are integers', async (_t, db) => {
  await makeThings(db)
  await db.run`INSERT INTO things (id, n, flag) VALUES ('a', 5, ${1}), ('b', 6, ${0})`
  assert.deepEqual(
    await db.get`SELECT COUNT(*) AS c, SUM(n) AS s, MAX(n) / ${4} AS d, EXISTS (SELECT 1 FROM things) AS e FROM things`,
    { c: 2, s: 11, d: 1, e: 1 },
  )
})

eachEngine('integers beyond 2^53 are rejected as parameters and as results', async (_t, db) => {
  await makeThings(db)
  await assert.rejects(db.run`INSERT INTO things (id, n) VALUES ('a', ${2 ** 53})`, RangeError)
  await assert.rejects(db.run`INSERT INTO things (id, n) VALUES ('a', ${1.5})`, RangeError)
  await assert.rejects(db.run`INSERT INTO things (id, n) VALUES ('a', ${Number.NaN})`, RangeError)
  await db.run`INSERT INTO things (id, n) VALUES ('a', 9007199254740993)`
  await assert.rejects(db.get`SELECT n FROM things`, RangeError)
  await assert.rejects(db.all`SELECT n FROM things`, RangeError)
  assert.deepEqual(await db.get`SELECT id FROM things`, { id: 'a' })
})

eachEngine('a statement whose result is rejected changes nothing', async (_t, db) => {
  await makeThings(db)
  await db.run`INSERT INTO things (id, n) VALUES ('a', 9007199254740990)`
  await assert.rejects(
    db.transaction(tx => tx.get`UPDATE things SET n = n + 3 RETURNING n`),
    RangeError,
  )
  assert.deepEqual(await db.get`SELECT n FROM things`, { n: 9007199254740990 })
})

eachEngine('a parameter that is not an SqlValue is rejected', async (_t, db) => {
  await makeThings(db)
  const undefinedValue: unknown = undefined
  await assert.rejects(db.run`INSERT INTO things (id, n) VALUES (${undefinedValue as string}, 1)`, TypeError)
  await assert.rejects(db.run`INSERT INTO things (id, n) VALUES (${'a\0b'}, 1)`, RangeError)
  assert.equal(await count(db), 0)
})

eachEngine('a list can have any number of values', async (_t, db) => {
  await makeThings(db)
  await db.run`INSERT INTO things (id, n) VALUES ('a', 1), ('it''s', 2), ('"q"', 3), ('1', 4)`
  async function find(ids: string[], least: number): Promise<unknown[]> {
    const rows = await db.all<{ n: number }>`
      SELECT n FROM things WHERE id IN ${list(ids)} AND n >= ${least} ORDER BY n`
    return rows.map(row => row.n)
  }
  assert.deepEqual(await find([], 0), [])
  assert.deepEqual(await find(['a'], 0), [1])
  assert.deepEqual(await find(['a', "it's", '"q"', '1', 'no'], 2), [2, 3, 4])
  assert.deepEqual(
    await find(
      Array.from({ length: 5000 }, (_, i) => String(i)),
      0,
    ),
    [4],
  )
  assert.equal(await db.run`DELETE FROM things WHERE id NOT IN ${list(['a'])}`, 3)
})

eachEngine('a fragment is a part of the text, and no parameter', async (_t, db) => {
  await makeThings(db)
  const columns = fragment`id, n`
  await db.run`INSERT INTO things (${columns}) VALUES ('a', ${1}), ('b', ${2})`
  const find = (least: number) => db.all`
    SELECT ${columns} FROM things WHERE id IN ${list(['a', 'b'])} AND n >= ${least} ORDER BY n`
  assert.deepEqual(await find(2), [{ id: 'b', n: 2 }])
  assert.deepEqual(await find(0), [
    { id: 'a', n: 1 },
    { id: 'b', n: 2 },
  ])
  const changed = await db.transaction(
    tx => tx.get`UPDATE things SET n = ${5} WHERE id = ${'a'} RETURNING ${columns}`,
  )
  assert.deepEqual(changed, { id: 'a', n: 5 })
})

eachEngine(
  'a statement is rejected if it has another fragment, or a value, where it had a fragment',
  async (_t, db) => {
    await makeThings(db)
    const find = (columns: ReturnType<typeof fragment> | string) => db.all`SELECT ${columns} FROM things`
    await find(fragment`id`)
    await assert.rejects(find(fragment`n`), TypeError)
    await assert.rejects(find('n'), TypeError)
  },
)

eachEngine('a list instead of a single value is rejected', async (_t, db) => {
  await makeThings(db)
  const find = (id: string | ReturnType<typeof list>) => db.all`SELECT n FROM things WHERE id = ${id}`
  await find('a')
  await assert.rejects(find(list(['a'])), TypeError)
})

eachEngine('a unique violation has the name of its index', async (_t, db) => {
  await db.run`CREATE TABLE people (id TEXT PRIMARY KEY, name TEXT UNIQUE, mail TEXT, shoe BIGINT, hat BIGINT)`
  await db.run`CREATE UNIQUE INDEX people_by_mail ON people (mail)`
  await db.run`CREATE UNIQUE INDEX people_by_clothes ON people (hat, shoe)`
  await db.run`INSERT INTO people (id, name, mail, shoe, hat) VALUES ('1', 'ann', 'a@b', 40, 50)`
  const named = (constraint: string) => (error: unknown) =>
    error instanceof UniqueViolation && error.constraint === constraint
  await assert.rejects(db.run`INSERT INTO people (id) VALUES ('1')`, named('people_pkey'))
  await assert.rejects(db.run`INSERT INTO people (id, name) VALUES ('2', 'ann')`, named('people_name_key'))
  await assert.rejects(db.run`INSERT INTO people (id, mail) VALUES ('2', 'a@b')`, named('people_by_mail'))
  await assert.rejects(
    db.transaction(tx => tx.run`INSERT INTO people (id, shoe, hat) VALUES ('2', 40, 50)`),
    named('people_by_clothes'),
  )
})

eachEngine('an error contains no parameter values', async (_t, db) => {
  await makeThings(db)
  await db.run`CREATE UNIQUE INDEX things_by_note ON things (note)`
  await db.run`INSERT INTO things (id, n, note) VALUES ('a', 1, 'secret-note')`
  for (const fail of [
    () => db.run`INSERT INTO things (id, n, note) VALUES ('b', 1, ${'secret-note'})`,
    () => db.get`SELECT * FROM no_such_table WHERE note = ${'secret-note'}`,
    () => db.run`INSERT INTO things (id, n, note) VALUES ('b', NULL, ${'secret-note'})`,
  ]) {
    const error = await fail().then(
      () => assert.fail('it must reject'),
      (reason: unknown) => reason,
    )
    for (let e: unknown = error; e instanceof Error; e = e.cause) {
      const everything = Object.getOwnPropertyNames(e).map(key => String(Reflect.get(Object(e), key)))
      assert.ok(!everything.join(' ').includes('secret-note'), everything.join(' '))
    }
  }
})

eachEngine('a transaction returns the result of its work', async (_t, db) => {
  await makeThings(db)
  const given = await db.transaction(async tx => {
    await tx.run`INSERT INTO things (id, n) VALUES ('a', 1)`
    const row = await tx.get<{ n: number }>`UPDATE things SET n = n + 1 RETURNING n`
    const rows = await tx.all`SELECT id FROM things`
    return { row, rows }
  })
  assert.deepEqual(given, { row: { n: 2 }, rows: [{ id: 'a' }] })
  assert.deepEqual(await db.get`SELECT n FROM things`, { n: 2 })
})

eachEngine('200 concurrent transactions all take effect', async (_t, db) => {
  await makeThings(db)
  await db.run`INSERT INTO things (id, n) VALUES ('a', 0)`
  await Promise.all(
    Array.from({ length: 200 }, () =>
      db.transaction(tx => tx.run`UPDATE things SET n = n + 1 WHERE id = 'a'`),
    ),
  )
  assert.deepEqual(await db.get`SELECT n FROM things`, { n: 200 })
})

eachEngine('exactly one of 200 concurrent conditional updates changes the row', async (_t, db) => {
  await makeThings(db)
  await db.run`INSERT INTO things (id, n) VALUES ('code', 0)`
  const single = Array.from(
    { length: 100 },
    (_, i) => db.get`UPDATE things SET n = 1, note = ${`${i}`} WHERE id = 'code' AND n = 0 RETURNING note`,
  )
  const inTransaction = Array.from({ length: 100 }, (_, i) =>
    db.transaction(async tx => {
      const taken = await tx.run`UPDATE things SET n = 1, note = ${`t${i}`} WHERE id = 'code' AND n = 0`
      return taken === 1 ? { note: `t${i}` } : undefined
    }),
  )
  const winners = (await Promise.all([...single, ...inTransaction])).filter(row => row !== undefined)
  assert.equal(winners.length, 1)
  assert.deepEqual(await db.get`SELECT note FROM things`, winners[0])
})

eachEngine('a failed transaction is rolled back without affecting concurrent ones', async (_t, db) => {
  await makeThings(db)
  const results = await Promise.allSettled(
    Array.from({ length: 90 }, (_, i) =>
      db.transaction(async tx => {
        await tx.run`INSERT INTO things (id, n) VALUES (${`first-${i}`}, ${i})`
        if (i % 3 === 1) throw new Error(`thrown by ${i}`)
        await tx.run`INSERT INTO things (id, n) VALUES (${i % 3 === 2 ? 'same' : `second-${i}`}, ${i})`
        return i
      }),
    ),
  )
  const fulfilled = results.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
  // One of each three, and the first one that inserted the id "same".
  assert.equal(fulfilled.length, 31)
  assert.equal(await count(db), 62)
  const rows = await db.all<{ n: number }>`SELECT DISTINCT n FROM things ORDER BY n`
  assert.deepEqual(
    rows.map(row => row.n),
    fulfilled.sort((a, b) => a - b),
  )
})

eachEngine(
  'the caller receives the error of the work, and the transaction is rolled back',
  async (_t, db) => {
    await makeThings(db)
    const error = new Error('mine')
    const insert = (tx: { run: Database['run'] }) => tx.run`INSERT INTO things (id, n) VALUES ('a', 1)`
    await assert.rejects(
      db.transaction(async tx => {
        await insert(tx)
        throw error
      }),
      error,
    )
    await assert.rejects(
      db.transaction(tx => {
        void insert(tx)
        throw error
      }),
      error,
    )
    for (const thrown of ['text', undefined, 0]) {
      const caught = await db
        .transaction(async tx => {
          await insert(tx)
          throw thrown
        })
        .then(
          () => 'it resolved',
          reason => ({ reason }),
        )
      assert.deepEqual(caught, { reason: thrown })
    }
    assert.equal(await count(db), 0)
  },
)

eachEngine(
  'a failed statement makes its transaction fail, even if the work catches the error',
  async (_t, db) => {
    await makeThings(db)
    await db.run`INSERT INTO things (id, n) VALUES ('a', 1)`
    await assert.rejects(
      db.transaction(async tx => {
        await tx.run`INSERT INTO things (id, n) VALUES ('b', 1)`
        await tx.run`INSERT INTO things (id, n) VALUES ('a', 2)`.catch(() => undefined)
      }),
      UniqueViolation,
    )
    await assert.rejects(
      db.transaction(async tx => {
        await tx.run`INSERT INTO things (id, n) VALUES ('a', 2)`.catch(() => undefined)
        await tx.run`INSERT INTO things (id, n) VALUES ('c', 1)`
      }),
      /a statement of this transaction has failed/,
    )
    assert.equal(await count(db), 1)
  },
)

eachEngine('statements that are not awaited individually belong to the transaction', async (_t, db) => {
  await makeThings(db)
  await db.transaction(async tx => {
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => tx.run`INSERT INTO things (id, n) VALUES (${`${i}`}, ${i})`),
    )
    void tx.run`INSERT INTO things (id, n) VALUES ('last', 0)`
  })
  assert.equal(await count(db), 21)
})

eachEngine('afterCommit hooks run in order after the commit, and not after a rollback', async (_t, db) => {
  await makeThings(db)
  const seen: string[] = []
  await Promise.all([
    db
      .transaction(async tx => {
        tx.afterCommit(() => seen.push('first'))
        await tx.run`INSERT INTO things (id, n) VALUES ('a', 1)`
        tx.afterCommit(() => seen.push('second'))
        assert.deepEqual(seen, [])
      })
      .then(() => seen.push('settled')),
    assert.rejects(
      db.transaction(async tx => {
        tx.afterCommit(() => seen.push('never'))
        throw new Error('rolled back')
      }),
    ),
  ])
  assert.deepEqual(seen, ['first', 'second', 'settled'])
})

eachEngine('an afterCommit hook sees the committed rows', async (_t, db) => {
  await makeThings(db)
  const { promise, resolve } = Promise.withResolvers<number>()
  await db.transaction(async tx => {
    await tx.run`INSERT INTO things (id, n) VALUES ('a', 1)`
    tx.afterCommit(() => resolve(count(db)))
  })
  assert.equal(await promise, 1)
})

eachEngine('a hook that throws affects neither its transaction nor other hooks', async (t, db) => {
  await makeThings(db)
  const warnings: string[] = []
  const listen = (warning: Error) => warnings.push(warning.message)
  process.on('warning', listen)
  t.after(() => process.off('warning', listen))
  let ran = false
  await db.transaction(async tx => {
    await tx.run`INSERT INTO things (id, n) VALUES ('a', 1)`
    tx.afterCommit(() => {
      throw new Error('a hook threw')
    })
    tx.afterCommit(() => {
      ran = true
    })
  })
  assert.equal(ran, true)
  assert.equal(await count(db), 1)
  await new Promise(resolve => setImmediate(resolve))
  assert.ok(warnings.includes('a hook threw'))
})

eachEngine('a handle throws after its transaction has ended', async (_t, db) => {
  await makeThings(db)
  const kept = await db.transaction(async tx => tx)
  await assert.rejects(kept.run`INSERT INTO things (id, n) VALUES ('a', 1)`, /has ended/)
  await assert.rejects(kept.get`SELECT 1 AS one`, /has ended/)
  await assert.rejects(kept.all`SELECT 1 AS one`, /has ended/)
  assert.throws(() => kept.afterCommit(() => undefined), /has ended/)
  assert.equal(await count(db), 0)
})

eachEngine('all readers see the rows of a resolved promise', async (_t, db) => {
  await makeThings(db)
  for (let i = 0; i < 30; i++) {
    const id = `${i}`
    if (i % 2 === 0) await db.run`INSERT INTO things (id, n) VALUES (${id}, ${i})`
    else await db.transaction(tx => tx.run`INSERT INTO things (id, n) VALUES (${id}, ${i})`)
    assert.deepEqual(await db.get`SELECT n FROM things WHERE id = ${id}`, { n: i })
  }
})

eachEngine('uncommitted rows are not visible outside the transaction', async (_t, db) => {
  await makeThings(db)
  let inside = -1
  let outside: Promise<number> | undefined
  await db.transaction(async tx => {
    await tx.run`INSERT INTO things (id, n) VALUES ('a', 1)`
    inside = (await tx.all`SELECT id FROM things`).length
    outside = count(db)
  })
  // Sent before the commit; on PostgreSQL another connection runs it before or after the commit.
  assert.equal(inside, 1)
  assert.ok([0, db.engine === 'postgres' ? 1 : 0].includes((await outside) ?? -1))
})

eachEngine('get and all can write outside a transaction', async (_t, db) => {
  await makeThings(db)
  assert.deepEqual(await db.get`INSERT INTO things (id, n) VALUES ('a', 1) RETURNING id`, { id: 'a' })
  assert.deepEqual(
    await db.get` -- select
    UPDATE things SET n = 2 RETURNING n`,
    { n: 2 },
  )
  assert.deepEqual(
    await db.all`WITH old AS (SELECT id FROM things WHERE n = 2)
    DELETE FROM things WHERE id IN (SELECT id FROM old) RETURNING id`,
    [{ id: 'a' }],
  )
  assert.deepEqual(await db.get`WITH c AS (SELECT COUNT(*) AS n FROM things) SELECT n FROM c`, { n: 0 })
})

eachEngine('foreign keys are enforced', async (_t, db) => {
  await makeThings(db)
  await db.run`CREATE TABLE parts (id TEXT PRIMARY KEY, thing TEXT NOT NULL REFERENCES things (id) ON DELETE CASCADE)`
  await assert.rejects(db.run`INSERT INTO parts (id, thing) VALUES ('p', 'none')`)
  await db.run`INSERT INTO things (id, n) VALUES ('a', 1)`
  await db.run`INSERT INTO parts (id, thing) VALUES ('p', 'a')`
  await db.run`DELETE FROM things WHERE id = 'a'`
  assert.equal(await db.get`SELECT id FROM parts`, undefined)
})

eachEngine('close waits for running statements, then rejects new ones', async (_t, db) => {
  await makeThings(db)
  const settled: string[] = []
  const work = Array.from({ length: 40 }, (_, i) =>
    db
      .transaction(async tx => {
        await tx.run`INSERT INTO things (id, n) VALUES (${`${i}`}, ${i})`
        return await tx.run`UPDATE things SET n = n + 1 WHERE id = ${`${i}`}`
      })
      .then(() => settled.push('work')),
  )
  const closed = db.close().then(() => settled.push('closed'))
  await assert.rejects(db.run`INSERT INTO things (id, n) VALUES ('late', 1)`, StorageUnavailable)
  await assert.rejects(db.get`SELECT 1 AS one`, StorageUnavailable)
  await Promise.all([...work, closed])
  assert.equal(settled.length, 41)
  assert.equal(settled.at(-1), 'closed')
  await db.close()
})

eachDatabase('two handles of the same database work concurrently', async (_t, { db, url }) => {
  await makeThings(db)
  await db.run`INSERT INTO things (id, n) VALUES ('a', 0)`
  const other = await openDatabase(url)
  try {
    const increment = (on: Database) =>
      on.transaction(tx => tx.run`UPDATE things SET n = n + 1 WHERE id = 'a'`)
    await Promise.all(Array.from({ length: 100 }, (_, i) => increment(i % 2 === 0 ? db : other)))
    assert.deepEqual(await other.get`SELECT n FROM things`, { n: 100 })
  } finally {
    await other.close()
  }
})

eachDatabase('every write that was reported as done survives kill -9', async (_t, { db, url }) => {
  await db.run`CREATE TABLE written (id TEXT PRIMARY KEY)`
  const script = fileURLToPath(new URL('./sqlite/writer.fixture.ts', import.meta.url))
  for (const round of ['r1', 'r2', 'r3']) {
    const child = spawn(process.execPath, [script, url, round], { stdio: ['ignore', 'pipe', 'inherit'] })
    const gone = new Promise<void>(resolve => child.once('exit', () => resolve()))
    const printed: string[] = []
    for await (const line of createInterface({ input: child.stdout })) {
      printed.push(line)
      if (printed.length === 500) child.kill('SIGKILL')
    }
    await gone
    assert.ok(printed.length >= 500)
    const rows = await db.all<{ id: string }>`SELECT id FROM written`
    const kept = new Set(rows.map(row => row.id))
    assert.deepEqual(
      printed.filter(id => /^r\d-\d+-\d+$/.test(id) && !kept.has(id)),
      [],
    )
  }
})

/** A directory with a migration for each text: `0001-m1.sql`, `0002-m2.sql`, … */
async function migrationsFolder(t: { after(f: () => Promise<void>): void }, texts: string[]): Promise<URL> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-test-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  for (const [i, text] of texts.entries()) await writeFile(join(folder, `000${i + 1}-m${i + 1}.sql`), text)
  return pathToFileURL(`${folder}/`)
}

/** Removes the record of all applied migrations. */
async function unmigrated(db: Database): Promise<void> {
  await db.run`DROP TABLE migrations`
}

eachDatabase(
  'migrations run once and in order, also if two processes start concurrently',
  async (t, { db, url }) => {
    await unmigrated(db)
    const folder = await migrationsFolder(t, [
      `-- a comment; with a semicolon
     CREATE TABLE steps (n BIGINT PRIMARY KEY, note TEXT NOT NULL); /* another; one */
     INSERT INTO steps (n, note) VALUES (1, 'it''s; quoted -- not a comment');`,
      'INSERT INTO steps (n, note) SELECT MAX(n) + 1, MIN(note) FROM steps',
      'INSERT INTO steps (n, note) SELECT MAX(n) + 1, MIN(note) FROM steps;',
    ])
    const clock = () => 1234
    const done = await Promise.all(Array.from({ length: 4 }, () => migrate(url, { folder, clock })))
    assert.deepEqual(done.flat().sort(), ['0001-m1', '0002-m2', '0003-m3'])
    assert.deepEqual(await db.all`SELECT n, note FROM steps ORDER BY n`, [
      { n: 1, note: "it's; quoted -- not a comment" },
      { n: 2, note: "it's; quoted -- not a comment" },
      { n: 3, note: "it's; quoted -- not a comment" },
    ])
    assert.deepEqual(await db.get`SELECT name, applied_at FROM migrations WHERE name = '0001-m1'`, {
      name: '0001-m1',
      appliedAt: 1234,
    })
    assert.deepEqual(await migrate(url, { folder }), [])
  },
)

eachDatabase(
  'a failed migration is rolled back, and runs again when it is corrected',
  async (t, { db, url }) => {
    await unmigrated(db)
    const broken = [
      'CREATE TABLE steps (n BIGINT)',
      'INSERT INTO steps VALUES (1); INSERT INTO nowhere VALUES (1)',
    ]
    await assert.rejects(migrate(url, { folder: await migrationsFolder(t, broken) }), /0002-m2 failed/)
    assert.equal(await db.get`SELECT n FROM steps`, undefined)
    const mended = ['CREATE TABLE steps (n BIGINT)', 'INSERT INTO steps VALUES (1)']
    assert.deepEqual(await migrate(url, { folder: await migrationsFolder(t, mended) }), ['0002-m2'])
    assert.deepEqual(await db.get`SELECT n FROM steps`, { n: 1 })
  },
)

eachDatabase('pending migrations are listed in order and not applied', async (t, { db, url }) => {
  await unmigrated(db)
  const texts = ['CREATE TABLE m1 (id TEXT)', 'CREATE TABLE m2 (id TEXT)']
  const folder = await migrationsFolder(t, texts)
  assert.deepEqual(await listPendingMigrations(url, folder), ['0001-m1', '0002-m2'])
  await assert.rejects(db.get`SELECT 1 FROM migrations`)
  await migrate(url, { folder: await migrationsFolder(t, texts.slice(0, 1)) })
  assert.deepEqual(await listPendingMigrations(url, folder), ['0002-m2'])
  await assert.rejects(db.get`SELECT 1 FROM m2`)
})

eachDatabase('a database with an unknown migration is not opened', async (_t, { db, url }) => {
  await db.run`INSERT INTO migrations (name, applied_at) VALUES ('9999-from-the-future', 0)`
  await assert.rejects(listPendingMigrations(url), /9999-from-the-future/)
  await assert.rejects(openDatabase(url), /newer than this version.*9999-from-the-future/)
})

eachDatabase('a database of 0.1 or 0.2 is not opened, and not changed', async (t, { db, url }) => {
  await db.run`DROP TABLE webhook_deliveries`
  await db.run`UPDATE migrations SET name = '0001-nodes' WHERE name = '0001-schema'`
  const refused = /^Error: the database is of Gatehouse 0\.1 or 0\.2, .*: start with an empty database/
  await assert.rejects(listPendingMigrations(url), refused)
  await assert.rejects(openDatabase(url), refused)
  const { url: other, remove } = await createTestDatabase('sqlite')
  t.after(remove)
  const copy = (from: string, to: string) =>
    copyDatabase({ from, to, clock: Date.now, onProgress: () => undefined })
  await assert.rejects(copy(url, other), /^Error: --from: the database is of Gatehouse 0\.1 or 0\.2/)
  await assert.rejects(copy(other, url), /^Error: --to: the database is of Gatehouse 0\.1 or 0\.2/)
  assert.deepEqual(await db.all`SELECT name FROM migrations ORDER BY name LIMIT 1`, [{ name: '0001-nodes' }])
  await assert.rejects(db.all`SELECT 1 FROM webhook_deliveries`)
  await assert.rejects(db.all`SELECT 1 FROM unfinished_copy`)
})

eachDatabase(
  'a file with another name in the migrations directory prevents the start',
  async (t, { url }) => {
    const folder = await migrationsFolder(t, [])
    await writeFile(new URL('1-too-short.sql', folder), '')
    await assert.rejects(migrate(url, { folder }), /NNNN-name\.sql: 1-too-short\.sql/)
  },
)

eachEngine('any interleaving of transfers between accounts preserves the sum', async (_t, db) => {
  await makeAccounts(db, [100, 100, 100, 100])
  const transfer = fc.record({
    from: fc.integer({ min: 0, max: 3 }),
    to: fc.integer({ min: 0, max: 3 }),
    amount: fc.integer({ min: 1, max: 80 }),
    fails: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(transfer, { maxLength: 25 }), async transfers => {
      const settled = await Promise.allSettled(
        transfers.map(({ from, to, amount, fails }) =>
          db.transaction(async tx => {
            // Both lock orders occur, so that PostgreSQL detects deadlocks and the transaction is retried.
            await tx.run`UPDATE accounts SET balance = balance + ${amount} WHERE id = ${to}`
            if (fails) throw new Error('changed my mind')
            const taken = await tx.run`UPDATE accounts SET balance = balance - ${amount}
              WHERE id = ${from} AND balance >= ${amount}`
            if (taken === 0) throw new Error('not enough')
          }),
        ),
      )
      const unexpected = settled.filter(
        result => result.status === 'rejected' && !/mind|enough/.test(String(result.reason)),
      )
      assert.deepEqual(unexpected, [])
      assert.deepEqual(await db.get`SELECT SUM(balance) AS sum FROM accounts`, { sum: 400 })
    }),
    { numRuns: 15 },
  )
})

eachEngine('a foreign key without a referenced row is a ReferenceViolation', async (_t, db) => {
  await db.run`CREATE TABLE owners (id TEXT PRIMARY KEY)`
  await db.run`CREATE TABLE owned (owner_id TEXT NOT NULL REFERENCES owners (id) ON DELETE CASCADE)`
  await assert.rejects(db.run`INSERT INTO owned (owner_id) VALUES ('nobody')`, ReferenceViolation)
  await db.run`INSERT INTO owners (id) VALUES ('somebody')`
  assert.equal(await db.run`INSERT INTO owned (owner_id) VALUES ('somebody')`, 1)
})

function insertThing(db: Database, id: string, note: string | null = null): Promise<number> {
  return db.run`INSERT INTO things (id, n, note) VALUES (${id}, ${7}, ${note}) ON CONFLICT (id) DO NOTHING`
}

eachEngine('a statement that fails does not affect parallel ones', async (_t, db) => {
  await makeThings(db)
  await db.run`CREATE TABLE parts (id TEXT PRIMARY KEY, thing TEXT NOT NULL REFERENCES things (id), name TEXT UNIQUE)`
  await insertThing(db, 'a')
  const insertPart = (id: string, thing: string, name: string) =>
    db.run`INSERT INTO parts (id, thing, name) VALUES (${id}, ${thing}, ${name})`
  const results = await Promise.allSettled(
    Array.from({ length: 30 }, (_, i) =>
      insertPart(`${i}`, i === 3 ? 'missing' : 'a', i === 4 || i === 5 ? 'same' : `${i}`),
    ),
  )
  const failed = results.flatMap((result, i) =>
    result.status === 'rejected' ? [`${i} ${result.reason.constructor.name}`] : [],
  )
  // Parallel statements of PostgreSQL commit in any order, so either of 4 and 5 gets the name.
  const loser = failed[1]?.startsWith('4') ? 4 : 5
  assert.deepEqual(failed, ['3 ReferenceViolation', `${loser} UniqueViolation`])
  const row = await db.get<{ count: number }>`SELECT COUNT(*) AS count FROM parts`
  assert.equal(row?.count, 28)
})

eachEngine('lookups of one turn each get their own row', async (_t, db) => {
  await makeThings(db)
  for (let i = 0; i < 20; i++) await insertThing(db, `id ${i} "\\,{}`, i % 2 === 0 ? null : `${i}`)
  const find = (id: string) => db.get`SELECT id, n, note FROM things WHERE id = ${id} AND n > ${3}`
  const rows = await Promise.all(Array.from({ length: 600 }, (_, i) => find(`id ${i % 25} "\\,{}`)))
  for (const [i, row] of rows.entries()) {
    const n = i % 25
    const expected = { id: `id ${n} "\\,{}`, n: 7, note: n % 2 === 0 ? null : `${n}` }
    assert.deepEqual(row, n < 20 ? expected : undefined)
  }
  const list = (prefix: string) => db.all<{ id: string }>`SELECT id FROM things WHERE id LIKE ${prefix}`
  const lists = await Promise.all(['id 1 %', 'id 2%', 'none'].map(list))
  const sizes = lists.map(things => things.length)
  assert.deepEqual(sizes, [1, 1, 0])
  const ordered = (n: number) => db.all`SELECT id FROM things WHERE n = ${n} ORDER BY id DESC LIMIT 2`
  const newest = [{ id: 'id 9 "\\,{}' }, { id: 'id 8 "\\,{}' }]
  assert.deepEqual(await Promise.all([7, 8, 7].map(ordered)), [newest, [], newest])
  const limited = (limit: number) => db.get`SELECT id FROM things WHERE n = ${7} ORDER BY id LIMIT ${limit}`
  const first = await Promise.all([1, 2, 3].map(limited))
  assert.deepEqual(
    first,
    Array.from({ length: 3 }, () => ({ id: 'id 0 "\\,{}' })),
  )
  const divide = (n: number) => db.get`SELECT 10 / (${n} - n) AS quotient FROM things WHERE n = ${7}`
  const divided = await Promise.allSettled([7, 8].map(divide))
  assert.deepEqual(divided[1], { status: 'fulfilled', value: { quotient: 10 } })
})
