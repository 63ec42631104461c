import assert from 'node:assert/strict'
import { fieldErrorsOf } from '@gatehouse/testkit/field-errors'
import { eachService } from '@gatehouse/testkit/service'
import {
  assertError,
  buttons,
  createBot,
  createWorld,
  history,
  receivedEvent,
  type World,
} from './interactions-testing.ts'

const sides = [{ name: 'sides', value: 6 }]

function tryCommand(world: World, body: object, user = world.owner) {
  const { bot, channelId, commands } = world
  return user.client.json('POST', `/api/applications/${bot.applicationId}/try`, {
    channelId,
    commandId: commands.roll,
    options: sides,
    answer: { content: 'Six' },
    ...body,
  })
}

async function listLog({ owner, bot }: World) {
  return (await owner.client.get(`/api/applications/${bot.applicationId}/interactions`)).body
}

eachService('200: returns the event and the ephemeral response (bots/trial)', async (_t, service) => {
  const world = await createWorld(service)
  const { bot, owner, serverId, channelId, commands } = world
  await bot.connect()
  const answer = { content: 'Six', embeds: [{ title: 'Thrown' }], components: buttons('again') }
  const reply = await tryCommand(world, { answer })
  assert.equal(reply.status, 200, reply.text)
  const { event, message } = reply.body
  assert.deepEqual(event.data, {
    id: commands.roll,
    name: 'roll',
    options: [{ name: 'sides', type: 'integer', value: 6 }],
  })
  assert.deepEqual(
    [event.type, event.applicationId, event.serverId, event.channelId, event.user.id],
    ['command', bot.applicationId, serverId, channelId, owner.id],
  )
  assert.match(event.token, /^git_/)
  assert.deepEqual(
    [message.content, message.embeds, message.ephemeral, message.author.id, message.interaction.name],
    ['Six', answer.embeds, true, bot.botId, 'roll'],
  )
  assert.equal(bot.received.length, 0, 'the connected bot receives no event')
  assert.deepEqual((await history(world)).body, [], 'other members do not see the response')
  const [entry] = await listLog(world)
  assert.deepEqual([entry.delivery, entry.state, entry.response], ['console', 'answered', 'message'])
  const followed = await bot.followup(event, { content: 'And again', ephemeral: true })
  assert.equal(followed.status, 200, followed.text)
})

const input = { type: 'text_input', customId: 'why', style: 'short', label: 'Why', minLength: 2 }
const modal = { customId: 'report', title: 'Report', components: [{ type: 'row', components: [input] }] }

eachService('200: a modal, whose submit is an interaction with the bot (bots/trial)', async (_t, service) => {
  const world = await createWorld(service)
  const { bot, owner, channelId } = world
  await bot.connect()
  const reply = await tryCommand(world, { answer: modal })
  assert.equal(reply.status, 200, reply.text)
  const { event, message } = reply.body
  assert.deepEqual([event.type, message, reply.body.modal], ['command', null, modal])
  const status = await owner.client.get(`/api/interactions/${event.id}`)
  assert.deepEqual(status.body, { id: event.id, state: 'answered', modal })
  assert.equal(bot.received.length, 0)
  const components = [{ customId: 'why', value: 'Spam' }]
  const body = { type: 'modal_submit', channelId, interactionId: event.id, components }
  const submitted = await receivedEvent(world, owner.client.json('POST', '/api/interactions', body))
  assert.deepEqual(submitted.type === 'modal_submit' && submitted.data, {
    customId: 'report',
    components: [{ type: 'text_input', ...components[0] }],
  })
  const answered = await bot.callback(submitted, { type: 'message', data: { content: 'Thanks' } })
  assert.equal(answered.status, 200, answered.text)
  assert.deepEqual(
    (await listLog(world)).map((entry: Record<string, string>) => [
      ...[entry.id, entry.type, entry.name, entry.delivery, entry.state, entry.response],
    ]),
    [
      [event.id, 'command', 'roll', 'console', 'answered', 'modal'],
      [submitted.id, 'modal_submit', 'report', 'gateway', 'answered', 'message'],
    ],
  )
})

eachService('400: an invalid modal, also with invalid options (bots/trial)', async (_t, service) => {
  const world = await createWorld(service)
  const invalid = {
    ...modal,
    title: '',
    components: [{ type: 'row', components: [{ ...input, style: 'long' }] }],
  }
  const errors = ['answer.title required', 'answer.components[0].components[0].style invalid_choice']
  assert.deepEqual(fieldErrorsOf(await tryCommand(world, { answer: invalid })), errors)
  assert.deepEqual(fieldErrorsOf(await tryCommand(world, { answer: invalid, options: [] })), [
    'options required',
    ...errors,
  ])
  const mixed = { ...modal, content: 'Report' }
  assert.deepEqual(fieldErrorsOf(await tryCommand(world, { answer: mixed })), [
    'answer.content unknown_member',
  ])
})

eachService('400: invalid options, then an invalid response', async (_t, service) => {
  const world = await createWorld(service)
  assert.deepEqual(fieldErrorsOf(await tryCommand(world, { options: [{ name: 'sides', value: 101 }] })), [
    'options[0].value out_of_range',
  ])
  assert.deepEqual(fieldErrorsOf(await tryCommand(world, { options: [] })), ['options required'])
  assert.deepEqual(await listLog(world), [], 'no interaction was created')
  const answer = { embeds: [{ title: 'x'.repeat(257) }] }
  assert.deepEqual(fieldErrorsOf(await tryCommand(world, { answer })), ['answer.embeds[0].title too_long'])
  const [entry] = await listLog(world)
  assert.deepEqual([entry.delivery, entry.state], ['console', 'failed'])
  assert.match(entry.reason, /invalid/)
})

eachService('400: lists all errors of the response and of the options', async (_t, service) => {
  const world = await createWorld(service)
  const button = { type: 'button', style: 'big', label: 'x', customId: 'a' }
  const wrong = await tryCommand(world, {
    answer: {
      content: 5,
      flags: 1,
      embeds: [{ title: 'x'.repeat(257), url: 'javascript:1' }],
      components: [{ type: 'row', components: [button] }],
    },
  })
  assert.equal(wrong.body.message.split('. ')[0], '"answer.content" must be a string or null')
  assert.deepEqual(
    wrong.body.errors.map(({ path, message }: { path: string; message: string }) => `${path} ${message}`),
    [
      'answer.content must be a string or null',
      'answer.embeds[0].title must have at most 256 characters',
      'answer.embeds[0].url must start with http:// or https://',
      'answer.components[0].components[0].style must be one of "primary", "secondary", "success", "danger", "link"',
      'answer.flags must be one of 0, 64',
    ],
  )
  const both = await tryCommand(world, {
    options: [{ name: 'sides', value: 101 }],
    answer: { embeds: [{ title: 'x'.repeat(257) }] },
  })
  assert.deepEqual(both.body.errors, [
    {
      path: 'options[0].value',
      code: 'out_of_range',
      message: 'must be between 2 and 100 (option "sides")',
      min: 2,
      max: 100,
    },
    {
      path: 'answer.embeds[0].title',
      code: 'too_long',
      message: 'must have at most 256 characters',
      max: 256,
    },
  ])
})

eachService('404 for another application or channel', async (_t, service) => {
  const world = await createWorld(service)
  const { owner, bot, commands, channelId } = world
  const other = await createBot(service, owner, 'other_bot')
  const body = { channelId, commandId: commands.roll, options: sides, answer: { content: 'Six' } }
  const elsewhere = `/api/applications/${other.applicationId}/try`
  assertError(await owner.client.json('POST', elsewhere, body), 404, 'not_found')
  assertError(await tryCommand(world, { channelId: bot.applicationId }), 404, 'not_found')
})

eachService('403 without the permissions for commands', async (_t, service) => {
  const world = await createWorld(service)
  const { owner, ann, serverId, bot } = world
  const invite = await ann.client.json('POST', '/api/servers', { name: 'Elsewhere' })
  const code = (await ann.client.json('POST', `/api/servers/${invite.body.id}/invites`, {})).body.code
  await owner.client.json('POST', `/api/invites/${code}`)
  const everyone = `/api/servers/${invite.body.id}/roles/${invite.body.id}`
  await ann.client.json('PATCH', everyone, { permissions: String(1n << 10n) })
  const [channel] = (await ann.client.get(`/api/servers/${invite.body.id}/channels`)).body
  assertError(await tryCommand(world, { channelId: channel.id }), 403, 'missing_permission')
  assert.notEqual(serverId, invite.body.id)
  assert.equal(bot.received.length, 0)
})

eachService('the log has every invalid field of an invalid answer (bots/trial)', async (_t, service) => {
  const world = await createWorld(service)
  const answer = { content: 'x'.repeat(2001), embeds: [{ title: 'y'.repeat(257) }] }
  assert.equal((await tryCommand(world, { answer })).status, 400)
  const [entry] = await listLog(world)
  assert.deepEqual([entry.delivery, entry.state], ['console', 'failed'])
  assert.match(entry.reason, /^The response of the trial is invalid\. answer\.content must have at most 2000/)
  assert.match(entry.reason, /answer\.embeds\[0\]\.title must have at most 256/)
})
