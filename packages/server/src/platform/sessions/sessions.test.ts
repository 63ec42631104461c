import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeSecret, secretPrefixes } from '../../kit/secret.ts'
import { createSnowflakes } from '../../kit/snowflake.ts'
import { createTestClock } from '../../kit/testing.ts'
import type { Database } from '../../storage/database.ts'
import { eachEngine } from '../../storage/testing.ts'
import { createPasswords, createUserByOperator } from '../users/index.ts'
import { browserCookie } from './cookie.ts'
import { createSessions, sweepSessions } from './sessions.ts'

const hour = 60 * 60 * 1000
const day = 24 * hour
const seen = { ip: '192.0.2.1', userAgent: 'Browser' }

async function build(db: Database) {
  const clock = createTestClock()
  const ids = createSnowflakes({ clock: clock.now, node: 1 })
  const ended: string[] = []
  const events = {
    ended(id: string, { reason }: { reason: string }) {
      ended.push(`${id} ${reason}`)
    },
  }
  const baseUrl = 'https://chat.example.org'
  const sessions = createSessions({
    db,
    clock: clock.now,
    ids,
    events,
    baseUrl,
    cookieName: '__Host-session',
  })
  const addUser = async (username: string) => {
    const passwords = createPasswords({ memory: 64, passes: 1 })
    const body = { username, email: `${username}@example.org`, password: 'correct horse' }
    return (await createUserByOperator({ db, clock: clock.now, ids, passwords }, body)).id
  }
  const start = (userId: string) =>
    db.transaction(tx => sessions.startSession(tx, { ...seen, userId, amr: ['pwd'] }))
  return { clock, ended, sessions, addUser, start }
}

eachEngine('the secret of a session leads to its person, any other to nobody', async (_t, db) => {
  const { clock, sessions, addUser, start } = await build(db)
  const userId = await addUser('ada')
  const { id, secret } = await start(userId)
  assert.deepEqual(await sessions.authenticateSession(secret, seen), {
    kind: 'session',
    userId,
    sessionId: id,
    expiresAt: clock.now() + 30 * day,
  })
  const others = ['', 'gst_', id, secret.slice(0, -1), `${secret}0`, makeSecret(secretPrefixes.session)]
  for (const other of others) assert.equal(await sessions.authenticateSession(other, seen), undefined)
})

eachEngine('the secret itself is nowhere in the database', async (_t, db) => {
  const { addUser, start } = await build(db)
  const { secret } = await start(await addUser('ada'))
  const rows = await db.all`SELECT * FROM sessions`
  assert.equal(rows.length, 1)
  assert.equal(JSON.stringify(rows).includes(secret.slice(4)), false)
})

eachEngine('a session lasts 30 days from its last use', async (_t, db) => {
  const { clock, sessions, addUser, start } = await build(db)
  const { id, secret } = await start(await addUser('ada'))
  clock.advance(29 * day)
  assert.ok(await sessions.authenticateSession(secret, seen))
  clock.advance(30 * day - 1)
  assert.ok(await sessions.authenticateSession(secret, seen))
  clock.advance(30 * day)
  assert.equal(await sessions.authenticateSession(secret, seen), undefined)
  assert.equal(await sessions.findSession(db, id), undefined)
})

eachEngine('the last use is written down at most once an hour, with where it came from', async (_t, db) => {
  const { clock, sessions, addUser, start } = await build(db)
  const { id, secret } = await start(await addUser('ada'))
  const began = clock.now()
  const elsewhere = { ip: '198.51.100.7', userAgent: 'Another' }
  clock.advance(hour - 1)
  await sessions.authenticateSession(secret, elsewhere)
  assert.equal((await sessions.findSession(db, id))?.lastUsedAt, began)
  clock.advance(1)
  await sessions.authenticateSession(secret, elsewhere)
  const session = await sessions.findSession(db, id)
  assert.equal(session?.lastUsedAt, began + hour)
  assert.equal(session?.createdAt, began)
  assert.equal(session?.authTime, began)
  assert.equal(session?.ip, elsewhere.ip)
  assert.equal(session?.userAgent, elsewhere.userAgent)
})

eachEngine('what a browser calls itself is cut to what can be kept', async (_t, db) => {
  const { sessions, addUser } = await build(db)
  const userId = await addUser('ada')
  const odd = { ip: '192.0.2.1', userAgent: `a\u0000b\ud800${'c'.repeat(5000)}` }
  await db.transaction(tx => sessions.startSession(tx, { ...odd, userId, amr: ['pwd'] }))
  const [session] = await sessions.listSessions(userId)
  assert.equal(session?.userAgent.startsWith('ab\ufffdccc'), true)
  assert.equal((session?.userAgent.length ?? 0) <= 512, true)
})

eachEngine('an ended session is dead at once and says so after the commit', async (_t, db) => {
  const { ended, sessions, addUser, start } = await build(db)
  const { id, secret } = await start(await addUser('ada'))
  await assert.rejects(
    db.transaction(async tx => {
      await sessions.endSession(tx, id)
      throw new Error('rolled back')
    }),
  )
  assert.deepEqual(ended, [])
  assert.ok(await sessions.authenticateSession(secret, seen))
  assert.equal(await db.transaction(tx => sessions.endSession(tx, id)), true)
  assert.deepEqual(ended, [`${id} signed_out`])
  assert.equal(await sessions.authenticateSession(secret, seen), undefined)
  assert.equal(await db.transaction(tx => sessions.endSession(tx, id)), false)
  assert.equal(ended.length, 1)
})

eachEngine("nobody ends another person's session", async (_t, db) => {
  const { sessions, addUser, start } = await build(db)
  const { id, secret } = await start(await addUser('ada'))
  const bob = await addUser('bob')
  assert.equal(await db.transaction(tx => sessions.endOwnSession(tx, id, bob)), false)
  assert.ok(await sessions.authenticateSession(secret, seen))
})

eachEngine("all of a person's sessions end but the one that is spared, nobody else's", async (_t, db) => {
  const { ended, sessions, addUser, start } = await build(db)
  const ada = await addUser('ada')
  const [first, second, third] = [await start(ada), await start(ada), await start(ada)]
  const bobs = await start(await addUser('bob'))
  await db.transaction(tx => sessions.endSessions(tx, ada, { except: second.id }))
  assert.deepEqual(ended.sort(), [`${first.id} signed_out`, `${third.id} signed_out`].sort())
  const left = await sessions.listSessions(ada)
  assert.deepEqual(
    left.map(session => session.id),
    [second.id],
  )
  await db.transaction(tx => sessions.endSessions(tx, ada))
  assert.deepEqual(await sessions.listSessions(ada), [])
  assert.ok(await sessions.authenticateSession(bobs.secret, seen))
})

eachEngine('of fifty who end the same session at once one does', async (_t, db) => {
  const { ended, sessions, addUser, start } = await build(db)
  const { id } = await start(await addUser('ada'))
  const results = await Promise.all(
    Array.from({ length: 50 }, () => db.transaction(tx => sessions.endSession(tx, id))),
  )
  assert.equal(results.filter(Boolean).length, 1)
  assert.equal(ended.length, 1)
})

eachEngine('a session that has ended cannot be authenticated again', async (_t, db) => {
  const { clock, sessions, addUser, start } = await build(db)
  const { id } = await start(await addUser('ada'))
  clock.advance(1000)
  assert.equal(await db.transaction(tx => sessions.reauthenticated(tx, id, ['pwd'])), true)
  assert.equal((await sessions.findSession(db, id))?.authTime, clock.now())
  await db.transaction(tx => sessions.endSession(tx, id))
  assert.equal(await db.transaction(tx => sessions.reauthenticated(tx, id, ['pwd'])), false)
})

eachEngine(
  'the sweep deletes what has expired, in as many batches as it takes, and nothing else',
  async (_t, db) => {
    const { clock, sessions, addUser, start } = await build(db)
    const ada = await addUser('ada')
    for (let i = 0; i < 7; i++) await start(ada)
    clock.advance(15 * day)
    const young = await start(ada)
    clock.advance(15 * day)
    assert.equal(await sweepSessions(db, clock.now, 3), 7)
    assert.deepEqual(
      (await db.all<{ id: string }>`SELECT id FROM sessions`).map(row => row.id),
      [young.id],
    )
    assert.equal((await sessions.listSessions(ada)).length, 1)
  },
)

test('the cookie is for this host alone, for no script, and is secure where the service is', () => {
  assert.equal(
    browserCookie('https://chat.example.org', '__Host-session', 'x'),
    '__Host-session=x; Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax; Secure',
  )
  assert.equal(
    browserCookie('http://localhost:3000', 'session', null),
    'session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
  )
})
