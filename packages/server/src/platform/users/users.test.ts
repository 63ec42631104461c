import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { AppError } from '../../kit/app-error.ts'
import { createSnowflakes } from '../../kit/snowflake.ts'
import { createTestClock } from '../../kit/testing.ts'
import type { Mail } from '../../mail/mailer.ts'
import type { Database, Transaction } from '../../storage/database.ts'
import { eachEngine } from '../../storage/testing.ts'
import { buildSecondFactor } from '../second-factor/testing.ts'
import { createSessions } from '../sessions/index.ts'
import { createUserByOperator, resetPasswordByOperator } from './operator.ts'
import { createPasswords } from './password.ts'
import { sweepPeople } from './sweep.ts'
import { createUsers } from './users.ts'

const hour = 60 * 60 * 1000
const seen = { ip: '192.0.2.1', userAgent: 'Browser' }
const baseUrl = 'https://chat.example.org'

function build(db: Database, settings: { requireVerifiedEmail?: boolean } = {}) {
  const clock = createTestClock()
  const ids = createSnowflakes({ clock: clock.now, node: 1 })
  const passwords = createPasswords({ memory: 64, passes: 1 })
  const events = { ended() {}, toUser() {} }
  const sessions = createSessions({
    db,
    clock: clock.now,
    ids,
    events,
    baseUrl,
    cookieName: '__Host-session',
  })
  const mails: Mail[] = []
  const failures: unknown[] = []
  const changed: string[] = []
  const onPasswordChanged = async (tx: Transaction, userId: string) => {
    tx.afterCommit(() => changed.push(userId))
  }
  const users = createUsers({
    db,
    clock: clock.now,
    ids,
    events,
    sessions,
    secondFactor: buildSecondFactor(db, clock.now),
    passwords,
    secretKey: randomBytes(32),
    baseUrl,
    registration: 'open',
    requireVerifiedEmail: settings.requireVerifiedEmail ?? false,
    rateLimits: true,
    mailer: {
      async send(mail) {
        mails.push(mail)
      },
    },
    useInvite: async () => false,
    onPasswordChanged,
    onProfileChanged: async () => undefined,
    report: error => failures.push(error),
  })
  const register = async (username: string) => {
    const body = { username, email: `${username}@example.org`, password: 'correct horse' }
    return (await users.register(body, seen)).user
  }
  return { clock, ids, passwords, sessions, mails, failures, changed, users, register, onPasswordChanged }
}

function hasCode(code: string): (error: unknown) => boolean {
  return error => error instanceof AppError && error.code === code
}

eachEngine(
  'a forgotten password sends five mails an hour to one account and says nothing of the sixth',
  async (_t, db) => {
    const { clock, mails, users, register } = build(db)
    await register('ada')
    for (let i = 0; i < 10; i++) users.forgotPassword('ada@example.org')
    await users.idle()
    assert.equal(mails.length, 5)
    clock.advance(hour)
    users.forgotPassword('ada@example.org')
    await users.idle()
    assert.equal(mails.length, 6)
  },
)

eachEngine('a link for a new password goes to the address as it is kept', async (_t, db) => {
  const { mails, users, register } = build(db)
  await register('ada')
  users.forgotPassword('ADA@EXAMPLE.ORG')
  await users.idle()
  assert.equal(mails[1]?.to, 'ada@example.org')
})

eachEngine('work behind an answer that fails is reported and breaks nothing', async (_t, db) => {
  const { failures, users, register } = build(db)
  await register('ada')
  await db.run`DROP TABLE mail_tokens`
  users.forgotPassword('ada@example.org')
  await users.idle()
  assert.equal(failures.length, 1)
})

eachEngine('the database holds neither passwords nor the tokens of mails', async (_t, db) => {
  const { mails, users, register } = build(db)
  await register('ada')
  users.forgotPassword('ada@example.org')
  await users.idle()
  const kept = JSON.stringify([await db.all`SELECT * FROM users`, await db.all`SELECT * FROM mail_tokens`])
  assert.equal(kept.includes('correct horse'), false)
  for (const { text } of mails) {
    const token = /gmt_(\S+)/.exec(text)?.[1]
    assert.ok(token)
    assert.equal(kept.includes(token), false)
  }
})

eachEngine('mails hold no name that a stranger could choose the words of', async (_t, db) => {
  const { mails, users } = build(db)
  const displayName = 'Visit elsewhere.example'
  await users.register(
    { username: 'ada', email: 'ada@example.org', password: 'correct horse', displayName },
    seen,
  )
  assert.equal(JSON.stringify(mails).includes('elsewhere'), false)
})

eachEngine('confirmed addresses are asked for only where the service says so', async (_t, db) => {
  const relaxed = build(db)
  const ada = await relaxed.register('ada')
  await relaxed.users.requireVerified(db, ada.id)
  const { clock, users, mails } = build(db, { requireVerifiedEmail: true })
  clock.advance(1)
  await assert.rejects(users.requireVerified(db, ada.id), hasCode('email_not_verified'))
  await users.resendVerification(ada.id)
  await users.verifyEmail(/token=(\S+)/.exec(mails[0]?.text ?? '')?.[1] ?? '')
  await users.requireVerified(db, ada.id)
  const bot = await db.transaction(tx => users.createBotUser(tx, { username: 'robot', displayName: 'Robot' }))
  await users.requireVerified(db, bot.id)
})

eachEngine(
  'a bot has an account without address and password, and its name is unique too',
  async (_t, db) => {
    const { users, register } = build(db)
    await register('ada')
    const bot = await db.transaction(tx =>
      users.createBotUser(tx, { username: 'robot', displayName: 'Robot' }),
    )
    assert.deepEqual(await users.findUser(db, bot.id), bot)
    assert.deepEqual(users.selfView(bot, { email: true }), users.userView(bot))
    assert.equal(bot.bot, true)
    for (const username of ['ada', 'robot', 'deleted.1']) {
      const made = db.transaction(tx => users.createBotUser(tx, { username, displayName: 'Other' }))
      await assert.rejects(made, hasCode('conflict'))
    }
    await assert.rejects(users.checkPassword('robot', '', { ip: seen.ip }), hasCode('invalid_credentials'))
  },
)

eachEngine('a deleted bot frees its name and stays as the author of what it wrote', async (_t, db) => {
  const { users, register } = build(db)
  const ada = await register('ada')
  const make = () =>
    db.transaction(tx => users.createBotUser(tx, { username: 'robot', displayName: 'Robot' }))
  const bot = await make()
  assert.equal(await db.transaction(tx => users.deleteBotUser(tx, bot.id)), true)
  const left = await users.findUser(db, bot.id)
  assert.deepEqual([left?.username, left?.displayName, left?.bot], [`deleted.${bot.id}`, 'Deleted bot', true])
  assert.notEqual((await make()).id, bot.id)
  assert.equal(await db.transaction(tx => users.deleteBotUser(tx, bot.id)), false)
  assert.equal(await db.transaction(tx => users.deleteBotUser(tx, ada.id)), false)
  assert.equal((await users.findUser(db, ada.id))?.username, 'ada')
})

eachEngine('several people are found at once, those who are not there are left out', async (_t, db) => {
  const { users, register } = build(db)
  const ada = await register('ada')
  const bob = await register('bob')
  const found = await users.findUsers(db, [ada.id, bob.id, '1461329068032000000'])
  assert.deepEqual([...found.keys()].sort(), [ada.id, bob.id].sort())
  assert.deepEqual(found.get(bob.id), bob)
  assert.equal((await users.findUsers(db, [])).size, 0)
})

eachEngine(
  'the operator makes an account with a confirmed address, by the rules of a registration',
  async (_t, db) => {
    const deps = build(db)
    const { users } = deps
    const make = (body: { username: string; email: string; password: string }) =>
      createUserByOperator({ db, clock: deps.clock.now, ids: deps.ids, passwords: deps.passwords }, body)
    const body = { username: 'ada', email: 'ada@example.org', password: 'correct horse' }
    const ada = await make(body)
    assert.equal(ada.emailVerified, true)
    assert.deepEqual(await users.findUser(db, ada.id), ada)
    assert.equal((await users.checkPassword('ada', 'correct horse', { ip: seen.ip })).id, ada.id)
    await assert.rejects(make({ ...body, username: 'Ada L' }), hasCode('validation_failed'))
    await assert.rejects(make({ ...body, password: 'short' }), hasCode('validation_failed'))
    await assert.rejects(make(body), hasCode('conflict'))
  },
)

eachEngine('the operator sets a password, which ends sessions and what hangs on it', async (_t, db) => {
  const deps = build(db)
  const { users, sessions, changed, register } = deps
  const ada = await register('ada')
  const reset = (login: string, password: string) =>
    resetPasswordByOperator({ db, ...deps }, { login, password })
  await reset('ADA@example.org', 'another horse')
  assert.deepEqual(changed, [ada.id])
  assert.deepEqual(await sessions.listSessions(ada.id), [])
  assert.equal((await users.checkPassword('ada', 'another horse', { ip: seen.ip })).id, ada.id)
  await assert.rejects(reset('nobody', 'another horse'), hasCode('not_found'))
  await assert.rejects(reset('ada', 'short'), hasCode('validation_failed'))
})

eachEngine('the sweep deletes expired links of mails and expired sessions', async (_t, db) => {
  const { clock, users, register } = build(db)
  await register('ada')
  users.forgotPassword('ada@example.org')
  await users.idle()
  const count = async () => [
    (await db.all`SELECT token_hash FROM mail_tokens`).length,
    (await db.all`SELECT id FROM sessions`).length,
  ]
  assert.deepEqual(await count(), [2, 1])
  clock.advance(hour)
  await sweepPeople(db, clock.now)
  assert.deepEqual(await count(), [1, 1])
  clock.advance(23 * hour)
  await sweepPeople(db, clock.now)
  assert.deepEqual(await count(), [0, 1])
  clock.advance(30 * 24 * hour)
  await sweepPeople(db, clock.now)
  assert.deepEqual(await count(), [0, 0])
})

eachEngine('the sweep takes more than one batch where there is more', async (_t, db) => {
  const { clock, register } = build(db)
  const ada = await register('ada')
  await db.transaction(async tx => {
    for (let i = 0; i < 1100; i++) {
      await tx.run`
        INSERT INTO mail_tokens (token_hash, user_id, purpose, email_key, expires_at)
        VALUES (${`hash ${i}`}, ${ada.id}, ${'reset'}, ${'ada@example.org'}, ${clock.now() - 1})`
    }
  })
  await sweepPeople(db, clock.now)
  assert.equal((await db.all`SELECT token_hash FROM mail_tokens`).length, 1)
})
