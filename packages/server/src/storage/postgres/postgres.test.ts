import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { openTestDatabase, skipIfUnavailable, type TestDatabase } from '@gatehouse/testkit/databases'
import { freePort } from '@gatehouse/testkit/free-port'
import { listenTcp } from '@gatehouse/testkit/listen'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import { type Database, StorageUnavailable, UniqueViolation } from '../database.ts'
import { openPostgres } from './postgres.ts'
import { PostgresConnection } from './postgres-connection.ts'

/** A test that requires a PostgreSQL server; it is skipped by name without one. */
function onPostgres(name: string, run: (t: TestContext, database: TestDatabase) => Promise<void>): void {
  test(name, async t => {
    if (await skipIfUnavailable(t, 'postgres')) return
    const database = await openTestDatabase('postgres')
    try {
      await database.db.run`CREATE TABLE things (id TEXT PRIMARY KEY, n BIGINT NOT NULL)`
      await run(t, database)
    } finally {
      await database.close()
    }
  })
}

function insert(db: Pick<Database, 'run'>, id: string): Promise<number> {
  return db.run`INSERT INTO things (id, n) VALUES (${id}, 1)`
}

async function count(db: Database): Promise<number> {
  const row = await db.get<{ count: number }>`SELECT COUNT(*) AS count FROM things`
  return row?.count ?? -1
}

async function ownPid(db: Pick<Database, 'get'>): Promise<number> {
  const row = await db.get<{ pid: number }>`SELECT pg_backend_pid() AS pid`
  return row?.pid ?? -1
}

async function terminateOthers(db: Database): Promise<void> {
  await db.all`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`
}

/**
 * A proxy to the server. `mode` decides whether it forwards bytes, drops them, or holds or closes new connections.
 * `onCommitted` gets each response to a COMMIT and may forward it later.
 */
async function openProxy(t: TestContext, url: string) {
  const server = new URL(url)
  const proxy = {
    mode: 'pass' as 'pass' | 'drop' | 'hold' | 'close',
    url: '',
    cut: () => {},
    connections: () => 0,
    onCommitted: (forward: () => void) => forward(),
  }
  const { port, sockets, connections } = await listenTcp(t, near => {
    if (proxy.mode === 'close') return near.destroy()
    if (proxy.mode === 'hold') return
    const far = connect(Number(server.port), server.hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (bytes: Buffer) => {
        if (from === far && bytes.includes('COMMIT\0')) proxy.onCommitted(() => to.write(bytes))
        else if (proxy.mode !== 'drop') to.write(bytes)
      })
      from.on('error', () => to.destroy())
      from.on('close', () => to.destroy())
    }
  })
  const target = new URL(url)
  target.hostname = '127.0.0.1'
  target.port = String(port)
  proxy.url = target.href
  proxy.connections = connections
  proxy.cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return proxy
}

onPostgres('idle connections that the server ended are replaced without an error', async (t, { db, url }) => {
  const countSockets = () => process.getActiveResourcesInfo().filter(name => name === 'TCPSocketWrap').length
  const other = await openPostgres(url)
  t.after(() => other.close())
  await Promise.all(Array.from({ length: 5 }, () => db.transaction(ownPid)))
  // Until only the connection of `other` remains: the pool may still be opening one that the transactions did not need.
  await waitUntil(async () => {
    await terminateOthers(other)
    return countSockets() === 1
  })
  for (let i = 0; i < 10; i++) await insert(db, `${i}`)
  assert.equal(await count(db), 10)
})

onPostgres(
  'a statement rejects when its connection is terminated, and the next one succeeds',
  async (t, { db, url }) => {
    const other = await openPostgres(url)
    t.after(() => other.close())
    const sleeping = assert.rejects(db.get`SELECT pg_sleep(20)`, StorageUnavailable)
    const ended = () => other.get`SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE ${'SELECT pg_sleep(20)%'}`
    while ((await ended()) === undefined);
    await sleeping
    assert.equal(await insert(db, 'a'), 1)
  },
)

onPostgres(
  'a transaction whose connection is terminated is rolled back with its later statements',
  async (t, { db, url }) => {
    const other = await openPostgres(url)
    t.after(() => other.close())
    const steps: string[] = []
    await assert.rejects(
      db.transaction(async tx => {
        await insert(tx, 'a')
        await other.get`SELECT pg_terminate_backend(${await ownPid(tx)})`
        await Promise.allSettled(['b', 'c'].map(id => insert(tx, id).then(() => steps.push(id))))
        await insert(tx, 'd').then(
          () => steps.push('d'),
          () => undefined,
        )
        tx.afterCommit(() => steps.push('committed'))
      }),
      StorageUnavailable,
    )
    assert.deepEqual(steps, [])
    assert.equal(await count(db), 0)
    assert.equal(await insert(db, 'a'), 1)
  },
)

onPostgres(
  'a transaction that is terminated during a statement rejects once and is rolled back',
  async (t, { db, url }) => {
    const other = await openPostgres(url)
    t.after(() => other.close())
    for (let round = 0; round < 3; round++) {
      const pid = Promise.withResolvers<number>()
      const work = db.transaction(async tx => {
        await insert(tx, 'a')
        pid.resolve(await ownPid(tx))
        await tx.get`SELECT pg_sleep(20)`
      })
      const rejected = assert.rejects(work, StorageUnavailable)
      await other.get`SELECT pg_terminate_backend(${await pid.promise})`
      await rejected
    }
    assert.equal(await count(db), 0)
  },
)

onPostgres(
  'a stopped server makes the database unavailable immediately, and it recovers',
  async (t, { url }) => {
    const proxy = await openProxy(t, url)
    const db = await openPostgres(proxy.url, { max: 3 })
    t.after(() => db.close())
    await insert(db, 'a')
    proxy.mode = 'close'
    proxy.cut()
    const results = await Promise.allSettled(Array.from({ length: 30 }, (_, i) => insert(db, `gone-${i}`)))
    assert.ok(
      results.every(result => result.status === 'rejected' && result.reason instanceof StorageUnavailable),
    )
    proxy.mode = 'pass'
    assert.equal(await insert(db, 'b'), 1)
    assert.equal(await count(db), 2)
  },
)

onPostgres(
  'a server that stops responding makes the database unavailable after a timeout',
  async (t, { url }) => {
    const proxy = await openProxy(t, url)
    const db = await openPostgres(proxy.url, { max: 2, connectTimeoutMs: 2000, statementTimeoutMs: 2000 })
    t.after(() => db.close())
    proxy.mode = 'drop'
    const results = await Promise.allSettled([
      insert(db, 'a'),
      insert(db, 'b'),
      insert(db, 'c'),
      db.transaction(tx => insert(tx, 'd')),
    ])
    assert.ok(
      results.every(result => result.status === 'rejected' && result.reason instanceof StorageUnavailable),
    )
    proxy.mode = 'pass'
    assert.equal(await insert(db, 'e'), 1)
  },
)

/** Opens the database through the proxy, with two connections for transactions and the row `a`. */
async function openTwo(t: TestContext, url: string): Promise<Database> {
  const db = await openPostgres(url, { max: 2 })
  t.after(() => db.close())
  await insert(db, 'a')
  await waitUntil(async () => {
    const pids = await Promise.all([db.transaction(ownPid), db.transaction(ownPid)])
    return pids[0] !== pids[1]
  })
  return db
}

/** Changes the row `a` in two transactions. The first one is committed before the second one locks the row. */
async function changeTwice(db: Database, hooks: string[]): Promise<[Promise<void>, Promise<void>]> {
  const locked = Promise.withResolvers<void>()
  const change = (name: string) =>
    db.transaction(async tx => {
      await tx.run`UPDATE things SET n = n + 1 WHERE id = 'a'`
      locked.resolve()
      tx.afterCommit(() => hooks.push(name))
    })
  const first = change('first')
  await locked.promise
  return [first, change('second')]
}

onPostgres(
  'hooks run in the order of the commits, also if the responses arrive in another order',
  async (t, { url }) => {
    const proxy = await openProxy(t, url)
    const db = await openTwo(t, proxy.url)
    const forwards: (() => void)[] = []
    proxy.onCommitted = forward => {
      if (forwards.push(forward) === 2) for (const run of forwards.reverse()) run()
    }
    const hooks: string[] = []
    await Promise.all(await changeTwice(db, hooks))
    assert.deepEqual(hooks, ['first', 'second'])
  },
)

onPostgres(
  'the connection of a transaction whose hooks wait for an earlier COMMIT is free',
  async (t, { url }) => {
    const proxy = await openProxy(t, url)
    const db = await openTwo(t, proxy.url)
    const held = Promise.withResolvers<() => void>()
    proxy.onCommitted = forward => {
      proxy.onCommitted = next => next()
      held.resolve(forward)
    }
    const hooks: string[] = []
    const changes = await changeTwice(db, hooks)
    const forward = await held.promise
    // The first connection waits for its response, so this needs the second one.
    await db.transaction(tx => insert(tx, 'b'))
    assert.deepEqual(hooks, [])
    forward()
    await Promise.all(changes)
    assert.deepEqual(hooks, ['first', 'second'])
  },
)

onPostgres('hooks wait for an earlier COMMIT although one in between has failed', async (t, { url }) => {
  const proxy = await openProxy(t, url)
  const db = await openTwo(t, proxy.url)
  await db.run`CREATE TABLE deferred (id TEXT UNIQUE DEFERRABLE INITIALLY DEFERRED)`
  const held = Promise.withResolvers<() => void>()
  proxy.onCommitted = forward => {
    proxy.onCommitted = next => next()
    held.resolve(forward)
  }
  const hooks: string[] = []
  const write = (name: string, ids: string[]) =>
    db.transaction(async tx => {
      for (const id of ids) await tx.run`INSERT INTO deferred (id) VALUES (${id})`
      tx.afterCommit(() => hooks.push(name))
    })
  const first = write('first', ['a'])
  const forward = await held.promise
  await assert.rejects(write('failed', ['b', 'b']), UniqueViolation)
  const third = write('third', ['c'])
  // Its COMMIT has its response.
  await waitUntil(async () => (await db.get`SELECT 1 AS one FROM deferred WHERE id = 'c'`) !== undefined)
  await db.transaction(ownPid)
  assert.deepEqual(hooks, [])
  forward()
  await Promise.all([first, third])
  assert.deepEqual(hooks, ['first', 'third'])
})

onPostgres('hooks run although an earlier COMMIT gets no response', async (t, { url }) => {
  const proxy = await openProxy(t, url)
  const db = await openTwo(t, proxy.url)
  proxy.onCommitted = () => {
    proxy.onCommitted = forward => forward()
  }
  const hooks: string[] = []
  const [first, second] = await changeTwice(db, hooks)
  const failed = assert.rejects(first, StorageUnavailable)
  await second
  assert.deepEqual(hooks, ['second'])
  proxy.cut()
  await failed
})

onPostgres(
  'transactions use the open connection while the server does not accept another one',
  async (t, { url }) => {
    const proxy = await openProxy(t, url)
    const db = await openPostgres(proxy.url, { connectTimeoutMs: 2000 })
    t.after(() => db.close())
    await insert(db, 'a')
    proxy.mode = 'hold'
    const ids = Array.from({ length: 8 }, (_, i) => `b-${i}`)
    await Promise.all(ids.map(id => insert(db, id)))
    assert.equal(await count(db), 9)
    assert.equal(proxy.connections(), 3)
  },
)

onPostgres('a refused connection makes the database unavailable', async () => {
  const port = await freePort()
  await assert.rejects(openPostgres(`postgres://root:hidden@127.0.0.1:${port}/x`), error => {
    assert.ok(error instanceof StorageUnavailable)
    assert.ok(!`${error.stack}${String(error.cause)}`.includes('hidden'))
    return true
  })
})

onPostgres('the error for a missing database contains its name', async (_t, { url }) => {
  const other = new URL(url)
  other.pathname = '/gatehouse_no_such_database'
  await assert.rejects(openPostgres(other.href), /3D000.*gatehouse_no_such_database/)
})

onPostgres(
  'a statement that exceeds the timeout is cancelled, and its connection stays usable',
  async (t, { url }) => {
    const db = await openPostgres(url, { max: 1, statementTimeoutMs: 2000 })
    t.after(() => db.close())
    const pid = await ownPid(db)
    await assert.rejects(db.get`SELECT pg_sleep(20)`, StorageUnavailable)
    assert.equal(await ownPid(db), pid)
  },
)

onPostgres('a caller that waits too long for a connection is rejected', async (t, { url }) => {
  const db = await openPostgres(url, { max: 1, statementTimeoutMs: 2000 })
  t.after(() => db.close())
  const begun = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const holding = db.transaction(async tx => {
    await ownPid(tx)
    begun.resolve()
    await release.promise
  })
  await begun.promise
  await assert.rejects(
    db.transaction(tx => insert(tx, 'a')),
    StorageUnavailable,
  )
  const held = () => db.get`SELECT 1 AS held FROM pg_stat_activity
    WHERE datname = current_database() AND state = 'idle in transaction'`
  while ((await held()) !== undefined);
  release.resolve()
  await assert.rejects(holding, StorageUnavailable)
  assert.equal(await insert(db, 'b'), 1)
  assert.equal(await count(db), 1)
})

onPostgres('the pool opens at most the allowed connections and serves all callers', async (t, { url }) => {
  const db = await openPostgres(url, { max: 3, readers: 2 })
  t.after(() => db.close())
  const pids = await Promise.all(
    Array.from({ length: 60 }, (_, i) => (i % 2 === 0 ? ownPid(db) : db.transaction(tx => ownPid(tx)))),
  )
  assert.equal(pids.length, 60)
  assert.ok(new Set(pids).size <= 3 + 2)
})

onPostgres('a transaction is retried after a deadlock', async (_t, { db }) => {
  await insert(db, 'a')
  await insert(db, 'b')
  let runs = 0
  const bothHold = Promise.withResolvers<void>()
  const lockBoth = (first: string, second: string, findOther: () => Promise<void> | undefined) => {
    let isRetry = false
    return db.transaction(async tx => {
      // Otherwise the retry may cause another deadlock.
      if (isRetry) await findOther()
      isRetry = true
      await tx.run`UPDATE things SET n = n + 1 WHERE id = ${first}`
      if (++runs === 2) bothHold.resolve()
      await bothHold.promise
      await tx.run`UPDATE things SET n = n + 1 WHERE id = ${second}`
    })
  }
  const one: Promise<void> = lockBoth('a', 'b', () => two)
  const two: Promise<void> = lockBoth('b', 'a', () => one)
  await Promise.all([one, two])
  assert.equal(runs, 3)
  assert.deepEqual(await db.all`SELECT n FROM things`, [{ n: 3 }, { n: 3 }])
})

onPostgres(
  'a transaction is retried at most three times after serialization failures',
  async (_t, { db }) => {
    const attempt = (failures: number) => {
      let runs = 0
      return db
        .transaction(async tx => {
          await insert(tx, `${failures}`)
          if (++runs > failures) return
          await tx.run`DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$`
        })
        .then(
          () => runs,
          (error: unknown) => ({ runs, error }),
        )
    }
    assert.equal(await attempt(0), 1)
    assert.equal(await attempt(3), 4)
    const failed = await attempt(4)
    assert.ok(typeof failed === 'object' && failed.error instanceof StorageUnavailable)
    assert.equal(failed.runs, 4)
    assert.equal(await count(db), 2)
  },
)

onPostgres('a table changed by another node does not break a prepared statement', async (_t, { db, url }) => {
  const other = await openPostgres(url)
  try {
    const read = (on: Pick<Database, 'get'>) => on.get`SELECT * FROM things`
    await insert(db, 'a')
    for (let i = 0; i < 10; i++) await db.transaction(read)
    await other.run`ALTER TABLE things ADD COLUMN more TEXT`
    assert.deepEqual(await read(db), { id: 'a', n: 1, more: null })
    assert.deepEqual(await db.transaction(read), { id: 'a', n: 1, more: null })
  } finally {
    await other.close()
  }
})

onPostgres('counts round trips, statements and transactions', async (_t, { db, url }) => {
  const other = await openPostgres(url, { readers: 1 })
  const measure = async (run: () => Promise<unknown>) => {
    const before = { ...other.traffic }
    await run()
    const { roundTrips = 0, statements = 0, transactions = 0 } = other.traffic ?? {}
    return [
      roundTrips - (before.roundTrips ?? 0),
      statements - (before.statements ?? 0),
      transactions - (before.transactions ?? 0),
    ]
  }
  const read = () => other.get`SELECT n FROM things WHERE n = 1`
  try {
    // Opens the connections.
    await other.transaction(ownPid)
    await other.run`DELETE FROM things`
    assert.deepEqual(await measure(read), [1, 1, 1])
    assert.deepEqual(await measure(() => Promise.all([read(), read()])), [1, 2, 2])
    assert.deepEqual(await measure(() => insert(other, 'a')), [1, 1, 1])
    const both = (tx: Pick<Database, 'run'>) => Promise.all([insert(tx, 'b'), insert(tx, 'c')])
    assert.deepEqual(await measure(() => other.transaction(both)), [2, 4, 1])
  } finally {
    await other.close()
  }
  assert.equal(await count(db), 3)
})

onPostgres('notices of the server are not printed', async (t, { db }) => {
  const log = t.mock.method(console, 'log', () => undefined)
  await db.run`CREATE TABLE IF NOT EXISTS things (id TEXT)`
  assert.equal(log.mock.callCount(), 0)
})

onPostgres('reads share connections, and each gets its own result or error', async (_t, { db, url }) => {
  const other = await openPostgres(url, { readers: 1 })
  try {
    for (let i = 0; i < 50; i++) await db.run`INSERT INTO things (id, n) VALUES (${`${i}`}, ${i})`
    await db.run`INSERT INTO things (id, n) VALUES ('beyond', 9007199254740993)`
    const found = await Promise.allSettled(
      Array.from({ length: 300 }, (_, i) => {
        if (i % 3 === 0) return other.get`SELECT n FROM things WHERE id = ${'beyond'}`
        if (i % 3 === 1) return other.get`SELECT 1 / (n - n) AS never FROM things WHERE id = ${'1'}`
        return other.get`SELECT n FROM things WHERE id = ${`${i % 50}`}`
      }),
    )
    for (const [i, result] of found.entries()) {
      if (i % 3 === 2) assert.deepEqual(result, { status: 'fulfilled', value: { n: i % 50 } })
      else assert.ok(result.status === 'rejected' && (i % 3 === 0) === result.reason instanceof RangeError)
    }
    const pids = await Promise.all(Array.from({ length: 30 }, () => ownPid(other)))
    assert.equal(new Set(pids).size, 1)
  } finally {
    await other.close()
  }
})

onPostgres('reads that wait when a connection is lost share the one that replaces it', async (t, { url }) => {
  const proxy = await openProxy(t, url)
  const db = await openPostgres(proxy.url, { readers: 1 })
  t.after(() => db.close())
  await ownPid(db)
  const before = proxy.connections()
  // 64 are sent, and the others wait.
  const reading = Promise.allSettled(Array.from({ length: 200 }, () => ownPid(db)))
  proxy.cut()
  const read = (await reading).filter(result => result.status === 'fulfilled')
  assert.equal(read.length, 200 - 64)
  assert.equal(new Set(read.map(({ value }) => value)).size, 1)
  assert.equal(proxy.connections() - before, 1)
})

onPostgres('a table that another node alters does not break running reads', async (_t, { db, url }) => {
  const other = await openPostgres(url)
  try {
    await insert(db, 'a')
    const readMany = () => Promise.all(Array.from({ length: 40 }, () => db.get`SELECT * FROM things`))
    await readMany()
    await other.run`ALTER TABLE things ADD COLUMN more TEXT`
    for (const row of await readMany()) assert.deepEqual(row, { id: 'a', n: 1, more: null })
  } finally {
    await other.close()
  }
})

onPostgres('statements after a failed BEGIN change nothing', async (_t, { db, url }) => {
  const client = new PostgresConnection(url, { connectTimeoutMs: 5_000, statementTimeoutMs: 5_000 })
  try {
    await client.open()
    await client.begin()
    await client.query('COMMIT')
    const alone = client.query("INSERT INTO things (id, n) VALUES ('stray', 1)")
    await assert.rejects(alone, StorageUnavailable)
    assert.ok(client.isLost)
    assert.equal(await count(db), 0)
  } finally {
    await client.close()
  }
})

onPostgres(
  'pipelined transactions on one connection commit or roll back independently',
  async (t, { url }) => {
    const db = await openPostgres(url, { max: 1 })
    t.after(() => db.close())
    const committed: number[] = []
    const results = await Promise.allSettled(
      Array.from({ length: 60 }, (_, i) =>
        db.transaction(async tx => {
          const both = [insert(tx, `${i}`), insert(tx, i % 3 === 1 ? `${i}` : `second-${i}`)]
          if (i % 3 === 2) throw new Error('changed my mind')
          await Promise.all(both)
          tx.afterCommit(() => committed.push(i))
        }),
      ),
    )
    const expected = results.flatMap((_, i) => (i % 3 === 0 ? [i] : []))
    assert.deepEqual(committed, expected)
    assert.deepEqual(
      results.flatMap((result, i) => (result.status === 'fulfilled' ? [i] : [])),
      expected,
    )
    assert.equal(await count(db), 40)
  },
)

onPostgres('the host of the URL can be an IPv6 address', async (t, { url }) => {
  const target = new URL((await openProxy(t, url)).url)
  // Mapped to an IPv4 address, because the machine may have no IPv6 address.
  target.hostname = '[::ffff:127.0.0.1]'
  const db = await openPostgres(target.href)
  t.after(() => db.close())
  assert.equal(await count(db), 0)
})
