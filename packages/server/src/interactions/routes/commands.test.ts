import assert from 'node:assert/strict'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { subjects } from '../../platform/events.ts'
import { register } from '../../platform/testing.ts'
import { eachService } from '../../testing.ts'
import {
  assertRefused,
  buttons,
  eventOf,
  faultsOf,
  listen,
  makeBot,
  makeWorld,
  press,
  rollCommand,
  use,
} from '../testing.ts'

eachService('403: a person without USE_COMMANDS, for whom the list is empty (D65)', async (_t, service) => {
  const world = await makeWorld(service)
  const { owner, ann, channelId, serverId } = world
  const list = () => ann.client.get(`/api/channels/${channelId}/commands`)
  assert.equal((await list()).body.length, 2)
  for (const bit of [Permission.USE_COMMANDS, Permission.SEND_MESSAGES]) {
    const body = { type: 'role', allow: '0', deny: formatPermissions(bit) }
    await owner.client.json('PUT', `/api/channels/${channelId}/overwrites/${serverId}`, body)
    assert.deepEqual((await list()).body, [])
    assertRefused(await use(world, 'ping'), 403, 'missing_permission')
  }
})

eachService(
  '404: a command that is gone, shadowed (D52), of another server, or whose bot is not there',
  async (_t, service) => {
    const world = await makeWorld(service)
    const { bot, owner, ann, channelId, serverId } = world
    await bot.connect()
    const other = await makeBot(service, owner, 'other_bot')
    const foreign = await other.json('PUT', '/api/applications/@me/commands', [
      { name: 'elsewhere', description: 'On no server' },
    ])
    world.commands.elsewhere = foreign.body[0].id
    assertRefused(await use(world, 'elsewhere'), 404, 'not_found')

    const own = [{ name: 'ping', description: 'Of this server' }]
    const put = await bot.json('PUT', `/api/applications/@me/servers/${serverId}/commands`, own)
    assert.equal(put.status, 200, put.text)
    assertRefused(await use(world, 'ping'), 404, 'not_found')
    const { global, scoped } = { global: world.commands.ping ?? '', scoped: put.body[0].id }
    const listed = await ann.client.get(`/api/channels/${channelId}/commands`)
    const ids: string[] = listed.body.map(({ id }: { id: string }) => id)
    assert.deepEqual([ids.includes(scoped), ids.includes(global)], [true, false])
    world.commands.ping = scoped
    await eventOf(world, use(world, 'ping'))

    const elsewhere = await owner.client.json('POST', '/api/servers', { name: 'Elsewhere' })
    const [channel] = (await owner.client.get(`/api/servers/${elsewhere.body.id}/channels`)).body
    assertRefused(await use(world, 'ping', { channelId: channel.id }, owner), 404, 'not_found')
    assertRefused(await use(world, 'ping', { channelId: channel.id }), 404, 'not_found')
    const dm = await bot.json('POST', '/api/users/@me/channels', { recipientId: ann.id })
    assertRefused(await use(world, 'ping', { channelId: dm.body.id }), 404, 'not_found')
    assert.deepEqual((await ann.client.get(`/api/channels/${dm.body.id}/commands`)).body, [])
    assert.equal(bot.received.length, 1)
  },
)

eachService(
  '404 and 400: a command deleted or changed between typing and sending (check 54)',
  async (_t, service) => {
    const world = await makeWorld(service)
    const { bot, ann, channelId } = world
    await bot.connect()
    const told = await listen(service, subjects.user(ann.id))
    const typed = { options: [{ name: 'sides', value: 6 }] }
    const put = async (...commands: object[]) => {
      const reply = await bot.json('PUT', '/api/applications/@me/commands', commands)
      assert.equal(reply.status, 200, reply.text)
    }
    const [sides, note] = rollCommand.options
    await put({ ...rollCommand, options: [{ ...sides, max: 4 }] })
    assert.deepEqual(faultsOf(await use(world, 'roll', typed)), ['options[0].value out_of_range'])
    await put({ ...rollCommand, options: [sides, { ...note, required: true }] })
    assert.deepEqual(faultsOf(await use(world, 'roll', typed)), ['options required'])
    await put({ ...rollCommand, options: [note] })
    assert.deepEqual(faultsOf(await use(world, 'roll', typed)), ['options[0].name unknown_member'])
    await put({ ...rollCommand, options: [{ ...sides, type: 'boolean', min: undefined, max: undefined }] })
    assert.deepEqual(faultsOf(await use(world, 'roll', typed)), ['options[0].value invalid_type'])
    await put()
    assertRefused(await use(world, 'roll', typed), 404, 'not_found')
    // Put again it is another command: what was typed was not for that one.
    await put(rollCommand)
    assertRefused(await use(world, 'roll', typed), 404, 'not_found')
    assert.deepEqual([bot.received, told.of('INTERACTION_UPDATE'), told.of('MESSAGE_CREATE')], [[], [], []])
    const [listed] = (await ann.client.get(`/api/channels/${channelId}/commands`)).body
    await eventOf(world, use({ ...world, commands: { roll: listed.id } }, 'roll', typed))
  },
)

eachService(
  '404: where the bot may not view the channel no command is offered (D65)',
  async (_t, service) => {
    const world = await makeWorld(service)
    const { bot, owner, ann, channelId } = world
    await bot.connect()
    const message = await bot.json('POST', `/api/channels/${channelId}/messages`, {
      content: 'x',
      components: buttons('b'),
    })
    const body = { type: 'member', allow: '0', deny: formatPermissions(Permission.VIEW_CHANNEL) }
    await owner.client.json('PUT', `/api/channels/${channelId}/overwrites/${bot.botId}`, body)
    assert.deepEqual((await ann.client.get(`/api/channels/${channelId}/commands`)).body, [])
    assertRefused(await use(world, 'ping'), 404, 'not_found')
    assertRefused(await press(world, message.body.id, 'b'), 404, 'not_found')
  },
)

eachService('200: the commands with whose they are', async (_t, service) => {
  const world = await makeWorld(service)
  const { bot, ann, commands, channelId } = world
  const reply = await ann.client.get(`/api/channels/${channelId}/commands`)
  assert.equal(reply.status, 200, reply.text)
  const now = new Date(service.clock.now()).toISOString()
  const application = { id: bot.applicationId, name: 'App of dice_bot', icon: null, botId: bot.botId }
  const common = { applicationId: bot.applicationId, createdAt: now, updatedAt: now, application }
  assert.deepEqual(reply.body, [
    { id: commands.ping, name: 'ping', description: 'Answers', options: [], ...common },
    { id: commands.roll, ...rollCommand, ...common },
  ])
  const stranger = await register(service, 'stranger')
  assertRefused(await stranger.client.get(`/api/channels/${channelId}/commands`), 404, 'not_found')
})
