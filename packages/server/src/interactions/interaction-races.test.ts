import assert from 'node:assert/strict'
import type { InteractionCreate } from '@gatehouse/protocol/interactions'
import { firstResponseMs } from '@gatehouse/protocol/limits'
import { addBot } from '@gatehouse/testkit/applications'
import { requestsPerRound, rounds, sendAround } from '@gatehouse/testkit/races'
import { eachService, type TestResponse } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import { subjects } from '../events/gateway-events.ts'
import {
  assertError,
  buttons,
  createBot,
  createWorld,
  pressButton,
  receivedEvent,
  recordEvents,
  runCommand,
  type TestBot,
  type World,
} from './interactions-testing.ts'

const pong = { type: 'message', data: { content: 'pong' } }

async function postButton({ channelId }: Pick<World, 'channelId'>, bot: TestBot): Promise<string> {
  const body = { content: 'Sure?', components: buttons('yes') }
  const reply = await bot.json('POST', `/api/channels/${channelId}/messages`, body)
  assert.equal(reply.status, 201, reply.text)
  return reply.body.id
}

/**
 * Presses the button 200 times in ten rounds. `change` takes the ground of the presses away: each is 404 or accepted,
 * and the bot has received each accepted one once. Returns the events of the accepted ones.
 */
async function pressDuring(
  round: number,
  world: World,
  messageId: string,
  change: () => Promise<TestResponse>,
): Promise<InteractionCreate[]> {
  const replies = await sendAround(
    round,
    () => pressButton(world, messageId, 'yes'),
    async () => {
      const changed = await change()
      assert.equal(changed.status, 204, changed.text)
    },
  )
  const accepted = replies.filter(({ status }) => status === 202)
  for (const reply of replies) if (reply.status !== 202) assertError(reply, 404, 'not_found')
  assertError(await pressButton(world, messageId, 'yes'), 404, 'not_found')
  return accepted.map(({ body }) => {
    const events = world.bot.received.filter(({ id }) => id === body.id)
    assert.equal(events.length, 1, 'the bot receives the event once')
    return events[0] as InteractionCreate
  })
}

eachService(
  '200 callbacks at the deadline: each succeeds or is too late, never both (bots/deadline)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, ann } = world
    await bot.connect()
    for (let round = 0; round < rounds; round++) {
      const updates = await recordEvents(service, subjects.user(ann.id))
      const events: InteractionCreate[] = []
      for (let n = 0; n < requestsPerRound; n++)
        events.push(await receivedEvent(world, runCommand(world, 'ping')))
      service.clock.advance(firstResponseMs - 1)
      const replies = await sendAround(
        round,
        index => bot.callback(events[index] as InteractionCreate, pong),
        async () => service.clock.advance(1),
      )
      await waitUntil(() => updates.of('INTERACTION_UPDATE').length >= requestsPerRound)
      for (const [index, { id }] of events.entries()) {
        const reply = replies[index] as TestResponse
        const isAnswered = reply.status === 200
        if (!isAnswered) assertError(reply, 410, 'interaction_timed_out')
        const state = isAnswered ? 'answered' : 'timed_out'
        assert.equal((await ann.client.get(`/api/interactions/${id}`)).body.state, state)
        const own = updates.of('INTERACTION_UPDATE').filter(update => update.id === id)
        assert.deepEqual(
          own.map(update => update.state),
          [state],
        )
      }
    }
  },
)

eachService(
  'the message of a button is deleted during 200 presses: no response changes it (bots/button-message-deleted)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, channelId } = world
    await bot.connect()
    for (let round = 0; round < rounds; round++) {
      const messageId = await postButton(world, bot)
      const path = `/api/channels/${channelId}/messages/${messageId}`
      for (const event of await pressDuring(round, world, messageId, () => bot.json('DELETE', path))) {
        assertError(await bot.callback(event, { type: 'update', data: { content: 'x' } }), 404, 'not_found')
        assert.equal((await bot.callback(event, { type: 'deferred_update' })).status, 200)
      }
    }
  },
)

eachService(
  'a channel is deleted during 200 presses: nothing is posted there (bots/channel-deleted)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, owner, serverId } = world
    await bot.connect()
    for (let round = 0; round < rounds; round++) {
      const channel = await owner.client.json('POST', `/api/servers/${serverId}/channels`, { name: 'short' })
      const inChannel = { ...world, channelId: channel.body.id }
      const messageId = await postButton(inChannel, bot)
      const remove = () => owner.client.json('DELETE', `/api/channels/${inChannel.channelId}`)
      for (const event of await pressDuring(round, inChannel, messageId, remove)) {
        assertError(await bot.callback(event, pong), 404, 'not_found')
      }
    }
  },
)

eachService(
  'the bot is removed from the server during 200 presses: none stays pending (bots/bot-removed)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, owner, ann, serverId } = world
    await bot.connect()
    for (let round = 0; round < rounds; round++) {
      const messageId = await postButton(world, bot)
      const path = `/api/servers/${serverId}/members/${bot.botId}`
      const events = await pressDuring(round, world, messageId, () => owner.client.json('DELETE', path))
      for (const event of events) {
        const { body } = await ann.client.get(`/api/interactions/${event.id}`)
        assert.deepEqual([body.state, body.reasonCode], ['failed', 'removed'])
      }
      await addBot(owner.client, bot.applicationId, serverId)
      for (const event of events) assertError(await bot.callback(event, pong), 404, 'not_found')
    }
  },
)

eachService(
  'the application is deleted during 200 presses: its interactions are gone (bots/bot-removed)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { owner, ann, serverId } = world
    for (let round = 0; round < rounds; round++) {
      const bot = await createBot(service, owner, `bot_${round}`)
      await addBot(owner.client, bot.applicationId, serverId)
      await bot.connect()
      const messageId = await postButton(world, bot)
      const remove = () => owner.client.json('DELETE', `/api/applications/${bot.applicationId}`)
      for (const event of await pressDuring(round, { ...world, bot }, messageId, remove)) {
        assertError(await ann.client.get(`/api/interactions/${event.id}`), 404, 'not_found')
        assertError(await bot.callback(event, pong), 401, 'unauthenticated')
      }
    }
  },
)

eachService(
  'the user is removed from the server during 200 presses: the bot can respond to each accepted one (bots/user-left)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, owner, ann, serverId } = world
    await bot.connect()
    const messageId = await postButton(world, bot)
    const invite = await owner.client.json('POST', `/api/servers/${serverId}/invites`, {})
    for (let round = 0; round < rounds; round++) {
      const path = `/api/servers/${serverId}/members/${ann.id}`
      for (const event of await pressDuring(round, world, messageId, () =>
        owner.client.json('DELETE', path),
      )) {
        assert.equal((await bot.callback(event, pong)).status, 200)
      }
      assert.equal((await ann.client.json('POST', `/api/invites/${invite.body.code}`)).status, 200)
    }
  },
)
