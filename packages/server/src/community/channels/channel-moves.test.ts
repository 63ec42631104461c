import assert from 'node:assert/strict'
import type { Channel } from '@gatehouse/protocol/channels'
import { rates } from '@gatehouse/protocol/limits'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { createCommunity, createServer, payloads, register } from '@gatehouse/testkit/community'
import { eachEngine } from '@gatehouse/testkit/databases'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import { connectUser } from '../../gateway/gateway-testing.ts'

const { VIEW_CHANNEL, SEND_MESSAGES, MANAGE_CHANNELS } = Permission
const view = formatPermissions(VIEW_CHANNEL)
const send = formatPermissions(SEND_MESSAGES)

async function setUp(service: TestService) {
  const [owner, member] = [await register(service, 'owner'), await register(service, 'member')]
  const { server, general } = await createServer(owner, member)
  const path = `/api/servers/${server.id}`
  const create = (body: object) => owner.client.request<Channel>('POST', `${path}/channels`, body)
  const move = (moves: object[], user = owner) => user.client.json('PATCH', `${path}/channels`, moves)
  const read = (id: string) => owner.client.request<Channel>('GET', `/api/channels/${id}`)
  const overwrite = (id: string, targetId: string, allow: string, deny: string) =>
    owner.client.request('PUT', `/api/channels/${id}/overwrites/${targetId}`, { type: 'role', allow, deny })
  return { owner, member, server, general, path, create, move, read, overwrite }
}

eachService(
  'a channel that is created in a category has its overwrites, and changes with it while they are equal ' +
    '(community/categories)',
  async (_t, service) => {
    const { owner, server, create, read, overwrite } = await setUp(service)
    const category = await create({ name: 'Harbour', type: 'category' })
    assert.deepEqual([category.type, category.parentId], ['category', null])
    await overwrite(category.id, server.id, '0', send)
    const [synced, own] = [
      await create({ name: 'quay', parentId: category.id }),
      await create({ name: 'mole', parentId: category.id }),
    ]
    const everyone = (allow: string, deny: string) => ({ id: server.id, type: 'role', allow, deny })
    assert.deepEqual(synced.permissionOverwrites, [everyone('0', send)])
    await overwrite(own.id, server.id, send, '0')
    await overwrite(category.id, server.id, '0', view)
    assert.deepEqual((await read(synced.id)).permissionOverwrites, [everyone('0', view)])
    assert.deepEqual((await read(own.id)).permissionOverwrites, [everyone(send, '0')])
    const removed = await owner.client.json('DELETE', `/api/channels/${category.id}/overwrites/${server.id}`)
    assert.equal(removed.status, 204)
    assert.deepEqual((await read(synced.id)).permissionOverwrites, [])
    assert.deepEqual((await read(own.id)).permissionOverwrites, [everyone(send, '0')])
  },
)

eachService(
  'PATCH /api/servers/:id/channels moves channels in one transaction, and copies overwrites on request ' +
    '(community/categories)',
  async (_t, service) => {
    const { owner, member, server, general, path, create, move, read, overwrite } = await setUp(service)
    const [category, news] = [
      await create({ name: 'Harbour', type: 'category' }),
      await create({ name: 'news' }),
    ]
    await overwrite(category.id, server.id, '0', send)
    const moved = await move([
      { id: news.id, position: 0, parentId: category.id, lockPermissions: true },
      { id: general.id, position: 1, parentId: category.id },
    ])
    assert.equal(moved.status, 204, moved.text)
    const [first, second] = [await read(news.id), await read(general.id)]
    assert.deepEqual([first.position, first.parentId], [0, category.id])
    assert.deepEqual([second.position, second.parentId], [1, category.id])
    assert.equal(first.permissionOverwrites.length, 1)
    assert.deepEqual(second.permissionOverwrites, [])
    const entries = (await owner.client.get(`${path}/audit-log?action=CHANNEL_UPDATE`)).body
    assert.deepEqual(
      entries.map((entry: { target: { name: string }; changes: { key: string }[] }) => [
        entry.target.name,
        entry.changes.map(({ key }) => key).join(),
      ]),
      [
        ['general', 'position,parentId'],
        ['news', 'position,parentId,permissionOverwrites'],
      ],
    )

    for (const [moves, at] of [
      [[{ id: general.id, position: 7 }, { id: server.id }], '[1].id'],
      [[{ id: general.id, position: 7, parentId: news.id }], '[0].parentId'],
      [[{ id: category.id, parentId: category.id }], '[0].parentId'],
      [[{ id: general.id, position: -1 }], '[0].position'],
    ] as const) {
      const refused = await move([...moves])
      assert.deepEqual([refused.status, refused.body.errors?.[0].path], [400, at], refused.text)
    }
    assert.equal((await move([{ id: general.id, position: 7 }], member)).status, 403)
    assert.equal((await read(general.id)).position, 1, 'nothing of a rejected request is done')
    const twice = await move([
      { id: general.id, position: 7 },
      { id: general.id, parentId: null },
    ])
    assert.equal(twice.status, 204)
    const { position, parentId } = await read(general.id)
    assert.deepEqual([position, parentId], [7, null])
  },
)

eachService(
  'a member copies no permission that they do not have (community/categories, community/permission-hierarchy)',
  async (_t, service) => {
    const { owner, member, server, general, path, create, move, read, overwrite } = await setUp(service)
    const role = await owner.client.request<{ id: string }>('POST', `${path}/roles`, {
      ...{ name: 'Keeper', permissions: formatPermissions(MANAGE_CHANNELS) },
    })
    await owner.client.request('PUT', `${path}/members/${member.id}/roles/${role.id}`)
    const category = await create({ name: 'Harbour', type: 'category' })
    await overwrite(category.id, server.id, formatPermissions(Permission.MANAGE_MESSAGES), '0')
    const body = { id: general.id, parentId: category.id, lockPermissions: true }
    const refused = await move([body], member)
    assert.deepEqual([refused.status, refused.body.code], [403, 'missing_permission'])
    assert.equal((await move([{ ...body, lockPermissions: false }], member)).status, 204)
    assert.deepEqual((await read(general.id)).permissionOverwrites, [])
  },
)

eachService(
  'a category has no messages, commands and webhooks; its deletion moves its channels to the top ' +
    '(community/categories)',
  async (_t, service) => {
    const { owner, general, create, move, read } = await setUp(service)
    const category = await create({ name: 'Harbour', type: 'category' })
    const path = `/api/channels/${category.id}`
    assert.equal((await owner.client.json('POST', `${path}/messages`, { content: 'Hello' })).status, 404)
    assert.equal((await owner.client.json('POST', `${path}/webhooks`, { name: 'Hook' })).status, 404)
    assert.deepEqual((await owner.client.get(`${path}/commands`)).body, [])
    const session = await connectUser(service, owner)
    const readStates = session.ready.d.readStates.map(({ channelId }) => channelId)
    assert.deepEqual(readStates, [general.id])
    await move([{ id: general.id, parentId: category.id }])
    assert.equal((await owner.client.json('DELETE', path)).status, 204)
    assert.equal((await read(general.id)).parentId, null)
    assert.equal((await owner.client.get(path)).status, 404)
  },
)

eachEngine(
  'each change of several channels publishes its events in order (community/categories)',
  async (_t, db) => {
    const community = createCommunity(db)
    const owner = await community.createUser('ann')
    const { server, general } = await community.createServer(owner)
    const actor = { userId: owner }
    const category = await community.channels.createChannel(actor, server.id, {
      name: 'Harbour',
      type: 'category',
    })
    const child = await community.channels.createChannel(actor, server.id, {
      name: 'quay',
      parentId: category.id,
    })
    const since = () => {
      const updates = payloads(community.published, `server.${server.id}`, 'CHANNEL_UPDATE')
      community.published.length = 0
      return updates.map(({ id }) => id)
    }
    since()
    await community.overwrites.putOverwrite(actor, category.id, server.id, {
      type: 'role',
      allow: '0',
      deny: send,
    })
    assert.deepEqual(since(), [category.id, child.id])
    await community.moves.moveChannels(actor, server.id, [
      { id: child.id, position: 0 },
      { id: general.id, position: 1, parentId: category.id },
      { id: category.id, position: category.position },
    ])
    assert.deepEqual(since(), [child.id, general.id])
    await community.channels.deleteChannel(actor, category.id)
    assert.deepEqual(since(), [child.id, general.id])
  },
)

eachService(
  'a user changes the order of channels 60 times in ten minutes (limits/rates)',
  async (_t, service) => {
    const { general, move } = await setUp(service)
    const moves = [{ id: general.id, position: 1 }]
    const { count, seconds } = rates.channelMoves
    for (let i = 0; i < count; i++) assert.equal((await move(moves)).status, 204)
    const rejected = await move(moves)
    assert.deepEqual([rejected.status, rejected.body.retryAfter], [429, seconds])
    service.clock.advance(seconds * 1000)
    assert.equal((await move(moves)).status, 204)
  },
  { env: { RATE_LIMITS: 'requests=1000000/1' } },
)
