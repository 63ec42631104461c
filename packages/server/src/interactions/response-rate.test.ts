import assert from 'node:assert/strict'
import type { InteractionCreate } from '@gatehouse/protocol/interactions'
import { eachService, type TestResponse, type TestService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import { discordBot, discordToken } from '../discord/discord-responses-testing.ts'
import { createWorld, receivedEvent, runCommand } from './interactions-testing.ts'

/** A bucket of four requests of an application; the others are those of tests. */
const few = { env: { RATE_LIMITS: 'responses=2/1,requests=1000000/1,interactions=1000000/1' } }
const burst = 4
const hi = { content: 'hi' }
const message = { type: 'message', data: hi }

/** An interaction with its first response, one that waits for it, and the requests of both APIs. */
async function setUp(service: TestService) {
  const world = await createWorld(service)
  await world.bot.connect()
  const answered = await receivedEvent(world, runCommand(world, 'ping'))
  const next = () => receivedEvent(world, runCommand(world, 'ping'))
  const discord = discordBot(service)
  return { world, bot: world.bot, discord, answered, next, pending: await next() }
}

const statusesOf = (replies: readonly TestResponse[]) => replies.map(({ status }) => status)

async function times(count: number, send: () => Promise<TestResponse>): Promise<number[]> {
  const replies: TestResponse[] = []
  for (let i = 0; i < count; i++) replies.push(await send())
  return statusesOf(replies)
}

const allowed = (status: number) => [...Array(burst).fill(status), 429]

eachService(
  'reads, deletions and refused requests count by application, on both APIs together (limits/responses)',
  async (_t, service) => {
    const { bot, discord, answered, pending } = await setUp(service)
    assert.equal((await bot.callback(answered, message)).status, 200)
    const requests: [status: number, send: () => Promise<TestResponse>][] = [
      [200, () => bot.response('GET', answered, 'original')],
      [200, () => discord.message('GET', answered, '@original')],
      [404, () => bot.response('DELETE', answered, `followup/${pending.id}`)],
      [404, () => discord.message('DELETE', answered, pending.id)],
      [400, () => bot.response('PATCH', answered, 'original', { content: 'x'.repeat(2001) })],
      [400, () => discord.message('PATCH', answered, '@original', { content: 'x'.repeat(2001) })],
      [400, () => bot.followup(answered, {})],
      [400, () => discord.followup(answered, {})],
      [409, () => bot.callback(answered, message)],
      [400, () => discord.callback(answered, { type: 4, data: hi })],
      [404, () => bot.callback({ ...answered, id: pending.id }, message)],
    ]
    for (const [status, send] of requests) {
      assert.deepEqual(await times(burst + 1, send), allowed(status), String(send))
      // Requests that the rate refuses do not count.
      await service.clock.advance(2000)
    }
    assert.deepEqual(
      await times(burst, () => bot.response('GET', answered, 'original')),
      Array(burst).fill(200),
    )
    const reply = await discord.message('GET', answered, '@original')
    assert.deepEqual([reply.status, reply.body.global], [429, false], reply.text)
  },
  few,
)

eachService(
  'what sends or edits a message does not count, nor does a first response (limits/responses)',
  async (_t, service) => {
    const { bot, discord, answered, next } = await setUp(service)
    assert.equal((await bot.callback(answered, message)).status, 200)
    for (let i = 0; i < burst + 1; i++) {
      assert.equal((await bot.callback(await next(), message)).status, 200)
      assert.equal((await discord.callback(await next(), { type: 4, data: hi })).status, 204)
      assert.equal((await bot.followup(answered, hi)).status, 200)
      assert.equal((await discord.followup(answered, hi)).status, 200)
      assert.equal((await bot.response('PATCH', answered, 'original', hi)).status, 200)
      assert.equal((await discord.message('PATCH', answered, '@original', hi)).status, 200)
    }
  },
  few,
)

eachService(
  'no rate refuses the first response to an interaction (limits/responses)',
  async (_t, service) => {
    const { bot, discord, answered, next } = await setUp(service)
    const read = () => bot.response('GET', answered, 'original')
    assert.equal((await bot.callback(answered, message)).status, 200)
    assert.deepEqual(await times(burst + 1, read), allowed(200))
    /** A valid body, which counts as many requests. */
    const padded = (body: object) => JSON.stringify(body) + ' '.repeat(500_000)
    const send = (path: string, body: object, headers = {}) =>
      service.client().send(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: padded(body),
      })
    assert.equal((await bot.callback(await next(), message)).status, 200)
    const first = await next()
    const authorization = `Bot ${bot.token}`
    const path = `/api/interactions/${first.id}/${first.token}/callback`
    assert.equal((await send(path, message, { authorization })).status, 200)
    assert.equal((await discord.callback(await next(), { type: 4, data: hi })).status, 204)
    const second = await next()
    const discordPath = `/api/v10/interactions/${second.id}/${await discordToken(service, second)}/callback`
    assert.equal((await send(discordPath, { type: 4, data: hi })).status, 204)
    // The bytes of these counted.
    service.clock.advance(2000)
    assert.equal((await read()).status, 429)
    service.clock.advance(60_000)
    assert.equal((await read()).status, 200)
  },
  few,
)

eachService(
  'refused first responses beyond the rate wait for turns, and a valid one is accepted after them (limits/responses)',
  async (t, service) => {
    const { bot, discord, answered, next } = await setUp(service)
    const setTimer = t.mock.method(service.clock.timers, 'after')
    assert.equal((await bot.callback(answered, message)).status, 200)
    const read = () => bot.response('GET', answered, 'original')
    const native = (event: InteractionCreate, body: object = { type: 'message' }) => bot.callback(event, body)
    const ofDiscord = (event: InteractionCreate, body: object = { type: 4 }) => discord.callback(event, body)
    for (const [send, valid, success] of [
      [native, message, 200],
      [ofDiscord, { type: 4, data: hi }, 204],
    ] as const) {
      service.clock.advance(60_000)
      assert.deepEqual(await times(burst + 1, read), allowed(200))
      const pending = await next()
      const refused = await times(burst + 1, () => send(pending))
      assert.deepEqual(refused, Array(burst + 1).fill(400))
      setTimer.mock.resetCalls()
      const waiting: Promise<TestResponse>[] = []
      for (const ms of [1000, 1500, 2000, 2500]) {
        waiting.push(send(pending, ms === 2500 ? valid : undefined))
        await waitUntil(() => setTimer.mock.calls.some(call => call.arguments[0] === ms))
      }
      // Its turn is after the deadline of the interaction.
      assert.equal((await send(pending, valid)).status, 429)
      service.clock.advance(1000)
      assert.equal((await waiting[0])?.status, 400)
      service.clock.advance(1500)
      assert.deepEqual(statusesOf(await Promise.all(waiting)), [400, 400, 400, success])
      assert.equal((await read()).status, 429)
    }
  },
  few,
)

eachService(
  'the token of a bot that ends while its first response waits for a turn is refused (limits/responses)',
  async (t, service) => {
    const { world, bot, answered, next } = await setUp(service)
    const setTimer = t.mock.method(service.clock.timers, 'after')
    assert.equal((await bot.callback(answered, message)).status, 200)
    assert.deepEqual(await times(burst + 1, () => bot.response('GET', answered, 'original')), allowed(200))
    const pending = await next()
    await times(burst + 1, () => bot.callback(pending, { type: 'message' }))
    const waiting = bot.callback(pending, message)
    await waitUntil(() => setTimer.mock.calls.some(call => call.arguments[0] === 1000))
    const path = `/api/applications/${bot.applicationId}/bot/token`
    assert.equal((await world.owner.client.json('POST', path)).status, 200)
    service.clock.advance(1000)
    assert.equal((await waiting).status, 401)
  },
  few,
)

eachService(
  'another bot, and a wrong token, use up nothing of an application (limits/responses)',
  async (_t, service) => {
    const { bot, discord, answered, pending } = await setUp(service)
    assert.equal((await bot.callback(answered, message)).status, 200)
    const path = `/webhooks/${answered.applicationId}/${await discordToken(service, pending)}x/messages/@original`
    assert.deepEqual(await times(burst + 1, () => discord.send('GET', path)), Array(burst + 1).fill(404))
    assert.deepEqual(await times(burst + 1, () => bot.response('GET', answered, 'original')), allowed(200))
  },
  few,
)

eachService(
  'the bytes of a body count before it is parsed (limits/responses)',
  async (_t, service) => {
    const { bot, discord, answered } = await setUp(service)
    assert.equal((await bot.callback(answered, message)).status, 200)
    const malformed = `{"content":"${'x'.repeat(16 * 1024 * (burst + 2))}`
    const token = await discordToken(service, answered)
    const sends: (() => Promise<TestResponse>)[] = [
      () =>
        service.client().send(`/api/interactions/${answered.id}/${answered.token}/followup`, {
          method: 'POST',
          headers: { authorization: `Bot ${bot.token}`, 'content-type': 'application/json' },
          body: malformed,
        }),
      () =>
        service.client().send(`/api/v10/webhooks/${answered.applicationId}/${token}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: malformed,
        }),
    ]
    for (const send of sends) {
      service.clock.advance(60_000)
      assert.equal((await send()).status, 400)
      assert.equal((await send()).status, 429)
      assert.equal((await discord.message('GET', answered, '@original')).status, 429)
    }
  },
  few,
)
