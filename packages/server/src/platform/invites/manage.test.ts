import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { eachService } from '../../testing.ts'
import { found, register } from '../testing.ts'

const minute = 60_000

eachService('GET /api/servers/:id/invites: 200, 400, 401, 403, 404', async (_t, service) => {
  const [ann, bob, eve] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'eve'),
  ]
  const { server } = await found(ann, bob)
  const path = `/api/servers/${server.id}/invites`
  const [first] = (await ann.client.get(path)).body
  assert.deepEqual([first.uses, first.maxUses, first.creator.id], [1, null, ann.id])
  const at = (ms: number) => new Date(service.clock.now() + ms).toISOString()
  service.clock.advance(1)
  const made = await bob.client.json('POST', path, { maxUses: 1, expiresIn: 60 })
  const { body: list } = await ann.client.get(path)
  assert.deepEqual(list, [
    first,
    {
      code: made.body.code,
      creator: {
        id: bob.id,
        username: 'bob',
        displayName: 'bob',
        avatar: `/images/users/${bob.id}/default`,
        bot: false,
      },
      uses: 0,
      maxUses: 1,
      createdAt: at(0),
      expiresAt: at(minute),
    },
  ])
  assert.deepEqual((await ann.client.get(`${path}?limit=1`)).body, [list[1]])
  assert.equal((await ann.client.get(`${path}?limit=101`)).status, 400)
  assert.equal((await service.client().get(path)).status, 401)
  assert.equal((await bob.client.get(path)).body.code, 'missing_permission')
  assert.equal((await eve.client.get(path)).status, 404)

  // What no longer holds is no way in: neither one that is used up nor one that has expired.
  await eve.client.json('POST', `/api/invites/${made.body.code}`)
  assert.deepEqual((await ann.client.get(path)).body, [first])
  service.clock.advance(8 * 24 * 60 * minute)
  assert.deepEqual((await ann.client.get(path)).body, [])
})

eachService('DELETE /api/invites/:code: 204, 401, 403, 404', async (_t, service) => {
  const [ann, bob, cem, eve] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'cem'),
    await register(service, 'eve'),
  ]
  const { server } = await found(ann, bob, cem)
  const invites = `/api/servers/${server.id}/invites`
  const make = async () => `/api/invites/${(await bob.client.json('POST', invites, {})).body.code}`
  const path = await make()
  assert.equal((await service.client().json('DELETE', path)).status, 401)
  assert.equal((await cem.client.json('DELETE', path)).body.code, 'missing_permission')
  assert.equal((await eve.client.json('DELETE', path)).status, 404)
  assert.equal((await eve.client.get(path)).status, 200)
  // Who made it; and it opens nothing from then on.
  assert.equal((await bob.client.json('DELETE', path)).status, 204)
  assert.equal((await eve.client.json('POST', path)).status, 404)
  assert.equal((await bob.client.json('DELETE', path)).status, 404)
  const second = await make()
  const role = await ann.client.json('POST', `/api/servers/${server.id}/roles`, {
    name: 'Porters',
    permissions: Permission.MANAGE_SERVER.toString(),
  })
  await ann.client.json('PUT', `/api/servers/${server.id}/members/${cem.id}/roles/${role.body.id}`)
  assert.equal((await cem.client.json('DELETE', second)).status, 204)
  // Who has left has no say any more.
  const third = await make()
  await bob.client.json('DELETE', `/api/servers/${server.id}/members/@me`)
  assert.equal((await bob.client.json('DELETE', third)).status, 404)
  assert.equal((await ann.client.json('DELETE', third)).status, 204)
  assert.equal((await ann.client.json('DELETE', '/api/invites/nothing')).status, 404)
})
