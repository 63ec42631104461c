import assert from 'node:assert/strict'
import { AppError } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import { createSnowflakes } from '../../kit/snowflake.ts'
import { createTestClock } from '../../kit/testing.ts'
import type { Database } from '../../storage/database.ts'
import { eachEngine } from '../../storage/testing.ts'
import type { HalfSignIn } from '../second-factor/index.ts'
import { buildSecondFactor } from '../second-factor/testing.ts'
import { createSessions } from '../sessions/index.ts'
import { createNoLimits, createPeopleLimits } from './limits.ts'
import { createUserByOperator } from './operator.ts'
import { createPasswords, type Passwords } from './password.ts'
import { createSignIn, passwordMethod, type SignedIn } from './sign-in.ts'
import { credentialsById } from './store.ts'

const costs = { memory: 64, passes: 1 }
const seen = { ip: '192.0.2.1', userAgent: 'Browser' }

function build(db: Database, clock: Clock, passwords: Passwords, limits = createNoLimits()) {
  const ids = createSnowflakes({ clock, node: 1 })
  const baseUrl = 'https://chat.example.org'
  const events = { ended() {} }
  const secondFactor = buildSecondFactor(db, clock)
  const sessions = createSessions({ db, clock, ids, events, baseUrl, cookieName: '__Host-session' })
  const addUser = (username: string) =>
    createUserByOperator(
      { db, clock, ids, passwords },
      { username, email: `${username}@Example.org`, password: 'correct horse' },
    )
  return { sessions, addUser, signIn: createSignIn({ db, passwords, limits, sessions, secondFactor }) }
}

const browser = 'the id of the browser'

function whole(result: SignedIn | HalfSignIn): SignedIn {
  assert.ok('secret' in result, 'the sign-in waits for a second factor')
  return result
}

function isWrong(error: unknown): boolean {
  return error instanceof AppError && error.code === 'invalid_credentials'
}

eachEngine('a person is known by username in any case and by address in any case', async (_t, db) => {
  const { addUser, signIn } = build(db, createTestClock().now, createPasswords(costs))
  const ada = await addUser('ada')
  for (const login of ['ada', 'Ada', 'ada@example.org', 'ADA@EXAMPLE.ORG']) {
    const user = await signIn.checkPassword(login, 'correct horse', { ip: seen.ip })
    assert.deepEqual(user, ada)
  }
})

eachEngine('an unknown login costs one comparison, as a wrong password does', async (_t, db) => {
  const real = createPasswords(costs)
  const work: (string | undefined)[] = []
  const counting: Passwords = {
    ...real,
    verify(password, stored) {
      work.push(stored)
      return real.verify(password, stored)
    },
  }
  const { addUser, signIn } = build(db, createTestClock().now, counting)
  await addUser('ada')
  await assert.rejects(signIn.checkPassword('ada', 'wrong horse', { ip: seen.ip }), isWrong)
  await assert.rejects(signIn.checkPassword('nobody', 'wrong horse', { ip: seen.ip }), isWrong)
  await assert.rejects(signIn.checkPassword('nobody@example.org', 'wrong horse', { ip: seen.ip }), isWrong)
  assert.equal(work.length, 3)
  assert.equal(typeof work[0], 'string')
  assert.deepEqual(work.slice(1), [undefined, undefined])
})

eachEngine('a bot and an account without password sign in with nothing', async (_t, db) => {
  const { addUser, signIn } = build(db, createTestClock().now, createPasswords(costs))
  const ada = await addUser('ada')
  await db.run`UPDATE users SET password_hash = NULL WHERE id = ${ada.id}`
  await assert.rejects(signIn.checkPassword('ada', '', { ip: seen.ip }), isWrong)
  await assert.rejects(signIn.checkPassword('ada', 'correct horse', { ip: seen.ip }), isWrong)
})

eachEngine('a password stored with old costs is stored anew when it is used', async (_t, db) => {
  const { addUser } = build(db, createTestClock().now, createPasswords({ memory: 32, passes: 1 }))
  const ada = await addUser('ada')
  const passwords = createPasswords(costs)
  const { signIn } = build(db, createTestClock().now, passwords)
  await signIn.checkPassword('ada', 'correct horse', { ip: seen.ip })
  const stored = (await credentialsById(db, ada.id))?.passwordHash ?? ''
  assert.equal(passwords.needsRehash(stored), false)
  assert.equal(await passwords.verify('correct horse', stored), true)
})

eachEngine('unknown accounts run into the same limit as known ones', async (_t, db) => {
  const clock = createTestClock().now
  const { addUser, signIn } = build(db, clock, createPasswords(costs), createPeopleLimits(clock))
  await addUser('ada')
  for (const login of ['ada', 'nobody']) {
    for (let i = 0; i < 10; i++)
      await assert.rejects(signIn.checkPassword(login, 'wrong horse', seen), isWrong)
    await assert.rejects(
      signIn.checkPassword(login, 'correct horse', seen),
      (error: unknown) =>
        error instanceof AppError && error.code === 'rate_limited' && error.retryAfter === 600,
    )
  }
})

eachEngine(
  'a thousand wrong tries from elsewhere do not keep a person out of a browser they know',
  async (_t, db) => {
    const clock = createTestClock().now
    const limits = createPeopleLimits(clock)
    const { addUser, signIn } = build(db, clock, createPasswords(costs), limits)
    const ada = await addUser('ada')
    for (let i = 0; i < 1000; i++) {
      limits.beginPassword({ account: ada.id, ip: `198.51.${i >> 8}.${i & 255}`, known: false })
    }
    const isLimited = (error: unknown) => error instanceof AppError && error.code === 'rate_limited'
    await assert.rejects(signIn.checkPassword('ada', 'correct horse', { ip: seen.ip }), isLimited)
    const known = (userId: string) => userId === ada.id
    assert.equal((await signIn.checkPassword('ada', 'correct horse', { ip: seen.ip, known })).id, ada.id)
    const { secret } = await db.transaction(tx =>
      build(db, clock, createPasswords(costs)).sessions.startSession(tx, {
        ...seen,
        userId: ada.id,
        amr: passwordMethod,
      }),
    )
    const present = { userId: ada.id, sessionId: '1', secret }
    assert.equal(
      whole(await signIn.signIn('ada', 'correct horse', { ...seen, browser, present })).user.id,
      ada.id,
    )
  },
)

eachEngine('who signs in again keeps the session, with a new time of authentication', async (_t, db) => {
  const clock = createTestClock()
  const { addUser, signIn, sessions } = build(db, clock.now, createPasswords(costs))
  const ada = await addUser('ada')
  const first = whole(await signIn.signIn('ada', 'correct horse', { ...seen, browser }))
  const caller = await sessions.authenticateSession(first.secret, seen)
  assert.ok(caller)
  clock.advance(60_000)
  const present = { userId: ada.id, sessionId: caller.sessionId, secret: first.secret }
  const again = whole(await signIn.signIn('ada', 'correct horse', { ...seen, browser, present }))
  assert.equal(again.secret, first.secret)
  const session = await sessions.findSession(db, caller.sessionId)
  assert.equal(session?.authTime, clock.now())
  assert.deepEqual(session?.amr, ['pwd'])
  assert.equal((await sessions.listSessions(ada.id)).length, 1)
})

eachEngine("another person's session in the same browser ends", async (_t, db) => {
  const { addUser, signIn, sessions } = build(db, createTestClock().now, createPasswords(costs))
  const ada = await addUser('ada')
  await addUser('bob')
  const first = whole(await signIn.signIn('ada', 'correct horse', { ...seen, browser }))
  const caller = await sessions.authenticateSession(first.secret, seen)
  assert.ok(caller)
  const present = { userId: ada.id, sessionId: caller.sessionId, secret: first.secret }
  const second = whole(await signIn.signIn('bob', 'correct horse', { ...seen, browser, present }))
  assert.notEqual(second.secret, first.secret)
  assert.equal(await sessions.authenticateSession(first.secret, seen), undefined)
  assert.ok(await sessions.authenticateSession(second.secret, seen))
})

eachEngine('a comparison that could not be made is no wrong password', async (_t, db) => {
  const clock = createTestClock().now
  const busy: Passwords = {
    ...createPasswords(costs),
    verify: () => Promise.reject(new AppError('unavailable', 'Too many people are signing in.')),
  }
  const { addUser, signIn } = build(db, clock, busy, createPeopleLimits(clock))
  await addUser('ada')
  for (let i = 0; i < 20; i++) {
    await assert.rejects(
      signIn.checkPassword('ada', 'correct horse', seen),
      (error: unknown) => error instanceof AppError && error.code === 'unavailable',
    )
  }
})
