import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '@gatehouse/testkit/clock'
import { eachEngine, sweepDuring } from '@gatehouse/testkit/databases'
import { createDomainEventBus } from '../../events/domain-events.ts'
import { createEvents, type Events } from '../../events/gateway-events.ts'
import { formatCookie } from '../../http/cookies.ts'
import { createSecret, secretPrefixes } from '../../kit/secret.ts'
import { createSnowflakes } from '../../kit/snowflake.ts'
import type { Database } from '../../storage/database.ts'
import { createSecurityLog } from '../security-log/index.ts'
import { createPasswords, createUserByOperator } from '../users/index.ts'
import { createSessions, sweepSessions } from './sessions.ts'

const day = 24 * 60 * 60 * 1000
const requestInfo = { ip: '192.0.2.1', userAgent: 'Browser' }

async function build(db: Database) {
  const clock = createTestClock()
  const ids = createSnowflakes({ clock: clock.now, node: 1 })
  const revoked: string[] = []
  const events: Events = {
    ...createEvents({ publish() {} }),
    closeGatewayConnections: (id, { reason }) => void revoked.push(`${id} ${reason}`),
  }
  const baseUrl = 'https://chat.example.org'
  const domainEvents = createDomainEventBus()
  const securityLog = createSecurityLog({ db, clock: clock.now, ids, logger: { info: () => undefined } })
  const sessions = createSessions({ db, clock: clock.now, ids, events, domainEvents, securityLog, baseUrl })
  const addUser = async (username: string) => {
    const passwords = createPasswords({ memory: 64, passes: 1 })
    const body = { username, email: `${username}@example.org`, password: 'correct horse' }
    return (await createUserByOperator({ db, clock: clock.now, ids, passwords }, body)).id
  }
  const start = (userId: string) =>
    db.transaction(tx => sessions.createSession(tx, { ...requestInfo, userId, amr: ['pwd'] }))
  return { clock, revoked, sessions, addUser, start }
}

eachEngine('authenticates the user by the session secret and rejects every other value', async (_t, db) => {
  const { clock, sessions, addUser, start } = await build(db)
  const userId = await addUser('ada')
  const { id, secret } = await start(userId)
  assert.deepEqual(await sessions.authenticateSession(secret, requestInfo), {
    kind: 'session',
    userId,
    sessionId: id,
    expiresAt: clock.now() + 30 * day,
  })
  const others = ['', 'gst_', id, secret.slice(0, -1), `${secret}0`, createSecret(secretPrefixes.session)]
  for (const other of others) assert.equal(await sessions.authenticateSession(other, requestInfo), undefined)
})

eachEngine('stores no session secret in the database', async (_t, db) => {
  const { addUser, start } = await build(db)
  const { secret } = await start(await addUser('ada'))
  const rows = await db.all`SELECT * FROM sessions`
  assert.equal(rows.length, 1)
  assert.equal(JSON.stringify(rows).includes(secret.slice(4)), false)
})

eachEngine('a session expires 30 days after its last use (sign-in/session-lifetime)', async (_t, db) => {
  const { clock, sessions, addUser, start } = await build(db)
  const { id, secret } = await start(await addUser('ada'))
  clock.advance(29 * day)
  assert.ok(await sessions.authenticateSession(secret, requestInfo))
  clock.advance(30 * day - 1)
  assert.ok(await sessions.authenticateSession(secret, requestInfo))
  clock.advance(30 * day)
  assert.equal(await sessions.authenticateSession(secret, requestInfo), undefined)
  assert.equal(await sessions.findSession(db, id), undefined)
})

eachEngine('updates the last use, IP address and user agent at most once in five minutes', async (_t, db) => {
  const { clock, sessions, addUser, start } = await build(db)
  const { id, secret } = await start(await addUser('ada'))
  const interval = 5 * 60_000
  const startedAt = clock.now()
  const other = { ip: '198.51.100.7', userAgent: 'Another' }
  clock.advance(interval - 1)
  await sessions.authenticateSession(secret, other)
  assert.equal((await sessions.findSession(db, id))?.lastUsedAt, startedAt)
  clock.advance(1)
  await sessions.authenticateSession(secret, other)
  const session = await sessions.findSession(db, id)
  assert.equal(session?.lastUsedAt, startedAt + interval)
  assert.equal(session?.createdAt, startedAt)
  assert.equal(session?.authTime, startedAt)
  assert.equal(session?.ip, other.ip)
  assert.equal(session?.userAgent, other.userAgent)
})

eachEngine(
  'truncates the user agent and removes characters that the database cannot store',
  async (_t, db) => {
    const { sessions, addUser } = await build(db)
    const userId = await addUser('ada')
    const malformed = { ip: '192.0.2.1', userAgent: `a\u0000b\ud800${'c'.repeat(5000)}` }
    await db.transaction(tx => sessions.createSession(tx, { ...malformed, userId, amr: ['pwd'] }))
    const [session] = await sessions.listSessions(userId, '')
    assert.equal(session?.userAgent?.startsWith('ab\ufffdccc'), true)
    assert.equal((session?.userAgent?.length ?? 0) <= 512, true)
  },
)

eachEngine(
  'a revoked session cannot authenticate, and the event is published after the commit',
  async (_t, db) => {
    const { revoked, sessions, addUser, start } = await build(db)
    const { id, secret } = await start(await addUser('ada'))
    await assert.rejects(
      db.transaction(async tx => {
        await sessions.revokeSession(tx, id)
        throw new Error('rolled back')
      }),
    )
    assert.deepEqual(revoked, [])
    assert.ok(await sessions.authenticateSession(secret, requestInfo))
    assert.equal(await db.transaction(tx => sessions.revokeSession(tx, id)), true)
    assert.deepEqual(revoked, [`${id} signed_out`])
    assert.equal(await sessions.authenticateSession(secret, requestInfo), undefined)
    assert.equal(await db.transaction(tx => sessions.revokeSession(tx, id)), false)
    assert.equal(revoked.length, 1)
  },
)

eachEngine("returns false for another user's session and does not revoke it", async (_t, db) => {
  const { sessions, addUser, start } = await build(db)
  const { id, secret } = await start(await addUser('ada'))
  const bob = await addUser('bob')
  assert.equal(await sessions.revokeOwnSession(id, bob, requestInfo), false)
  assert.ok(await sessions.authenticateSession(secret, requestInfo))
})

eachEngine('revokes all sessions of the user except the excluded one', async (_t, db) => {
  const { revoked, sessions, addUser, start } = await build(db)
  const ada = await addUser('ada')
  const [first, second, third] = [await start(ada), await start(ada), await start(ada)]
  const bob = await start(await addUser('bob'))
  await db.transaction(tx => sessions.revokeSessions(tx, ada, { except: second.id }))
  assert.deepEqual(revoked.sort(), [`${first.id} signed_out`, `${third.id} signed_out`].sort())
  const remaining = await sessions.listSessions(ada, '')
  assert.deepEqual(
    remaining.map(session => session.id),
    [second.id],
  )
  await db.transaction(tx => sessions.revokeSessions(tx, ada))
  assert.deepEqual(await sessions.listSessions(ada, ''), [])
  assert.ok(await sessions.authenticateSession(bob.secret, requestInfo))
})

eachEngine('of 50 concurrent revocations of one session exactly one returns true', async (_t, db) => {
  const { revoked, sessions, addUser, start } = await build(db)
  const { id } = await start(await addUser('ada'))
  const results = await Promise.all(
    Array.from({ length: 50 }, () => db.transaction(tx => sessions.revokeSession(tx, id))),
  )
  assert.equal(results.filter(Boolean).length, 1)
  assert.equal(revoked.length, 1)
})

eachEngine('of 20 concurrent re-authentications of one session exactly one gets a secret', async (_t, db) => {
  const { clock, sessions, addUser, start } = await build(db)
  const userId = await addUser('ada')
  const { id, secret } = await start(userId)
  const current = { userId, sessionId: id, secret }
  clock.advance(1000)
  const reauthenticate = () => db.transaction(tx => sessions.reauthenticate(tx, current, ['pwd']))
  const secrets = (await Promise.all(Array.from({ length: 20 }, reauthenticate))).filter(Boolean)
  assert.equal(secrets.length, 1)
  assert.equal((await sessions.findSession(db, id))?.authTime, clock.now())
  assert.equal(await sessions.authenticateSession(secret, requestInfo), undefined)
  assert.equal((await sessions.authenticateSession(secrets[0] ?? '', requestInfo))?.sessionId, id)
})

eachEngine('a revoked session gets no new secret', async (_t, db) => {
  const { sessions, addUser, start } = await build(db)
  const userId = await addUser('ada')
  const { id, secret } = await start(userId)
  const current = { userId, sessionId: id, secret }
  await db.transaction(tx => sessions.revokeSession(tx, id))
  assert.equal(await db.transaction(tx => sessions.reauthenticate(tx, current, ['pwd'])), undefined)
  await assert.rejects(
    db.transaction(tx => sessions.renewSecret(tx, current)),
    { code: 'unauthenticated' },
  )
})

eachEngine(
  'the sweep deletes all expired sessions, in several batches, and no other sessions',
  async (_t, db) => {
    const { clock, sessions, addUser, start } = await build(db)
    const ada = await addUser('ada')
    for (let i = 0; i < 7; i++) await start(ada)
    clock.advance(15 * day)
    const active = await start(ada)
    clock.advance(15 * day)
    assert.equal(await sweepSessions(db, clock.now, 3), 7)
    assert.deepEqual(
      (await db.all<{ id: string }>`SELECT id FROM sessions`).map(row => row.id),
      [active.id],
    )
    assert.equal((await sessions.listSessions(ada, '')).length, 1)
  },
)

eachEngine('the sweep keeps a session that is used at the same time', async (_t, db) => {
  const { clock, addUser, start } = await build(db)
  const { id } = await start(await addUser('ada'))
  clock.advance(30 * day)
  await sweepDuring(
    db,
    tx => tx.run`UPDATE sessions SET expires_at = ${clock.now() + day} WHERE id = ${id}`,
    () => sweepSessions(db, clock.now, 3),
  )
  assert.deepEqual(await db.all`SELECT id FROM sessions`, [{ id }])
})

test('the cookie is host-only and HttpOnly, and Secure if the base URL is https', () => {
  assert.equal(
    formatCookie('https://chat.example.org', 'session', 'x'),
    '__Host-gatehouse_session=x; Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax; Secure',
  )
  assert.equal(
    formatCookie('http://localhost:3000', 'session', null),
    'gatehouse_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
  )
})
