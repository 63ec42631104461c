import assert from 'node:assert/strict'
import { rates } from '@gatehouse/protocol/limits'
import { eachService, type TestClient, type TestResponse, type TestService } from '@gatehouse/testkit/service'
import { password, register } from '../users/users-testing.ts'
import { sweepSessions } from './sessions.ts'

const path = '/api/users/@me/sessions'

eachService(
  'GET sessions returns 200 with the sessions in order of creation and marks the current one',
  async (_t, service) => {
    const first = service.client()
    await register(first, 'ada')
    service.clock.advance(60_000)
    const second = service.client()
    const headers = { 'user-agent': 'Another browser' }
    await second.json('POST', '/api/auth/login', { login: 'ada', password }, headers)
    await register(service.client(), 'bob')
    const reply = await second.get(path)
    assert.equal(reply.status, 200)
    assert.equal(reply.body.length, 2)
    const [older, newer] = reply.body
    assert.deepEqual([older.current, newer.current], [false, true])
    assert.deepEqual(Object.keys(newer).sort(), [
      'createdAt',
      'current',
      'id',
      'ip',
      'lastUsedAt',
      'userAgent',
    ])
    assert.equal(newer.userAgent, 'Another browser')
    assert.equal(newer.ip, '127.0.0.1')
    assert.equal(newer.createdAt, new Date(service.clock.now()).toISOString())
    assert.equal(older.lastUsedAt, new Date(service.clock.now() - 60_000).toISOString())
    service.clock.advance(60_000)
    const [, current] = (await second.get(path)).body
    assert.equal(current.lastUsedAt, new Date(service.clock.now()).toISOString())
  },
)

const day = 24 * 60 * 60_000

function maxAgeOf(reply: TestResponse): number {
  const cookie = reply.headers.getSetCookie().find(line => line.startsWith('gatehouse_session='))
  return Number(/Max-Age=(\d+)/.exec(cookie ?? '')?.[1])
}

eachService(
  'sign-in/session-lifetime: a session that is in use ends 90 days after the last sign-in, with its cookie',
  async (_t, service) => {
    const client = service.client()
    assert.equal(maxAgeOf(await register(client, 'ada')), 90 * 86_400)
    const useFor = async (days: number) => {
      for (let passed = 0; passed < days; passed += 20) {
        assert.equal((await client.get(path)).status, 200)
        service.clock.advance(Math.min(20, days - passed) * day)
      }
    }
    await useFor(80)
    const login = await client.json('POST', '/api/auth/login', { login: 'ada', password })
    assert.equal(maxAgeOf(login), 90 * 86_400)
    await useFor(60)
    const body = { password: 'a new correct horse', currentPassword: password }
    const changed = await client.json('PATCH', '/api/users/@me', body)
    assert.equal(maxAgeOf(changed), 30 * 86_400, 'a new password is no sign-in')
    await useFor(29)
    service.clock.advance(day - 1)
    assert.equal((await client.get(path)).status, 200)
    service.clock.advance(1)
    assert.equal((await client.get(path)).status, 401)
    assert.equal(await sweepSessions(service.db, service.clock.now), 1)
  },
)

/** Sign-ins in new browsers, slowly enough for the rate limits. */
async function signInTimes(service: TestService, count: number): Promise<TestClient[]> {
  const clients = Array.from({ length: count }, () => service.client())
  for (const client of clients) {
    service.clock.advance(3000)
    const reply = await client.json('POST', '/api/auth/login', { login: 'ada', password })
    assert.equal(reply.status, 200, reply.text)
  }
  return clients
}

eachService(
  'limits/sessions: the 51st session ends the one that was used least recently',
  async (_t, service) => {
    const registered = service.client()
    await register(registered, 'ada')
    const [second, ...others] = await signInTimes(service, 49)
    service.clock.advance(2 * 60 * 60_000)
    assert.equal((await registered.get(path)).body.length, 50)
    const [last] = await signInTimes(service, 1)
    assert.equal((await last?.get(path))?.body.length, 50)
    assert.equal((await second?.get(path))?.status, 401)
    for (const client of [registered, others[0]]) assert.equal((await client?.get(path))?.status, 200)
    // The user signs in again in a browser with a session.
    await registered.json('POST', '/api/auth/login', { login: 'ada', password })
    assert.equal((await others[1]?.get(path))?.status, 200)
  },
)

eachService('limits/sessions: concurrent sign-ins do not exceed 50 sessions', async (_t, service) => {
  await register(service.client(), 'ada')
  await signInTimes(service, 45)
  service.clock.advance(60_000)
  // Fewer than the wrong passwords that are allowed: a password counts as wrong while it is checked.
  const clients = Array.from({ length: rates.wrongPasswords.count - 1 }, () => service.client())
  const replies = await Promise.all(
    clients.map(client => client.json('POST', '/api/auth/login', { login: 'ada', password })),
  )
  assert.deepEqual(new Set(replies.map(reply => reply.status)), new Set([200]))
  for (const client of clients) assert.equal((await client.get(path)).body.length, 50)
})

eachService(
  'sign-in/sign-out-everywhere: DELETE sessions returns 204, ends all other sessions and renews the cookie of this one',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    const others = await signInTimes(service, 2)
    const bob = service.client()
    await register(bob, 'bob')
    const before = client.cookieHeader()
    for (const body of [undefined, {}, { revokeTokens: false }]) {
      assert.equal((await client.json('DELETE', path, body)).status, 204)
    }
    assert.equal((await client.get(path)).body.length, 1)
    assert.equal((await service.client().get(path, { cookie: before })).status, 401)
    for (const other of others) assert.equal((await other.get(path)).status, 401)
    assert.equal((await bob.get(path)).status, 200)
  },
)

eachService('DELETE sessions returns 400 for an invalid body and ends no session', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  const [other] = await signInTimes(service, 1)
  for (const body of [{ revokeTokens: 'yes' }, { all: true }]) {
    assert.equal((await client.json('DELETE', path, body)).status, 400)
  }
  assert.equal((await other?.get(path))?.body.length, 2)
})

eachService('DELETE session returns 204 and revokes only the given session', async (_t, service) => {
  const first = service.client()
  await register(first, 'ada')
  const second = service.client()
  await second.json('POST', '/api/auth/login', { login: 'ada', password })
  const [older] = (await second.get(path)).body
  const reply = await second.json('DELETE', `${path}/${older.id}`)
  assert.equal(reply.status, 204)
  assert.equal(reply.text, '')
  assert.deepEqual(reply.headers.getSetCookie(), [])
  assert.equal((await first.get(path)).status, 401)
  assert.equal((await second.get(path)).body.length, 1)
})

eachService(
  'DELETE session returns 204 for the current session and removes its cookie',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    const [current] = (await client.get(path)).body
    assert.equal((await client.json('DELETE', `${path}/${current.id}`)).status, 204)
    assert.equal(client.cookies.has('gatehouse_session'), false)
  },
)

eachService(
  'DELETE session returns 404 for a session of another user, an unknown id and a malformed id',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    const other = service.client()
    await register(other, 'bob')
    const [otherSession] = (await other.get(path)).body
    for (const id of [otherSession.id, '1461329068032000000', 'nonsense', '@me']) {
      const reply = await client.json('DELETE', `${path}/${id}`)
      assert.equal(reply.status, 404)
      assert.equal(reply.body.code, 'not_found')
    }
    assert.equal((await other.get(path)).status, 200)
  },
)
