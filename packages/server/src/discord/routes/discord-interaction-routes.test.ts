import assert from 'node:assert/strict'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import {
  createWorld,
  history,
  pressButton,
  putCommands,
  receivedEvent,
  rollCommand,
  runCommand,
  type World,
} from '../../interactions/interactions-testing.ts'
import { assertDiscordError, type DiscordBot, discordBot } from '../discord-responses-testing.ts'

async function setUp(service: TestService): Promise<{ world: World; bot: DiscordBot }> {
  const world = await createWorld(service)
  await world.bot.connect()
  return { world, bot: discordBot(service) }
}

const ping = (world: World) => receivedEvent(world, runCommand(world, 'ping'))

eachService(
  'a message answers a command, and the bot edits and deletes it (discord/responses)',
  async (_t, service) => {
    const { world, bot } = await setUp(service)
    const event = await ping(world)
    const embed = { title: 'Roll', type: 'rich', color: 255, timestamp: '2026-01-31T12:00:00.000Z' }
    const button = { type: 2, style: 1, custom_id: 'again', label: 'Again', emoji: { id: null, name: '🎲' } }
    const sent = {
      content: `<@${world.ann.id}> rolled`,
      tts: false,
      embeds: [embed],
      components: [{ type: 1, components: [button] }],
      allowed_mentions: { parse: [], users: [world.ann.id], replied_user: false },
    }
    const reply = await bot.callback(event, { type: 4, data: sent }, '?with_response=true')
    assert.equal(reply.status, 200, reply.text)
    const { interaction, resource } = reply.body
    const { message } = resource
    assert.deepEqual(interaction, {
      id: event.id,
      type: 2,
      response_message_loading: false,
      response_message_ephemeral: false,
      response_message_id: message.id,
    })
    assert.equal(resource.type, 4)
    const { author, member, mentions, embeds, components } = message
    assert.deepEqual(
      {
        ...message,
        author: author.id,
        member: undefined,
        mentions: mentions.map((user: { id: string }) => user.id),
      },
      {
        ...message,
        type: 20,
        flags: 0,
        channel_id: world.channelId,
        guild_id: world.serverId,
        author: world.bot.botId,
        member: undefined,
        content: sent.content,
        mentions: [world.ann.id],
        application_id: world.bot.applicationId,
      },
    )
    assert.equal(member.roles.length, 1)
    assert.equal(mentions[0].member.nick, null)
    const shown = { fields: [], flags: 0, timestamp: '2026-01-31T12:00:00.000000+00:00' }
    assert.deepEqual(embeds, [{ ...embed, ...shown }])
    const emoji = { name: '🎲', animated: false }
    const expected = { ...button, id: 2, disabled: false, emoji }
    assert.deepEqual(components, [{ type: 1, id: 1, components: [expected] }])
    assert.deepEqual(
      [message.interaction.name, message.interaction.user.id, message.interaction_metadata.type],
      ['ping', world.ann.id, 2],
    )

    const edited = await bot.message('PATCH', event, '%40original', { content: 'edited', embeds: [] })
    assert.equal(edited.status, 200, edited.text)
    assert.deepEqual([edited.body.content, edited.body.embeds, edited.body.id], ['edited', [], message.id])
    const read = await bot.message('GET', event, message.id)
    assert.equal(read.body.content, 'edited')
    assert.equal((await bot.message('DELETE', event, '@original')).status, 204)
    assertDiscordError(await bot.message('GET', event, '@original'), 404, 10008)
    assert.equal((await history(world)).body.length, 0)
  },
)

eachService(
  'a deferred response is a placeholder until its follow-up (discord/responses)',
  async (_t, service) => {
    const { world, bot } = await setUp(service)
    const event = await ping(world)
    const deferred = await bot.callback(event, { type: 5, data: { flags: 64 } }, '?with_response=1')
    assert.deepEqual([deferred.body.resource.type, deferred.body.resource.message.flags], [5, 64 | 128])
    const first = await bot.followup(event, { content: 'done' })
    assert.deepEqual([first.status, first.body.flags], [200, 64])
    assert.equal(first.body.id, deferred.body.resource.message.id)
    const second = await bot.followup(event, { content: 'public', flags: 0 })
    assert.deepEqual([second.status, second.body.flags, second.body.type], [200, 0, 20])
  },
)

eachService('a response has the types 4 to 9, each once (discord/responses)', async (_t, service) => {
  const { world, bot } = await setUp(service)
  const event = await ping(world)
  for (const type of [undefined, 'message', 1, 3, 10, 12]) {
    const reply = await bot.callback(event, { type })
    assertDiscordError(reply, 400, 50035)
    assert.ok(reply.body.errors.type._errors[0], reply.text)
  }
  assertDiscordError(await bot.followup(event, { content: 'early' }), 404, 10015)
  const buttonRow = { type: 1, components: [{ type: 2, style: 2, custom_id: 'more', label: 'More' }] }
  assert.equal(
    (await bot.callback(event, { type: 4, data: { content: 'x', components: [buttonRow] } })).status,
    204,
  )
  assertDiscordError(await bot.callback(event, { type: 4, data: { content: 'again' } }), 400, 40060)

  const [{ id: messageId }] = (await history(world)).body
  const press = () => receivedEvent(world, pressButton(world, messageId, 'more'))
  const update = await bot.callback(
    await press(),
    { type: 7, data: { content: 'new' } },
    '?with_response=true',
  )
  assert.deepEqual([update.body.interaction.type, update.body.resource.message.content], [3, 'new'])
  const unchanged = await bot.callback(await press(), { type: 6 }, '?with_response=true')
  assert.deepEqual([unchanged.body.interaction.type, unchanged.body.resource], [3, { type: 6 }])
  const field = { type: 4, custom_id: 'why', style: 2, label: 'Why', required: false }
  const label = { type: 18, label: 'How', component: { type: 4, custom_id: 'how', style: 1 } }
  const modal = { custom_id: 'form', title: 'Form', components: [{ type: 1, components: [field] }, label] }
  const opened = await press()
  assert.equal((await bot.callback(opened, { type: 9, data: modal })).status, 204)
  const status = await world.ann.client.get(`/api/interactions/${opened.id}`)
  assert.deepEqual(
    status.body.modal.components.map((row: { components: { label: string }[] }) => row.components[0]?.label),
    ['Why', 'How'],
  )
})

eachService(
  'suggestions are sent to the node that waits for them (discord/responses)',
  async (_t, service) => {
    const { world, bot } = await setUp(service)
    const option = { type: 'string', name: 'song', description: 'What', autocomplete: true }
    const { find: commandId } = await putCommands(world.bot, [
      { name: 'find', description: 'Finds a song', options: [option] },
    ])
    const asked = world.ann.client.json('POST', '/api/interactions/autocomplete', {
      channelId: world.channelId,
      commandId,
      focused: 'song',
    })
    const event = await world.bot.event(0)
    assertDiscordError(await bot.callback(event, { type: 4, data: { content: 'x' } }), 400, 50035)
    const choice = { name: 'Song', name_localizations: { ru: 'Песня' }, value: 'song' }
    const reply = await bot.callback(event, { type: 8, data: { choices: [choice] } }, '?with_response=true')
    assert.deepEqual([reply.status, reply.body.interaction.type], [200, 4], reply.text)
    assertDiscordError(await bot.callback(event, { type: 8, data: { choices: [] } }), 400, 40060)
    assert.deepEqual((await asked).body.choices, [
      { name: 'Song', nameLocalizations: { ru: 'Песня' }, value: 'song' },
    ])
  },
)

eachService('errors name the fields of Discord (discord/responses)', async (_t, service) => {
  const { world, bot } = await setUp(service)
  await putCommands(world.bot, [rollCommand, { name: 'ping', description: 'Answers' }])
  const event = await ping(world)
  const rows = (component: object) => [{ type: 1, components: [component] }]
  const emoji = { id: '100000000000000001', name: 'x' }
  const select = { type: 3, custom_id: 's', options: [{ label: 'a', value: 'a', emoji }] }
  assertDiscordError(await bot.callback(event, { type: 4 }), 400, 50006)
  const cases: [data: object, path: string[]][] = [
    [{ content: 'x'.repeat(2001) }, ['data', 'content']],
    [
      { content: 'x', components: rows({ type: 2, style: 9, label: 'x', custom_id: 'x' }) },
      componentPath('style'),
    ],
    [{ content: 'x', components: rows({ type: 2, style: 1, label: 'x' }) }, componentPath('custom_id')],
    [{ content: 'x', components: rows({ type: 10, content: 'x' }) }, componentPath('type')],
    [{ content: 'x', components: [{ type: 17, components: [] }] }, ['data', 'components', '0', 'type']],
    [{ content: 'x', components: rows(select) }, componentPath('options', '0', 'emoji', 'id')],
    [{ content: 'x', flags: 32768 }, ['data', 'flags']],
    [{ content: 'x', poll: { question: {} } }, ['data', 'poll']],
    [{ content: 'x', sticker_ids: ['1'] }, ['data', 'sticker_ids']],
    [{ content: 'x', attachments: [{ id: 0 }] }, ['files']],
    [{ content: 'x', allowed_mentions: { users: [1] } }, ['data', 'allowed_mentions', 'users', '0']],
  ]
  for (const [data, path] of cases) {
    const reply = await bot.callback(event, { type: 4, data })
    assertDiscordError(reply, 400, 50035)
    const node = path.reduce((errors, step) => errors?.[step], reply.body.errors)
    assert.ok(node?._errors[0].message, `${path.join('.')}: ${reply.text}`)
  }
})

function componentPath(...path: string[]): string[] {
  return ['data', 'components', '0', 'components', '0', ...path]
}

eachService('a body may be multipart, but not have files (discord/responses)', async (_t, service) => {
  const { world, bot } = await setUp(service)
  const event = await ping(world)
  assert.equal((await bot.callback(event, { type: 4, data: { content: 'x' } })).status, 204)
  const form = (file?: string) => {
    const body = new FormData()
    body.set('payload_json', JSON.stringify({ content: 'from a form' }))
    if (file !== undefined) body.set('files[0]', new Blob(['x']), file)
    return body
  }
  const { discordToken } = await import('../discord-responses-testing.ts')
  const url = `${service.url}/api/v9/webhooks/${event.applicationId}/${await discordToken(service, event)}`
  const accepted = await fetch(url, { method: 'POST', body: form() })
  assert.equal(accepted.status, 200)
  assert.equal(((await accepted.json()) as { content: string }).content, 'from a form')
  const refused = await fetch(url, { method: 'POST', body: form('x.png') })
  assert.equal(refused.status, 400)
  assert.equal(((await refused.json()) as { code: number }).code, 50035)
})
