import assert from 'node:assert/strict'
import { createApplication } from '@gatehouse/testkit/applications'
import { assertLimitReached, assertOneLeft } from '@gatehouse/testkit/caps'
import { sendWhileLocked } from '@gatehouse/testkit/locks'
import { eachService, type TestClient } from '@gatehouse/testkit/service'
import { sweepUsers } from './users.ts'
import { password, register } from './users-testing.ts'

const path = '/api/users/@me'
const day = 24 * 60 * 60 * 1000

const rename = (client: TestClient, username: string) => client.json('PATCH', path, { username })
const registration = (username: string) => ({ username, email: `${username}2@example.org`, password })

eachService(
  'for 90 days only its former user can take a username (community/former-usernames)',
  async (_t, service) => {
    const [ada, eve] = [service.client(), service.client()]
    await register(ada, 'ada')
    await register(eve, 'eve')
    assert.equal((await rename(ada, 'ada2')).status, 200)
    const assertReserved = async () => {
      for (const reply of [
        await rename(eve, 'ada'),
        await service.client().json('POST', '/api/auth/register', registration('ada')),
      ]) {
        assert.deepEqual([reply.status, reply.body.code], [409, 'conflict'])
      }
    }
    await assertReserved()
    const login = await service.client().json('POST', '/api/auth/login', { login: 'ada', password })
    assert.equal(login.status, 401)
    // The former user takes it back, and gives it up again.
    assert.equal((await rename(ada, 'ada')).status, 200)
    assert.equal((await rename(eve, 'ada2')).status, 409)
    assert.equal((await rename(ada, 'ada3')).status, 200)
    service.clock.advance(90 * day - 1)
    await ada.json('POST', '/api/auth/login', { login: 'ada3', password })
    await eve.json('POST', '/api/auth/login', { login: 'eve', password })
    await assertReserved()
    service.clock.advance(1)
    assert.equal((await rename(eve, 'ada')).status, 200)
    // The new user's name is reserved in turn.
    assert.equal((await rename(eve, 'eve')).status, 200)
    assert.equal((await rename(ada, 'ada')).status, 409)
  },
)

eachService(
  'a bot does not get a username that was given up (community/former-usernames)',
  async (_t, service) => {
    const ada = service.client()
    await register(ada, 'ada')
    await rename(ada, 'ada2')
    const eve = service.client()
    await register(eve, 'eve')
    const { id } = await createApplication(eve)
    const reply = await eve.json('POST', `/api/applications/${id}/bot`, { username: 'ada' })
    assert.deepEqual([reply.status, reply.body.code], [409, 'conflict'])
  },
)

eachService(
  'a registration during the change of the username does not get the old name (community/former-usernames)',
  async (_t, service) => {
    const ada = service.client()
    const { id } = (await register(ada, 'ada')).body
    const [renamed, registered] = await sendWhileLocked(
      service,
      tx => tx.get`SELECT 1 AS one FROM users WHERE id = ${id} FOR UPDATE`,
      () => rename(ada, 'ada2'),
      () => service.client().json('POST', '/api/auth/register', registration('ada')),
    )
    assert.deepEqual([renamed.status, registered.status], [200, 409])
  },
)

eachService(
  'PATCH @me returns 409 for the eleventh username in 90 days (limits/cap-exact, community/former-usernames)',
  async (_t, service) => {
    const ada = service.client()
    await register(ada, 'ada')
    for (let i = 1; i <= 9; i++) {
      assert.equal((await rename(ada, `ada${i}`)).status, 200)
      service.clock.advance(60_000)
    }
    const expected = {
      limit: 'formerUsernames',
      message: 'A user gives up at most 10 usernames in 90 days.',
    }
    await assertOneLeft(service, 'former_usernames', n => rename(ada, `new${n}`), expected)
    // A name that the user had before can be taken at the cap.
    assert.equal((await rename(ada, 'ada1')).status, 200)
    assertLimitReached(await rename(ada, 'other'), expected)
    service.clock.advance(90 * day - 9 * 60_000)
    await ada.json('POST', '/api/auth/login', { login: 'ada1', password })
    assert.equal((await rename(ada, 'other')).status, 200)
  },
)

eachService('the sweep deletes only expired former usernames', async (_t, { db, clock, ...service }) => {
  const ada = service.client()
  await register(ada, 'ada')
  await rename(ada, 'ada2')
  clock.advance(day)
  await rename(ada, 'ada3')
  clock.advance(89 * day)
  await sweepUsers(db, clock.now)
  assert.deepEqual(await db.all`SELECT username FROM former_usernames`, [{ username: 'ada2' }])
})
