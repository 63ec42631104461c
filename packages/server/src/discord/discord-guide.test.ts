import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { png } from '@gatehouse/testkit/images'
import { eachDiscordBot } from './discord-testing.ts'
import { bit, connectDiscord, nextEvent } from './gateway/discord-gateway-testing.ts'

/** By the beginning of a line of docs/discord.md: the tests that prove it, by file. */
const proofs: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'Commands of all servers and of one': {
    'routes/discord-command-routes.test.ts': ['a bot replaces its commands, global and of a guild'],
    'libraries/interaction-stories-testing.ts': [
      'suggests values of an option',
      'has options of all types',
      'has subcommands and groups',
      'has commands in the menus of users and messages',
    ],
  },
  'Responses to one user or all': {
    'libraries/interaction-stories-testing.ts': [
      'responds to one user only',
      'defers, edits, fetches and deletes its responses, and sends follow-ups',
      'has buttons',
      'has select menus with users, roles and channels',
    ],
    'objects/discord-interaction.test.ts': ['a modal returns in the form in which it was sent'],
    'objects/discord-components.test.ts': [
      'components have the ids that the bot gave, others are numbered, everywhere the same',
      'default values of a select menu come back',
    ],
  },
  'Messages with embeds and components': {
    'routes/discord-message-routes.test.ts': [
      'a bot sends, reads, edits and deletes a message',
      'messages are listed before, after and around an id',
      'up to 100 messages are deleted at once, with MANAGE_MESSAGES',
    ],
    'libraries/server-stories-testing.ts': [
      'replies to messages and sees how they change',
      'sends embeds, and notifies only whom it wants',
      'sends and receives direct messages',
    ],
  },
  'Servers, channels with overwrites': {
    'routes/discord-guild-routes.test.ts': [
      'a bot reads and changes a server',
      'a bot creates, changes, orders and deletes roles',
      'a bot manages webhooks by their id, without their token',
    ],
    'routes/discord-channel-routes.test.ts': ['a bot creates a channel with its overwrites'],
    'routes/discord-member-routes.test.ts': [
      'a bot lists, searches and reads members',
      'a bot changes roles and the time-out of a member',
      'a bot bans with the reason of the header, reads bans and ends them',
    ],
    'routes/discord-bulk-ban-routes.test.ts': ['a bulk ban has 1 to 200 ids'],
    'routes/discord-invite-routes.test.ts': [
      'an invite has the channel that it was created for, until that is deleted',
    ],
    'routes/discord-integration-routes.test.ts': ['the integrations of a guild are its bots'],
    'routes/discord-audit-log-routes.test.ts': [
      'an entry of the audit log has each key once, and what clients read',
    ],
    'libraries/server-stories-testing.ts': ['moderates, with reasons in the audit log'],
  },
  'Lists of what does not exist here are empty': {
    'routes/discord-empty-list-routes.test.ts': ['lists of what does not exist here are empty'],
  },
  'The gateway: the events of all these': {
    'gateway/whole-events.test.ts': [
      'the events of servers are whole',
      'the events of channels and messages are whole',
    ],
    'gateway/discord-intents.test.ts': ['intents may be written in digits, and unknown bits have no effect'],
    'gateway/discord-resume.test.ts': ['a resume sends the missed events, then RESUMED'],
    'gateway/discord-identify.test.ts': ['a shard has the servers that belong to it'],
    'gateway/member-chunks.test.ts': ['all members in chunks of 1,000, only with the intent'],
    'gateway/discord-compression.test.ts': ['sessions of both compressions and of none get the same events'],
  },
  'Objects with every member that Discord sends': {
    'objects/whole-objects.test.ts': [
      'users, guilds, roles, members and bans are whole',
      'channels, messages, invites and webhooks are whole',
    ],
  },
  'Display name and avatar of the bot': {
    'discord-pictures.test.ts': [
      'a bot changes its display name and avatar, and others see them',
      'a bot changes the description of its application, and nothing else of it',
      'a webhook of a bot has a picture, and names its application',
      'have the pictures of the hashes that objects say',
    ],
  },
  'Links to guilds, channels': {
    '../../../web/e2e/discord-links.e2e.test.ts': ['links to channels and messages of Discord open here'],
  },
  'Errors such as 10008, 50013 and 40060': {
    'libraries/server-stories-testing.ts': ['receives the error codes of Discord'],
    'libraries/bot-stories-testing.ts': ['waits when it sends too much, and loses nothing'],
    'discord-rates.test.ts': ['the error of a request of a route has the headers of its rate'],
  },

  'files, stickers, polls': {
    'routes/discord-message-routes.test.ts': [
      'a message is JSON or in payload_json of multipart, without files',
      'a reply is sent without its reference, and a forward is refused',
    ],
    'discord-guide.test.ts': ['a message has no stickers, polls or components of “V2”'],
  },
  'attachment options': {
    'routes/discord-command-routes.test.ts': ['an option for files is left out of a set of commands'],
  },
  'nicknames, and pictures of members and roles': {
    'routes/discord-member-routes.test.ts': ['a bot changes roles and the time-out of a member'],
    'routes/discord-channel-routes.test.ts': ['a bot creates a channel with its overwrites'],
    'discord-guide.test.ts': ['neither members nor roles have pictures of their own'],
  },
  'a new username of the bot': {
    'discord-pictures.test.ts': ['a bot changes its display name and avatar, and others see them'],
  },
  'reactions, threads, pins': {
    'api-errors.test.ts': ['what does not exist here has an error that says so'],
    'routes/discord-empty-list-routes.test.ts': [
      'lists of what does not exist here are empty',
      'nothing is written to the empty lists, and they have no entries',
    ],
    'discord-guide.test.ts': ['nothing is for sale'],
  },
  'voice, presence, activities': {
    'discord-guide.test.ts': ['the gateway ignores voice and presence, and has no events of them'],
    'api-errors.test.ts': ['what does not exist here has an error that says so'],
  },
  'the reference of a reply': {
    'routes/discord-message-routes.test.ts': [
      'a reply is sent without its reference, and a forward is refused',
    ],
    'discord-guide.test.ts': ['a reply is a message without its reference, for the bot too'],
  },
  '`hoist` and `mentionable` of a role': {
    'nullable-members.test.ts': ['what means nothing here is ignored'],
    'discord-reserved-permissions.test.ts': [
      'a bot neither sees nor changes permissions without effect, and needs none of them',
    ],
    'discord-guide.test.ts': ['a role and a message have no such marks'],
  },
  'the widget of a server': {
    'nullable-members.test.ts': ['the widget of a guild is there, and disabled'],
  },
  '“is typing”': {
    'discord-guide.test.ts': ['the gateway ignores voice and presence, and has no events of them'],
  },
  'display names in discord.py before 2.3': {
    'libraries/discord-py-bot.test.ts': ['shows usernames in versions before 2.3'],
  },
  'commands that users install for themselves': {
    'discord-guide.test.ts': [
      'a command that users install for themselves is one of servers',
      'the paths of sign-in with OAuth2 are not those of Discord',
    ],
  },
}

test('each line of the guide about what works and what does not has a test', () => {
  const guide = readFileSync(new URL('../../../../docs/discord.md', import.meta.url), 'utf8')
  const section = (title: string) => guide.split(/^## /m).find(text => text.startsWith(`${title}\n`)) ?? ''
  const rows = section('What does not work').match(/(?<=^\| ).+/gm) ?? []
  // Without the head of the table.
  const lines = [...(section('What works').match(/(?<=^- ).+/gm) ?? []), ...rows.slice(2)]
  const names = Object.keys(proofs)
  const linesWithout = lines.filter(line => names.filter(name => line.startsWith(name)).length !== 1)
  assert.deepEqual(linesWithout, [])
  assert.equal(lines.length, names.length)
  for (const tests of Object.values(proofs)) {
    for (const [file, titles] of Object.entries(tests)) {
      const text = readFileSync(new URL(file, import.meta.url), 'utf8')
      for (const title of titles) assert.ok(text.includes(title), `${file}: ${title}`)
    }
  }
})

eachDiscordBot('a message has no stickers, polls or components of “V2”', async ({ general, send }) => {
  const text = { type: 10, content: 'x' }
  for (const [body, path] of [
    [{ content: 'x', sticker_ids: ['1000000000000000001'] }, 'sticker_ids'],
    [{ poll: { question: { text: 'x' }, answers: [] } }, 'poll'],
    [{ flags: 32_768, components: [text] }, 'flags'],
    [{ content: 'x', components: [text] }, 'components'],
  ] as const) {
    const reply = await send('POST', `/channels/${general.id}/messages`, body)
    assert.deepEqual([reply.status, reply.body.code], [400, 50035], reply.text)
    assert.ok(path in reply.body.errors, reply.text)
  }
})

eachDiscordBot('neither members nor roles have pictures of their own', async ({ server, send }) => {
  const picture = `data:image/png;base64,${png.toString('base64')}`
  for (const [method, path, body] of [
    ['PATCH', '/members/@me', { avatar: picture }],
    ['PATCH', '/members/@me', { banner: picture }],
    ['POST', '/roles', { icon: picture }],
    ['POST', '/roles', { unicode_emoji: '🎲' }],
  ] as const) {
    const reply = await send(method, `/guilds/${server.id}${path}`, body)
    assert.deepEqual([reply.status, reply.body.code], [400, 50035], reply.text)
    assert.deepEqual(Object.keys(reply.body.errors), Object.keys(body))
  }
})

eachDiscordBot('nothing is for sale', async ({ bot, send }) => {
  for (const path of ['/entitlements', '/skus']) {
    const reply = await send('GET', `/applications/${bot.applicationId}${path}`)
    const message = 'Monetization is not supported by this service.'
    assert.deepEqual([reply.status, reply.body], [404, { code: 0, message }])
  }
})

eachDiscordBot(
  'the gateway ignores voice and presence, and has no events of them',
  async ({ service, bot, server, general, call, send }) => {
    const everything = (1 << 26) - 1
    const connect = async () => {
      const client = await connectDiscord(service)
      // Without the privileged intents.
      const intents = everything & ~bit.members & ~bit.messageContent
      client.send({ op: 2, d: { token: bot.token, intents, properties: {} } })
      await nextEvent(client, 'GUILD_CREATE')
      return client
    }
    const [actor, other] = [await connect(), await connect()]
    const voice = { guild_id: server.id, channel_id: general.id, self_mute: false, self_deaf: false }
    actor.send({ op: 4, d: voice })
    const activities = [{ name: 'chess', type: 0 }]
    actor.send({ op: 3, d: { since: null, activities, status: 'idle', afk: false } })
    actor.send({ op: 1, d: null })
    assert.equal((await actor.nextFrame()).op, 11)
    assert.equal((await send('POST', `/channels/${general.id}/typing`)).status, 204)
    await call('POST', `/channels/${general.id}/messages`, { content: 'next' })
    for (const client of [actor, other]) assert.equal((await client.nextDispatch()).t, 'MESSAGE_CREATE')
    assert.equal((await send('GET', `/guilds/${server.id}/voice-states/@me`)).body.code, 0)
  },
)

eachDiscordBot(
  'a reply is a message without its reference, for the bot too',
  async ({ service, bot, general, call }) => {
    const session = await connectDiscord(service)
    session.send({ op: 2, d: { token: bot.token, intents: bit.guilds | bit.messages, properties: {} } })
    await nextEvent(session, 'GUILD_CREATE')
    const path = `/channels/${general.id}/messages`
    const first = await call('POST', path, { content: 'first' })
    const reference = { message_id: first.id, channel_id: general.id }
    const { id } = await call('POST', path, { content: 'second', message_reference: reference })
    await nextEvent(session, 'MESSAGE_CREATE')
    const event = await nextEvent(session, 'MESSAGE_CREATE')
    for (const message of [event, await call('GET', `${path}/${id}`)]) {
      assert.deepEqual([message.id, message.content, message.type], [id, 'second', 0])
      for (const name of ['message_reference', 'referenced_message']) assert.equal(name in message, false)
    }
  },
)

eachDiscordBot('a role and a message have no such marks', async ({ server, general, call }) => {
  const path = `/guilds/${server.id}/roles`
  const role = await call('POST', path, { name: 'Mods', hoist: true, mentionable: true })
  assert.deepEqual([role.hoist, role.mentionable], [false, false])
  const changed = await call('PATCH', `${path}/${role.id}`, { hoist: true, mentionable: true })
  assert.deepEqual([changed.hoist, changed.mentionable], [false, false])
  const body = { content: 'x', tts: true, flags: 4 | 4096 }
  const message = await call('POST', `/channels/${general.id}/messages`, body)
  assert.deepEqual([message.tts, message.flags], [false, 0])
})

eachDiscordBot(
  'a command that users install for themselves is one of servers',
  async ({ ann, bot, server, general, call }) => {
    const body = { name: 'mine', description: 'x', integration_types: [1], contexts: [0, 1, 2] }
    const command = await call('POST', `/applications/${bot.applicationId}/commands`, body)
    const { integration_types, contexts, dm_permission } = command
    assert.deepEqual([integration_types, contexts, dm_permission], [[0], [0], false])
    const listed = await ann.client.call('listAvailableCommands', { id: general.id })
    assert.deepEqual(
      listed.map(({ id }) => id),
      [command.id],
    )
    // Not where the bot is no member, although the user is.
    const elsewhere = await ann.client.call('createServer', { body: { name: 'Elsewhere' } })
    const [channel] = await ann.client.call('listChannels', { id: elsewhere.id })
    assert.ok(channel && elsewhere.id !== server.id)
    assert.deepEqual(await ann.client.call('listAvailableCommands', { id: channel.id }), [])
  },
)

eachDiscordBot('the paths of sign-in with OAuth2 are not those of Discord', async ({ send }) => {
  for (const [method, path] of [
    ['GET', '/oauth2/@me'],
    ['POST', '/oauth2/token'],
    ['POST', '/oauth2/token/revoke'],
  ] as const) {
    const reply = await send(method, path)
    assert.deepEqual([reply.status, reply.body.code], [404, 0], reply.text)
  }
})
