import assert from 'node:assert/strict'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { AppError } from '../../kit/app-error.ts'
import { eachEngine } from '../../storage/testing.ts'
import { createCommunity } from '../testing.ts'
import { findUser, userView } from '../users/index.ts'

const unknown = '1234567890123456789'
const code = (expected: string) => (error: unknown) => error instanceof AppError && error.code === expected
const button = { type: 'button', style: 'primary', label: 'Go', customId: 'go' }

eachEngine('a bot sends embeds and buttons, edits and deletes its own (D32)', async (_t, db) => {
  const community = createCommunity(db)
  const { conversation } = community
  const [ann, bot] = [await community.person('ann'), await community.bot('robot')]
  const { server, general } = await community.server(ann)
  const joining = { serverId: server.id, userId: bot, permissions: 0n, roleName: 'Robot' }
  await db.transaction(tx => community.members.addBot(tx, joining))
  const speaker = { kind: 'bot' as const, userId: bot, applicationId: unknown }
  const components = [{ type: 'row', components: [button] }]
  const message = await conversation.say(speaker, general.id, {
    content: `@everyone <@${ann}>`,
    embeds: [{ title: 'Card', other: 1 }],
    components,
  })
  assert.deepEqual(message.embeds, [{ title: 'Card' }])
  assert.deepEqual(message.components, components)
  assert.deepEqual(message.mentions, { users: [ann], roles: [], everyone: false })
  assert.equal(message.author.bot, true)
  assert.equal((await community.messages.findMessage(db, general.id, message.id))?.applicationId, unknown)

  const edited = await conversation.edit(speaker, general.id, message.id, { content: null, components: [] })
  assert.equal(edited.content, '')
  assert.deepEqual(edited.embeds, [{ title: 'Card' }])
  assert.deepEqual(edited.components, [])
  await assert.rejects(
    conversation.edit(speaker, general.id, message.id, { embeds: null }),
    code('validation_failed'),
  )
  await assert.rejects(conversation.say(speaker, general.id, { components }), code('validation_failed'))
  await assert.rejects(
    conversation.say(speaker, general.id, {
      embeds: [{ title: 'x'.repeat(257) }],
      components: [{ type: 'row' }],
    }),
    (error: unknown) =>
      error instanceof AppError &&
      error.errors?.[0]?.path === 'embeds[0].title' &&
      error.errors.some(fault => fault.path.startsWith('components[0]')),
  )

  const other = await conversation.say({ kind: 'session', userId: ann }, general.id, { content: 'mine' })
  await assert.rejects(
    conversation.edit(speaker, general.id, other.id, { content: 'x' }),
    code('missing_permission'),
  )
  await assert.rejects(conversation.remove(bot, general.id, other.id), code('missing_permission'))
  await conversation.remove(bot, general.id, message.id)
})

eachEngine('without EMBED_LINKS a bot’s embeds are refused, its words are not (D64)', async (_t, db) => {
  const community = createCommunity(db)
  const { conversation } = community
  const [ann, bot] = [await community.person('ann'), await community.bot('robot')]
  const { server, general } = await community.server(ann)
  const joining = { serverId: server.id, userId: bot, permissions: 0n, roleName: 'Robot' }
  await db.transaction(tx => community.members.addBot(tx, joining))
  await community.overwrites.putOverwrite(ann, general.id, bot, {
    type: 'member',
    allow: '0',
    deny: formatPermissions(Permission.EMBED_LINKS),
  })
  const speaker = { kind: 'bot' as const, userId: bot, applicationId: unknown }
  const embeds = [{ title: 'Card' }]
  await assert.rejects(
    conversation.say(speaker, general.id, { content: 'x', embeds }),
    (error: unknown) => code('missing_permission')(error) && String(error).includes('EMBED_LINKS'),
  )
  const message = await conversation.say(speaker, general.id, { content: 'x', embeds: [] })
  await assert.rejects(
    conversation.edit(speaker, general.id, message.id, { embeds }),
    code('missing_permission'),
  )
})

eachEngine('a bot that holds MENTION_EVERYONE still has to ask for it (D36)', async (_t, db) => {
  const community = createCommunity(db)
  const [ann, bot] = [await community.person('ann'), await community.bot('robot')]
  const { server, general } = await community.server(ann)
  const joining = {
    serverId: server.id,
    userId: bot,
    permissions: Permission.MENTION_EVERYONE,
    roleName: 'Robot',
  }
  await db.transaction(tx => community.members.addBot(tx, joining))
  const speaker = { kind: 'bot' as const, userId: bot, applicationId: unknown }
  const say = async (allowedMentions?: unknown) =>
    (await community.conversation.say(speaker, general.id, { content: '@everyone', allowedMentions }))
      .mentions
  assert.equal((await say()).everyone, false)
  assert.equal((await say({ parse: ['everyone'] })).everyone, true)
})

eachEngine('the message of a webhook is nobody’s own, even of a user with its id', async (_t, db) => {
  const community = createCommunity(db)
  const { conversation } = community
  const [ann, bob] = [await community.person('ann'), await community.person('bob')]
  const { server, general } = await community.server(ann, bob)
  const author = { id: bob, username: 'x', displayName: 'x', avatar: null, bot: true, webhookId: bob }
  const message = await db.transaction(tx =>
    community.messages.createMessage(tx, {
      channelId: general.id,
      serverId: server.id,
      author,
      content: 'x',
    }),
  )
  const speaker = { kind: 'session' as const, userId: bob }
  await assert.rejects(
    conversation.edit(speaker, general.id, message.id, { content: 'y' }),
    code('missing_permission'),
  )
  await assert.rejects(conversation.remove(bob, general.id, message.id), code('missing_permission'))
  await conversation.remove(ann, general.id, message.id)
})

eachEngine('a placeholder is not edited past its interaction', async (_t, db) => {
  const community = createCommunity(db)
  const [ann, bot] = [await community.person('ann'), await community.bot('robot')]
  const { server, general } = await community.server(ann)
  const joining = { serverId: server.id, userId: bot, permissions: 0n, roleName: 'Robot' }
  await db.transaction(tx => community.members.addBot(tx, joining))
  const user = await findUser(db, bot)
  assert.ok(user)
  const author = userView(user)
  const placeholder = {
    channelId: general.id,
    serverId: server.id,
    author,
    content: '',
    state: 'deferred' as const,
  }
  const { id } = await db.transaction(tx => community.messages.createMessage(tx, placeholder))
  const speaker = { kind: 'bot' as const, userId: bot, applicationId: unknown }
  await assert.rejects(
    community.conversation.edit(speaker, general.id, id, { content: 'x' }),
    code('interaction_not_answered'),
  )
})

eachEngine(
  'what is said in a channel that goes at the same moment is 404, and nothing is left',
  async (_t, db) => {
    const community = createCommunity(db)
    const ann = await community.person('ann')
    const { server } = await community.server(ann)
    for (let turn = 0; turn < 5; turn++) {
      const channel = await community.channels.createChannel(ann, server.id, { name: 'brief' })
      const speaker = { kind: 'session' as const, userId: ann }
      const outcomes = await Promise.allSettled([
        ...Array.from({ length: 10 }, () =>
          community.conversation.say(speaker, channel.id, { content: 'x' }),
        ),
        community.channels.deleteChannel(ann, channel.id),
      ])
      for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled') continue
        const { reason } = outcome
        assert.ok(code('not_found')(reason) || reason.name === 'ReferenceViolation', String(reason))
      }
    }
    assert.deepEqual(await db.get`SELECT COUNT(*) AS n FROM messages`, { n: 0 })
  },
)
