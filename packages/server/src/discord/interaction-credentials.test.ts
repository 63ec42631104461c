import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InteractionCreate } from '@gatehouse/protocol/interactions'
import { addBot } from '@gatehouse/testkit/applications'
import { eachService, startService } from '@gatehouse/testkit/service'
import {
  assertError,
  botOnNode,
  buttons,
  createBot,
  createWorld,
  pressButton,
  putCommands,
  receivedEvent,
  rollCommand,
  runCommand,
} from '../interactions/interactions-testing.ts'
import { createSecret, createToken, secretPrefixes } from '../kit/secret.ts'
import { assertDiscordError, discordBot, discordToken } from './discord-responses-testing.ts'

const hi = { content: 'hi' }

eachService('each path accepts only its own token (discord/interaction-token)', async (_t, service) => {
  const world = await createWorld(service)
  await world.bot.connect()
  const bot = discordBot(service)
  const event = await receivedEvent(world, runCommand(world, 'ping'))
  const { id, applicationId } = event
  const other = await receivedEvent(world, runCommand(world, 'ping'))
  const token = await discordToken(service, event)
  const wrong = [
    event.token,
    await discordToken(service, other),
    `${token.slice(0, -1)}x`,
    createSecret(secretPrefixes.discordInteractionToken),
    'gdi_',
    'gdi_%00',
    '%F0%9F%92%A5',
  ]
  for (const each of wrong) {
    const reply = await bot.send('POST', `/interactions/${id}/${each}/callback`, { type: 4, data: hi })
    assertDiscordError(reply, 404, 10062)
  }
  const body = { type: 'message', data: hi }
  assertError(
    await world.bot.json('POST', `/api/interactions/${id}/${token}/callback`, body),
    404,
    'not_found',
  )
  assertError(await world.bot.callback({ ...event, token } as InteractionCreate, body), 404, 'not_found')

  assert.equal((await bot.callback(event, { type: 4, data: hi })).status, 204)
  for (const each of wrong) {
    const url = `/webhooks/${applicationId}/${each}`
    assertDiscordError(await bot.send('POST', url, hi), 404, 10015)
    assertDiscordError(await bot.send('PATCH', `${url}/messages/@original`, hi), 404, 10015)
    assertDiscordError(await bot.send('GET', `${url}/messages/@original`), 404, 10015)
    assertDiscordError(await bot.send('DELETE', `${url}/messages/@original`), 404, 10015)
  }
  assertError(await world.bot.json('POST', `/api/interactions/${id}/${token}/followup`, hi), 404, 'not_found')
  assert.equal((await bot.message('GET', event, '@original')).status, 200)
  // The token of the interaction says nothing about another message.
  assertDiscordError(await bot.message('GET', event, id), 404, 10008)
  for (const name of ['x', '@Original', '%2540original', '%00', '*', '%3E', 'a.b']) {
    assertDiscordError(await bot.message('GET', event, name), 400, 50035)
    assertDiscordError(await bot.message('PATCH', event, name, hi), 400, 50035)
    assertDiscordError(await bot.message('DELETE', event, name), 400, 50035)
  }
})

eachService(
  'the application of the path must be that of the token (discord/interaction-token)',
  async (_t, service) => {
    const world = await createWorld(service)
    await world.bot.connect()
    const other = await createBot(service, world.owner, 'other_bot')
    await addBot(world.owner.client, other.applicationId, world.serverId)
    const bot = discordBot(service)
    const event = await receivedEvent(world, runCommand(world, 'ping'))
    await bot.callback(event, { type: 4, data: hi })
    for (const applicationId of [other.applicationId, world.serverId, '1', 'x']) {
      const path = `/webhooks/${applicationId}/${await discordToken(service, event)}`
      assertDiscordError(await bot.send('POST', path, hi), 404, 10015)
      assertDiscordError(await bot.send('GET', `${path}/messages/@original`), 404, 10015)
    }
  },
)

eachService(
  'a token ends with the bot on the server, and with its application (discord/interaction-token)',
  async (_t, service) => {
    const world = await createWorld(service)
    await world.bot.connect()
    const bot = discordBot(service)
    const { owner, serverId } = world
    const events = [
      await receivedEvent(world, runCommand(world, 'ping')),
      await receivedEvent(world, runCommand(world, 'ping')),
    ] as const
    const [answered, pending] = events
    await bot.callback(answered, { type: 4, data: hi })
    const refuses = async () => {
      assertDiscordError(await bot.callback(pending, { type: 4, data: hi }), 404, 10062)
      assertDiscordError(await bot.callback(pending, { type: 8, data: { choices: [] } }), 404, 10062)
      assertDiscordError(await bot.followup(answered, hi), 404, 10015)
      assertDiscordError(await bot.message('GET', answered, '@original'), 404, 10015)
      assertDiscordError(await bot.message('PATCH', answered, '@original', hi), 404, 10015)
      assertDiscordError(await bot.message('DELETE', answered, '@original'), 404, 10015)
    }
    const { db, clock } = service
    const { applicationId } = world.bot
    await db.run`UPDATE applications SET disabled_at = ${clock.now()} WHERE id = ${applicationId}`
    await refuses()
    await db.run`UPDATE applications SET disabled_at = NULL WHERE id = ${applicationId}`
    assert.equal((await bot.followup(answered, hi)).status, 200)
    const removed = await owner.client.json('DELETE', `/api/servers/${serverId}/members/${world.bot.botId}`)
    assert.equal(removed.status, 204, removed.text)
    await refuses()
    await addBot(owner.client, applicationId, serverId)
    await refuses()
  },
)

eachService(
  'a token ends with the bot token, the native one does not (discord/interaction-token)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { owner, bot } = world
    world.commands = await putCommands(bot, [
      { name: 'ping', description: 'x' },
      {
        ...{ name: 'find', description: 'x' },
        options: [{ type: 'string', name: 'word', description: 'x', autocomplete: true }],
      },
    ])
    await bot.connect()
    const { send, callback } = discordBot(service)
    const [answered, pending] = [
      await receivedEvent(world, runCommand(world, 'ping')),
      await receivedEvent(world, runCommand(world, 'ping')),
    ]
    assert.equal((await callback(answered, { type: 4, data: hi })).status, 204)
    const asked = world.ann.client.json('POST', '/api/interactions/autocomplete', {
      ...{ channelId: world.channelId, commandId: world.commands.find, focused: 'word' },
      options: [{ name: 'word', value: 'a' }],
    })
    const suggesting = await bot.event(2)
    const tokens = await Promise.all([answered, pending, suggesting].map(one => discordToken(service, one)))
    const reset = await owner.client.json('POST', `/api/applications/${bot.applicationId}/bot/token`)
    assert.equal(reset.status, 200)
    const callbackOf = ({ id }: InteractionCreate, token: string | undefined, body: object) =>
      send('POST', `/interactions/${id}/${token}/callback`, body)
    const choices = { type: 8, data: { choices: [] } }
    assertDiscordError(await callbackOf(pending, tokens[1], { type: 4, data: hi }), 404, 10062)
    assertDiscordError(await callbackOf(suggesting, tokens[2], choices), 404, 10062)
    const webhook = `/webhooks/${bot.applicationId}/${tokens[0]}`
    assertDiscordError(await send('POST', webhook, hi), 404, 10015)
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? hi : undefined
      assertDiscordError(await send(method, `${webhook}/messages/@original`, body), 404, 10015)
    }
    // A session or an endpoint that receives an event now has a token of the new bot token.
    assert.equal((await callback(suggesting, choices)).status, 204)
    assert.deepEqual((await asked).body, { choices: [] })
    const renewed = botOnNode(service, { ...bot, token: reset.body.token })
    assert.equal((await renewed.followup(answered, hi)).status, 200)
    assert.equal((await renewed.callback(pending, { type: 'message', data: hi })).status, 200)
  },
)

eachService(
  'a token expires after 15 minutes, the first response after 3 seconds (discord/responses)',
  async (_t, service) => {
    const world = await createWorld(service)
    await world.bot.connect()
    const bot = discordBot(service)
    const answered = await receivedEvent(world, runCommand(world, 'ping'))
    const late = await receivedEvent(world, runCommand(world, 'ping'))
    await bot.callback(answered, { type: 4, data: hi })
    await service.clock.advance(3000)
    assertDiscordError(await bot.callback(late, { type: 4, data: hi }), 404, 10062)
    assert.equal((await bot.followup(answered, hi)).status, 200)
    await service.clock.advance(897_000)
    assertDiscordError(await bot.followup(answered, hi), 401, 50027)
  },
)

eachService('a bot sends nothing to a user who blocks it (discord/responses)', async (_t, service) => {
  const world = await createWorld(service)
  await world.bot.connect()
  const { ann } = world
  const bot = discordBot(service)
  const opened = await world.bot.json('POST', '/api/users/@me/channels', { recipientId: ann.id })
  const direct = { ...world, channelId: opened.body.id }
  const path = `/api/channels/${direct.channelId}/messages`
  const { body } = await world.bot.json('POST', path, { content: 'Sure?', components: buttons('yes') })
  const press = () => receivedEvent(direct, pressButton(direct, body.id, 'yes'))
  const [answered, pending] = [await press(), await press()]
  const sent = await bot.callback(answered, { type: 4, data: hi }, '?with_response=true')
  assert.deepEqual([sent.status, sent.body.resource.message.guild_id], [200, undefined], sent.text)
  await ann.client.call('createBlock', { userId: world.bot.botId })
  for (const reply of [
    await bot.callback(pending, { type: 4, data: hi }),
    await bot.callback(pending, { type: 5, data: { flags: 64 } }),
    await bot.followup(answered, hi),
    await bot.message('PATCH', answered, '@original', { content: 'new' }),
  ]) {
    assertDiscordError(reply, 403, 50007)
  }
})

eachService(
  'a wrong token is 404, also with an invalid or large body (discord/interaction-token)',
  async (_t, service) => {
    const world = await createWorld(service)
    await world.bot.connect()
    const bot = discordBot(service)
    const event = await receivedEvent(world, runCommand(world, 'ping'))
    const { id, applicationId } = event
    const token = createToken(secretPrefixes.discordInteractionToken, id)
    const large = { type: 4, data: { ...hi, unknown: 'x'.repeat(64 * 1024) } }
    for (const body of [{ type: 99 }, { type: 8, data: { choices: 1 } }, large]) {
      assertDiscordError(await bot.send('POST', `/interactions/${id}/${token}/callback`, body), 404, 10062)
      const message = { content: body }
      const path = `/webhooks/${applicationId}/${token}`
      assertDiscordError(await bot.send('POST', path, message), 404, 10015)
      assertDiscordError(await bot.send('PATCH', `${path}/messages/@original`, message), 404, 10015)
    }
    // Nobody has read the body: it is not even JSON.
    const unread = await service.client().send(`/api/v10/webhooks/${applicationId}/${token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: 'x'.repeat(2 * 1024 * 1024),
    })
    assertDiscordError(unread, 404, 10015)
    assertDiscordError(await bot.callback(event, { type: 99 }), 400, 50035)
    assert.equal((await bot.callback(event, large)).status, 204)
  },
)

eachService('a large list of choices is accepted (discord/responses)', async (_t, service) => {
  const world = await createWorld(service)
  await world.bot.connect()
  const commands = await putCommands(world.bot, [
    {
      ...rollCommand,
      options: [{ type: 'string', name: 'note', description: 'Why', autocomplete: true }],
    },
  ])
  const asked = world.ann.client.json('POST', '/api/interactions/autocomplete', {
    channelId: world.channelId,
    commandId: commands.roll,
    focused: 'note',
    options: [{ name: 'note', value: 'a' }],
  })
  const event = await world.bot.event(0)
  const bot = discordBot(service)
  const choices = [{ name: 'a', value: 'a' }]
  const invalid = { type: 8, data: { choices: 'x'.repeat(64 * 1024) } }
  assertDiscordError(await bot.callback(event, invalid), 400, 50035)
  const large = { type: 8, data: { choices, unknown: 'x'.repeat(64 * 1024) } }
  assert.equal((await bot.callback(event, large)).status, 204)
  assert.deepEqual((await asked).body, { choices })
})

test('wrong tokens count by IP address, right ones do not (discord/interaction-token)', async t => {
  const service = await startService(t, { env: { RATE_LIMITS: 'webhookNotFound=3/60' } })
  const world = await createWorld(service)
  await world.bot.connect()
  const bot = discordBot(service)
  const event = await receivedEvent(world, runCommand(world, 'ping'))
  await bot.callback(event, { type: 4, data: hi })
  const url = `/webhooks/${event.applicationId}/${createSecret(secretPrefixes.discordInteractionToken)}`
  assertDiscordError(await bot.send('POST', url, hi), 404, 10015)
  assertDiscordError(await bot.send('GET', `${url}/messages/@original`), 404, 10015)
  assertDiscordError(await bot.send('POST', `/interactions/${event.id}/x/callback`, { type: 6 }), 404, 10062)
  for (const path of [url, `/webhooks/${event.id}/unknown`]) {
    const reply = await bot.send('POST', path, hi)
    assert.deepEqual([reply.status, reply.body.retry_after], [429, 60], reply.text)
    assert.equal(reply.headers.get('via'), '1.1 gatehouse')
  }
  assert.equal((await bot.followup(event, hi)).status, 200)
  assertDiscordError(await bot.message('GET', event, event.id), 404, 10008)
})
