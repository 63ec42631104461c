import assert from 'node:assert/strict'
import type { CommandInteraction } from '@gatehouse/protocol/interactions'
import {
  allPermissions,
  defaultEveryone,
  formatPermissions,
  Permission,
} from '@gatehouse/protocol/permissions'
import { register } from '@gatehouse/testkit/community'
import { fieldErrorsOf } from '@gatehouse/testkit/field-errors'
import type { TestService } from '@gatehouse/testkit/service'
import { eachService } from '@gatehouse/testkit/service'
import {
  assertError,
  buttons,
  createWorld,
  history,
  putCommands,
  receivedEvent,
  respond,
  rollCommand,
  runCommand,
  type World,
} from './interactions-testing.ts'

const pong = { type: 'message', data: { content: 'pong' } }

async function createMenuWorld(service: TestService): Promise<World> {
  const world = await createWorld(service)
  const commands = await putCommands(world.bot, [
    rollCommand,
    { type: 'user', name: 'Show Profile', nameLocalizations: { ru: 'Показать профиль' } },
    { type: 'message', name: 'Report', description: '' },
  ])
  await world.bot.connect()
  return { ...world, commands }
}

async function send(world: World, content: string): Promise<{ id: string }> {
  const path = `/api/channels/${world.channelId}/messages`
  const reply = await world.owner.client.json('POST', path, { content })
  assert.equal(reply.status, 201, reply.text)
  return reply.body
}

async function sentEvent(
  world: World,
  ...request: Parameters<typeof runCommand> extends [World, ...infer Rest] ? Rest : never
) {
  const event = await receivedEvent(world, runCommand(world, ...request))
  assert.equal(event.type, 'command')
  return event as CommandInteraction
}

eachService('202: a user command has the chosen member (bots/context-commands)', async (_t, service) => {
  const world = await createMenuWorld(service)
  const { owner, bot, commands } = world
  for (const target of [owner.id, bot.botId, world.ann.id]) {
    const { data } = await sentEvent(world, 'Show Profile', { targetId: target })
    const { user, ...member } = (await owner.client.get(`/api/servers/${world.serverId}/members/${target}`))
      .body
    const permissions = formatPermissions(target === owner.id ? allPermissions : defaultEveryone)
    assert.deepEqual(data, {
      id: commands['Show Profile'],
      name: 'Show Profile',
      type: 'user',
      options: [],
      targetId: target,
      resolved: { user, member: { ...member, permissions } },
    })
  }
})

eachService(
  '202: a message command has the chosen message with its content (bots/context-commands)',
  async (_t, service) => {
    const world = await createMenuWorld(service)
    const { owner, bot, commands } = world
    const { id } = await send(world, 'rude words')
    const event = await sentEvent(world, 'Report', { targetId: id })
    const [message] = (await history(world)).body
    assert.deepEqual(event.data, {
      id: commands.Report,
      name: 'Report',
      type: 'message',
      options: [],
      targetId: id,
      resolved: { message },
    })
    const reply = await bot.callback(event, pong)
    const interaction = {
      id: event.id,
      type: 'command',
      name: 'Report',
      commandType: 'message',
      user: event.user,
    }
    assert.deepEqual(reply.body.message.interaction, interaction)
    assert.deepEqual((await history(world)).body[0].interaction, interaction)
    const log = await owner.client.get(`/api/applications/${bot.applicationId}/interactions`)
    assert.deepEqual([log.body[0].name, log.body[0].sent.data], ['Report', event.data])
  },
)

eachService(
  'an ephemeral message: only its user can choose it, and the log has only its id (bots/ephemeral)',
  async (_t, service) => {
    const world = await createMenuWorld(service)
    const { owner, bot } = world
    const roll = runCommand(world, 'roll', { options: [{ name: 'sides', value: 6 }] })
    const data = { content: 'secret six', ephemeral: true, components: buttons('again') }
    const { reply } = await respond(world, roll, { type: 'message', data })
    const { message } = reply.body
    assert.deepEqual(fieldErrorsOf(await runCommand(world, 'Report', { targetId: message.id }, owner)), [
      'targetId unknown_message',
    ])
    const event = await sentEvent(world, 'Report', { targetId: message.id })
    assert.deepEqual('resolved' in event.data && event.data.resolved, { message })
    const log = await owner.client.get(`/api/applications/${bot.applicationId}/interactions`)
    assert.deepEqual(log.body.at(-1).sent.data.resolved, { message: { id: message.id } })
    assert.equal(log.text.includes('secret six'), false)
  },
)

eachService('400: a target that the user cannot choose (bots/context-commands)', async (_t, service) => {
  const world = await createMenuWorld(service)
  const { owner, ann, bot, serverId } = world
  const outsider = await register(service, 'outsider')
  const { id } = await send(world, 'hello')
  const other = await owner.client.json('POST', `/api/servers/${serverId}/channels`, { name: 'hidden' })
  const deny = { type: 'role', allow: '0', deny: formatPermissions(Permission.VIEW_CHANNEL) }
  await owner.client.json('PUT', `/api/channels/${other.body.id}/overwrites/${serverId}`, deny)
  const hidden = await owner.client.json('POST', `/api/channels/${other.body.id}/messages`, { content: 'x' })
  const deleted = await send(world, 'gone')
  await owner.client.json('DELETE', `/api/channels/${world.channelId}/messages/${deleted.id}`)
  const unknown = '1234567890123456789'
  for (const [name, body, error] of [
    ['Show Profile', {}, 'targetId required'],
    ['Show Profile', { targetId: outsider.id }, 'targetId unknown_user'],
    ['Show Profile', { targetId: id }, 'targetId unknown_user'],
    ['Show Profile', { targetId: unknown }, 'targetId unknown_user'],
    ['Show Profile', { targetId: 'ann' }, 'targetId invalid_format'],
    [
      'Show Profile',
      { targetId: ann.id, options: [{ name: 'a', value: 1 }] },
      'options[0].name unknown_member',
    ],
    ['Report', {}, 'targetId required'],
    ['Report', { targetId: ann.id }, 'targetId unknown_message'],
    ['Report', { targetId: hidden.body.id }, 'targetId unknown_message'],
    ['Report', { targetId: deleted.id }, 'targetId unknown_message'],
    ['roll', { targetId: ann.id, options: [{ name: 'sides', value: 6 }] }, 'targetId not_allowed'],
  ] as const) {
    assert.deepEqual(
      fieldErrorsOf(await runCommand(world, name, body)),
      [error],
      `${name} ${JSON.stringify(body)}`,
    )
  }
  assertError(
    await runCommand(world, 'Report', { targetId: hidden.body.id, channelId: other.body.id }),
    404,
    'not_found',
  )
  const press = { type: 'component', channelId: world.channelId, messageId: id, customId: 'a', targetId: id }
  assert.deepEqual(fieldErrorsOf(await ann.client.json('POST', '/api/interactions', press)), [
    'targetId not_allowed',
  ])
  assert.deepEqual(bot.received, [])
})

eachService('403 without USE_COMMANDS (bots/command-visibility)', async (_t, service) => {
  const world = await createMenuWorld(service)
  const { owner, ann, serverId, channelId } = world
  const list = async () => (await ann.client.get(`/api/channels/${channelId}/commands`)).body
  assert.deepEqual(
    (await list()).map(({ type, name }: { type: string; name: string }) => `${type} ${name}`),
    ['message Report', 'user Show Profile', 'slash roll'],
  )
  const deny = { type: 'role', allow: '0', deny: formatPermissions(Permission.USE_COMMANDS) }
  await owner.client.json('PUT', `/api/channels/${channelId}/overwrites/${serverId}`, deny)
  assert.deepEqual(await list(), [])
  assertError(await runCommand(world, 'Show Profile', { targetId: owner.id }), 403, 'missing_permission')
})

eachService('a trial of a command in a menu has its target', async (_t, service) => {
  const world = await createMenuWorld(service)
  const { owner, bot, channelId, commands } = world
  const path = `/api/applications/${bot.applicationId}/try`
  const body = { channelId, commandId: commands['Show Profile'], answer: { content: 'Hello' } }
  assert.deepEqual(fieldErrorsOf(await owner.client.json('POST', path, body)), ['targetId required'])
  const reply = await owner.client.json('POST', path, { ...body, targetId: world.ann.id })
  assert.equal(reply.status, 200, reply.text)
  assert.equal(reply.body.event.data.resolved.user.username, 'ann')
  assert.equal(reply.body.message.interaction.commandType, 'user')
})
