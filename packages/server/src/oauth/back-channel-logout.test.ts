import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import { createTestClock } from '@gatehouse/testkit/clock'
import type { TestUser } from '@gatehouse/testkit/community'
import { sweepDuring } from '@gatehouse/testkit/databases'
import { sendWhileLocked } from '@gatehouse/testkit/locks'
import { eachService, startService, type TestService } from '@gatehouse/testkit/service'
import { decodeJwt } from 'jose'
import { sweepSessions } from '../accounts/sessions/index.ts'
import { OutgoingError } from '../outgoing/index.ts'
import {
  createBackChannelLogout,
  type LogoutDeliveryFailure,
  type LogoutRecipient,
} from './back-channel-logout.ts'
import { sweepSignIns } from './back-channel-logout-store.ts'
import {
  authorizePath,
  codeFor,
  exchangeCode,
  makeApplication,
  parametersOf,
  readLogoutToken,
  refresh,
  signUp,
  startLogoutReceiver,
  type TestApplication,
  tokensFor,
} from './oauth-testing.ts'

const allowLoopback = { env: { ALLOW_PRIVATE_TARGETS: '127.0.0.0/8' } }

async function signIn(service: TestService, user: TestUser, app: TestApplication) {
  const tokens = await tokensFor(service, user, app, { scope: 'openid' })
  return { ...tokens, sid: decodeJwt(tokens.id_token ?? '').sid }
}

eachService(
  'every application of the session receives its own logout token when the session ends',
  async (t, service) => {
    const ada = await signUp(service, 'ada')
    const receivers = [await startLogoutReceiver(t), await startLogoutReceiver(t)]
    const apps: TestApplication[] = []
    for (const { uri } of receivers) apps.push(await makeApplication(ada, { backchannelLogoutUri: uri }))
    const sids: unknown[] = []
    for (const app of apps) sids.push((await signIn(service, ada, app)).sid)
    await ada.client.json('POST', '/api/auth/logout')

    const jtis = new Set<unknown>()
    for (const [index, receiver] of receivers.entries()) {
      await receiver.waitForRequests(1)
      const [request] = receiver.requests
      assert.equal(request?.type, 'application/x-www-form-urlencoded')
      const claims = await readLogoutToken(service, request?.body, apps[index]?.id ?? '')
      assert.equal(claims.sub, ada.id)
      assert.equal(claims.sid, sids[index])
      assert.equal(typeof claims.sid, 'string')
      assert.deepEqual(claims.events, { 'http://schemas.openid.net/event/backchannel-logout': {} })
      assert.equal((claims.exp ?? 0) - (claims.iat ?? 0), 120)
      assert.equal('nonce' in claims, false)
      jtis.add(claims.jti)
    }
    assert.equal(jtis.size, 2)
  },
  allowLoopback,
)

eachService(
  'limits/sessions: an application receives a logout token when a new session ends the session',
  async (t, service) => {
    const ada = await signUp(service, 'ada')
    const receiver = await startLogoutReceiver(t)
    const app = await makeApplication(ada, { backchannelLogoutUri: receiver.uri })
    const { sid } = await signIn(service, ada, app)
    const login = { login: 'ada', password: ada.password }
    for (let n = 0; n < 50; n++) {
      service.clock.advance(3000)
      assert.equal((await service.client().json('POST', '/api/auth/login', login)).status, 200)
    }
    await receiver.waitForRequests(1)
    const claims = await readLogoutToken(service, receiver.requests[0]?.body, app.id)
    assert.equal(claims.sid, sid)
  },
  allowLoopback,
)

eachService(
  'an id_token has a sid only if the application has a backchannelLogoutUri',
  async (t, service) => {
    const ada = await signUp(service, 'ada')
    const notified = await makeApplication(ada, { backchannelLogoutUri: (await startLogoutReceiver(t)).uri })
    const first = await signIn(service, ada, notified)
    const refreshed = await refresh(service, notified, first.refresh_token)
    assert.equal(decodeJwt(refreshed.body.id_token).sid, first.sid)
    const { sid } = await signIn(service, ada, await makeApplication(ada))
    assert.equal(sid, undefined)
  },
  allowLoopback,
)

/** Signs in without back-channel logout, which the application gets afterwards. */
async function signInBefore(service: TestService, ada: TestUser, uri: string, scope = 'openid') {
  const app = await makeApplication(ada)
  const tokens = await tokensFor(service, ada, app, { scope })
  const path = `/api/applications/${app.id}`
  assert.equal((await ada.client.json('PATCH', path, { backchannelLogoutUri: uri })).status, 200)
  return { app, tokens }
}

eachService(
  'an application that gets its first sid by a refresh receives one logout token',
  async (t, service) => {
    const ada = await signUp(service, 'ada')
    const receiver = await startLogoutReceiver(t)
    const { app, tokens } = await signInBefore(service, ada, receiver.uri)
    const first = await refresh(service, app, tokens.refresh_token)
    const second = await refresh(service, app, first.body.refresh_token)
    const { sid } = decodeJwt(second.body.id_token)
    assert.equal(typeof sid, 'string')
    assert.deepEqual(await service.db.all`SELECT sid FROM oauth_sign_ins`, [{ sid }])
    await ada.client.json('POST', '/api/auth/logout')
    await receiver.waitForRequests(1)
    assert.equal((await readLogoutToken(service, receiver.requests[0]?.body, app.id)).sid, sid)
    // The session has ended: the refresh records nothing.
    assert.equal((await refresh(service, app, second.body.refresh_token)).status, 200)
    assert.deepEqual(await service.db.all`SELECT sid FROM oauth_sign_ins`, [])
    assert.equal(receiver.requests.length, 1)
  },
  allowLoopback,
)

eachService(
  'a refresh without an ID token records no sign-in',
  async (t, service) => {
    const ada = await signUp(service, 'ada')
    const { uri } = await startLogoutReceiver(t)
    const { app, tokens } = await signInBefore(service, ada, uri, 'openid identify')
    const narrow = await refresh(service, app, tokens.refresh_token, { scope: 'identify' })
    assert.equal(narrow.status, 200)
    assert.deepEqual(await service.db.all`SELECT sid FROM oauth_sign_ins`, [])
  },
  allowLoopback,
)

eachService(
  'a refresh succeeds if the session ends at the same time',
  async (t, service) => {
    const ada = await signUp(service, 'ada')
    const { uri } = await startLogoutReceiver(t)
    const { app, tokens } = await signInBefore(service, ada, uri)
    await sweepDuring(
      service.db,
      tx => tx.run`DELETE FROM sessions WHERE user_id = ${ada.id}`,
      async () => assert.equal((await refresh(service, app, tokens.refresh_token)).status, 200),
    )
    assert.deepEqual(await service.db.all`SELECT sid FROM oauth_sign_ins`, [])
  },
  allowLoopback,
)

eachService(
  'the logout token names the session that ended, not another session of the user',
  async (t, service) => {
    const ada = await signUp(service, 'ada')
    const receiver = await startLogoutReceiver(t)
    const app = await makeApplication(ada, { backchannelLogoutUri: receiver.uri })
    const { sid } = await signIn(service, ada, app)
    const otherBrowser = service.client()
    await otherBrowser.json('POST', '/api/auth/login', { login: 'ada', password: ada.password })
    const other = await signIn(service, { ...ada, client: otherBrowser }, app)
    assert.notEqual(other.sid, sid)
    await otherBrowser.json('POST', '/api/auth/logout')
    await receiver.waitForRequests(1)
    assert.equal((await readLogoutToken(service, receiver.requests[0]?.body, app.id)).sid, other.sid)
    await ada.client.json('POST', '/api/auth/logout')
    await receiver.waitForRequests(2)
    assert.equal((await readLogoutToken(service, receiver.requests[1]?.body, app.id)).sid, sid)
  },
  allowLoopback,
)

eachService(
  'applications receive one logout token, however the session ends',
  async (t, service) => {
    const ada = await signUp(service, 'ada')
    const receiver = await startLogoutReceiver(t)
    const app = await makeApplication(ada, { backchannelLogoutUri: receiver.uri })
    const sids: unknown[] = []
    const browser = async () => {
      const client = service.client()
      await client.json('POST', '/api/auth/login', { login: 'ada', password: ada.password })
      const tokens = await signIn(service, { ...ada, client }, app)
      await signIn(service, { ...ada, client }, app)
      sids.push(tokens.sid)
      return { client, idToken: tokens.id_token ?? '' }
    }
    // RP-initiated logout.
    const first = await browser()
    await first.client.get(`/oauth2/logout?id_token_hint=${first.idToken}`)
    // Revocation in the list of sessions.
    await browser()
    await ada.client.json('DELETE', `/api/users/@me/sessions/${sids[1]}`)
    // A changed password.
    await browser()
    const changed = await ada.client.json('PATCH', '/api/users/@me', {
      password: 'another password',
      currentPassword: ada.password,
    })
    assert.equal(changed.status, 200)
    await receiver.waitForRequests(3)
    const claims = await Promise.all(
      receiver.requests.map(({ body }) => readLogoutToken(service, body, app.id)),
    )
    assert.deepEqual(new Set(claims.map(({ sid }) => sid)), new Set(sids))
    assert.equal(receiver.requests.length, 3)
  },
  allowLoopback,
)

eachService(
  'with 1,000 sign-ins of a user, further applications are not told when a session ends (limits/caps)',
  async (_t, service) => {
    const { db } = service
    const ada = await signUp(service, 'ada')
    const app = await makeApplication(ada, { backchannelLogoutUri: 'https://app.example/logout' })
    const isRecorded = async () => {
      const { sid } = await signIn(service, ada, app)
      return (await db.run`DELETE FROM oauth_sign_ins WHERE sid = ${String(sid)}`) > 0
    }
    const fill = (prefix: string, count: number) => db.run`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
      INSERT INTO oauth_sign_ins (sid, application_id, user_id)
      SELECT CAST(${prefix} AS TEXT) || CAST(i AS TEXT), CAST(${app.id} AS TEXT), CAST(${ada.id} AS TEXT) FROM n`
    await fill('other ', 999)
    assert.equal(await isRecorded(), true)
    await fill('last ', 1)
    assert.equal(await isRecorded(), false)
  },
)

eachService(
  'an expired session sends no logout token, and its rows are deleted',
  async (t, service) => {
    const ada = await signUp(service, 'ada')
    const receiver = await startLogoutReceiver(t)
    const app = await makeApplication(ada, { backchannelLogoutUri: receiver.uri })
    await signIn(service, ada, app)
    const listSignIns = () => service.db.all`SELECT sid FROM oauth_sign_ins`
    assert.equal((await listSignIns()).length, 1)
    service.clock.advance(31 * 24 * 3_600_000)
    await sweepSessions(service.db, service.clock.now, 10)
    await sweepSignIns(service.db, 10)
    assert.equal((await listSignIns()).length, 0)
    assert.equal(receiver.requests.length, 0)
  },
  allowLoopback,
)

eachService(
  'a code of an ended session is rejected, and no logout token is sent',
  async (t, service) => {
    const ada = await signUp(service, 'ada')
    const receiver = await startLogoutReceiver(t)
    const app = await makeApplication(ada, { backchannelLogoutUri: receiver.uri })
    const code = await codeFor(ada, app, { scope: 'openid' })
    await ada.client.json('POST', '/api/auth/logout')
    assert.equal((await exchangeCode(service, app, code)).body.error, 'invalid_grant')
    assert.equal(receiver.requests.length, 0)
  },
  allowLoopback,
)

eachService(
  'a session that ends during the exchange of its code causes no deadlock',
  async (t, service) => {
    const ada = await signUp(service, 'ada')
    const receiver = await startLogoutReceiver(t)
    const app = await makeApplication(ada, { backchannelLogoutUri: receiver.uri })
    const code = await codeFor(ada, app, { scope: 'openid' })
    const transaction = service.db.transaction.bind(service.db)
    let rollbacks = 0
    t.mock.method(service.db, 'transaction', (work: Parameters<typeof transaction>[0]) =>
      transaction(tx =>
        work(tx).catch(error => {
          rollbacks++
          throw error
        }),
      ),
    )
    const [exchanged, ended] = await sendWhileLocked(
      service,
      // The exchange waits after it changed the grant.
      tx => tx.run`LOCK TABLE oauth_sign_ins IN SHARE MODE`,
      () => exchangeCode(service, app, code),
      () => ada.client.json('POST', '/api/auth/logout'),
    )
    assert.deepEqual([ended.status, rollbacks], [204, 0])
    // On SQLite the session may end first.
    assert.ok(exchanged.status === 200 || service.db.engine === 'sqlite', exchanged.text)
    await receiver.waitForRequests(exchanged.status === 200 ? 1 : 0)
  },
  allowLoopback,
)

eachService(
  'a logout token is not accepted as id_token_hint',
  async (t, service) => {
    const ada = await signUp(service, 'ada')
    const receiver = await startLogoutReceiver(t)
    const app = await makeApplication(ada, { backchannelLogoutUri: receiver.uri })
    await signIn(service, ada, app)
    await ada.client.json('POST', '/api/auth/logout')
    await receiver.waitForRequests(1)
    const token = new URLSearchParams(receiver.requests[0]?.body).get('logout_token') ?? ''
    await ada.client.json('POST', '/api/auth/login', { login: 'ada', password: ada.password })
    const reply = await ada.client.get(authorizePath(app, { scope: 'openid', id_token_hint: token }))
    assert.equal(parametersOf(reply).error, 'invalid_request')
    assert.equal((await ada.client.get(`/oauth2/logout?id_token_hint=${token}`)).status, 400)
  },
  allowLoopback,
)

eachService(
  'the registration of another user in the same browser sends a logout token',
  async (t, service) => {
    const ada = await signUp(service, 'ada')
    const receiver = await startLogoutReceiver(t)
    const app = await makeApplication(ada, { backchannelLogoutUri: receiver.uri })
    const { sid } = await signIn(service, ada, app)
    const bob = { username: 'bob', email: 'bob@example.org', password: 'password of bob' }
    assert.equal((await ada.client.json('POST', '/api/auth/register', bob)).status, 201)
    await receiver.waitForRequests(1)
    const claims = await readLogoutToken(service, receiver.requests[0]?.body, app.id)
    assert.equal(claims.sid, sid)
  },
  allowLoopback,
)

test('a failed delivery of a logout token is retried while the service runs', async t => {
  const service = await startService(t, allowLoopback)
  const ada = await signUp(service, 'ada')
  const receiver = await startLogoutReceiver(t)
  receiver.status = 503
  const app = await makeApplication(ada, { backchannelLogoutUri: receiver.uri })
  await signIn(service, ada, app)
  await ada.client.json('POST', '/api/auth/logout')
  await receiver.waitForRequests(1)
  const secondAttempt = receiver.waitForRequests(2).then(() => true)
  // Advances the clock only until the second attempt starts, so that its token does not expire.
  while (!(await Promise.race([secondAttempt, wait(200, false)]))) service.clock.advance(300_000)
  const [first, second] = receiver.requests.map(({ body }) =>
    decodeJwt(new URLSearchParams(body).get('logout_token') ?? ''),
  )
  assert.equal(second?.sid, first?.sid)
  assert.notEqual(second?.jti, first?.jti)
})

eachService(
  'shutdown waits for a running delivery and starts no further one',
  async (t, service) => {
    const ada = await signUp(service, 'ada')
    const receiver = await startLogoutReceiver(t)
    const response = Promise.withResolvers<void>()
    receiver.status = 503
    receiver.delay = response.promise
    const app = await makeApplication(ada, { backchannelLogoutUri: receiver.uri })
    await signIn(service, ada, app)
    await ada.client.json('POST', '/api/auth/logout')
    await receiver.waitForRequests(1)
    let stopped = false
    const restarted = service.restart().then(() => {
      stopped = true
    })
    await wait(100)
    assert.equal(stopped, false, 'the running request was aborted')
    response.resolve()
    await restarted
    service.clock.advance(400_000)
    await wait(100)
    assert.equal(receiver.requests.length, 1)
    const lines = service.log.map(line => JSON.parse(line))
    const warnings = lines.filter(({ msg }) => msg === 'a logout token could not be delivered')
    assert.deepEqual(
      warnings.map(({ applicationId, reason }) => [applicationId, reason]),
      [[app.id, 'the response has the status 503']],
    )
    assert.deepEqual(
      lines.filter(({ level }) => level === 'error' || level >= 50),
      [],
    )
  },
  allowLoopback,
)

/** Delivers without a network. `outcomes` are the results of the attempts; further attempts get the status 500. */
function channelWith(outcomes: (number | OutgoingError | Error)[]) {
  const clock = createTestClock()
  const failures: LogoutDeliveryFailure[] = []
  const errors: unknown[] = []
  let attempts = 0
  const channel = createBackChannelLogout({
    timers: clock.timers,
    signToken: async () => 'signed',
    onFailure: failure => failures.push(failure),
    onError: error => errors.push(error),
    outgoing: {
      async post() {
        const outcome = outcomes[attempts++] ?? 500
        if (typeof outcome !== 'number') throw outcome
        return { status: outcome, headers: {}, body: Buffer.alloc(0) }
      },
    },
  })
  const pass = async (ms: number) => {
    clock.advance(ms)
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
  }
  return { channel, failures, errors, pass, attempts: () => attempts }
}

const recipient: LogoutRecipient = {
  applicationId: '7',
  uri: 'https://app.example/out',
  userId: '8',
  sid: '9',
}

test('a delivery is attempted four times, then reported as a failure', async () => {
  const { channel, failures, pass, attempts } = channelWith([])
  channel.send([recipient])
  await pass(0)
  for (const [delay, count] of [
    [5000, 2],
    [30_000, 3],
    [300_000, 4],
  ] as const) {
    await pass(delay - 1)
    assert.equal(attempts(), count - 1)
    await pass(1)
    assert.equal(attempts(), count)
  }
  await pass(3_600_000)
  assert.equal(attempts(), 4)
  assert.deepEqual(failures, [{ applicationId: '7', reason: 'the response has the status 500' }])
})

test('a permanent failure is not retried', async () => {
  for (const outcome of [400, 404, new OutgoingError('redirect', 302)]) {
    const { channel, failures, pass, attempts } = channelWith([outcome])
    channel.send([recipient])
    await pass(0)
    await pass(3_600_000)
    assert.equal(attempts(), 1)
    assert.equal(failures.length, 1)
  }
})

test('a timeout, a failed name resolution, a connection error and 429 are retried', async () => {
  for (const outcome of [
    new OutgoingError('timeout'),
    new OutgoingError('host'),
    new OutgoingError('connect', 'ECONNREFUSED'),
    429,
  ]) {
    const { channel, failures, pass, attempts } = channelWith([outcome, 200])
    channel.send([recipient])
    await pass(0)
    await pass(5000)
    await pass(3_600_000)
    assert.equal(attempts(), 2)
    assert.deepEqual(failures, [])
  }
})

test('an internal error is reported and does not affect other recipients', async () => {
  const { channel, errors, pass, attempts } = channelWith([new Error('ours'), 200])
  channel.send([recipient, recipient])
  await pass(0)
  assert.equal(attempts(), 2)
  assert.equal(errors.length, 1)
})

test('the requests to many recipients start in slices (limits/event-loop)', async () => {
  const { channel, attempts } = channelWith([])
  const recipients = Array.from({ length: 10 }, () => recipient)
  for (let session = 0; session < 3; session++) channel.send(recipients)
  await Promise.resolve()
  assert.ok(attempts() <= 5, `${attempts()} requests`)
  for (let turn = 0; turn < 10; turn++) await nextTurn()
  assert.equal(attempts(), 30)
})

test('at most 1,000 retries are pending; further failures are reported', async () => {
  const { channel, failures } = channelWith([])
  channel.send(Array.from({ length: 1003 }, () => recipient))
  for (let turn = 0; turn < 300; turn++) await nextTurn()
  assert.equal(failures.length, 3)
})

test('closing cancels pending retries and reports them', async () => {
  const { channel, failures, pass, attempts } = channelWith([])
  channel.send([recipient])
  await pass(0)
  await channel.close()
  assert.deepEqual(failures, [{ applicationId: '7', reason: 'the response has the status 500' }])
  await pass(3_600_000)
  channel.send([recipient])
  assert.equal(attempts(), 1)
  assert.deepEqual(failures.at(-1), { applicationId: '7', reason: 'the service is shutting down' })
})

test('no token is signed after closing, because that would read the database', async () => {
  const clock = createTestClock()
  const response = Promise.withResolvers<void>()
  let signed = 0
  const channel = createBackChannelLogout({
    timers: clock.timers,
    async signToken() {
      signed++
      return 'signed'
    },
    onFailure: () => undefined,
    onError: error => assert.fail(String(error)),
    outgoing: {
      async post() {
        await response.promise
        return { status: 500, body: Buffer.alloc(0) }
      },
    },
  })
  channel.send([recipient])
  let closed = false
  const closing = channel.close().then(() => {
    closed = true
  })
  await new Promise(resolve => setImmediate(resolve))
  assert.equal(closed, false)
  response.resolve()
  await closing
  clock.advance(3_600_000)
  channel.send([recipient])
  assert.equal(signed, 1)
})
