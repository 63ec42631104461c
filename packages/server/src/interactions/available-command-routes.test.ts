import assert from 'node:assert/strict'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { register } from '@gatehouse/testkit/community'
import { fieldErrorsOf } from '@gatehouse/testkit/field-errors'
import { eachService } from '@gatehouse/testkit/service'
import { subjects } from '../events/gateway-events.ts'
import {
  assertError,
  buttons,
  createBot,
  createWorld,
  pressButton,
  receivedEvent,
  recordEvents,
  rollCommand,
  runCommand,
} from './interactions-testing.ts'

eachService(
  'without USE_COMMANDS or SEND_MESSAGES the list is empty and a command gets 403 (bots/command-visibility)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { owner, ann, channelId, serverId } = world
    const list = () => ann.client.get(`/api/channels/${channelId}/commands`)
    assert.equal((await list()).body.length, 2)
    for (const bit of [Permission.USE_COMMANDS, Permission.SEND_MESSAGES]) {
      const body = { type: 'role', allow: '0', deny: formatPermissions(bit) }
      await owner.client.json('PUT', `/api/channels/${channelId}/overwrites/${serverId}`, body)
      assert.deepEqual((await list()).body, [])
      assertError(await runCommand(world, 'ping'), 403, 'missing_permission')
    }
  },
)

eachService(
  '404: commands of other servers and applications, hidden commands and direct messages (bots/command-set)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, owner, ann, channelId, serverId } = world
    await bot.connect()
    const other = await createBot(service, owner, 'other_bot')
    const foreign = await other.json('PUT', '/api/applications/@me/commands', [
      { name: 'elsewhere', description: 'On no server' },
    ])
    world.commands.elsewhere = foreign.body[0].id
    assertError(await runCommand(world, 'elsewhere'), 404, 'not_found')

    const own = [{ name: 'ping', description: 'Of this server' }]
    const put = await bot.json('PUT', `/api/applications/@me/servers/${serverId}/commands`, own)
    assert.equal(put.status, 200, put.text)
    assertError(await runCommand(world, 'ping'), 404, 'not_found')
    const { global, scoped } = { global: world.commands.ping ?? '', scoped: put.body[0].id }
    const listed = await ann.client.get(`/api/channels/${channelId}/commands`)
    const ids: string[] = listed.body.map(({ id }: { id: string }) => id)
    assert.deepEqual([ids.includes(scoped), ids.includes(global)], [true, false])
    world.commands.ping = scoped
    await receivedEvent(world, runCommand(world, 'ping'))

    const elsewhere = await owner.client.json('POST', '/api/servers', { name: 'Elsewhere' })
    const [channel] = (await owner.client.get(`/api/servers/${elsewhere.body.id}/channels`)).body
    assertError(await runCommand(world, 'ping', { channelId: channel.id }, owner), 404, 'not_found')
    assertError(await runCommand(world, 'ping', { channelId: channel.id }), 404, 'not_found')
    const dm = await bot.json('POST', '/api/users/@me/channels', { recipientId: ann.id })
    assertError(await runCommand(world, 'ping', { channelId: dm.body.id }), 404, 'not_found')
    assert.deepEqual((await ann.client.get(`/api/channels/${dm.body.id}/commands`)).body, [])
    assert.equal(bot.received.length, 1)
  },
)

eachService(
  '404 or 400: a command that was deleted or changed after the user chose it (bots/command-gone)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, ann, channelId } = world
    await bot.connect()
    const annEvents = await recordEvents(service, subjects.user(ann.id))
    const body = { options: [{ name: 'sides', value: 6 }] }
    const put = async (...commands: object[]) => {
      const reply = await bot.json('PUT', '/api/applications/@me/commands', commands)
      assert.equal(reply.status, 200, reply.text)
    }
    const [sides, note] = rollCommand.options
    await put({ ...rollCommand, options: [{ ...sides, max: 4 }] })
    assert.deepEqual(fieldErrorsOf(await runCommand(world, 'roll', body)), ['options[0].value out_of_range'])
    await put({ ...rollCommand, options: [sides, { ...note, required: true }] })
    assert.deepEqual(fieldErrorsOf(await runCommand(world, 'roll', body)), ['options required'])
    await put({ ...rollCommand, options: [note] })
    assert.deepEqual(fieldErrorsOf(await runCommand(world, 'roll', body)), ['options[0].name unknown_member'])
    await put({ ...rollCommand, options: [{ ...sides, type: 'boolean', min: undefined, max: undefined }] })
    assert.deepEqual(fieldErrorsOf(await runCommand(world, 'roll', body)), ['options[0].value invalid_type'])
    await put()
    assertError(await runCommand(world, 'roll', body), 404, 'not_found')
    // A command that is registered again has a new id.
    await put(rollCommand)
    assertError(await runCommand(world, 'roll', body), 404, 'not_found')
    assert.deepEqual(
      [bot.received, annEvents.of('INTERACTION_UPDATE'), annEvents.of('MESSAGE_CREATE')],
      [[], [], []],
    )
    const [listed] = (await ann.client.get(`/api/channels/${channelId}/commands`)).body
    await receivedEvent(world, runCommand({ ...world, commands: { roll: listed.id } }, 'roll', body))
  },
)

eachService(
  '404: commands and buttons of a bot that may not view the channel (bots/command-visibility)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, owner, ann, channelId } = world
    await bot.connect()
    const message = await bot.json('POST', `/api/channels/${channelId}/messages`, {
      content: 'x',
      components: buttons('b'),
    })
    const body = { type: 'member', allow: '0', deny: formatPermissions(Permission.VIEW_CHANNEL) }
    await owner.client.json('PUT', `/api/channels/${channelId}/overwrites/${bot.botId}`, body)
    assert.deepEqual((await ann.client.get(`/api/channels/${channelId}/commands`)).body, [])
    assertError(await runCommand(world, 'ping'), 404, 'not_found')
    assertError(await pressButton(world, message.body.id, 'b'), 404, 'not_found')
  },
)

eachService('200: lists the commands with their applications', async (_t, service) => {
  const world = await createWorld(service)
  const { bot, ann, commands, channelId } = world
  const reply = await ann.client.get(`/api/channels/${channelId}/commands`)
  assert.equal(reply.status, 200, reply.text)
  const now = new Date(service.clock.now()).toISOString()
  const application = { id: bot.applicationId, name: 'App of dice_bot', icon: null, botId: bot.botId }
  const common = {
    ...{ applicationId: bot.applicationId, type: 'slash', application, defaultMemberPermissions: null },
    ...{ createdAt: now, updatedAt: now },
  }
  assert.deepEqual(reply.body, [
    { id: commands.ping, name: 'ping', description: 'Answers', options: [], ...common },
    { id: commands.roll, ...rollCommand, ...common },
  ])
  const outsider = await register(service, 'outsider')
  assertError(await outsider.client.get(`/api/channels/${channelId}/commands`), 404, 'not_found')
})
