import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { TestUser } from '@gatehouse/testkit/community'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import type { Transaction } from '../storage/database.ts'
import {
  allow,
  authorizePath,
  decide,
  exchangeCode,
  locationOf,
  makeApplication,
  parametersOf,
  signUp,
} from './oauth-testing.ts'

/**
 * Sends two requests with one transaction each. When the first is committed, the second has begun its transaction and,
 * on PostgreSQL, waits for a lock. SQLite runs transactions one after the other.
 */
async function sendDuring<First, Second>(
  t: TestContext,
  { db }: TestService,
  first: () => Promise<First>,
  second: () => Promise<Second>,
): Promise<[First, Second]> {
  const firstBegun = Promise.withResolvers<void>()
  const secondBegun = Promise.withResolvers<void>()
  const committed = Promise.withResolvers<void>()
  const transaction = db.transaction.bind(db)

  async function runFirst<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    if (db.engine === 'sqlite') {
      firstBegun.resolve()
      await secondBegun.promise
      return transaction(work)
    }
    return transaction(async tx => {
      const result = await work(tx)
      firstBegun.resolve()
      await secondBegun.promise
      await waitUntil(isWaitingForLock)
      return result
    })
  }
  async function runSecond<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    secondBegun.resolve()
    if (db.engine === 'sqlite') await committed.promise
    return transaction(work)
  }
  async function isWaitingForLock(): Promise<boolean> {
    const waiting = await db.get`
      SELECT 1 AS one FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    return waiting !== undefined
  }

  let calls = 0
  const { mock } = t.mock.method(db, 'transaction', <T>(work: (tx: Transaction) => Promise<T>) =>
    calls++ === 0 ? runFirst(work).finally(committed.resolve) : runSecond(work),
  )
  const firstReply = first()
  await Promise.race([firstBegun.promise, firstReply])
  const replies = await Promise.all([firstReply, second()])
  mock.restore()
  return replies
}

const revocations = {
  'sign-in/sign-out-everywhere': ({ client }: TestUser) =>
    client.json('DELETE', '/api/users/@me/sessions', { revokeTokens: true }),
  'sign-in/session-lifetime': ({ client, password }: TestUser) =>
    client.json('PATCH', '/api/users/@me', { password: 'another password', currentPassword: password }),
}

for (const [requirement, revoke] of Object.entries(revocations)) {
  eachService(`${requirement}: a request with the old cookie issues no code`, async (t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    await allow(ada, app)
    const silently = () => ada.client.get(authorizePath(app, { prompt: 'none' }))
    const [ended, reply] = await sendDuring(t, service, () => revoke(ada), silently)
    assert.ok(ended.status < 300, ended.text)
    assert.equal(parametersOf(reply).error, 'login_required')
    assert.ok(parametersOf(await silently()).code, 'the new cookie is valid')
  })

  eachService(`${requirement}: a code that is being issued is revoked`, async (t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    await allow(ada, app)
    const silently = () => ada.client.get(authorizePath(app, { prompt: 'none' }))
    const [reply, ended] = await sendDuring(t, service, silently, () => revoke(ada))
    assert.ok(ended.status < 300, ended.text)
    const exchanged = await exchangeCode(service, app, parametersOf(reply).code ?? '')
    assert.equal(exchanged.body.error, 'invalid_grant')
  })
}

eachService(
  'sign-in/session-secret: a consent that is sent with the old cookie is not stored',
  async (t, service) => {
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada)
    const page = await ada.client.get(authorizePath(app))
    const revoke = () => revocations['sign-in/sign-out-everywhere'](ada)
    const [, reply] = await sendDuring(t, service, revoke, () => decide(ada.client, page))
    assert.equal(locationOf(reply).pathname, '/login')
    assert.deepEqual((await ada.client.get('/api/users/@me/authorizations')).body, [])
  },
)
