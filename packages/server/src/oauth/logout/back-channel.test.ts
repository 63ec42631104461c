import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { decodeJwt } from 'jose'
import { createTestClock } from '../../kit/testing.ts'
import { OutgoingError } from '../../outgoing/index.ts'
import { sweepSessions } from '../../platform/sessions/index.ts'
import { eachService, startService, type TestService } from '../../testing.ts'
import {
  authorizePath,
  codeFor,
  exchangeCode,
  makeApplication,
  parametersOf,
  refresh,
  signUp,
  type TestApplication,
  type TestPerson,
  tokensFor,
} from '../testing.ts'
import { createBackChannel, type Untold } from './back-channel.ts'
import type { Party } from './parties.ts'
import { sweepSignIns } from './store.ts'
import { openEar, readLogoutToken } from './testing.ts'

const local = { env: { ALLOW_PRIVATE_TARGETS: '127.0.0.0/8' } }

async function signedIn(service: TestService, person: TestPerson, app: TestApplication) {
  const tokens = await tokensFor(service, person, app, { scope: 'openid' })
  return { ...tokens, sid: decodeJwt(tokens.id_token ?? '').sid }
}

eachService(
  'every application of the session is told of its end, by a token of its own',
  async (t, service) => {
    const ada = await signUp(service, 'ada')
    const ears = [await openEar(t), await openEar(t)]
    const apps: TestApplication[] = []
    for (const { uri } of ears) apps.push(await makeApplication(ada, { backchannelLogoutUri: uri }))
    const sids: unknown[] = []
    for (const app of apps) sids.push((await signedIn(service, ada, app)).sid)
    await ada.client.json('POST', '/api/auth/logout')

    const jtis = new Set<unknown>()
    for (const [index, ear] of ears.entries()) {
      await ear.until(1)
      const [heard] = ear.heard
      assert.equal(heard?.type, 'application/x-www-form-urlencoded')
      const claims = await readLogoutToken(service, heard?.body, apps[index]?.id ?? '')
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
  local,
)

eachService(
  'sid stands in the id_token of an application that is told, and in no other',
  async (t, service) => {
    const ada = await signUp(service, 'ada')
    const told = await makeApplication(ada, { backchannelLogoutUri: (await openEar(t)).uri })
    const first = await signedIn(service, ada, told)
    const refreshed = await refresh(service, told, first.refresh_token)
    assert.equal(decodeJwt(refreshed.body.id_token).sid, first.sid)
    const { sid } = await signedIn(service, ada, await makeApplication(ada))
    assert.equal(sid, undefined)
  },
  local,
)

eachService(
  'another session of the person is not meant',
  async (t, service) => {
    const ada = await signUp(service, 'ada')
    const ear = await openEar(t)
    const app = await makeApplication(ada, { backchannelLogoutUri: ear.uri })
    const { sid } = await signedIn(service, ada, app)
    const elsewhere = service.client()
    await elsewhere.json('POST', '/api/auth/login', { login: 'ada', password: ada.password })
    const other = await signedIn(service, { ...ada, client: elsewhere }, app)
    assert.notEqual(other.sid, sid)
    await elsewhere.json('POST', '/api/auth/logout')
    await ear.until(1)
    assert.equal((await readLogoutToken(service, ear.heard[0]?.body, app.id)).sid, other.sid)
    await ada.client.json('POST', '/api/auth/logout')
    await ear.until(2)
    assert.equal((await readLogoutToken(service, ear.heard[1]?.body, app.id)).sid, sid)
  },
  local,
)

eachService(
  'whichever way a session ends, the applications are told once',
  async (t, service) => {
    const ada = await signUp(service, 'ada')
    const ear = await openEar(t)
    const app = await makeApplication(ada, { backchannelLogoutUri: ear.uri })
    const sids: unknown[] = []
    const browser = async () => {
      const client = service.client()
      await client.json('POST', '/api/auth/login', { login: 'ada', password: ada.password })
      const tokens = await signedIn(service, { ...ada, client }, app)
      await signedIn(service, { ...ada, client }, app)
      sids.push(tokens.sid)
      return { client, idToken: tokens.id_token ?? '' }
    }
    // By the application, which has an id_token of it.
    const first = await browser()
    await first.client.get(`/oauth2/logout?id_token_hint=${first.idToken}`)
    // From the list of sessions.
    await browser()
    await ada.client.json('DELETE', `/api/users/@me/sessions/${sids[1]}`)
    // By another password.
    await browser()
    const changed = await ada.client.json('PATCH', '/api/users/@me', {
      password: 'another password',
      currentPassword: ada.password,
    })
    assert.equal(changed.status, 200)
    await ear.until(3)
    const heard = await Promise.all(ear.heard.map(({ body }) => readLogoutToken(service, body, app.id)))
    assert.deepEqual(new Set(heard.map(({ sid }) => sid)), new Set(sids))
    assert.equal(ear.heard.length, 3)
  },
  local,
)

eachService(
  'a session that expires is no sign-out, and leaves nothing behind',
  async (t, service) => {
    const ada = await signUp(service, 'ada')
    const ear = await openEar(t)
    const app = await makeApplication(ada, { backchannelLogoutUri: ear.uri })
    await signedIn(service, ada, app)
    const left = () => service.db.all`SELECT sid FROM oauth_sign_ins`
    assert.equal((await left()).length, 1)
    service.clock.advance(31 * 24 * 3_600_000)
    await sweepSessions(service.db, service.clock.now, 10)
    await sweepSignIns(service.db, 10)
    assert.equal((await left()).length, 0)
    assert.equal(ear.heard.length, 0)
  },
  local,
)

eachService(
  'a code of a session that ended gives nothing, and the application is told nothing',
  async (t, service) => {
    const ada = await signUp(service, 'ada')
    const ear = await openEar(t)
    const app = await makeApplication(ada, { backchannelLogoutUri: ear.uri })
    const code = await codeFor(ada, app, { scope: 'openid' })
    await ada.client.json('POST', '/api/auth/logout')
    assert.equal((await exchangeCode(service, app, code)).body.error, 'invalid_grant')
    assert.equal(ear.heard.length, 0)
  },
  local,
)

eachService(
  'a logout_token is no id_token_hint',
  async (t, service) => {
    const ada = await signUp(service, 'ada')
    const ear = await openEar(t)
    const app = await makeApplication(ada, { backchannelLogoutUri: ear.uri })
    await signedIn(service, ada, app)
    await ada.client.json('POST', '/api/auth/logout')
    await ear.until(1)
    const token = new URLSearchParams(ear.heard[0]?.body).get('logout_token') ?? ''
    await ada.client.json('POST', '/api/auth/login', { login: 'ada', password: ada.password })
    const reply = await ada.client.get(authorizePath(app, { scope: 'openid', id_token_hint: token }))
    assert.equal(parametersOf(reply).error, 'invalid_request')
    assert.equal((await ada.client.get(`/oauth2/logout?id_token_hint=${token}`)).status, 400)
  },
  local,
)

test('an application that fails is told again, while the service runs', async t => {
  const service = await startService(t, local)
  const ada = await signUp(service, 'ada')
  const ear = await openEar(t)
  ear.status = 503
  const app = await makeApplication(ada, { backchannelLogoutUri: ear.uri })
  await signedIn(service, ada, app)
  await ada.client.json('POST', '/api/auth/logout')
  await ear.until(1)
  const again = ear.until(2).then(() => true)
  // The clock moves no further while the next try is under way: it would be too late at once.
  while (!(await Promise.race([again, wait(200, false)]))) service.clock.advance(300_000)
  const [first, second] = ear.heard.map(({ body }) =>
    decodeJwt(new URLSearchParams(body).get('logout_token') ?? ''),
  )
  assert.equal(second?.sid, first?.sid)
  assert.notEqual(second?.jti, first?.jti)
})

/** A back channel without a network: what comes of each try is said beforehand. */
function channelWith(outcomes: (number | OutgoingError | Error)[]) {
  const clock = createTestClock()
  const untold: Untold[] = []
  const reported: unknown[] = []
  let tries = 0
  const channel = createBackChannel({
    timers: clock.timers,
    sign: async () => 'signed',
    note: one => untold.push(one),
    report: error => reported.push(error),
    outgoing: {
      async post() {
        const outcome = outcomes[tries++] ?? 500
        if (typeof outcome !== 'number') throw outcome
        return { status: outcome, headers: {}, body: Buffer.alloc(0) }
      },
    },
  })
  const pass = async (ms: number) => {
    clock.advance(ms)
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
  }
  return { channel, untold, reported, pass, tries: () => tries }
}

const party: Party = { applicationId: '7', uri: 'https://app.example/out', userId: '8', sid: '9' }

test('it is tried four times, then given up and noted', async () => {
  const { channel, untold, pass, tries } = channelWith([])
  channel.tell([party])
  await pass(0)
  for (const [delay, count] of [
    [5000, 2],
    [30_000, 3],
    [300_000, 4],
  ] as const) {
    await pass(delay - 1)
    assert.equal(tries(), count - 1)
    await pass(1)
    assert.equal(tries(), count)
  }
  await pass(3_600_000)
  assert.equal(tries(), 4)
  assert.deepEqual(untold, [{ applicationId: '7', reason: 'it answered with the status 500' }])
})

test('what will not change is not tried again', async () => {
  for (const outcome of [
    400,
    404,
    new OutgoingError('refused_address'),
    new OutgoingError('redirect', 302),
  ]) {
    const { channel, untold, pass, tries } = channelWith([outcome])
    channel.tell([party])
    await pass(0)
    await pass(3_600_000)
    assert.equal(tries(), 1)
    assert.equal(untold.length, 1)
  }
})

test('what passes is: a time-out, a broken connection, 429', async () => {
  for (const outcome of [new OutgoingError('timeout'), new OutgoingError('connect', 'ECONNREFUSED'), 429]) {
    const { channel, untold, pass, tries } = channelWith([outcome, 200])
    channel.tell([party])
    await pass(0)
    await pass(5000)
    await pass(3_600_000)
    assert.equal(tries(), 2)
    assert.deepEqual(untold, [])
  }
})

test('a fault of ours is reported, and holds no other back', async () => {
  const { channel, reported, pass, tries } = channelWith([new Error('ours'), 200])
  channel.tell([party, party])
  await pass(0)
  assert.equal(tries(), 2)
  assert.equal(reported.length, 1)
})

test('no more than a thousand wait; the rest is noted', async () => {
  const { channel, untold, pass } = channelWith([])
  channel.tell(Array.from({ length: 1003 }, () => party))
  for (let turn = 0; turn < 100; turn++) await pass(0)
  assert.equal(untold.length, 3)
})

test('what waits is given up when the service stops', async () => {
  const { channel, pass, tries } = channelWith([])
  channel.tell([party])
  await pass(0)
  await channel.close()
  await pass(3_600_000)
  channel.tell([party])
  assert.equal(tries(), 1)
})
