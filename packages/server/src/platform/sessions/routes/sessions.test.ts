import assert from 'node:assert/strict'
import { eachService } from '@gatehouse/testkit/service'
import { password, register } from '../../users/testing.ts'

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
  },
)

eachService('GET sessions returns 401 without a session and with an invalid one', async (_t, service) => {
  for (const headers of [
    {},
    { cookie: 'gatehouse_session=gst_nonsense' },
    { authorization: 'Bearer gat_nonsense' },
  ]) {
    const reply = await service.client().get(path, headers)
    assert.equal(reply.status, 401)
    assert.equal(reply.body.code, 'unauthenticated')
    assert.equal(reply.headers.get('www-authenticate'), 'Session')
  }
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

eachService('DELETE session returns 401 without a session', async (_t, service) => {
  assert.equal((await service.client().json('DELETE', `${path}/1461329068032000000`)).status, 401)
})

eachService('DELETE session returns 403 for a cross-site request', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  const [current] = (await client.get(path)).body
  for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://other.example' }]) {
    const reply = await client.json('DELETE', `${path}/${current.id}`, undefined, headers)
    assert.equal(reply.status, 403)
    assert.equal(reply.body.code, 'cross_site')
  }
  assert.equal((await client.get(path)).status, 200)
})

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
