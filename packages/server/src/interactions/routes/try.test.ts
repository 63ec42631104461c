import assert from 'node:assert/strict'
import { eachService } from '../../testing.ts'
import { assertRefused, buttons, faultsOf, history, makeBot, makeWorld, type World } from '../testing.ts'

const sides = [{ name: 'sides', value: 6 }]

function tryOut(world: World, body: object, person = world.owner) {
  const { bot, channelId, commands } = world
  return person.client.json('POST', `/api/applications/${bot.applicationId}/try`, {
    channelId,
    commandId: commands.roll,
    options: sides,
    answer: { content: 'Six' },
    ...body,
  })
}

async function logged({ owner, bot }: World) {
  return (await owner.client.get(`/api/applications/${bot.applicationId}/interactions`)).body
}

eachService(
  '200: the event the bot would get, and its answer for the developer alone',
  async (_t, service) => {
    const world = await makeWorld(service)
    const { bot, owner, serverId, channelId, commands } = world
    await bot.connect()
    const answer = { content: 'Six', embeds: [{ title: 'Thrown' }], components: buttons('again') }
    const reply = await tryOut(world, { answer })
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
    assert.equal(bot.received.length, 0, 'a bot that runs is not asked')
    assert.deepEqual((await history(world)).body, [], 'nobody else sees it')
    const [entry] = await logged(world)
    assert.deepEqual([entry.delivery, entry.state, entry.response], ['console', 'answered', 'message'])
    const followed = await bot.followup(event, { content: 'And again', ephemeral: true })
    assert.equal(followed.status, 200, followed.text)
  },
)

eachService('400: of the options and of the answer, each at its place', async (_t, service) => {
  const world = await makeWorld(service)
  assert.deepEqual(faultsOf(await tryOut(world, { options: [{ name: 'sides', value: 101 }] })), [
    'options[0].value out_of_range',
  ])
  assert.deepEqual(faultsOf(await tryOut(world, { options: [] })), ['options required'])
  assert.deepEqual(await logged(world), [], 'nothing was sent')
  const answer = { embeds: [{ title: 'x'.repeat(257) }] }
  assert.deepEqual(faultsOf(await tryOut(world, { answer })), ['answer.embeds[0].title too_long'])
  const [entry] = await logged(world)
  assert.deepEqual([entry.delivery, entry.state], ['console', 'failed'])
  assert.match(entry.reason, /cannot be used/)
})

eachService('401, 404: for the owner of the application, of its own commands', async (_t, service) => {
  const world = await makeWorld(service)
  const { ann, owner, bot, commands, channelId } = world
  assertRefused(await tryOut(world, {}, ann), 404, 'not_found')
  const path = `/api/applications/${bot.applicationId}/try`
  assertRefused(await service.client().json('POST', path, {}), 401, 'unauthenticated')
  const other = await makeBot(service, owner, 'other_bot')
  const body = { channelId, commandId: commands.roll, options: sides, answer: { content: 'Six' } }
  const elsewhere = `/api/applications/${other.applicationId}/try`
  assertRefused(await owner.client.json('POST', elsewhere, body), 404, 'not_found')
  assertRefused(await tryOut(world, { channelId: bot.applicationId }), 404, 'not_found')
})

eachService('403: where the developer may not use commands', async (_t, service) => {
  const world = await makeWorld(service)
  const { owner, ann, serverId, bot } = world
  const invite = await ann.client.json('POST', '/api/servers', { name: 'Elsewhere' })
  const code = (await ann.client.json('POST', `/api/servers/${invite.body.id}/invites`, {})).body.code
  await owner.client.json('POST', `/api/invites/${code}`)
  const everyone = `/api/servers/${invite.body.id}/roles/${invite.body.id}`
  await ann.client.json('PATCH', everyone, { permissions: String(1n << 10n) })
  const [channel] = (await ann.client.get(`/api/servers/${invite.body.id}/channels`)).body
  assertRefused(await tryOut(world, { channelId: channel.id }), 403, 'missing_permission')
  assert.notEqual(serverId, invite.body.id)
  assert.equal(bot.received.length, 0)
})
