import assert from 'node:assert/strict'
import { createTestClock } from '@gatehouse/testkit/clock'
import { eachEngine } from '@gatehouse/testkit/databases'
import { createLocalBus } from '../../bus/local-bus.ts'
import { AppError } from '../../errors/app-error.ts'
import { createDomainEventBus } from '../../events/domain-events.ts'
import { createEvents } from '../../events/gateway-events.ts'
import { createLogger } from '../../http/log.ts'
import { createAdministratorCode, createInstanceSettings } from '../../instance/index.ts'
import { createSnowflakes } from '../../kit/snowflake.ts'
import type { Mail } from '../../mail/mailer.ts'
import { createRateLimiter } from '../../rate-limits/rate-limiter.ts'
import type { Database } from '../../storage/database.ts'
import { createPasswords } from '../passwords/password-hash.ts'
import { createTestMfaLogin } from '../second-factor/second-factor-testing.ts'
import { createSecurityLog } from '../security-log/index.ts'
import { createSessions } from '../sessions/index.ts'
import { createUserByOperator, resetPasswordByOperator } from './operator.ts'
import { selfView, userView } from './user.ts'
import { findUser, findUsers } from './user-store.ts'
import { createUsers, sweepUsers } from './users.ts'
import { malformedAddresses } from './users-testing.ts'

const hour = 60 * 60 * 1000
const requestInfo = { ip: '192.0.2.1', userAgent: 'Browser', browser: { id: 'browser id', cookies: [] } }
const baseUrl = 'https://chat.example.org'

function build(db: Database, settings: { requireVerifiedEmail?: boolean } = {}) {
  const clock = createTestClock()
  const ids = createSnowflakes({ clock: clock.now, node: 1 })
  const passwords = createPasswords({ memory: 64, passes: 1 })
  const events = createEvents({ publish() {} })
  const changed: string[] = []
  const domainEvents = createDomainEventBus()
  domainEvents.subscribe({
    name: 'oauth',
    handlers: {
      PasswordChanged: async (tx, { userId }) => tx.afterCommit(() => changed.push(userId)),
    },
  })
  const securityLog = createSecurityLog({ db, clock: clock.now, ids, logger: { info: () => undefined } })
  const sessions = createSessions({ db, clock: clock.now, ids, events, domainEvents, securityLog, baseUrl })
  const mails: Mail[] = []
  const failures: unknown[] = []
  const users = createUsers({
    db,
    clock: clock.now,
    ids,
    events,
    sessions,
    securityLog,
    mfaLogin: createTestMfaLogin(db, clock.now),
    passwords,
    baseUrl,
    instance: createInstanceSettings({
      db,
      bus: createLocalBus(),
      registration: 'open',
      onError: assert.ifError,
    }),
    administratorCode: createAdministratorCode({ db, dataDir: '', logger: createLogger('silent') }),
    requireVerifiedEmail: settings.requireVerifiedEmail ?? false,
    rateLimiter: createRateLimiter({ clock: clock.now, limits: {} }),
    mailer: {
      async send(mail) {
        mails.push(mail)
      },
    },
    domainEvents,
    onError: error => failures.push(error),
  })
  const register = async (username: string) => {
    const body = { username, email: `${username}@example.org`, password: 'correct horse' }
    return (await users.register(body, requestInfo)).user
  }
  const subjects = { clock, ids, passwords, sessions, users, domainEvents, securityLog }
  return { ...subjects, mails, failures, changed, register }
}

function hasCode(code: string): (error: unknown) => boolean {
  return error => error instanceof AppError && error.code === code
}

eachEngine('forgotPassword sends at most five mails per account and hour', async (_t, db) => {
  const { clock, mails, users, register } = build(db)
  await register('ada')
  for (let i = 0; i < 10; i++) await users.forgotPassword('ada@example.org', requestInfo)
  await users.idle()
  assert.equal(mails.length, 5)
  clock.advance(hour)
  await users.forgotPassword('ada@example.org', requestInfo)
  await users.idle()
  assert.equal(mails.length, 6)
})

eachEngine('forgotPassword sends the mail to the stored email address', async (_t, db) => {
  const { mails, users, register } = build(db)
  await register('ada')
  await users.forgotPassword('ADA@EXAMPLE.ORG', requestInfo)
  await users.idle()
  assert.equal(mails[1]?.to, 'ada@example.org')
})

eachEngine('a failed background task calls onError', async (_t, db) => {
  const { failures, users, register } = build(db)
  await register('ada')
  await db.run`DROP TABLE mail_tokens`
  await users.forgotPassword('ada@example.org', requestInfo)
  await users.idle()
  assert.equal(failures.length, 1)
})

eachEngine('stores neither passwords nor mail tokens in plain text', async (_t, db) => {
  const { mails, users, register } = build(db)
  await register('ada')
  await users.forgotPassword('ada@example.org', requestInfo)
  await users.idle()
  const stored = JSON.stringify([await db.all`SELECT * FROM users`, await db.all`SELECT * FROM mail_tokens`])
  assert.equal(stored.includes('correct horse'), false)
  for (const { text } of mails) {
    const token = /gmt_(\S+)/.exec(text)?.[1]
    assert.ok(token)
    assert.equal(stored.includes(token), false)
  }
})

eachEngine('mails do not contain the display name', async (_t, db) => {
  const { mails, users } = build(db)
  const displayName = 'Visit other.example'
  await users.register(
    { username: 'ada', email: 'ada@example.org', password: 'correct horse', displayName },
    requestInfo,
  )
  assert.equal(JSON.stringify(mails).includes('other.example'), false)
})

eachEngine('requireVerified throws only if the service requires a verified email address', async (_t, db) => {
  const lenient = build(db)
  const ada = await lenient.register('ada')
  await lenient.users.requireVerified(db, ada.id)
  const { clock, ids, users, mails } = build(db, { requireVerifiedEmail: true })
  clock.advance(1)
  await assert.rejects(users.requireVerified(db, ada.id), hasCode('email_not_verified'))
  await users.resendVerification(ada.id, requestInfo)
  const token = /token=(\S+)/.exec(mails[0]?.text ?? '')?.[1] ?? ''
  await users.verifyEmail(token, { ...requestInfo, callerId: undefined })
  await users.requireVerified(db, ada.id)
  const bot = await db.transaction(tx =>
    users.createBotUser(tx, { id: ids(), username: 'robot', displayName: 'Robot' }),
  )
  await users.requireVerified(db, bot.id)
})

eachEngine('a bot user has no email address and no password, and a unique username', async (_t, db) => {
  const { ids, users, register } = build(db)
  await register('ada')
  const bot = await db.transaction(tx =>
    users.createBotUser(tx, { id: ids(), username: 'robot', displayName: 'Robot' }),
  )
  assert.deepEqual(await findUser(db, bot.id), bot)
  assert.deepEqual(selfView(bot, { email: true }), userView(bot))
  assert.equal(bot.bot, true)
  for (const username of ['ada', 'robot', 'deleted.1']) {
    const created = db.transaction(tx =>
      users.createBotUser(tx, { id: ids(), username, displayName: 'Other' }),
    )
    await assert.rejects(created, hasCode('conflict'))
  }
  await assert.rejects(users.checkPassword('robot', '', requestInfo), hasCode('invalid_credentials'))
})

eachEngine('deleteBotUser releases the username and retains the row', async (_t, db) => {
  const { ids, users, register } = build(db)
  const ada = await register('ada')
  const create = () =>
    db.transaction(tx => users.createBotUser(tx, { id: ids(), username: 'robot', displayName: 'Robot' }))
  const bot = await create()
  assert.equal(await db.transaction(tx => users.deleteBotUser(tx, bot.id)), true)
  const deleted = await findUser(db, bot.id)
  assert.deepEqual(
    [deleted?.username, deleted?.displayName, deleted?.bot],
    [`deleted.${bot.id}`, 'Deleted bot', true],
  )
  assert.notEqual((await create()).id, bot.id)
  assert.equal(await db.transaction(tx => users.deleteBotUser(tx, bot.id)), false)
  assert.equal(await db.transaction(tx => users.deleteBotUser(tx, ada.id)), false)
  assert.equal((await findUser(db, ada.id))?.username, 'ada')
})

eachEngine('findUsers returns the users that exist', async (_t, db) => {
  const { register } = build(db)
  const ada = await register('ada')
  const bob = await register('bob')
  const found = await findUsers(db, [ada.id, bob.id, '1461329068032000000'])
  assert.deepEqual([...found.keys()].sort(), [ada.id, bob.id].sort())
  assert.deepEqual(found.get(bob.id), bob)
  assert.equal((await findUsers(db, [])).size, 0)
})

eachEngine('createUserByOperator validates the fields and verifies the email address', async (_t, db) => {
  const deps = build(db)
  const { users } = deps
  const create = (body: { username: string; email: string; password: string }) =>
    createUserByOperator({ db, clock: deps.clock.now, ids: deps.ids, passwords: deps.passwords }, body)
  const body = { username: 'ada', email: 'ada@example.org', password: 'correct horse' }
  const ada = await create(body)
  assert.equal(ada.emailVerified, true)
  assert.deepEqual(await findUser(db, ada.id), ada)
  assert.equal((await users.checkPassword('ada', 'correct horse', requestInfo)).user.id, ada.id)
  await assert.rejects(create({ ...body, username: 'Ada L' }), hasCode('validation_failed'))
  await assert.rejects(create({ ...body, password: 'short' }), hasCode('validation_failed'))
  await assert.rejects(create({ ...body, password: 'iloveyou1' }), hasCode('validation_failed'))
  for (const email of malformedAddresses) {
    await assert.rejects(create({ ...body, username: 'bob', email }), hasCode('validation_failed'), email)
  }
  await assert.rejects(create(body), hasCode('conflict'))
})

eachEngine('resetPasswordByOperator revokes sessions and publishes PasswordChanged', async (_t, db) => {
  const deps = build(db)
  const { users, sessions, changed, register } = deps
  const ada = await register('ada')
  const reset = (login: string, password: string) =>
    resetPasswordByOperator({ db, ...deps }, { login, password })
  await reset('ADA@example.org', 'another horse')
  assert.deepEqual(changed, [ada.id])
  assert.deepEqual(await sessions.listSessions(ada.id, ''), [])
  assert.equal((await users.checkPassword('ada', 'another horse', requestInfo)).user.id, ada.id)
  await assert.rejects(reset('nobody', 'another horse'), hasCode('not_found'))
  await assert.rejects(reset('ada', 'short'), hasCode('validation_failed'))
  await assert.rejects(reset('ada', 'iloveyou1'), hasCode('validation_failed'))
})

eachEngine('sweepUsers deletes expired mail tokens and sessions', async (_t, db) => {
  const { clock, users, register } = build(db)
  await register('ada')
  await users.forgotPassword('ada@example.org', requestInfo)
  await users.idle()
  const count = async () => [
    (await db.all`SELECT token_hash FROM mail_tokens`).length,
    (await db.all`SELECT id FROM sessions`).length,
  ]
  assert.deepEqual(await count(), [2, 1])
  clock.advance(hour)
  await sweepUsers(db, clock.now)
  assert.deepEqual(await count(), [1, 1])
  clock.advance(23 * hour)
  await sweepUsers(db, clock.now)
  assert.deepEqual(await count(), [0, 1])
  clock.advance(30 * 24 * hour)
  await sweepUsers(db, clock.now)
  assert.deepEqual(await count(), [0, 0])
})

eachEngine('sweepUsers deletes more rows than one batch', async (_t, db) => {
  const { clock, register } = build(db)
  const ada = await register('ada')
  await db.transaction(async tx => {
    for (let i = 0; i < 1100; i++) {
      await tx.run`
        INSERT INTO mail_tokens (token_hash, user_id, purpose, email_key, expires_at)
        VALUES (${`hash ${i}`}, ${ada.id}, ${'reset'}, ${'ada@example.org'}, ${clock.now() - 1})`
    }
  })
  await sweepUsers(db, clock.now)
  assert.equal((await db.all`SELECT token_hash FROM mail_tokens`).length, 1)
})
