import assert from 'node:assert/strict'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { createServer, register } from '@gatehouse/testkit/community'
import { eachService } from '@gatehouse/testkit/service'

const { VIEW_CHANNEL, MANAGE_CHANNELS } = Permission
const view = formatPermissions(VIEW_CHANNEL)

eachService(
  'a channel is private from its creation: only the creator and those who are let in view it ' +
    '(community/private-channels)',
  async (_t, service) => {
    const [owner, keeper, friend, crew, other] = [
      await register(service, 'owner'),
      await register(service, 'keeper'),
      await register(service, 'friend'),
      await register(service, 'crew'),
      await register(service, 'other'),
    ]
    const { server } = await createServer(owner, keeper, friend, crew, other)
    const path = `/api/servers/${server.id}`
    const createRole = async (name: string, permissions: bigint, position: number) =>
      (
        await owner.client.json('POST', `${path}/roles`, {
          ...{ name, permissions: formatPermissions(permissions), position },
        })
      ).body.id
    const [manager, sailors] = [
      await createRole('Manager', MANAGE_CHANNELS, 5),
      await createRole('Sailors', 0n, 1),
    ]
    await owner.client.request('PUT', `${path}/members/${keeper.id}/roles/${manager}`)
    await owner.client.request('PUT', `${path}/members/${crew.id}/roles/${sailors}`)

    const created = await keeper.client.json('POST', `${path}/channels`, {
      ...{ name: 'cabin', private: { roles: [sailors], members: [friend.id] } },
    })
    assert.equal(created.status, 201, created.text)
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
    assert.deepEqual(
      created.body.permissionOverwrites,
      [
        { id: server.id, type: 'role', allow: '0', deny: view },
        { id: sailors, type: 'role', allow: view, deny: '0' },
        { id: friend.id, type: 'member', allow: view, deny: '0' },
        { id: keeper.id, type: 'member', allow: view, deny: '0' },
      ].sort(byId),
    )
    const statuses = await Promise.all(
      [owner, keeper, friend, crew, other].map(
        async ({ client }) => (await client.get(`/api/channels/${created.body.id}`)).status,
      ),
    )
    assert.deepEqual(statuses, [200, 200, 200, 200, 404])
    const [entry] = (await owner.client.get(`${path}/audit-log?action=CHANNEL_CREATE`)).body
    const names = entry.changes
      .filter(({ key }: { key: string }) => key === 'permissionOverwrites')
      .map(({ after }: { after: string }) => JSON.parse(after).name)
    assert.deepEqual(names, ['@everyone', 'Sailors', 'friend', 'keeper'])

    const byOwner = await owner.client.json('POST', `${path}/channels`, {
      ...{ name: 'desk', private: { roles: [], members: [] } },
    })
    assert.deepEqual(byOwner.body.permissionOverwrites, [
      { id: server.id, type: 'role', allow: '0', deny: view },
    ])
  },
)

eachService(
  'a private channel is refused with its reason, and then does not exist (community/private-channels)',
  async (_t, service) => {
    const [owner, keeper, stranger] = [
      await register(service, 'owner'),
      await register(service, 'keeper'),
      await register(service, 'stranger'),
    ]
    const { server } = await createServer(owner, keeper)
    const path = `/api/servers/${server.id}`
    const role = async (name: string, permissions: bigint, position: number) =>
      (
        await owner.client.json('POST', `${path}/roles`, {
          ...{ name, permissions: formatPermissions(permissions), position },
        })
      ).body.id
    const [manager, captain] = [await role('Manager', MANAGE_CHANNELS, 2), await role('Captain', 0n, 5)]
    await owner.client.request('PUT', `${path}/members/${keeper.id}/roles/${manager}`)
    const create = (roles: string[], members: string[]) =>
      keeper.client.json('POST', `${path}/channels`, { name: 'cabin', private: { roles, members } })
    for (const [reply, code, where] of [
      [await create([], [stranger.id]), 'unknown_user', 'private.members[0]'],
      [await create([server.id], []), 'unknown_role', 'private.roles[0]'],
      [await create([manager, '1234567890123456789'], []), 'unknown_role', 'private.roles[1]'],
      [await create(Array(51).fill(manager), []), 'too_many', 'private.roles'],
    ] as const) {
      assert.equal(reply.status, 400, reply.text)
      assert.partialDeepStrictEqual(reply.body.errors[0], { code, path: where })
    }
    // A role above the creator is only allowed something.
    assert.equal((await create([captain], [])).status, 201)
    const everyone = { permissions: '0' }
    await owner.client.request('PATCH', `${path}/roles/${server.id}`, everyone)
    assert.match((await create([], [])).body.message, /VIEW_CHANNEL/)
    assert.equal((await owner.client.get(`${path}/channels`)).body.length, 2)
  },
)
