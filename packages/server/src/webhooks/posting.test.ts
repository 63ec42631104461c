import assert from 'node:assert/strict'
import type { Message } from '@gatehouse/protocol/messages'
import { type Community, createCommunity } from '../platform/testing.ts'
import { eachEngine } from '../storage/testing.ts'
import { createPosting, type Posting } from './posting.ts'
import * as store from './store.ts'

/** A webhook without HTTP before it, as it was when a post of it was let in. */
async function admitted(community: Community): Promise<{
  webhook: store.WebhookRecord
  posting: Posting
  other: string
  sent: () => Promise<Message[]>
}> {
  const { db, clock, ids, messages } = community
  const owner = await community.person('ana')
  const { server, general } = await community.server(owner)
  const other = await community.channels.createChannel(owner, server.id, { name: 'other' })
  const webhook: store.WebhookRecord = {
    id: ids(),
    channelId: general.id,
    serverId: server.id,
    name: 'Alerts',
    avatar: null,
    tokenHash: 'hash',
    tokenSealed: 'sealed',
    createdBy: owner,
    createdAt: clock.now(),
    lastUsedAt: null,
  }
  await store.insertWebhook(db, webhook, 0)
  return {
    webhook,
    posting: createPosting({ db, messages, baseUrl: 'http://localhost' }),
    other: other.id,
    sent: async () => [
      ...(await messages.listMessages(db, general.id, {})),
      ...(await messages.listMessages(db, other.id, {})),
    ],
  }
}

const draft = { content: 'x', embeds: [], allowed: undefined, name: undefined, avatar: undefined }

eachEngine(
  'a token that was replaced while the body was on its way posts nothing (check 62)',
  async (_t, db) => {
    const community = createCommunity(db)
    const { webhook, posting, sent } = await admitted(community)
    await store.replaceToken(db, webhook.id, { tokenHash: 'new', tokenSealed: 'new' })
    await assert.rejects(posting.post(webhook, draft), { numeric: 10015 })
    await store.deleteWebhook(db, webhook.id)
    await assert.rejects(posting.post(webhook, draft), { numeric: 10015 })
    assert.deepEqual(await sent(), [])
    assert.equal(
      community.published.some(event => event.t === 'MESSAGE_CREATE'),
      false,
    )
  },
)

eachEngine('a webhook that was moved meanwhile posts where it is now, once', async (_t, db) => {
  const community = createCommunity(db)
  const { webhook, posting, other, sent } = await admitted(community)
  await store.moveWebhook(db, webhook.id, other, 0)
  const { message } = await posting.post(webhook, draft)
  assert.equal(message.channelId, other)
  assert.deepEqual(
    (await sent()).map(({ channelId }) => channelId),
    [other],
  )
  assert.deepEqual(
    community.published.filter(event => event.t === 'MESSAGE_CREATE').map(({ subject }) => subject),
    [`channel.${other}`],
  )
})

eachEngine('a webhook that was renamed or pictured meanwhile posts as it is now, once', async (_t, db) => {
  const { webhook, posting, sent } = await admitted(createCommunity(db))
  for (const now of [
    { name: 'Renamed', avatar: null },
    { name: 'Renamed', avatar: 'https://ci.example/a.png' },
  ]) {
    await store.updateWebhook(db, webhook.id, now)
    const posted = await posting.post(webhook, draft)
    assert.deepEqual([posted.webhook.name, posted.webhook.avatar], [now.name, now.avatar])
    assert.deepEqual(
      [posted.message.author.displayName, posted.message.author.avatar],
      [now.name, now.avatar],
    )
  }
  assert.equal((await sent()).length, 2)
})

eachEngine('a channel that was deleted meanwhile takes no post', async (_t, db) => {
  const community = createCommunity(db)
  const { webhook, posting, sent } = await admitted(community)
  await community.channels.deleteChannel(webhook.createdBy, webhook.channelId)
  await assert.rejects(posting.post(webhook, draft))
  assert.deepEqual(await sent(), [])
})
