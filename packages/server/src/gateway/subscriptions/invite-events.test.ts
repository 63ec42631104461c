import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Permission } from '@gatehouse/protocol/permissions'
import { addBot } from '@gatehouse/testkit/applications'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { eachService, startNodes, type TestService } from '@gatehouse/testkit/service'
import {
  connectUser,
  createBot,
  type Frame,
  type GatewayClient,
  identify,
  sendMessage,
} from '../gateway-testing.ts'

const { VIEW_CHANNEL, MANAGE_SERVER, MANAGE_WEBHOOKS } = Permission

/** Bots that may list invites and webhooks, one or neither, with all intents, and one without the intents. */
async function setUp(service: TestService, node = service) {
  const ada = await register(service, 'ada')
  const { server, general } = await createServer(ada)
  const intents = ['messages', 'invites', 'webhooks'] as const
  const connect = async (permissions: bigint, chosen: readonly (typeof intents)[number][] = intents) => {
    const bot = await createBot(service, ada)
    await addBot(ada.client, bot.applicationId, server.id, VIEW_CHANNEL | permissions)
    return { bot, session: await identify(node, { token: bot.token, intents: chosen }) }
  }
  const both = await connect(MANAGE_SERVER | MANAGE_WEBHOOKS)
  const others = {
    ofInvites: await connect(MANAGE_SERVER),
    ofWebhooks: await connect(MANAGE_WEBHOOKS),
    without: await connect(0n),
    withoutIntents: await connect(MANAGE_SERVER | MANAGE_WEBHOOKS, ['messages']),
  }
  return { ada, server, general, both, ...others }
}

/** The events up to a message that is sent now. Those that need a permission may be after it. */
async function takeUntilMessage(
  ada: TestUser,
  channelId: string,
  client: GatewayClient,
  count: number,
): Promise<Frame[]> {
  await sendMessage(ada, channelId, 'done')
  const frames: Frame[] = []
  while (frames.filter(({ t }) => t !== 'MESSAGE_CREATE').length < count)
    frames.push(await client.nextDispatch())
  while (!frames.some(({ t }) => t === 'MESSAGE_CREATE')) frames.push(await client.nextDispatch())
  return frames.filter(({ t }) => t !== 'MESSAGE_CREATE')
}

async function checkEvents(service: TestService, node = service): Promise<void> {
  const { ada, server, general, both, ofInvites, ofWebhooks, without, withoutIntents } = await setUp(
    service,
    node,
  )
  const owner = await connectUser(service, ada)
  const id = server.id
  const { code } = await ada.client.call('createInvite', { id, body: { maxUses: 1 } })
  const invites = await ada.client.call('listInvites', { id })
  const invite = invites.find(each => each.code === code)
  await ada.client.call('revokeInvite', { code })
  const webhook = await ada.client.call('createWebhook', { channelId: general.id, body: { name: 'Builds' } })
  const place = { serverId: id, channelId: general.id }
  const created = ['INVITE_CREATE', { ...invite, ...place }]
  const deleted = ['INVITE_DELETE', { code, ...place }]
  const changed = ['WEBHOOKS_UPDATE', place]
  for (const [{ session }, expected] of [
    [both, [created, deleted, changed]],
    [ofInvites, [created, deleted]],
    [ofWebhooks, [changed]],
    [without, []],
    [withoutIntents, []],
  ] as const) {
    const frames = await takeUntilMessage(ada, general.id, session, expected.length)
    assert.deepEqual(
      frames.map(({ t, d }) => [t, d]),
      expected,
    )
  }
  // Users receive none.
  assert.equal((await owner.nextDispatch()).t, 'MESSAGE_CREATE')
  assert.equal(webhook.channelId, general.id)
}

eachService(
  'events of invites and webhooks reach the bots that may list them (gateway/intents, gateway/invite-events)',
  (_t, service) => checkEvents(service),
)

test('events of invites and webhooks reach bots on another node (gateway/invite-events)', async t => {
  const [a, b] = (await startNodes(t)) ?? []
  if (a && b) await checkEvents(a, b)
})

eachService(
  'a bot learns nothing of invites and webhooks of a channel in which it may not (gateway/invite-events)',
  async (_t, service) => {
    const { ada, server, general, both } = await setUp(service)
    const { bot, session } = both
    const id = server.id
    const [hidden, unmanaged] = [
      await ada.client.call('createChannel', { id, body: { name: 'hidden' } }),
      await ada.client.call('createChannel', { id, body: { name: 'unmanaged' } }),
    ]
    const deny = (channelId: string, bits: bigint) =>
      ada.client.request('PUT', `/api/channels/${channelId}/overwrites/${bot.userId}`, {
        ...{ type: 'member', allow: '0', deny: String(bits) },
      })
    await deny(hidden.id, VIEW_CHANNEL)
    await deny(unmanaged.id, MANAGE_WEBHOOKS)
    for (const channelId of [hidden.id, unmanaged.id]) {
      await ada.client.call('createWebhook', { channelId, body: { name: 'Builds' } })
    }
    const secret = await ada.client.call('createInvite', { id, body: { channelId: hidden.id } })
    await ada.client.call('revokeInvite', { code: secret.code })
    const open = await ada.client.call('createInvite', { id, body: { channelId: unmanaged.id } })
    const [event, ...others] = await takeUntilMessage(ada, general.id, session, 1)
    assert.deepEqual([event?.t, event?.d.code, others], ['INVITE_CREATE', open.code, []])
  },
)

eachService(
  'an invite without uses left is deleted for bots, one without a channel has no event (gateway/invite-events)',
  async (_t, service) => {
    const { ada, server, general, both } = await setUp(service)
    const ben = await register(service, 'ben')
    const id = server.id
    const body = { maxUses: 1, channelId: general.id }
    const { code } = await ada.client.call('createInvite', { id, body })
    await ben.client.request('POST', `/api/invites/${code}`)
    const used = await takeUntilMessage(ada, general.id, both.session, 2)
    assert.deepEqual(
      used.map(({ t, d }) => [t, d.code]),
      [
        ['INVITE_CREATE', code],
        ['INVITE_DELETE', code],
      ],
    )
    await ada.client.request('PUT', `/api/channels/${general.id}/overwrites/${id}`, {
      ...{ type: 'role', allow: '0', deny: String(VIEW_CHANNEL) },
    })
    await ada.client.request('PUT', `/api/channels/${general.id}/overwrites/${both.bot.userId}`, {
      ...{ type: 'member', allow: String(VIEW_CHANNEL), deny: '0' },
    })
    const native = await ada.client.call('createInvite', { id, body: {} })
    await ada.client.call('revokeInvite', { code: native.code })
    await ada.client.call('createWebhook', { channelId: general.id, body: { name: 'Builds' } })
    const [event, ...others] = await takeUntilMessage(ada, general.id, both.session, 1)
    assert.deepEqual([event?.t, others], ['WEBHOOKS_UPDATE', []])
  },
)
