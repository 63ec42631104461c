import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rates } from '@gatehouse/protocol/limits'
import { addBot } from '@gatehouse/testkit/applications'
import { testNatsUrl } from '@gatehouse/testkit/bus'
import { fieldErrorsOf } from '@gatehouse/testkit/field-errors'
import { sendWhileLocked } from '@gatehouse/testkit/locks'
import { eachService, startNodes, type TestResponse, type TestService } from '@gatehouse/testkit/service'
import { subjects } from '../events/gateway-events.ts'
import type { Transaction } from '../storage/database.ts'
import {
  assertError,
  botOnNode,
  buttons,
  createBot,
  createWorld,
  history,
  pressButton,
  putCommands,
  recordEvents,
  respond,
  runCommand,
  type World,
} from './interactions-testing.ts'

const pong = { type: 'message', data: { content: 'pong' } }

async function contents(world: World): Promise<string[]> {
  return (await history(world)).body.map(({ content }: { content: string }) => content).reverse()
}

async function stateOf(world: World, id: string): Promise<unknown> {
  return (await world.ann.client.get(`/api/interactions/${id}`)).body.state
}

eachService(
  'after defer, exactly one of 20 concurrent follow-ups replaces the placeholder ' +
    '(bots/interaction-states, bots/placeholder-id)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot } = world
    await bot.connect()
    const { event, reply } = await respond(world, runCommand(world, 'ping'), { type: 'defer' })
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => bot.followup(event, { content: `answer ${index}` })),
    )
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
    const ids = replies.map(({ body }) => body.id)
    assert.equal(new Set(ids).size, 20)
    assert.equal(ids.filter(id => id === reply.body.message.id).length, 1)
    assert.equal(await stateOf(world, event.id), 'answered')
    const states = (await history(world)).body.map(({ state }: { state: string }) => state)
    assert.deepEqual(new Set(states), new Set(['sent']))
  },
)

eachService(
  '404 if the bot is removed from the server before the transaction of a follow-up or an edit (bots/bot-removed)',
  async (t, service) => {
    const world = await createWorld(service)
    const { bot, owner, ann, serverId } = world
    await bot.connect()
    const annEvents = await recordEvents(service, subjects.user(ann.id))
    const { transaction } = service.db
    async function removeBefore(send: () => Promise<TestResponse>): Promise<void> {
      let removed = false
      const mock = t.mock.method(
        service.db,
        'transaction',
        async (...args: Parameters<typeof transaction>) => {
          if (!removed) {
            removed = true
            const reply = await owner.client.json('DELETE', `/api/servers/${serverId}/members/${bot.botId}`)
            assert.equal(reply.status, 204, reply.text)
          }
          return Reflect.apply(transaction, service.db, args)
        },
      )
      assertError(await send(), 404, 'not_found')
      mock.mock.restore()
      await addBot(owner.client, bot.applicationId, serverId)
    }
    const run = async (type: string, data?: object) =>
      (await respond(world, runCommand(world, 'ping'), { type, data })).event
    const first = await run('defer')
    await removeBefore(() => bot.followup(first, { content: 'late' }))
    const second = await run('message', { content: 'second' })
    await removeBefore(() => bot.followup(second, { content: 'late' }))
    const third = await run('message', { content: 'third' })
    await removeBefore(() => bot.followup(third, { content: `late <@${ann.id}>` }))
    const fourth = await run('message', { content: 'fourth' })
    await removeBefore(() => bot.followup(fourth, { content: 'late', ephemeral: true }))
    const fifth = await run('message', { content: 'fifth' })
    await removeBefore(() => bot.response('PATCH', fifth, 'original', { content: 'late' }))
    const sixth = await run('message', { content: 'sixth' })
    const { id } = (await bot.followup(sixth, { content: 'follow-up' })).body
    await removeBefore(() => bot.response('PATCH', sixth, `followup/${id}`, { content: 'late' }))
    assert.ok(!(await contents(world)).some(content => content.startsWith('late')))
    assert.deepEqual(annEvents.of('MESSAGE_CREATE'), [])
  },
)

eachService(
  'a follow-up that is sent while its bot is banned is deleted or rejected (community/bans)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, owner, serverId, channelId } = world
    await bot.connect()
    const path = `/api/servers/${serverId}/bans/${bot.botId}`
    // The follow-up waits after the interaction was found: before it is stored, or until it is committed.
    const beforeInsert = (tx: Transaction) => tx.run`LOCK TABLE messages IN SHARE MODE`
    const beforeCommit = (tx: Transaction) =>
      tx.get`SELECT 1 AS one FROM channels WHERE id = ${channelId} FOR UPDATE`
    for (const lock of [beforeInsert, beforeCommit]) {
      for (const content of ['late', `late <@${owner.id}>`]) {
        const { event } = await respond(world, runCommand(world, 'ping'), pong)
        const [sent, banned] = await sendWhileLocked(
          service,
          lock,
          () => bot.followup(event, { content }),
          () => owner.client.json('PUT', path, { deleteMessageSeconds: 60 }),
        )
        assert.ok(sent.status === 200 || sent.status === 404, sent.text)
        assert.equal(banned.status, 204, banned.text)
        assert.deepEqual(await contents(world), [], `${lock.name}, ${content}`)
        await owner.client.json('DELETE', path)
        await addBot(owner.client, bot.applicationId, serverId)
      }
    }
  },
)

eachService(
  'after a moderator deleted the placeholder, the follow-up becomes the original',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, owner, channelId } = world
    await bot.connect()
    const { event, reply } = await respond(world, runCommand(world, 'ping'), { type: 'defer' })
    await owner.client.json('DELETE', `/api/channels/${channelId}/messages/${reply.body.message.id}`)
    const after = await bot.followup(event, { content: 'new' })
    assert.equal(after.status, 200, after.text)
    assert.equal((await bot.response('GET', event, 'original')).body.id, after.body.id)
  },
)

eachService(
  'the ephemeral field of a follow-up decides for that follow-up (bots/followup-ephemeral)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot, ann } = world
    await bot.connect()
    const annEvents = await recordEvents(service, subjects.user(ann.id))
    const defer = async (ephemeral: boolean) =>
      (await respond(world, runCommand(world, 'ping'), { type: 'defer', data: { ephemeral } })).event

    const deferredEphemeral = await defer(true)
    const placeholder = annEvents.of('MESSAGE_CREATE')[0]
    assert.deepEqual([placeholder?.state, placeholder?.ephemeral], ['deferred', true])
    const first = await bot.followup(deferredEphemeral, { content: 'for ann', ephemeral: false })
    assert.deepEqual([first.body.id, first.body.ephemeral], [placeholder?.id, true])
    assert.deepEqual(await contents(world), [])
    assert.deepEqual((await bot.response('GET', deferredEphemeral, 'original')).body, first.body)
    const second = await bot.followup(deferredEphemeral, { content: 'for all' })
    assert.equal(second.body.ephemeral, undefined)
    assert.deepEqual(await contents(world), ['for all'])

    const deferredPublic = await defer(false)
    const ephemeral = await bot.followup(deferredPublic, { content: 'for ann', flags: 64 })
    assert.equal(ephemeral.body.ephemeral, true)
    assert.deepEqual(await contents(world), ['for all'])
    assert.deepEqual((await bot.response('GET', deferredPublic, 'original')).body, ephemeral.body)

    const bothEphemeral = await defer(true)
    const replaced = await bot.followup(bothEphemeral, { content: 'for ann again', ephemeral: true })
    const [last] = annEvents.of('MESSAGE_CREATE').slice(-1)
    assert.equal(replaced.body.id, last?.id)
    assert.deepEqual(annEvents.of('MESSAGE_UPDATE'), [first.body, replaced.body])
    assert.deepEqual([replaced.body.state, replaced.body.editedAt], ['sent', null])
  },
)

eachService(
  'of follow-ups at the same time, exactly one replaces an ephemeral placeholder and is ' +
    'ephemeral (bots/followup-ephemeral)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot } = world
    await bot.connect()
    const { event } = await respond(world, runCommand(world, 'ping'), { type: 'defer', data: { flags: 64 } })
    const replies = await Promise.all(['a', 'b', 'c', 'd'].map(content => bot.followup(event, { content })))
    const ephemeral = replies.filter(({ body }) => body.ephemeral === true)
    assert.equal(ephemeral.length, 1)
    assert.deepEqual((await bot.response('GET', event, 'original')).body, ephemeral[0]?.body)
    assert.equal((await contents(world)).length, 3)
  },
)

eachService(
  'after an ephemeral defer of a button, neither an edit nor a follow-up is public (bots/followup-ephemeral)',
  async (_t, service) => {
    const world = await createWorld(service)
    const { bot } = world
    await bot.connect()
    const data = { content: 'Menu', components: buttons('go') }
    const { reply } = await respond(world, runCommand(world, 'ping'), { type: 'message', data })
    const press = async () =>
      (
        await respond(world, pressButton(world, reply.body.message.id, 'go'), {
          type: 'defer',
          data: { ephemeral: true },
        })
      ).event
    const edited = await bot.response('PATCH', await press(), 'original', { content: 'secret edit' })
    const sent = await bot.followup(await press(), { content: 'secret follow-up' })
    assert.deepEqual([edited.body.ephemeral, sent.body.ephemeral], [true, true])
    assert.deepEqual(await contents(world), ['Menu'])
  },
)

eachService('only the interaction of a follow-up can edit and delete it', async (_t, service) => {
  const world = await createWorld(service)
  const { bot } = world
  await bot.connect()
  const { event } = await respond(world, runCommand(world, 'ping'), pong)
  const { event: other } = await respond(world, runCommand(world, 'ping'), pong)
  const { body: stored } = await bot.followup(event, { content: 'stored', components: buttons('go') })
  const { body: ephemeral } = await bot.followup(event, { content: 'ephemeral', ephemeral: true })
  for (const { id } of [stored, ephemeral]) {
    const path = `followup/${id}`
    const edited = await bot.response('PATCH', event, path, { content: 'edited' })
    assert.equal(edited.status, 200, edited.text)
    assert.deepEqual([edited.body.id, edited.body.content], [id, 'edited'])
    assertError(await bot.response('PATCH', other, path, { content: 'x' }), 404, 'not_found')
    assertError(await bot.response('DELETE', other, path), 404, 'not_found')
    assert.equal((await bot.response('DELETE', event, path)).status, 204)
    assertError(await bot.response('DELETE', event, path), 404, 'not_found')
    assertError(await bot.response('PATCH', event, path, { content: 'x' }), 404, 'not_found')
  }
  assert.deepEqual(await contents(world), ['pong', 'pong'])
})

eachService('400 for an empty or invalid follow-up', async (_t, service) => {
  const world = await createWorld(service)
  const { bot } = world
  await bot.connect()
  const { event } = await respond(world, runCommand(world, 'ping'), { type: 'defer' })
  assert.deepEqual(fieldErrorsOf(await bot.followup(event, {})), ['content required'])
  assert.deepEqual(fieldErrorsOf(await bot.followup(event, { content: 'x', embeds: [{}] })), [
    'embeds[0] empty',
  ])
  assert.deepEqual(fieldErrorsOf(await bot.response('PATCH', event, 'original', { ephemeral: true })), [
    'ephemeral unknown_member',
  ])
  assert.equal(await stateOf(world, event.id), 'deferred')
})

eachService(
  'follow-ups and edits of responses have a rate in each channel, towards which the callback ' +
    'does not count (limits/followups)',
  async (_t, service) => {
    assert.deepEqual(rates.followups, { count: 300, seconds: 60 })
    const world = await createWorld(service)
    const { bot, owner, serverId } = world
    await bot.connect()
    const { event } = await respond(world, runCommand(world, 'ping'), { type: 'defer' })
    const assertLimited = (reply: TestResponse, retryAfter: number) => {
      assertError(reply, 429, 'rate_limited')
      assert.equal(reply.headers.get('retry-after'), String(retryAfter))
    }
    const edit = (path: string, content: string) => bot.response('PATCH', event, path, { content })

    const { body: first } = await bot.followup(event, { content: 'answer' })
    for (let i = 0; i < 3; i++) {
      const replies = await Promise.all([
        bot.followup(event, { content: 'more', ephemeral: i % 2 === 0 }),
        edit('original', `edit ${i}`),
        edit(`followup/${first.id}`, `edit again ${i}`),
      ])
      for (const reply of replies) assert.equal(reply.status, 200, reply.text)
    }
    service.clock.advance(20_000)
    assert.equal((await bot.followup(event, { content: 'x', embeds: [{}] })).status, 400, 'does not count')
    for (let i = 0; i < 2; i++) assert.equal((await edit('original', `last ${i}`)).status, 200)

    assertLimited(await bot.followup(event, { content: 'too many' }), 40)
    assertLimited(await bot.followup(event, { content: 'too many', ephemeral: true }), 40)
    assertLimited(await edit('original', 'too many'), 40)
    assertLimited(await edit(`followup/${first.id}`, 'too many'), 40)
    assert.equal((await bot.response('GET', event, 'original')).body.content, 'last 1')
    assert.ok(!(await contents(world)).includes('too many'))
    const { event: next } = await respond(world, runCommand(world, 'ping'), pong)
    assertLimited(await bot.followup(next, { content: 'too many' }), 40)

    const channel = await owner.client.json('POST', `/api/servers/${serverId}/channels`, { name: 'other' })
    const other = { ...world, channelId: channel.body.id }
    const { event: elsewhere } = await respond(other, runCommand(other, 'ping'), pong)
    assert.equal((await bot.followup(elsewhere, { content: 'here' })).status, 200)
    const second = await createBot(service, owner, 'coin_bot')
    await addBot(owner.client, second.applicationId, serverId)
    const commands = await putCommands(second, [{ name: 'flip', description: 'Flips a coin' }])
    await second.connect()
    const flip = { ...world, bot: second, commands }
    const { event: flipped } = await respond(flip, runCommand(flip, 'flip'), pong)
    assert.equal((await second.followup(flipped, { content: 'heads' })).status, 200)

    service.clock.advance(40_000)
    assert.equal((await bot.followup(event, { content: 'again' })).status, 200)
    assert.equal((await bot.response('DELETE', event, `followup/${first.id}`)).status, 204)
  },
  { env: { RATE_LIMITS: 'followups=12/60' } },
)

for (const [rate, more] of [
  ['followups', {}],
  ['ephemeralKibibytes', { ephemeral: true }],
] as const) {
  test(`the rate ${rate} counts over all nodes (limits/rates)`, async t => {
    const nodes = await startNodes(t, testNatsUrl, { RATE_LIMITS: `${rate}=3/60` })
    if (!nodes) return
    const [first, second] = nodes
    const world = await createWorld(first)
    await world.bot.connect()
    const { event } = await respond(world, runCommand(world, 'ping'), { type: 'defer' })
    // Three follow-ups, or 6 KiB, which is the burst of this rate.
    const body = { content: 'x'.repeat(2000), ...more }
    for (let i = 0; i < 3; i++) assert.equal((await world.bot.followup(event, body)).status, 200)
    await shareHits(first, second)
    assertError(await botOnNode(second, world.bot).followup(event, body), 429, 'rate_limited')
  })
}

/** Resolves when the second node has received the hits of the first. */
async function shareHits(first: TestService, second: TestService): Promise<void> {
  const { promise: received, resolve } = Promise.withResolvers<void>()
  // Messages of a node arrive in the order in which it sent them.
  const subscription = await second.bus.subscribe('test-shared', () => resolve())
  first.clock.advance(100)
  first.bus.publish('test-shared', {})
  await received
  subscription.close()
}
