import assert from 'node:assert/strict'
import type { InteractionCreate } from '@gatehouse/protocol/interactions'
import { formatPermissions, Permission } from '@gatehouse/protocol/permissions'
import { eachService } from '@gatehouse/testkit/service'
import {
  assertError,
  buttons,
  createWorld,
  history,
  pressButton,
  receivedEvent,
  respond,
  runCommand,
  type World,
} from './interactions-testing.ts'

const pong = { type: 'message', data: { content: 'pong' } }

/** Denies or allows the bot VIEW_CHANNEL. */
async function setView({ owner, bot, channelId }: World, isAllowed: boolean): Promise<void> {
  const bits = formatPermissions(Permission.VIEW_CHANNEL)
  const [allow, deny] = isAllowed ? [bits, '0'] : ['0', bits]
  const path = `/api/channels/${channelId}/overwrites/${bot.botId}`
  const reply = await owner.client.json('PUT', path, { type: 'member', allow, deny })
  assert.equal(reply.status, 204, reply.text)
}

eachService(
  'a bot that may not view the channel any more changes nothing there with its tokens (bots/bot-lost-channel)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot } = world
    await bot.connect()
    const { event } = await respond(world, runCommand(world, 'ping'), pong)
    const { body: followup } = await bot.followup(event, { content: 'more' })
    const deferred = await respond(world, runCommand(world, 'ping'), { type: 'defer' })
    const pending = await receivedEvent(world, runCommand(world, 'ping'))
    const before = (await history(world)).body
    const requests = (of: InteractionCreate) => [
      () => bot.followup(of, { content: 'late' }),
      () => bot.followup(of, { content: 'late', ephemeral: true }),
      () => bot.response('PATCH', of, 'original', { content: 'late' }),
      () => bot.response('GET', of, 'original'),
      () => bot.response('DELETE', of, 'original'),
    ]
    await setView(world, false)
    const all = [...requests(event), ...requests(deferred.event), () => bot.callback(pending, pong)]
    for (const send of all) assertError(await send(), 404, 'not_found')
    for (const method of ['PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { content: 'late' } : undefined
      assertError(await bot.response(method, event, `followup/${followup.id}`, body), 404, 'not_found')
    }
    assert.deepEqual((await history(world)).body, before)

    await setView(world, true)
    assert.equal((await bot.followup(event, { content: 'again' })).status, 200)
    assert.equal((await bot.callback(pending, pong)).status, 200)
  },
)

eachService(
  'a button in a direct message needs no permission (bots/bot-lost-channel)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, ann } = world
    await bot.connect()
    const opened = await bot.json('POST', '/api/users/@me/channels', { recipientId: ann.id })
    const direct = { ...world, channelId: opened.body.id }
    const path = `/api/channels/${opened.body.id}/messages`
    const sent = await bot.json('POST', path, { content: 'Sure?', components: buttons('yes') })
    await setView(world, false)
    const { event } = await respond(direct, pressButton(direct, sent.body.id, 'yes'), {
      type: 'deferred_update',
    })
    assert.equal((await bot.followup(event, { content: 'thanks' })).status, 200)
    assert.equal((await bot.response('PATCH', event, 'original', { content: 'pressed' })).status, 200)
  },
)

eachService(
  'a button in a direct message with a bot that the user blocks is refused at once (bots/button-refusals)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, ann } = world
    await bot.connect()
    const opened = await bot.json('POST', '/api/users/@me/channels', { recipientId: ann.id })
    const channelId = opened.body.id
    const body = { content: 'Sure?', components: buttons('yes') }
    const sent = await bot.json('POST', `/api/channels/${channelId}/messages`, body)
    await ann.client.request('PUT', `/api/users/@me/blocks/${bot.botId}`)
    const refused = await pressButton(world, sent.body.id, 'yes', { channelId })
    assert.deepEqual([refused.status, refused.body.code], [403, 'cannot_message_user'])
    assert.deepEqual(bot.received, [])
    await ann.client.request('DELETE', `/api/users/@me/blocks/${bot.botId}`)
    assert.equal((await pressButton(world, sent.body.id, 'yes', { channelId })).status, 202)
  },
)
