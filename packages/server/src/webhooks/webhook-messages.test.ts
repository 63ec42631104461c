import assert from 'node:assert/strict'
import type { Message } from '@gatehouse/protocol/messages'
import { type Community, createCommunity } from '@gatehouse/testkit/community'
import { eachEngine } from '@gatehouse/testkit/databases'
import { createProxyUrls } from '../images/media-proxy/index.ts'
import { createWebhookMessages, type NewWebhookMessage, type WebhookMessages } from './webhook-messages.ts'
import * as store from './webhook-store.ts'

/** Creates a webhook in the database, without HTTP. */
async function setUp(community: Community): Promise<{
  webhook: store.WebhookDetails
  webhookMessages: WebhookMessages
  other: string
  listMessages: () => Promise<Message[]>
}> {
  const { db, clock, ids, messageRepository: messages } = community
  const owner = await community.createUser('ana')
  const { server, general } = await community.createServer(owner)
  const other = await community.channels.createChannel({ userId: owner }, server.id, { name: 'other' })
  const webhook: store.WebhookDetails = {
    id: ids(),
    channelId: general.id,
    serverId: server.id,
    name: 'Alerts',
    avatar: null,
    tokenHash: 'hash',
    tokenSealed: 'sealed',
    createdBy: owner,
    applicationId: null,
    createdAt: clock.now(),
    lastUsedAt: null,
  }
  await store.insertWebhook(db, webhook, 0)
  return {
    webhook,
    webhookMessages: createWebhookMessages({
      db,
      messages,
      baseUrl: 'http://localhost',
      proxyUrls: createProxyUrls(new Uint8Array(32)),
    }),
    other: other.id,
    listMessages: async () => [
      ...(await messages.listMessages(db, general.id, {})),
      ...(await messages.listMessages(db, other.id, {})),
    ],
  }
}

const newMessage: NewWebhookMessage = {
  content: 'x',
  embeds: [],
  allowedMentions: undefined,
  username: undefined,
  avatarUrl: undefined,
}

eachEngine(
  'rejects a message if the token was replaced during the request (webhooks/token-reset)',
  async (_t, db) => {
    const community = createCommunity(db)
    const { webhook, webhookMessages, listMessages } = await setUp(community)
    await store.updateToken(db, webhook.id, {
      tokenHash: 'new',
      tokenSealed: 'new',
      createdBy: webhook.createdBy,
    })
    await assert.rejects(webhookMessages.create(webhook, newMessage), { numericCode: 10015 })
    await store.deleteWebhook(db, webhook.id)
    await assert.rejects(webhookMessages.create(webhook, newMessage), { numericCode: 10015 })
    assert.deepEqual(await listMessages(), [])
    assert.equal(
      community.published.some(event => event.t === 'MESSAGE_CREATE'),
      false,
    )
  },
)

eachEngine(
  'creates one message in the new channel if the webhook was moved during the request',
  async (_t, db) => {
    const community = createCommunity(db)
    const { webhook, webhookMessages, other, listMessages } = await setUp(community)
    await store.moveWebhook(db, webhook.id, other, 0)
    const { message } = await webhookMessages.create(webhook, newMessage)
    assert.equal(message.channelId, other)
    assert.deepEqual(
      (await listMessages()).map(({ channelId }) => channelId),
      [other],
    )
    assert.deepEqual(
      community.published.filter(event => event.t === 'MESSAGE_CREATE').map(({ subject }) => subject),
      [`channel.${other}`],
    )
  },
)

eachEngine(
  'creates one message with the new name and avatar if they changed during the request',
  async (_t, db) => {
    const { webhook, webhookMessages, listMessages } = await setUp(createCommunity(db))
    for (const changes of [
      { name: 'Renamed', avatar: null },
      { name: 'Renamed', avatar: 'https://ci.example/a.png' },
    ]) {
      await store.updateWebhook(db, webhook.id, changes)
      const result = await webhookMessages.create(webhook, newMessage)
      assert.deepEqual([result.webhook.name, result.webhook.avatar], [changes.name, changes.avatar])
      assert.deepEqual(
        [result.message.author.displayName, result.message.author.avatar],
        [changes.name, changes.avatar],
      )
    }
    assert.equal((await listMessages()).length, 2)
  },
)

eachEngine(
  'creates the message in the new channel if the webhook was moved and its old channel was deleted during the request',
  async (_t, db) => {
    const community = createCommunity(db)
    const { webhook, webhookMessages, other } = await setUp(community)
    await store.moveWebhook(db, webhook.id, other, 0)
    await community.channels.deleteChannel({ userId: webhook.createdBy }, webhook.channelId)
    const { message } = await webhookMessages.create(webhook, newMessage)
    assert.equal(message.channelId, other)
  },
)

eachEngine('rejects a message if the channel was deleted during the request', async (_t, db) => {
  const community = createCommunity(db)
  const { webhook, webhookMessages, listMessages } = await setUp(community)
  await community.channels.deleteChannel({ userId: webhook.createdBy }, webhook.channelId)
  await assert.rejects(webhookMessages.create(webhook, newMessage), {
    numericCode: 10015,
    message: 'Unknown Webhook',
  })
  assert.deepEqual(await listMessages(), [])
})
