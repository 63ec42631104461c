import assert from 'node:assert/strict'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { createServer, register } from '@gatehouse/testkit/community'
import { eachService } from '@gatehouse/testkit/service'

const { VIEW_CHANNEL, MANAGE_CHANNELS, SEND_MESSAGES, MANAGE_MESSAGES } = Permission
const view = formatPermissions(VIEW_CHANNEL)
const send = formatPermissions(SEND_MESSAGES)

eachService(
  'a channel is created with its overwrites, and an update replaces the set (community/overwrite-sets)',
  async (_t, service) => {
    const [owner, ann, bob] = [
      await register(service, 'owner'),
      await register(service, 'ann'),
      await register(service, 'bob'),
    ]
    const { server } = await createServer(owner, ann, bob)
    const hidden = { id: server.id, type: 'role', allow: '0', deny: view } as const
    const forAnn = { id: ann.id, type: 'member', allow: view, deny: '0' } as const
    const category = await owner.client.call('createChannel', {
      ...{ id: server.id, body: { name: 'tickets', type: 'category', permissionOverwrites: [hidden] } },
    })
    const ticket = await owner.client.call('createChannel', {
      id: server.id,
      body: { name: 'ticket', parentId: category.id, permissionOverwrites: [hidden, forAnn] },
    })
    const synced = await owner.client.call('createChannel', {
      ...{ id: server.id, body: { name: 'synced', parentId: category.id } },
    })
    const statusOf = async (user: typeof ann, { id }: { id: string }) =>
      (await user.client.get(`/api/channels/${id}`)).status
    assert.deepEqual([await statusOf(ann, ticket), await statusOf(bob, ticket)], [200, 404])

    const forBob = { ...forAnn, id: bob.id }
    await owner.client.call('updateChannel', {
      ...{ id: ticket.id, body: { permissionOverwrites: [hidden, forBob] } },
    })
    assert.deepEqual([await statusOf(ann, ticket), await statusOf(bob, ticket)], [404, 200])
    // A channel that has the overwrites of its category changes with it.
    await owner.client.call('updateChannel', { ...{ id: category.id, body: { permissionOverwrites: [] } } })
    assert.deepEqual([await statusOf(ann, synced), await statusOf(ann, ticket)], [200, 404])
    const [entry] = await owner.client.call('listAuditLog', {
      ...{ id: server.id, query: { targetId: ticket.id, action: 'CHANNEL_UPDATE' } },
    })
    const changed = entry?.changes.map(({ before, after }) => JSON.parse(after ?? before ?? '').name)
    assert.deepEqual(changed, ['bob', 'ann'])
  },
)

eachService(
  'a set of overwrites needs what each change of one needs, and nothing is stored without it',
  async (_t, service) => {
    const [owner, keeper] = [await register(service, 'owner'), await register(service, 'keeper')]
    const { server, general } = await createServer(owner, keeper)
    const manager = await owner.client.call('createRole', {
      ...{ id: server.id, body: { name: 'Managers', permissions: formatPermissions(MANAGE_CHANNELS) } },
    })
    const high = await owner.client.call('createRole', {
      ...{ id: server.id, body: { name: 'High', permissions: '0', position: 9 } },
    })
    const ids = { id: server.id, userId: keeper.id, roleId: manager.id }
    await owner.client.call('addMemberRole', ids)
    const bits = { type: 'role', allow: '0', deny: send } as const
    const ofHigh = { id: high.id, ...bits }
    await owner.client.call('putOverwrite', { id: general.id, targetId: high.id, body: bits })

    const update = async (overwrites: unknown) => {
      const body = { name: 'renamed', permissionOverwrites: overwrites }
      const reply = await keeper.client.json('PATCH', `/api/channels/${general.id}`, body)
      return [reply.status, reply.body.errors?.[0]?.path]
    }
    const ofEveryone = { id: server.id, type: 'role', allow: '0', deny: send }
    const moderate = formatPermissions(MANAGE_MESSAGES)
    assert.deepEqual(await update([ofEveryone]), [403, undefined], 'removes that of a higher role')
    assert.deepEqual(await update([{ ...ofHigh, deny: view }]), [403, undefined])
    assert.deepEqual(await update([ofHigh, { ...ofEveryone, allow: moderate }]), [403, undefined])
    assert.deepEqual(await update([ofHigh, { ...ofEveryone, id: general.id }]), [
      ...[400, 'permissionOverwrites[1].id'],
    ])
    assert.deepEqual(await update([ofHigh, ofEveryone, ofEveryone]), [400, 'permissionOverwrites[2].id'])
    assert.deepEqual(await update([ofHigh, { ...ofEveryone, allow: send }]), [
      ...[400, 'permissionOverwrites[1].deny'],
    ])
    const unchanged = await owner.client.call('getChannel', { id: general.id })
    assert.deepEqual([unchanged.name, unchanged.permissionOverwrites], ['general', [ofHigh]])

    const body = { name: 'new', permissionOverwrites: [ofHigh] }
    const created = await keeper.client.json('POST', `/api/servers/${server.id}/channels`, body)
    assert.equal(created.status, 403)
    const both = { name: 'new', permissionOverwrites: [], private: { roles: [], members: [] } }
    const reply = await owner.client.json('POST', `/api/servers/${server.id}/channels`, both)
    assert.deepEqual([reply.status, reply.body.errors[0].path], [400, 'private'])

    // The overwrite of the higher role does not change.
    assert.deepEqual(await update([ofHigh, ofEveryone]), [200, undefined])
  },
)
