import assert from 'node:assert/strict'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { addBot, createBotApplication } from '@gatehouse/testkit/applications'
import { createServer, type Published, register, type TestUser } from '@gatehouse/testkit/community'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import { subjects } from '../../events/gateway-events.ts'

const on = { env: { RATE_LIMITS: 'on' } }
const view = formatPermissions(Permission.VIEW_CHANNEL)
const send = formatPermissions(Permission.SEND_MESSAGES)
const children = 20

/** A category with synced channels. */
async function setUp(service: TestService) {
  const [owner, ann] = [await register(service, 'owner'), await register(service, 'ann')]
  const { server, general } = await createServer(owner, ann)
  const { id } = server
  const category = await owner.client.call('createChannel', { id, body: { name: 'All', type: 'category' } })
  const channelIds: string[] = []
  for (let i = 0; i < children; i++) {
    const body = { name: `channel-${i}`, parentId: category.id }
    channelIds.push((await owner.client.call('createChannel', { id, body })).id)
  }
  const published: Published[] = []
  await service.bus.subscribe(subjects.server(id), message =>
    published.push({ subject: id, ...(message as Omit<Published, 'subject'>) }),
  )
  /** The names of the events that an act publishes to the members. */
  async function eventsOf(act: () => Promise<unknown>): Promise<Record<string, number>> {
    published.length = 0
    await act()
    const counts = Object.groupBy(published, ({ t }) => t)
    return Object.fromEntries(Object.entries(counts).map(([t, events = []]) => [t, events.length]))
  }
  return { owner, ann, server, general, category, channelIds, eventsOf }
}

/** The requests that an act counts as, of a bucket of 100. */
async function costOf(service: TestService, { client }: TestUser, act: () => Promise<unknown>) {
  service.clock.advance(60_000)
  await act()
  for (let left = 0; ; left++) {
    if ((await client.get('/api/users/@me')).status === 429) return 100 - left
  }
}

eachService(
  'each further channel that a request changes counts as one more request (limits/caused-changes)',
  async (_t, service) => {
    const { owner, server, category, channelIds, eventsOf } = await setUp(service)
    const { client } = owner
    const { id } = category
    const everyone = { id, targetId: server.id }
    const put = () =>
      client.call('putOverwrite', { ...everyone, body: { type: 'role', allow: '0', deny: send } })
    const events = { CHANNEL_UPDATE: 1 + children, AUDIT_LOG_ENTRY_CREATE: 1 }
    assert.equal(
      await costOf(service, owner, async () => assert.deepEqual(await eventsOf(put), events)),
      1 + children,
    )
    const remove = () => client.call('deleteOverwrite', everyone)
    assert.equal(
      await costOf(service, owner, async () => assert.deepEqual(await eventsOf(remove), events)),
      1 + children,
    )
    const viewers = { id: server.id, type: 'role', allow: view, deny: '0' } as const
    const replace = () => client.call('updateChannel', { id, body: { permissionOverwrites: [viewers] } })
    assert.equal(await costOf(service, owner, replace), 1 + children)
    const moves = channelIds.map((channelId, index) => ({ id: channelId, position: 100 + index }))
    const move = () => client.call('moveChannels', { id: server.id, body: moves })
    assert.equal(await costOf(service, owner, move), children)
    const deleteCategory = () => client.call('deleteChannel', { id })
    assert.equal(await costOf(service, owner, deleteCategory), 1 + children)
  },
  on,
)

eachService(
  'a bot pays for the changes that it causes also through the API of Discord (limits/caused-changes)',
  async (_t, service) => {
    const { owner, server, category } = await setUp(service)
    const { token, applicationId } = await createBotApplication(
      owner.client,
      { name: 'A' },
      { username: 'bot_a' },
    )
    await addBot(owner.client, applicationId, server.id, Permission.ADMINISTRATOR)
    const client = service.client()
    const headers = { authorization: `Bot ${token}` }
    const path = `/api/v10/channels/${category.id}/permissions/${server.id}`
    service.clock.advance(60_000)
    for (let i = 0; i < Math.ceil(100 / (1 + children)); i++) {
      const body = { type: 0, allow: '0', deny: i % 2 ? '1024' : '2048' }
      assert.equal((await client.json('PUT', path, body, headers)).status, 204)
    }
    assert.equal((await client.get('/api/users/@me', headers)).status, 429)
  },
  on,
)

eachService(
  'what does not change publishes nothing, and counts as one request (limits/caused-changes)',
  async (_t, service) => {
    const { owner, ann, server, general, category, channelIds, eventsOf } = await setUp(service)
    const { client } = owner
    const role = await client.call('createRole', {
      id: server.id,
      body: { name: 'Keeper', permissions: '0' },
    })
    const overwrite = { id: server.id, type: 'role', allow: '0', deny: send } as const
    const everyone = {
      id: category.id,
      targetId: server.id,
      body: { type: 'role', allow: '0', deny: send },
    } as const
    await client.call('putOverwrite', everyone)
    const acts = [
      () => client.call('putOverwrite', everyone),
      () => client.call('updateChannel', { id: category.id, body: { permissionOverwrites: [overwrite] } }),
      () => client.call('updateChannel', { id: general.id, body: { name: general.name ?? '', topic: '' } }),
      () => client.call('updateChannel', { id: general.id, body: {} }),
      () =>
        client.call('moveChannels', {
          id: server.id,
          body: channelIds.map(id => ({ id, parentId: category.id })),
        }),
      () => client.call('updateRole', { id: server.id, roleId: role.id, body: { name: 'Keeper' } }),
      () => client.call('updateServer', { id: server.id, body: { name: server.name } }),
      () => client.call('updateMember', { id: server.id, userId: ann.id, body: { timedOutUntil: null } }),
    ]
    for (const act of acts) {
      assert.deepEqual(
        await eventsOf(() => costOf(service, owner, act).then(cost => assert.equal(cost, 1))),
        {},
        `${act}`,
      )
    }
    service.clock.advance(60_000)
    const { body } = await client.get(`/api/channels/${category.id}`)
    assert.deepEqual(body.permissionOverwrites, [overwrite])
  },
  on,
)
