import assert from 'node:assert/strict'
import type { MessageAuthor } from '@gatehouse/protocol/messages'
import { createCommunity, payloads } from '@gatehouse/testkit/community'
import { eachEngine } from '@gatehouse/testkit/databases'
import { withoutProxyUrls } from '@gatehouse/testkit/proxy-urls'
import { findUser, userView } from '../../accounts/users/index.ts'
import type { Transaction } from '../../storage/database.ts'
import { type NewMessage, toMessage } from './index.ts'

const minute = 60_000

async function setUp(db: Parameters<typeof createCommunity>[0]) {
  const community = createCommunity(db)
  const ann = await community.createUser('ann')
  const { server, general } = await community.createServer(ann)
  const user = await findUser(db, ann)
  assert.ok(user)
  const author = userView(user)
  const create = (message: Partial<NewMessage>) =>
    community.messageRepository.createMessage({
      channelId: general.id,
      serverId: server.id,
      author,
      content: 'hello',
      ...message,
    })
  return { community, server, general, author, create }
}

eachEngine('findMessage, listMessages and MESSAGE_CREATE return the created message', async (_t, db) => {
  const { community, server, general, author, create } = await setUp(db)
  const { messageRepository: messages, published, clock } = community
  const { avatar, displayName, id, username } = author
  const message = await create({
    content: 'hello <@1234567890123456789>',
    embeds: [{ title: 'Card', fields: [{ name: 'a', value: 'b', inline: true }] }],
    components: [
      { type: 'row', components: [{ type: 'button', style: 'primary', label: 'Go', customId: 'go' }] },
    ],
    mentions: { users: ['1234567890123456789'], roles: [], everyone: true },
    interaction: {
      id: community.ids(),
      type: 'command',
      name: 'roll',
      user: { id, username, displayName, avatar },
    },
    applicationId: '1234567890123456780',
  })
  assert.equal(message.createdAt, new Date(clock.now()).toISOString())
  assert.equal(message.editedAt, null)
  assert.equal(message.state, 'sent')
  assert.equal(message.serverId, server.id)
  assert.deepEqual(payloads(published, `channel.${general.id}`, 'MESSAGE_CREATE'), [message])
  const record = await messages.findMessage(db, general.id, message.id)
  assert.ok(record)
  assert.equal(record.applicationId, '1234567890123456780')
  assert.equal(record.interactionId, message.interaction?.id)
  assert.equal(record.webhookId, null)
  assert.deepEqual(toMessage(record), message)
  assert.deepEqual(await messages.listMessages(db, general.id, {}), [message])
  assert.equal(await messages.findMessage(db, community.ids(), message.id), undefined)
})

eachEngine(
  'a message shows the current name of a user, but the original name of a webhook (webhooks/message-object)',
  async (_t, db) => {
    const { community, general, author, create } = await setUp(db)
    const webhook: MessageAuthor = {
      id: '1234567890123456789',
      username: 'Weather',
      displayName: 'Weather',
      avatar: 'https://example.org/sun.png',
      bot: true,
      webhookId: '1234567890123456789',
    }
    await create({})
    await create({ author: webhook })
    await db.run`UPDATE users SET display_name = 'Anna' WHERE id = ${author.id}`
    const [second, first] = await community.messageRepository.listMessages(db, general.id, {})
    assert.deepEqual(first?.author, { ...author, displayName: 'Anna' })
    assert.deepEqual(withoutProxyUrls(second?.author), webhook)
    const record = await community.messageRepository.findMessage(db, general.id, second?.id ?? '')
    assert.equal(record?.webhookId, webhook.webhookId)
  },
)

eachEngine('an edit changes only the given members and sets editedAt', async (_t, db) => {
  const { community, general, create } = await setUp(db)
  const { messageRepository: messages, clock, published } = community
  const message = await create({ embeds: [{ title: 'Card' }] })
  clock.advance(5000)
  const edited = await db.transaction(tx => messages.editMessage(tx, message.id, { content: 'bye' }))
  const expected = { ...message, content: 'bye', editedAt: new Date(clock.now()).toISOString() }
  assert.deepEqual(edited, expected)
  const emptied = await db.transaction(tx => messages.editMessage(tx, message.id, { embeds: [] }))
  // Later than the first edit, although the clock has not advanced.
  const next = new Date(clock.now() + 1).toISOString()
  assert.deepEqual(emptied, { ...expected, embeds: [], editedAt: next })
  const empty = await db.transaction(tx => messages.editMessage(tx, message.id, { content: '' }))
  assert.equal(empty, undefined, 'neither content nor embeds')
  assert.deepEqual(payloads(published, `channel.${general.id}`, 'MESSAGE_UPDATE'), [edited, emptied])
  assert.equal(
    await db.transaction(tx => messages.editMessage(tx, community.ids(), { content: 'x' })),
    undefined,
  )
})

eachEngine('two concurrent edits of different members both take effect', async (_t, db) => {
  const { community, general, create } = await setUp(db)
  const { messageRepository: messages } = community
  const message = await create({})
  await Promise.all([
    db.transaction(tx => messages.editMessage(tx, message.id, { content: 'bye' })),
    db.transaction(tx => messages.editMessage(tx, message.id, { embeds: [{ title: 'Card' }] })),
  ])
  const current = await messages.findMessage(db, general.id, message.id)
  assert.equal(current?.content, 'bye')
  assert.deepEqual(current?.embeds, [{ title: 'Card' }])
})

eachEngine('concurrent deletions publish one MESSAGE_DELETE', async (_t, db) => {
  const { community, server, general, create } = await setUp(db)
  const { messageRepository: messages, published } = community
  const { id } = await create({})
  const results = await Promise.all(
    Array.from({ length: 5 }, () => db.transaction(tx => messages.deleteMessage(tx, id))),
  )
  assert.equal(results.filter(Boolean).length, 1)
  assert.equal(await messages.findMessage(db, general.id, id), undefined)
  assert.deepEqual(payloads(published, `channel.${general.id}`, 'MESSAGE_DELETE'), [
    { id, channelId: general.id, serverId: server.id },
  ])
})

eachEngine('an edit and a deletion that are rolled back publish no event', async (_t, db) => {
  const { community, general, create } = await setUp(db)
  const { messageRepository: messages, published } = community
  const message = await create({})
  const before = published.length
  for (const change of [
    (tx: Transaction) => messages.editMessage(tx, message.id, { content: 'bye' }),
    (tx: Transaction) => messages.deleteMessage(tx, message.id),
  ]) {
    const failing = db.transaction(async tx => {
      await change(tx)
      throw new Error('no')
    })
    await assert.rejects(failing, /no/)
  }
  assert.equal(published.length, before)
  assert.equal((await messages.findMessage(db, general.id, message.id))?.content, 'hello')
})

eachEngine(
  'a placeholder is replaced without editedAt, or expires after 15 minutes (bots/placeholder-id)',
  async (_t, db) => {
    const { community, general, create } = await setUp(db)
    const { messageRepository: messages, clock } = community
    const [replaced, unanswered] = [
      await create({ content: '', state: 'deferred' }),
      await create({ content: '', state: 'deferred' }),
    ]
    assert.equal(replaced.state, 'deferred')
    clock.advance(15 * minute - 1)
    const edited = await db.transaction(tx =>
      messages.editMessage(tx, replaced.id, { content: 'there', state: 'sent' }),
    )
    assert.deepEqual(edited, { ...replaced, content: 'there', state: 'sent' })
    assert.equal((await messages.findMessage(db, general.id, unanswered.id))?.state, 'deferred')
    clock.advance(1)
    assert.equal((await messages.findMessage(db, general.id, unanswered.id))?.state, 'expired')
    assert.deepEqual(
      (await messages.listMessages(db, general.id, {})).map(message => message.state),
      ['expired', 'sent'],
    )
  },
)

eachEngine('50 concurrent requests with one nonce create one message and return it', async (_t, db) => {
  const { community, general, create } = await setUp(db)
  const created = await Promise.all(
    Array.from({ length: 50 }, (_, n) => create({ content: `try ${n}`, nonce: 'n-1' })),
  )
  assert.equal(new Set(created.map(message => message.id)).size, 1)
  assert.equal(new Set(created.map(message => message.content)).size, 1)
  assert.equal((await community.messageRepository.listMessages(db, general.id, {})).length, 1)
  assert.equal(payloads(community.published, `channel.${general.id}`, 'MESSAGE_CREATE').length, 1)
})

eachEngine('a nonce is unique per author and channel until its message is deleted', async (_t, db) => {
  const { community, server, general, create } = await setUp(db)
  const { messageRepository: messages } = community
  const first = await create({ nonce: 'n-1' })
  const other = await community.channels.createChannel({ userId: server.ownerId }, server.id, {
    name: 'other',
  })
  const bob = await findUser(db, await community.createUser('bob'))
  assert.ok(bob)
  const ids = [
    first.id,
    (await create({ nonce: 'n-2' })).id,
    (await create({ nonce: 'n-1', channelId: other.id })).id,
    (await create({ nonce: 'n-1', author: userView(bob) })).id,
    (await create({})).id,
    (await create({})).id,
  ]
  assert.equal(new Set(ids).size, ids.length)
  assert.equal((await create({ nonce: 'n-1' })).id, first.id)
  await db.transaction(tx => messages.deleteMessage(tx, first.id))
  assert.notEqual((await create({ nonce: 'n-1' })).id, first.id)
  assert.equal((await messages.listMessages(db, general.id, {})).length, 5)
})

eachEngine('reads 300 messages in pages from both ends', async (_t, db) => {
  const { community, general, create } = await setUp(db)
  const { messageRepository: messages } = community
  const ids: string[] = []
  for (let n = 0; n < 300; n++) ids.push((await create({ content: `${n}` })).id)
  const newestFirst = ids.toReversed()
  const page = async (query: { before?: string; after?: string; limit?: number }) =>
    (await messages.listMessages(db, general.id, query)).map(message => message.id)

  assert.deepEqual(await page({}), newestFirst.slice(0, 50))
  const backwards: string[] = []
  for (let part = await page({ limit: 70 }); part.length > 0; ) {
    backwards.push(...part)
    part = await page({ limit: 70, before: part.at(-1) ?? '' })
  }
  assert.deepEqual(backwards, newestFirst)

  const forwards: string[] = []
  for (let part = await page({ limit: 70, after: '10000000000000000' }); part.length > 0; ) {
    forwards.unshift(...part)
    part = await page({ limit: 70, after: part[0] ?? '' })
  }
  assert.deepEqual(forwards, newestFirst)

  const between = await page({ after: ids[99] ?? '', before: ids[110] ?? '', limit: 5 })
  assert.deepEqual(between, newestFirst.slice(190, 195))
  assert.deepEqual(await page({ after: newestFirst[0] ?? '' }), [])
})
