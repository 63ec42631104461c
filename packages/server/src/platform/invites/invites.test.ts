import assert from 'node:assert/strict'
import { AppError } from '../../kit/app-error.ts'
import { eachEngine } from '../../storage/testing.ts'
import { eachService } from '../../testing.ts'
import { isMember } from '../members/index.ts'
import { createCommunity, found, register } from '../testing.ts'

const code = (expected: string) => (error: unknown) => error instanceof AppError && error.code === expected
const minute = 60_000

eachService('POST /api/servers/:id/invites: 201, 400, 401, 404', async (_t, service) => {
  const [ann, bob, eve] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'eve'),
  ]
  const { server } = await found(ann, bob)
  const path = `/api/servers/${server.id}/invites`
  const until = (ms: number) => new Date(service.clock.now() + ms).toISOString()
  {
    const reply = await bob.client.json('POST', path, {})
    assert.equal(reply.status, 201)
    assert.match(reply.body.code, /^[A-Za-z0-9_-]{12}$/)
    assert.deepEqual(reply.body, { code: reply.body.code, expiresAt: until(7 * 24 * 60 * minute) })
    const short = await bob.client.json('POST', path, { maxUses: 1, expiresIn: 60 })
    assert.equal(short.body.expiresAt, until(minute))
    assert.notEqual(short.body.code, reply.body.code)
  }
  for (const body of [
    { maxUses: 0 },
    { maxUses: 1.5 },
    { expiresIn: 59 },
    { expiresIn: '60' },
    { uses: 1 },
  ]) {
    assert.equal((await ann.client.json('POST', path, body)).status, 400, JSON.stringify(body))
  }
  assert.equal((await service.client().json('POST', path, {})).status, 401)
  assert.equal((await eve.client.json('POST', path, {})).status, 404)
})

eachService('POST /api/invites/:code: 200, 401, 404, 409', async (_t, service) => {
  const [ann, bob, cem, dan] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'cem'),
    await register(service, 'dan'),
  ]
  const { server } = await found(ann)
  const invites = `/api/servers/${server.id}/invites`
  const path = `/api/invites/${(await ann.client.json('POST', invites, { maxUses: 2 })).body.code}`
  assert.equal((await service.client().json('POST', path)).status, 401)
  {
    const reply = await bob.client.json('POST', path)
    assert.equal(reply.status, 200)
    assert.deepEqual(reply.body, server)
    assert.equal((await bob.client.get(`/api/servers/${server.id}`)).status, 200)
  }
  {
    const reply = await bob.client.json('POST', path)
    assert.equal(reply.status, 409)
    assert.equal(reply.body.code, 'conflict')
  }
  // Who is a member already has not used it up.
  assert.equal((await cem.client.json('POST', path)).status, 200)
  assert.equal((await dan.client.json('POST', path)).status, 404)
  assert.equal((await dan.client.json('POST', '/api/invites/nonsense')).status, 404)
  assert.equal((await dan.client.json('POST', '/api/invites/a%20b')).status, 404)
  {
    const short = await ann.client.json('POST', invites, { expiresIn: 60 })
    service.clock.advance(minute)
    assert.equal((await dan.client.json('POST', `/api/invites/${short.body.code}`)).status, 404)
  }
})

eachService('GET /api/invites/:code: 200, 401, 404', async (_t, service) => {
  const [ann, bob, cem] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'cem'),
  ]
  const { server } = await found(ann)
  const made = await ann.client.json('POST', `/api/servers/${server.id}/invites`, {
    maxUses: 1,
    expiresIn: 60,
  })
  const path = `/api/invites/${made.body.code}`
  assert.equal((await service.client().get(path)).status, 401)
  const reply = await bob.client.get(path)
  assert.equal(reply.status, 200)
  assert.deepEqual(reply.body, {
    server: { id: server.id, name: server.name, icon: server.icon, memberCount: 1 },
  })
  assert.equal((await bob.client.get(`/api/servers/${server.id}`)).status, 404, 'looking does not join')
  assert.equal((await bob.client.json('POST', path)).status, 200)
  assert.equal((await cem.client.get(path)).status, 404, 'it has been used up')
  assert.equal((await cem.client.get('/api/invites/nonsense')).status, 404)
  assert.equal((await cem.client.get('/api/invites/a%20b')).status, 404)
  const short = await ann.client.json('POST', `/api/servers/${server.id}/invites`, { expiresIn: 60 })
  service.clock.advance(minute)
  assert.equal((await cem.client.get(`/api/invites/${short.body.code}`)).status, 404)
})

eachService(
  'an invite lets somebody register, and makes them a member',
  async (_t, service) => {
    const clock = service.clock.now()
    const id = (n: number) => `100000000000000000${n}`
    await service.db.run`
      INSERT INTO users (id, username, display_name, created_at) VALUES (${id(1)}, 'ann', 'Ann', ${clock})`
    await service.db.run`
      INSERT INTO servers (id, name, owner_id, created_at) VALUES (${id(2)}, 'Server', ${id(1)}, ${clock})`
    await service.db.run`
      INSERT INTO invites (code, server_id, creator_id, max_uses, uses, created_at, expires_at)
      VALUES ('abcdefghijkl', ${id(2)}, ${id(1)}, 1, 0, ${clock}, ${clock + minute})`
    const register = (username: string, invite: string) =>
      service.client().json('POST', '/api/auth/register', {
        username,
        email: `${username}@example.org`,
        password: 'correct horse',
        invite,
      })
    assert.equal((await register('bob', 'nonsense')).status, 400)
    const bob = await register('bob', 'abcdefghijkl')
    assert.equal(bob.status, 201, bob.text)
    assert.equal(await isMember(service.db, id(2), bob.body.id), true)
    assert.equal((await register('cem', 'abcdefghijkl')).status, 400)
  },
  { env: { REGISTRATION: 'invite' } },
)

eachEngine('of 200 who join at once by an invite for 10, exactly 10 get in', async (_t, db) => {
  const community = createCommunity(db)
  const ann = await community.person('ann')
  const { server } = await community.server(ann)
  const people = await Promise.all(Array.from({ length: 200 }, (_, n) => community.person(`p${n}`)))
  const invite = await community.invites.createInvite(ann, server.id, { maxUses: 10 })
  const outcomes = await Promise.allSettled(people.map(userId => community.invites.join(userId, invite.code)))
  assert.equal(outcomes.filter(outcome => outcome.status === 'fulfilled').length, 10)
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') assert.ok(code('not_found')(outcome.reason), String(outcome.reason))
  }
  const count = await db.get<{ n: number }>`SELECT COUNT(*) AS n FROM members WHERE server_id = ${server.id}`
  assert.equal(count?.n, 11)
})

eachEngine('one person who joins 20 times at once joins once, and one use is counted', async (_t, db) => {
  const community = createCommunity(db)
  const [ann, bob] = [await community.person('ann'), await community.person('bob')]
  const { server } = await community.server(ann)
  const invite = await community.invites.createInvite(ann, server.id, { maxUses: 5 })
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, () => community.invites.join(bob, invite.code)),
  )
  assert.equal(outcomes.filter(outcome => outcome.status === 'fulfilled').length, 1)
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') assert.ok(code('conflict')(outcome.reason), String(outcome.reason))
  }
  const row = await db.get<{ uses: number }>`SELECT uses FROM invites WHERE code = ${invite.code}`
  assert.equal(row?.uses, 1)
})

eachEngine('the sweep deletes what has expired and leaves the rest', async (_t, db) => {
  const community = createCommunity(db)
  const ann = await community.person('ann')
  const { server } = await community.server(ann)
  for (let n = 0; n < 3; n++) await community.invites.createInvite(ann, server.id, { expiresIn: 60 })
  const kept = await community.invites.createInvite(ann, server.id, { expiresIn: 120 })
  community.clock.advance(minute)
  await community.invites.sweep()
  assert.deepEqual(await db.all`SELECT code FROM invites`, [{ code: kept.code }])
})
