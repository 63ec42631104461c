import assert from 'node:assert/strict'
import { createTestClock } from '@gatehouse/testkit/clock'
import { eachEngine } from '@gatehouse/testkit/databases'
import { AppError } from '../../errors/app-error.ts'
import { createDomainEventBus } from '../../events/domain-events.ts'
import { createEvents } from '../../events/gateway-events.ts'
import { createBackgroundTasks } from '../../kit/background.ts'
import type { Clock } from '../../kit/clock.ts'
import { createSnowflakes } from '../../kit/snowflake.ts'
import { createRateLimiter } from '../../rate-limits/rate-limiter.ts'
import type { Database } from '../../storage/database.ts'
import { createPasswords, type Passwords } from '../passwords/password-hash.ts'
import type { MfaTicket } from '../second-factor/index.ts'
import { createTestMfaLogin } from '../second-factor/second-factor-testing.ts'
import { createSecurityLog } from '../security-log/index.ts'
import { createSessions } from '../sessions/index.ts'
import { createKnownDevices } from './known-devices.ts'
import { createLogin, type LoginResult, passwordAmr } from './login.ts'
import { createUserByOperator } from './operator.ts'
import { createAccountLimits, loginAccount } from './user-limits.ts'
import { findCredentialsById, setPasswordHash } from './user-store.ts'

const costs = { memory: 64, passes: 1 }
const requestInfo = { ip: '192.0.2.1', userAgent: 'Browser', browser: { id: 'browser id', cookies: [] } }

function limitsOf(clock: Clock, enabled = true) {
  return createAccountLimits(createRateLimiter({ clock, limits: enabled ? {} : 'off' }))
}

function build(db: Database, clock: Clock, passwords: Passwords, limits = limitsOf(clock, false)) {
  const ids = createSnowflakes({ clock, node: 1 })
  const baseUrl = 'https://chat.example.org'
  const events = createEvents({ publish() {} })
  const mfaLogin = createTestMfaLogin(db, clock)
  const domainEvents = createDomainEventBus()
  const securityLog = createSecurityLog({ db, clock, ids, logger: { info: () => undefined } })
  const sessions = createSessions({ db, clock, ids, events, domainEvents, securityLog, baseUrl })
  const background = createBackgroundTasks(() => undefined)
  const addUser = (username: string) =>
    createUserByOperator(
      { db, clock, ids, passwords },
      { username, email: `${username}@Example.org`, password: 'correct horse' },
    )
  const knownDevices = createKnownDevices({ db, clock })
  const sendMail = () => undefined
  const accounts = { securityLog, knownDevices, background, sendMail }
  const deps = { db, clock, passwords, limits, sessions, mfaLogin, ...accounts }
  return { sessions, addUser, logins: createLogin(deps) }
}

function requireSession(result: LoginResult | MfaTicket): LoginResult {
  assert.ok('secret' in result, 'The login requires a second factor.')
  return result
}

function isInvalidCredentials(error: unknown): boolean {
  return error instanceof AppError && error.code === 'invalid_credentials'
}

eachEngine('checkPassword accepts the username and the email address in any case', async (_t, db) => {
  const { addUser, logins } = build(db, createTestClock().now, createPasswords(costs))
  const ada = await addUser('ada')
  for (const login of ['ada', 'Ada', 'ada@example.org', 'ADA@EXAMPLE.ORG']) {
    const { user } = await logins.checkPassword(login, 'correct horse', requestInfo)
    assert.deepEqual(user, ada)
  }
})

eachEngine('an unknown login computes one hash, like a wrong password', async (_t, db) => {
  const real = createPasswords(costs)
  const hashes: (string | undefined)[] = []
  const counting: Passwords = {
    ...real,
    verify(password, stored) {
      hashes.push(stored)
      return real.verify(password, stored)
    },
  }
  const { addUser, logins } = build(db, createTestClock().now, counting)
  await addUser('ada')
  await assert.rejects(logins.checkPassword('ada', 'wrong horse', requestInfo), isInvalidCredentials)
  await assert.rejects(logins.checkPassword('nobody', 'wrong horse', requestInfo), isInvalidCredentials)
  await assert.rejects(
    logins.checkPassword('nobody@example.org', 'wrong horse', requestInfo),
    isInvalidCredentials,
  )
  assert.equal(hashes.length, 3)
  assert.equal(typeof hashes[0], 'string')
  assert.deepEqual(hashes.slice(1), [undefined, undefined])
})

eachEngine('an account without a password cannot sign in', async (_t, db) => {
  const { addUser, logins } = build(db, createTestClock().now, createPasswords(costs))
  const ada = await addUser('ada')
  await db.run`UPDATE users SET password_hash = NULL WHERE id = ${ada.id}`
  await assert.rejects(logins.checkPassword('ada', '', requestInfo), isInvalidCredentials)
  await assert.rejects(logins.checkPassword('ada', 'correct horse', requestInfo), isInvalidCredentials)
})

eachEngine('a login rehashes a password with outdated cost parameters', async (_t, db) => {
  const { addUser } = build(db, createTestClock().now, createPasswords({ memory: 32, passes: 1 }))
  const ada = await addUser('ada')
  const passwords = createPasswords(costs)
  const { logins } = build(db, createTestClock().now, passwords)
  await logins.checkPassword('ada', 'correct horse', requestInfo)
  const stored = (await findCredentialsById(db, ada.id))?.passwordHash ?? ''
  assert.equal(passwords.needsRehash(stored), false)
  assert.equal(await passwords.verify('correct horse', stored), true)
})

eachEngine('unknown accounts have the same limit as existing ones', async (_t, db) => {
  const clock = createTestClock().now
  const { addUser, logins } = build(db, clock, createPasswords(costs), limitsOf(clock))
  await addUser('ada')
  for (const login of ['ada', 'nobody']) {
    for (let i = 0; i < 10; i++)
      await assert.rejects(logins.checkPassword(login, 'wrong horse', requestInfo), isInvalidCredentials)
    await assert.rejects(
      logins.checkPassword(login, 'correct horse', requestInfo),
      (error: unknown) =>
        error instanceof AppError && error.code === 'rate_limited' && error.retryAfter === 600,
    )
  }
})

eachEngine('a known device is exempt from the limit per account', async (_t, db) => {
  const clock = createTestClock().now
  const limits = limitsOf(clock)
  const { addUser, logins } = build(db, clock, createPasswords(costs), limits)
  const ada = await addUser('ada')
  await logins.login('ada', 'correct horse', requestInfo)
  for (let i = 0; i < 1000; i++) {
    await limits.countWrongPassword({
      account: loginAccount('ada'),
      ip: `198.51.${i >> 8}.${i & 255}`,
      isKnownDevice: false,
    })
  }
  const isLimited = (error: unknown) => error instanceof AppError && error.code === 'rate_limited'
  const other = { ...requestInfo, browser: { id: 'another browser', cookies: [] } }
  await assert.rejects(logins.checkPassword('ada', 'correct horse', other), isLimited)
  assert.equal((await logins.checkPassword('ada', 'correct horse', requestInfo)).user.id, ada.id)
  const { secret } = await db.transaction(tx =>
    build(db, clock, createPasswords(costs)).sessions.createSession(tx, {
      ...requestInfo,
      userId: ada.id,
      amr: passwordAmr,
    }),
  )
  const currentSession = { userId: ada.id, sessionId: '1', secret }
  assert.equal(
    requireSession(await logins.login('ada', 'correct horse', { ...other, currentSession })).user.id,
    ada.id,
  )
})

eachEngine(
  'a repeated login of the same user updates the authTime and the secret of the session',
  async (_t, db) => {
    const clock = createTestClock()
    const { addUser, logins, sessions } = build(db, clock.now, createPasswords(costs))
    const ada = await addUser('ada')
    const first = requireSession(await logins.login('ada', 'correct horse', requestInfo))
    const caller = await sessions.authenticateSession(first.secret, requestInfo)
    assert.ok(caller)
    clock.advance(60_000)
    const currentSession = { userId: ada.id, sessionId: caller.sessionId, secret: first.secret }
    const again = requireSession(
      await logins.login('ada', 'correct horse', { ...requestInfo, currentSession }),
    )
    assert.equal(await sessions.authenticateSession(first.secret, requestInfo), undefined)
    assert.equal((await sessions.authenticateSession(again.secret, requestInfo))?.sessionId, caller.sessionId)
    const session = await sessions.findSession(db, caller.sessionId)
    assert.equal(session?.authTime, clock.now())
    assert.deepEqual(session?.amr, ['pwd'])
    assert.equal((await sessions.listSessions(ada.id, '')).length, 1)
  },
)

eachEngine("a login revokes another user's session in the same browser", async (_t, db) => {
  const { addUser, logins, sessions } = build(db, createTestClock().now, createPasswords(costs))
  const ada = await addUser('ada')
  await addUser('bob')
  const first = requireSession(await logins.login('ada', 'correct horse', requestInfo))
  const caller = await sessions.authenticateSession(first.secret, requestInfo)
  assert.ok(caller)
  const currentSession = { userId: ada.id, sessionId: caller.sessionId, secret: first.secret }
  const second = requireSession(
    await logins.login('bob', 'correct horse', { ...requestInfo, currentSession }),
  )
  assert.notEqual(second.secret, first.secret)
  assert.equal(await sessions.authenticateSession(first.secret, requestInfo), undefined)
  assert.ok(await sessions.authenticateSession(second.secret, requestInfo))
})

eachEngine('a failed comparison does not count as a wrong password', async (_t, db) => {
  const clock = createTestClock().now
  const overloaded: Passwords = {
    ...createPasswords(costs),
    verify: () => Promise.reject(new AppError('unavailable', 'Too many users are signing in.')),
  }
  const { addUser, logins } = build(db, clock, overloaded, limitsOf(clock))
  await addUser('ada')
  for (let i = 0; i < 20; i++) {
    await assert.rejects(
      logins.checkPassword('ada', 'correct horse', requestInfo),
      (error: unknown) => error instanceof AppError && error.code === 'unavailable',
    )
  }
})

eachEngine('a password that is changed while it is checked does not sign in', async (_t, db) => {
  const real = createPasswords(costs)
  let change = async () => {}
  const slow: Passwords = {
    ...real,
    async verify(password, stored) {
      const isCorrect = await real.verify(password, stored)
      await change()
      return isCorrect
    },
  }
  const { addUser, logins } = build(db, createTestClock().now, slow)
  const ada = await addUser('ada')
  change = async () => setPasswordHash(db, ada.id, await real.hash('another horse'))
  await assert.rejects(logins.login('ada', 'correct horse', requestInfo), isInvalidCredentials)
})

eachEngine('parallel logins that hash the password again all succeed', async (_t, db) => {
  const clock = createTestClock().now
  await build(db, clock, createPasswords(costs)).addUser('ada')
  const { logins } = build(db, clock, createPasswords({ memory: 128, passes: 1 }))
  const results = await Promise.all(
    Array.from({ length: 4 }, () => logins.login('ada', 'correct horse', requestInfo)),
  )
  for (const result of results) requireSession(result)
})
