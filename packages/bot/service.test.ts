import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  AlreadyAnsweredError,
  ApiError,
  type Bot,
  type BotOptions,
  button,
  type CommandDefinition,
  createBot,
  InvalidError,
  LateError,
  NotAnsweredError,
  row,
  TokenError,
} from '@gatehouse/bot'
import { allPermissions, formatPermissions } from '@gatehouse/protocol/permissions'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import { type BotSetup, fetchWithoutDate, startBotSetup } from './testing.ts'

/** Starts the service and a bot that share one clock, which only the test advances. */
async function start(t: TestContext, define: (bot: Bot) => void, options: Partial<BotOptions> = {}) {
  const world = await startBotSetup(t)
  const { service } = world
  const log: string[] = []
  const errors: unknown[] = []
  const thrown: unknown[] = []
  const bot = createBot({
    token: world.token,
    url: service.url,
    log(line, error) {
      log.push(line)
      if (error !== undefined) errors.push(error)
    },
    runtime: {
      fetch: fetchWithoutDate,
      clock: service.clock.now,
      timers: {
        after(ms, work) {
          const timer = service.clock.timers.after(ms, work)
          return () => timer.cancel()
        },
      },
    },
    ...options,
  })
  define(bot)
  bot.catch(error => {
    thrown.push(error)
  })
  t.after(() => bot.stop({ graceMs: 0 }))
  await bot.sync()
  return { ...world, bot, log, errors, thrown }
}

/** Uses a command without waiting for a response. Resolves to the interaction id. */
async function begin({ ana, channelId, commandId }: BotSetup, name: string): Promise<string> {
  const body = { type: 'command', channelId, commandId: await commandId(name) }
  return (await ana.request<{ id: string }>('POST', '/api/interactions', body)).id
}

async function stateOf({ ana }: BotSetup, id: string): Promise<string> {
  return (await ana.request<{ state: string }>('GET', `/api/interactions/${id}`)).state
}

test('defers a slow command automatically, and its reply replaces the placeholder', async t => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const world = await start(t, bot => {
    bot.command({ name: 'slow', description: 'Takes its time' }, async ctx => {
      await ctx.reply(await promise)
    })
  })
  await world.bot.start()
  const id = await begin(world, 'slow')
  world.service.clock.advance(2499)
  assert.equal(await stateOf(world, id), 'pending')
  world.service.clock.advance(1)
  await waitUntil(async () => (await stateOf(world, id)) === 'deferred')
  const [placeholder] = await world.messages()
  assert.deepEqual([placeholder?.content, placeholder?.state], ['', 'deferred'])
  world.service.clock.advance(14 * 60_000)
  resolve('At last')
  await waitUntil(async () => (await stateOf(world, id)) === 'answered')
  const [message, ...rest] = await world.messages()
  assert.deepEqual([message?.id, message?.content, rest], [placeholder?.id, 'At last', []])
  assert.deepEqual(world.thrown, [])
})

test('acknowledges a button press automatically and accepts a later update', async t => {
  const { promise, resolve } = Promise.withResolvers<string>()
  const world = await start(t, bot => {
    bot.command({ name: 'ask', description: 'Asks' }, ctx =>
      ctx.reply({ content: 'Sure?', components: [row(button('yes', 'Yes'))] }),
    )
    bot.button('yes', async ctx => {
      await ctx.update({ content: await promise, components: [] })
    })
  })
  await world.bot.start()
  assert.equal(await world.use({ type: 'command', commandId: await world.commandId('ask') }), 'answered')
  const [asked] = await world.messages()
  const { id } = await world.ana.request<{ id: string }>('POST', '/api/interactions', {
    type: 'component',
    channelId: world.channelId,
    messageId: asked?.id,
    customId: 'yes',
  })
  world.service.clock.advance(2500)
  await waitUntil(async () => (await stateOf(world, id)) === 'answered')
  resolve('Done')
  await waitUntil(async () => (await world.messages())[0]?.content === 'Done')
  assert.equal((await world.messages()).length, 1)
  assert.deepEqual(world.thrown, [])
})

test('without autoDefer, a late reply throws LateError with the delay, and the signal aborts', async t => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  let aborted: unknown
  const world = await start(
    t,
    bot => {
      bot.command({ name: 'late', description: 'Too late' }, async ctx => {
        ctx.signal.addEventListener('abort', () => {
          aborted = ctx.signal.reason
        })
        started.resolve()
        await promise
        await ctx.api.callback(ctx.event, { type: 'message', data: { content: 'x' } })
      })
    },
    { autoDefer: false },
  )
  await world.bot.start()
  const id = await begin(world, 'late')
  await started.promise
  world.service.clock.advance(3412)
  assert.equal(await stateOf(world, id), 'timed_out')
  await waitUntil(() => aborted instanceof LateError)
  resolve()
  await waitUntil(() => world.thrown.length === 1)
  const [error] = world.thrown
  assert.ok(error instanceof LateError, String(error))
  assert.deepEqual([error.status, error.code], [410, 'interaction_timed_out'])
  assert.match(error.message, /412 ms after the deadline/)
  assert.deepEqual(await world.messages(), [])
})

test('every request after 15 minutes throws LateError', async t => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const world = await start(t, bot => {
    bot.command({ name: 'long', description: 'Too long' }, async ctx => {
      await ctx.defer()
      await promise
      await ctx.api.followUp(ctx.event, { content: 'x' })
    })
  })
  await world.bot.start()
  const id = await begin(world, 'long')
  await waitUntil(async () => (await stateOf(world, id)) === 'deferred')
  world.service.clock.advance(15 * 60_000)
  resolve()
  await waitUntil(() => world.thrown.length === 1)
  const [error] = world.thrown
  assert.ok(error instanceof LateError && error.code === 'interaction_token_expired', String(error))
  assert.equal((await world.messages())[0]?.state, 'expired')
})

test('suggests values while a user types, over the gateway (bots/autocomplete)', async t => {
  const world = await start(t, bot => {
    bot.command(
      {
        name: 'play',
        description: 'Plays a song',
        options: [
          { type: 'string', name: 'artist', description: 'Who' },
          { type: 'integer', name: 'year', description: 'When', autocomplete: true },
        ],
      },
      () => {},
      {
        year: ({ value, options, user }) =>
          value === 'fail'
            ? ['x' as never]
            : [1999, { name: `${value} ${options.artist} ${user.username}`, value: 7 }],
      },
    )
  })
  await world.bot.start()
  const commandId = await world.commandId('play')
  const ask = (value: string) =>
    world.ana.request('POST', '/api/interactions/autocomplete', {
      channelId: world.channelId,
      commandId,
      focused: 'year',
      options: [
        { name: 'artist', value: 'Moby' },
        { name: 'year', value },
      ],
    })
  assert.deepEqual(await ask('19'), {
    choices: [
      { name: '1999', value: 1999 },
      { name: '19 Moby ana', value: 7 },
    ],
  })
  assert.equal(world.errors.length, 0)
  assert.deepEqual(await ask('fail'), { choices: [] }, 'the service rejects the suggestions')
  await waitUntil(() => world.errors.length === 1)
  assert.ok(world.errors[0] instanceof InvalidError)
  assert.deepEqual(world.thrown, [], 'bot.catch is for handlers that can respond')
  assert.equal((await world.bot.sync()).changed, false)
})

test('sync logs the commands that it removes', async t => {
  const world = await start(t, bot => {
    bot.command({ name: 'old', description: 'Is removed' }, () => {})
    bot.command({ name: 'kept', description: 'Stays' }, () => {})
    bot.userCommand({ name: 'kept' }, () => {})
  })
  const lines: string[] = []
  const next = createBot({ url: world.service.url, token: world.token, log: line => lines.push(line) })
  next.command({ name: 'kept', description: 'Has changed' }, () => {})
  assert.equal((await next.sync()).changed, true)
  assert.deepEqual(lines, ['sync: removes commands that this bot does not define: old, kept'])
  assert.equal((await next.sync()).changed, false)
  assert.equal(lines.length, 1)
})

test('converts error responses of the service to error classes with details', async t => {
  const world = await start(t, bot => {
    bot.command({ name: 'try', description: 'Tries' }, async ctx => {
      const { api, event } = ctx
      const errorOf = (work: Promise<unknown>) =>
        work.then(
          () => assert.fail('the service accepted the request'),
          (error: unknown) => error,
        )
      const early = await errorOf(api.followUp(event, { content: 'x' }))
      const invalid = await errorOf(ctx.reply({ content: 'x'.repeat(2001) }))
      const invalidEmbed = await errorOf(ctx.reply({ embeds: [{ title: 'x'.repeat(257) }] }))
      await ctx.reply('One')
      const twice = await errorOf(api.callback(event, { type: 'message', data: { content: 'Two' } }))
      const unknown = await errorOf(ctx.edit({ messageId: event.id, content: 'x' }))
      throw [early, invalid, invalidEmbed, twice, unknown]
    })
  })
  await world.bot.start()
  assert.equal(await world.use({ type: 'command', commandId: await world.commandId('try') }), 'answered')
  await waitUntil(() => world.thrown.length === 1)
  const [errors] = world.thrown
  assert.ok(Array.isArray(errors))
  const [early, invalid, invalidEmbed, twice, unknown] = errors
  assert.ok(early instanceof NotAnsweredError && early.status === 409)
  assert.ok(invalid instanceof InvalidError)
  assert.deepEqual(
    invalid.fieldErrors.map(({ path, code }) => [path, code]),
    [['data.content', 'too_long']],
  )
  assert.ok(invalidEmbed instanceof InvalidError)
  assert.equal(invalidEmbed.fieldErrors[0]?.path, 'data.embeds[0].title')
  assert.ok(twice instanceof AlreadyAnsweredError && twice.status === 409)
  assert.ok(unknown instanceof ApiError && unknown.status === 404)
  assert.deepEqual(
    (await world.messages()).map(({ content }) => content),
    ['One'],
  )
  const unauthorized = createBot({ url: world.service.url, token: `gbt_${'a'.repeat(49)}` })
  await assert.rejects(unauthorized.sync(), TokenError)
  await assert.rejects(unauthorized.start(), TokenError)
})

test('the bot drops an interaction that is replayed after its deadline (bots/interaction-replay)', async t => {
  const handled: string[] = []
  const sockets: WebSocket[] = []
  class RecordedWebSocket extends WebSocket {
    constructor(url: string) {
      super(url)
      sockets.push(this)
    }
  }
  const world = await startBotSetup(t)
  const { clock } = world.service
  const log: string[] = []
  let retry = () => {}
  const bot = createBot({
    token: world.token,
    url: world.service.url,
    log: line => log.push(line),
    runtime: {
      fetch: fetchWithoutDate,
      clock: clock.now,
      WebSocket: RecordedWebSocket,
      // The only timer that matters here is the reconnect delay. The test triggers it.
      timers: {
        after(ms, work, kind) {
          if (kind !== 'background' && ms < 15_000) retry = work
          return () => {}
        },
      },
    },
  })
  t.after(() => bot.stop({ graceMs: 0 }))
  bot.command({ name: 'note', description: 'Takes note' }, async ctx => {
    handled.push(ctx.event.id)
    await ctx.reply('Noted')
  })
  await bot.sync()
  await bot.start()
  // The service stores events of a lost connection for the session and replays them on resume.
  const commandId = await world.commandId('note')
  const body = { type: 'command', channelId: world.channelId, commandId }
  const [socket] = sockets
  assert.ok(socket)
  const lost = Promise.withResolvers<void>()
  bot.on('disconnected', () => lost.resolve())
  // The socket discards the event, so the bot does not receive it.
  const { id } = await discardMessages(socket, () =>
    world.ana.request<{ id: string }>('POST', '/api/interactions', body),
  )
  socket.close(4900)
  await lost.promise
  assert.equal(await stateOf(world, id), 'pending')
  clock.advance(3000)
  const resumed = Promise.withResolvers<void>()
  bot.on('resumed', () => resumed.resolve())
  retry()
  await resumed.promise
  assert.deepEqual(handled, [])
  assert.ok(
    log.some(line => line === '/note: ignored, because it was received after its deadline'),
    log.join('\n'),
  )
  assert.equal(await stateOf(world, id), 'timed_out')
  assert.equal(await world.use({ type: 'command', commandId }), 'answered')
  assert.equal(handled.length, 1)
})

/** Discards the messages of the socket during `work`. Resolves after at least one message. */
async function discardMessages<T>(socket: WebSocket, work: () => Promise<T>): Promise<T> {
  const lost = Promise.withResolvers<void>()
  const { dispatchEvent } = socket
  socket.dispatchEvent = event => {
    if (event.type !== 'message') return dispatchEvent.call(socket, event)
    lost.resolve()
    return true
  }
  const done = await work()
  await lost.promise
  socket.dispatchEvent = dispatchEvent
  return done
}

test('the listeners of a bot with intents receive what happens on its server', async t => {
  const world = await startBotSetup(t)
  const { service, ana, token, applicationId, channelId } = world
  await ana.request('PATCH', `/api/applications/${applicationId}`, { privilegedIntents: ['messageContent'] })
  const bot = createBot({
    token,
    url: service.url,
    intents: ['messages', 'messageContent'],
    shard: [0, 1],
    log: () => {},
  })
  t.after(() => bot.stop({ graceMs: 0 }))
  const received = new Promise<string>(resolve => bot.on('message', ({ content }) => resolve(content)))
  const { shard } = await bot.start()
  assert.deepEqual(shard, [0, 1])
  await ana.request('POST', `/api/channels/${channelId}/messages`, { content: 'hello' })
  assert.equal(await received, 'hello')
  const stopped = new Promise<Error>(resolve => bot.on('stopped', ({ error }) => resolve(error)))
  await ana.request('PATCH', `/api/applications/${applicationId}`, { privilegedIntents: [] })
  assert.match((await stopped).message, /\(4014\): the intent messageContent is off in the application\./)
  await assert.rejects(bot.start(), /\(4014\)/)
})

test('a handler gets the member, the role and the channel that options refer to (bots/resolved)', async t => {
  const world = await start(t, bot => {
    const named = { description: 'One of this server' }
    const point = {
      ...named,
      name: 'point',
      options: [
        { ...named, type: 'mentionable', name: 'whom', required: true },
        { ...named, type: 'mentionable', name: 'other', required: true },
        { ...named, type: 'channel', name: 'where', required: true },
      ],
    } as const satisfies CommandDefinition
    bot.command(point, ctx => {
      const { whom, other, where } = ctx.entities
      const nameOf = (chosen = whom) =>
        chosen.role ? chosen.role.name : `${chosen.user.username} ${chosen.member.permissions}`
      return ctx.reply([nameOf(), nameOf(other), where.name].join(', '))
    })
  })
  await world.bot.start()
  const { ana, channelId } = world
  const { id } = await ana.request<{ id: string }>('GET', '/api/users/@me')
  const { serverId } = await ana.request<{ serverId: string }>('GET', `/api/channels/${channelId}`)
  const values = { whom: id, other: serverId, where: channelId }
  const options = Object.entries(values).map(([name, value]) => ({ name, value }))
  assert.equal(
    await world.use({ type: 'command', commandId: await world.commandId('point'), options }),
    'answered',
  )
  const [message] = await world.messages()
  assert.equal(message?.content, `ana ${formatPermissions(allPermissions)}, @everyone, general`)
})
