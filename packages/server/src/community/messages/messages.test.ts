import assert from 'node:assert/strict'
import { toFieldErrors } from '@gatehouse/protocol/field-errors'
import { CreateMessageBody, UpdateMessageBody } from '@gatehouse/protocol/messages'
import { type Parsed, parse } from '@gatehouse/protocol/parse'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { createCommunity } from '@gatehouse/testkit/community'
import { eachEngine } from '@gatehouse/testkit/databases'
import { findUser, userView } from '../../accounts/users/index.ts'
import { AppError, invalidAll } from '../../errors/app-error.ts'

const unknown = '1234567890123456789'
const code = (expected: string) => (error: unknown) => error instanceof AppError && error.code === expected
const button = { type: 'button', style: 'primary', label: 'Go', customId: 'go' }

/** What the validator of a route passes on or throws. */
function valid<Body>({ value, violations }: Parsed<Body>): Body {
  if (value === undefined) throw invalidAll(toFieldErrors(violations))
  return value
}

eachEngine(
  'a bot sends embeds and buttons, and edits and deletes its own messages (bots/bot-may)',
  async (_t, db) => {
    const community = createCommunity(db)
    const { messages } = community
    const [ann, bot] = [await community.createUser('ann'), await community.createBot('robot')]
    const { server, general } = await community.createServer(ann)
    const joining = { serverId: server.id, userId: bot, permissions: 0n, roleName: 'Robot', addedBy: ann }
    await db.transaction(tx => community.members.addBot(tx, joining))
    const sender = { kind: 'bot' as const, userId: bot, applicationId: unknown }
    const create = async (body: unknown) =>
      messages.createMessage(sender, general.id, valid(parse(CreateMessageBody, body)))
    const edit = async (body: unknown) =>
      messages.editMessage(sender, general.id, message.id, valid(parse(UpdateMessageBody, body)))
    const components = [{ type: 'row', components: [button] }]
    const message = await create({
      content: `@everyone <@${ann}>`,
      embeds: [{ title: 'Card', other: 1 }],
      components,
    })
    assert.deepEqual(message.embeds, [{ title: 'Card' }])
    assert.deepEqual(message.components, components)
    assert.deepEqual(message.mentions, { users: [ann], roles: [], everyone: false })
    assert.equal(message.author.bot, true)
    assert.equal(
      (await community.messageRepository.findMessage(db, general.id, message.id))?.applicationId,
      unknown,
    )

    const edited = await edit({ content: null, components: [] })
    assert.equal(edited.content, '')
    assert.deepEqual(edited.embeds, [{ title: 'Card' }])
    assert.deepEqual(edited.components, [])
    await assert.rejects(edit({ embeds: null }), code('validation_failed'))
    await assert.rejects(create({ components }), code('validation_failed'))
    await assert.rejects(
      create({
        embeds: [{ title: 'x'.repeat(257) }],
        components: [{ type: 'row' }],
      }),
      (error: unknown) =>
        error instanceof AppError &&
        error.errors?.[0]?.path === 'embeds[0].title' &&
        error.errors.some(({ path }) => path.startsWith('components[0]')),
    )

    const other = await messages.createMessage({ kind: 'session', userId: ann }, general.id, {
      content: 'mine',
    })
    await assert.rejects(
      messages.editMessage(sender, general.id, other.id, { content: 'x' }),
      code('missing_permission'),
    )
    await assert.rejects(
      messages.deleteMessage({ userId: bot }, general.id, other.id),
      code('missing_permission'),
    )
    await messages.deleteMessage({ userId: bot }, general.id, message.id)
  },
)

eachEngine(
  'rejects embeds of a bot without EMBED_LINKS, but not its text (community/permission-hierarchy)',
  async (_t, db) => {
    const community = createCommunity(db)
    const { messages } = community
    const [ann, bot] = [await community.createUser('ann'), await community.createBot('robot')]
    const { server, general } = await community.createServer(ann)
    const joining = { serverId: server.id, userId: bot, permissions: 0n, roleName: 'Robot', addedBy: ann }
    await db.transaction(tx => community.members.addBot(tx, joining))
    await community.overwrites.putOverwrite({ userId: ann }, general.id, bot, {
      type: 'member',
      allow: '0',
      deny: formatPermissions(Permission.EMBED_LINKS),
    })
    const sender = { kind: 'bot' as const, userId: bot, applicationId: unknown }
    const embeds = [{ title: 'Card' }]
    await assert.rejects(
      messages.createMessage(sender, general.id, { content: 'x', embeds }),
      (error: unknown) => code('missing_permission')(error) && String(error).includes('EMBED_LINKS'),
    )
    const message = await messages.createMessage(sender, general.id, { content: 'x', embeds: [] })
    await assert.rejects(
      messages.editMessage(sender, general.id, message.id, { embeds }),
      code('missing_permission'),
    )
  },
)

eachEngine(
  'a bot with MENTION_EVERYONE mentions everyone only with allowedMentions (webhooks/mentions)',
  async (_t, db) => {
    const community = createCommunity(db)
    const [ann, bot] = [await community.createUser('ann'), await community.createBot('robot')]
    const { server, general } = await community.createServer(ann)
    const joining = {
      serverId: server.id,
      userId: bot,
      permissions: Permission.MENTION_EVERYONE,
      roleName: 'Robot',
      addedBy: ann,
    }
    await db.transaction(tx => community.members.addBot(tx, joining))
    const sender = { kind: 'bot' as const, userId: bot, applicationId: unknown }
    const send = async (allowedMentions?: CreateMessageBody['allowedMentions']) =>
      (
        await community.messages.createMessage(sender, general.id, {
          content: '@everyone',
          allowedMentions,
        })
      ).mentions
    assert.equal((await send()).everyone, false)
    assert.equal((await send({ parse: ['everyone'], users: [], roles: [] })).everyone, true)
  },
)

eachEngine('a user with the id of a webhook is not the author of its messages', async (_t, db) => {
  const community = createCommunity(db)
  const { messages } = community
  const [ann, bob] = [await community.createUser('ann'), await community.createUser('bob')]
  const { server, general } = await community.createServer(ann, bob)
  const author = { id: bob, username: 'x', displayName: 'x', avatar: null, bot: true, webhookId: bob }
  const message = await community.messageRepository.createMessage({
    channelId: general.id,
    serverId: server.id,
    author,
    content: 'x',
  })
  const sender = { kind: 'session' as const, userId: bob }
  await assert.rejects(
    messages.editMessage(sender, general.id, message.id, { content: 'y' }),
    code('missing_permission'),
  )
  await assert.rejects(
    messages.deleteMessage({ userId: bob }, general.id, message.id),
    code('missing_permission'),
  )
  await messages.deleteMessage({ userId: ann }, general.id, message.id)
})

eachEngine('rejects an edit of a placeholder', async (_t, db) => {
  const community = createCommunity(db)
  const [ann, bot] = [await community.createUser('ann'), await community.createBot('robot')]
  const { server, general } = await community.createServer(ann)
  const joining = { serverId: server.id, userId: bot, permissions: 0n, roleName: 'Robot', addedBy: ann }
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
  const { id } = await community.messageRepository.createMessage(placeholder)
  const sender = { kind: 'bot' as const, userId: bot, applicationId: unknown }
  await assert.rejects(
    community.messages.editMessage(sender, general.id, id, { content: 'x' }),
    code('interaction_not_answered'),
  )
})

eachEngine(
  'returns 404 for a message to a channel that is deleted at the same time, or deletes it with the channel',
  async (_t, db) => {
    const community = createCommunity(db)
    const ann = await community.createUser('ann')
    const { server } = await community.createServer(ann)
    for (let turn = 0; turn < 5; turn++) {
      const channel = await community.channels.createChannel({ userId: ann }, server.id, { name: 'brief' })
      const sender = { kind: 'session' as const, userId: ann }
      const outcomes = await Promise.allSettled([
        ...Array.from({ length: 10 }, () =>
          community.messages.createMessage(sender, channel.id, { content: 'x' }),
        ),
        community.channels.deleteChannel({ userId: ann }, channel.id),
      ])
      for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled') continue
        const { reason } = outcome
        assert.ok(code('not_found')(reason) || reason.name === 'ReferenceViolation', String(reason))
      }
    }
    await community.sweepDeletions()
    assert.deepEqual(await db.get`SELECT COUNT(*) AS n FROM messages`, { n: 0 })
  },
)
