import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { addBot } from '@gatehouse/testkit/applications'
import { createServer, register } from '@gatehouse/testkit/community'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import type { Stories } from './bot-world-testing.ts'

/** After them, the server has the members and channels that it had before. */
export const serverStories: Stories = {
  async 'replies to messages and sees how they change'(world) {
    const { ben, general } = world
    const { id: messageId } = await ben.say('!ping')
    await ben.hears('Pong!')
    const path = { id: general.id, messageId }
    await ben.client.call('updateMessage', { ...path, body: { content: 'Never mind' } })
    await world.logs('Edited: !ping → Never mind')
    await ben.client.call('deleteMessage', path)
    await world.logs('Deleted: Never mind')
  },

  async 'sends embeds, and notifies only whom it wants'({ ben }) {
    await ben.say('!card')
    const { embeds, mentions } = await ben.hears(`<@${ben.id}> @everyone`)
    assert.deepEqual(mentions, { users: [ben.id], roles: [], everyone: false })
    assert.deepEqual(
      embeds.map(({ title, description, footer }) => [title, description, footer?.text]),
      [['Card', 'of ben', 'the end']],
    )
  },

  async 'reads the history, and deletes messages together'({ ben, general }) {
    const ids: string[] = []
    for (const text of ['one', 'two', 'three']) ids.push((await ben.say(text)).id)
    await ben.say('!history 3')
    await ben.hears('History: three, two, one')
    await ben.say(`!around ${ids[1]}`)
    await ben.hears('Around: three, two, one')
    await ben.say('!clear 4')
    await ben.hears('Cleared 4')
    const left = await ben.client.call('listMessages', { id: general.id, query: { limit: 4 } })
    assert.deepEqual(
      left.map(({ content }) => content),
      ['Cleared 4', '!history 3', 'three', 'two'],
    )
  },

  async 'edits and deletes its own messages'({ ben }) {
    await ben.say('!draft')
    const draft = await ben.hears('A draft')
    await ben.seesEdited(draft, 'A better draft')
    await ben.sees('MESSAGE_DELETE', ({ id }) => id === draft.id)
    await ben.hears('The draft is gone')
  },

  async 'sends and receives direct messages'({ ben, bot }) {
    await ben.say('!dm')
    const message = await ben.sees('MESSAGE_CREATE', ({ serverId }) => serverId === null)
    assert.deepEqual([message.content, message.author.id], ['Hello in private', bot.botId])
    await ben.say('Hello too', message.channelId)
    await ben.hears('You said: Hello too', message.channelId)
  },

  async 'welcomes members, and sees their roles and that they leave'(world) {
    const { ana, ben, service, server } = world
    const cleo = await register(service, 'cleo')
    const { code } = await ana.client.call('createInvite', { id: server.id })
    await cleo.client.call('acceptInvite', { code })
    await ben.hears(`Welcome, <@${cleo.id}>!`)
    const role = await ana.client.call('createRole', {
      id: server.id,
      body: { name: 'Guests', permissions: '0' },
    })
    await world.logs('Role created: Guests')
    await ana.client.call('addMemberRole', { id: server.id, userId: cleo.id, roleId: role.id })
    await world.logs('Roles of cleo: Guests')
    await cleo.client.call('removeMember', { id: server.id, userId: cleo.id })
    await world.logs('Left: cleo')
  },

  async 'creates, gives, takes and deletes roles'(world) {
    const { ben } = world
    await ben.say('!role Helper')
    await ben.hears('Role: Helper true')
    await ben.hears('Roles: 0')
    for (const text of ['Role created: Helper', 'Roles of ben: Helper', 'Roles of ben: none'])
      await world.logs(text)
    await world.logs('Role deleted: Helpers')
  },

  async 'moderates, with reasons in the audit log'(world) {
    const { ana, service, server, general, bot } = world
    const dan = await register(service, 'dan')
    const { code } = await ana.client.call('createInvite', { id: server.id })
    await dan.client.call('acceptInvite', { code })
    async function moderate(act: string, userId: string, result: string): Promise<void> {
      const options = [
        { name: 'user', value: userId },
        { name: 'reason', value: `rude & ${act}` },
      ]
      const interaction = await ana.run('moderate', [{ name: act, options }])
      await ana.seesEdited(await ana.seesResponse(interaction), result)
    }
    await moderate('timeout', dan.id, 'Done: timeout')
    await world.logs('Timeout of dan: true')
    const path = `/api/channels/${general.id}/messages`
    assert.equal((await dan.client.json('POST', path, { content: 'x' })).body.code, 'timed_out')
    await moderate('release', dan.id, 'Done: release')
    await world.logs('Timeout of dan: false')
    await moderate('kick', dan.id, 'Done: kick')
    await world.logs('Left: dan')
    await world.logs('Audit: kick, rude & kick, true')
    await moderate('ban', dan.id, 'Done: ban')
    await world.logs('Banned: dan')
    await moderate('unban', dan.id, 'Done: unban')
    await world.logs('Unbanned: dan')
    await moderate('kick', ana.id, 'Failed: 50013')
    const entries = await ana.client.call('listAuditLog', { id: server.id, query: { targetId: dan.id } })
    assert.deepEqual(
      entries.map(({ action, actor, reason }) => [action, actor?.id, reason]),
      [
        ['BAN_REMOVE', bot.botId, 'rude & unban'],
        ['BAN_ADD', bot.botId, 'rude & ban'],
        ['MEMBER_KICK', bot.botId, 'rude & kick'],
        ['MEMBER_UPDATE', bot.botId, 'rude & release'],
        ['MEMBER_UPDATE', bot.botId, 'rude & timeout'],
      ],
    )
  },

  async 'creates, edits and deletes channels with overwrites'(world) {
    const { ana, ben, bot, server } = world
    await ben.say('!channel den')
    await ben.hears('Channel: den For three 5 false')
    await world.logs('Channel created: den')
    const { id } = await ben.sees('CHANNEL_CREATE', ({ name }) => name === 'den')
    const channel = await ana.client.call('getChannel', { id })
    const bits = (allow: bigint, deny: bigint) => [String(allow), String(deny)]
    const { VIEW_CHANNEL, SEND_MESSAGES } = Permission
    assert.deepEqual(
      Object.fromEntries(channel.permissionOverwrites.map(({ id, allow, deny }) => [id, [allow, deny]])),
      {
        [server.id]: bits(0n, VIEW_CHANNEL),
        [ben.id]: bits(VIEW_CHANNEL, SEND_MESSAGES),
        [bot.botId]: bits(VIEW_CHANNEL, 0n),
      },
    )
    await ana.client.call('updateChannel', { id, body: { name: 'cave' } })
    await world.logs('Channel: den → cave')
    await ben.say('!unchannel cave')
    await ben.sees('CHANNEL_DELETE', deleted => deleted.id === id)
    await world.logs('Channel deleted: cave')
  },

  async 'lists and finds members'(world) {
    const { ana, ben, server } = world
    await ben.hearsResponse(await ben.run('server'), 'Server of ana: 3, ana,ben,logger; ben')
    await ana.client.call('updateServer', { id: server.id, body: { name: 'Club' } })
    await world.logs('Server: Server → Club')
  },

  async 'receives the error codes of Discord'({ ben }) {
    const interaction = await ben.run('errors')
    await ben.hearsResponse(interaction, 'Errors')
    await ben.hearsResponse(interaction, 'Errors: 10008,50013,10003,10007,40060,50035')
  },

  async 'is added to another server'({ ana, bot }) {
    const { server } = await createServer(ana)
    const log = await ana.client.call('createChannel', { id: server.id, body: { name: 'bot-log' } })
    await addBot(ana.client, bot.applicationId, server.id)
    await ana.hears('Joined: Server', log.id)
  },
}

export const connectionStories: Stories = {
  async 'resumes after a lost connection and misses nothing'(world) {
    const { ben, relay } = world
    relay.cut()
    await ben.say('!ping')
    relay.release()
    await ben.hears('Pong!')
    await world.logs('Resumed')
    await ben.hearsResponse(await ben.run('greet'), 'Hello, ben!')
  },

  async 'comes back after a restart of the service'(world) {
    const { ana, ben, service, log } = world
    async function countConnected() {
      const messages = await ana.client.call('listMessages', { id: log.id, query: { limit: 100 } })
      return messages.filter(({ content }) => content === 'Connected').length
    }
    assert.equal(await countConnected(), 1)
    await service.restart()
    await waitUntil(async () => (await countConnected()) === 2)
    const again = await world.connect(ben)
    await again.hearsResponse(await again.run('greet'), 'Hello, ben!')
    await again.say('!ping')
    await again.hears('Pong!')
  },
}
