import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { createServer, register } from '@gatehouse/testkit/community'
import { eachService } from '@gatehouse/testkit/service'
import { subjects, subscribeToEvents } from '../events/gateway-events.ts'

eachService(
  'each change of a webhook is told with its channel, a move with both (webhooks/events)',
  async (_t, service) => {
    const ann = await register(service, 'ann')
    const { server, general } = await createServer(ann)
    const news = await ann.client.call('createChannel', { id: server.id, body: { name: 'news' } })
    const channels: string[] = []
    const told = Promise.withResolvers<void>()
    await subscribeToEvents(service.bus, subjects.server(server.id), ({ t, d }) => {
      if (t === 'WEBHOOKS_UPDATE') channels.push(d.channelId === general.id ? 'general' : 'news')
      if (t === 'SERVER_UPDATE') told.resolve()
    })
    const channelId = general.id
    const { id, token } = await ann.client.call('createWebhook', { channelId, body: { name: 'Builds' } })
    const unchanged = { channelId, id, body: { name: 'Builds' } }
    await ann.client.call('updateWebhook', unchanged)
    await ann.client.call('updateWebhook', { channelId, id, body: { channelId: news.id } })
    const reset = await ann.client.call('resetWebhookToken', { channelId: news.id, id })
    assert.notEqual(reset.token, token)
    await ann.client.request('PATCH', `/api/webhooks/${id}/${reset.token}`, { name: 'New' })
    await ann.client.request('DELETE', `/api/webhooks/${id}/${reset.token}`)
    const second = await ann.client.call('createWebhook', { channelId, body: { name: 'Builds' } })
    await ann.client.call('deleteWebhook', { channelId, id: second.id })
    await ann.client.request('PATCH', `/api/servers/${server.id}`, { name: 'End' })
    await told.promise
    assert.deepEqual(channels, [
      ...['general', 'news', 'general', 'news', 'news', 'news'],
      ...['general', 'general'],
    ])
  },
)

eachService(
  'the webhooks of a server are those of the channels in which the caller may manage them (webhooks/managing)',
  async (_t, service) => {
    const [ann, bob, eve] = [
      await register(service, 'ann'),
      await register(service, 'bob'),
      await register(service, 'eve'),
    ]
    const { server, general } = await createServer(ann, bob)
    const path = `/api/servers/${server.id}`
    const [hidden, denied] = [
      await ann.client.call('createChannel', { id: server.id, body: { name: 'hidden' } }),
      await ann.client.call('createChannel', { id: server.id, body: { name: 'denied' } }),
    ]
    for (const { id: channelId } of [general, hidden, denied]) {
      await ann.client.call('createWebhook', { channelId, body: { name: 'Builds' } })
    }
    const list = async () =>
      (await bob.client.call('listServerWebhooks', { id: server.id })).map(w => w.channelId)
    assert.deepEqual(await list(), [])
    const { MANAGE_WEBHOOKS, VIEW_CHANNEL } = Permission
    const role = { name: 'Hooks', permissions: String(MANAGE_WEBHOOKS) }
    const { id: roleId } = await ann.client.request<{ id: string }>('POST', `${path}/roles`, role)
    await ann.client.request('PUT', `${path}/members/${bob.id}/roles/${roleId}`)
    const deny = (channelId: string, bits: bigint) =>
      ann.client.request('PUT', `/api/channels/${channelId}/overwrites/${bob.id}`, {
        ...{ type: 'member', allow: '0', deny: String(bits) },
      })
    await deny(hidden.id, VIEW_CHANNEL)
    await deny(denied.id, MANAGE_WEBHOOKS)
    assert.deepEqual(await list(), [general.id])
    const own = await bob.client.call('createWebhook', { channelId: general.id, body: { name: 'Own' } })
    const shown = await bob.client.call('listServerWebhooks', { id: server.id })
    assert.deepEqual(
      shown.map(({ id, token, url }) => [id === own.id, token, url]),
      [
        [false, null, null],
        [true, own.token, own.url],
      ],
    )
    assert.equal((await ann.client.call('listServerWebhooks', { id: server.id })).length, 4)
    const until = new Date(service.clock.now() + 60_000).toISOString()
    await ann.client.request('PATCH', `${path}/members/${bob.id}`, { timedOutUntil: until })
    assert.deepEqual(await list(), [])
    assert.equal((await eve.client.get(`${path}/webhooks`)).status, 404)
  },
)
