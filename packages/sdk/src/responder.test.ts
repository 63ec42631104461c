import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BotOptions, createBot } from './bot.ts'
import { button, row } from './builders.ts'
import type { ButtonContext, CommandContext } from './contexts.ts'
import { AlreadyAnsweredError, InvalidError, LateError, NotAnsweredError } from './errors.ts'
import { createTestBot } from './test-bot.ts'

const log: string[] = []

/** A bot with `/try` and the button `press`, which do what the test says. */
function start(
  handlers: { command?: (ctx: CommandContext) => unknown; button?: (ctx: ButtonContext) => unknown },
  options: Partial<BotOptions> & { ephemeral?: boolean } = {},
) {
  const { ephemeral = false, ...rest } = options
  const thrown: unknown[] = []
  const bot = createBot({ token: 'gbt_x', url: 'http://localhost:1', log: line => log.push(line), ...rest })
  bot.command({ name: 'try', description: 'Try', ephemeral }, handlers.command ?? showButton)
  bot.button('press', handlers.button ?? (() => {}))
  bot.catch(error => {
    thrown.push(error)
  })
  return { test: createTestBot(bot), thrown }
}

function showButton(ctx: CommandContext) {
  return ctx.reply({ content: 'Press', components: [row(button('press', 'Press'))] })
}

test('reply answers, and a second reply is refused by its class', async () => {
  const { test: service, thrown } = start({
    async command(ctx) {
      const message = await ctx.reply('One')
      assert.equal(message.content, 'One')
      assert.equal(ctx.state, 'answered')
      await ctx.reply('Two')
    },
  })
  const use = service.command('try')
  await use.ended
  assert.equal(use.state, 'answered')
  assert.equal(use.reply?.content, 'One')
  assert.ok(thrown[0] instanceof AlreadyAnsweredError)
  assert.equal(service.messages.length, 1)
})

test('two replies at once: the first one counts', async () => {
  const { test: service, thrown } = start({
    command: ctx => Promise.all([ctx.reply('One'), ctx.reply('Two')]),
  })
  const use = service.command('try')
  await use.ended
  assert.deepEqual(
    service.messages.map(message => message.content),
    ['One'],
  )
  assert.ok(thrown[0] instanceof AlreadyAnsweredError)
})

test('a reply after defer takes the place of the placeholder', async () => {
  const { test: service, thrown } = start({
    async command(ctx) {
      await ctx.defer()
      assert.equal(use.reply?.state, 'deferred')
      await ctx.reply('Done')
    },
  })
  const use = service.command('try')
  const placeholder = use.reply?.id
  await use.ended
  assert.deepEqual(thrown, [])
  assert.equal(placeholder === undefined || placeholder === use.reply?.id, true)
  assert.deepEqual([use.state, use.reply?.content, use.reply?.state], ['answered', 'Done', 'sent'])
  assert.equal(service.messages.length, 1)
})

test('an answer for one person never goes into a placeholder that all see', async () => {
  const { test: service, thrown } = start({
    async command(ctx) {
      await ctx.defer()
      await ctx.reply({ content: 'Secret', ephemeral: true })
      await ctx.edit('Changed secret')
    },
  })
  const use = service.command('try')
  await use.ended
  assert.deepEqual(thrown, [])
  assert.deepEqual(
    service.messages.map(({ content, ephemeral }) => [content, ephemeral]),
    [['Changed secret', true]],
  )
})

test('a command that is ephemeral says so of its placeholder, its reply and its follow-ups', async () => {
  const { test: service } = start(
    {
      async command(ctx) {
        await ctx.defer()
        await ctx.reply('One')
        await ctx.followUp('Two')
        await ctx.followUp({ content: 'For all', ephemeral: false })
      },
    },
    { ephemeral: true },
  )
  await service.command('try').ended
  assert.deepEqual(
    service.messages.map(({ content, ephemeral }) => [content, ephemeral]),
    [
      ['One', true],
      ['Two', true],
      ['For all', undefined],
    ],
  )
})

test('what takes long is deferred half a second before the deadline, and answered later', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { test: service, thrown } = start({
    async command(ctx) {
      await promise
      await ctx.reply('Late but fine')
    },
  })
  const use = service.command('try')
  await service.advance(2499)
  assert.equal(use.state, 'pending')
  await service.advance(1)
  assert.equal(use.state, 'deferred')
  await service.advance(60_000)
  resolve()
  await use.ended
  assert.deepEqual(thrown, [])
  assert.deepEqual([use.state, use.reply?.content], ['answered', 'Late but fine'])
})

test('autoDefer says when: earlier, or never', async () => {
  const command = () => new Promise<void>(() => {})
  const early = start({ command }, { autoDefer: 2000 })
  const use = early.test.command('try')
  await early.test.advance(1000)
  assert.equal(use.state, 'deferred')

  const never = start({ command }, { autoDefer: false })
  const other = never.test.command('try')
  await never.test.advance(3000)
  assert.equal(other.state, 'timed_out')
})

test('at the deadline the signal is aborted, and an answer is a LateError', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let signal: AbortSignal | undefined
  const { test: service, thrown } = start(
    {
      async command(ctx) {
        signal = ctx.signal
        await promise
        await ctx.reply('Too late')
      },
    },
    { autoDefer: false },
  )
  const use = service.command('try')
  await service.advance(2999)
  assert.equal(signal?.aborted, false)
  await service.advance(1)
  assert.equal(signal?.aborted, true)
  assert.ok(signal?.reason instanceof LateError)
  resolve()
  await use.ended
  assert.ok(thrown[0] instanceof LateError)
  assert.equal(use.state, 'timed_out')
})

test('after 15 minutes nothing can be said any more', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let signal: AbortSignal | undefined
  const { test: service, thrown } = start({
    async command(ctx) {
      signal = ctx.signal
      await ctx.reply('One')
      await promise
      await ctx.followUp('Two')
    },
  })
  const use = service.command('try')
  await service.advance(15 * 60_000 - 1)
  assert.equal(signal?.aborted, false)
  await service.advance(1)
  assert.equal(signal?.aborted, true)
  resolve()
  await use.ended
  assert.ok(thrown[0] instanceof LateError)
  assert.deepEqual(use.followUps, [])
})

test('an answer that is invalid says what is wrong, and can be mended in time', async () => {
  const { test: service, thrown } = start({
    async command(ctx) {
      await assert.rejects(ctx.reply('x'.repeat(2001)), (error: InvalidError) => {
        assert.ok(error instanceof InvalidError)
        assert.deepEqual(
          error.faults.map(({ path, code }) => [path, code]),
          [['data.content', 'too_long']],
        )
        return true
      })
      assert.equal(ctx.state, 'pending')
      await ctx.reply('Shorter')
    },
  })
  const use = service.command('try')
  await use.ended
  assert.deepEqual(thrown, [])
  assert.equal(use.reply?.content, 'Shorter')
})

test('follow-ups are edited and deleted by their id, the answer without one', async () => {
  const { test: service, thrown } = start({
    async command(ctx) {
      await ctx.reply('Answer')
      const one = await ctx.followUp('One')
      const two = await ctx.followUp('Two')
      await ctx.edit('Changed answer')
      await ctx.edit('Changed one', one.id)
      await ctx.deleteReply(two.id)
    },
  })
  const use = service.command('try')
  await use.ended
  assert.deepEqual(thrown, [])
  assert.equal(use.followUps.length, 1)
  assert.deepEqual(
    service.messages.map(message => message.content),
    ['Changed answer', 'Changed one'],
  )
})

test('a follow-up or an edit before any answer is refused by its class', async () => {
  for (const early of ['followUp', 'edit'] as const) {
    const { test: service, thrown } = start({ command: ctx => ctx[early]('Early') })
    await service.command('try').ended
    assert.ok(thrown[0] instanceof NotAnsweredError, early)
  }
})

test('update changes the message under which the button stands', async () => {
  const { test: service, thrown } = start({
    button: ctx => ctx.update({ content: 'Pressed', components: [] }),
  })
  const shown = service.command('try')
  await shown.ended
  const use = service.press(shown.reply, 'Press')
  await use.ended
  assert.deepEqual(thrown, [])
  assert.deepEqual(
    service.messages.map(({ content, components }) => [content, components]),
    [['Pressed', []]],
  )
})

test('update after deferUpdate changes it too, and a reply is a message of its own', async () => {
  const { test: service, thrown } = start({
    async button(ctx) {
      await ctx.deferUpdate()
      await (ctx.user.username === 'ana' ? ctx.update('Pressed') : ctx.reply('Somebody pressed'))
    },
  })
  const shown = service.command('try')
  await shown.ended
  await service.press(shown.reply, 'press').ended
  await service.press(shown.reply, 'press', { user: { username: 'boris' } }).ended
  assert.deepEqual(thrown, [])
  assert.deepEqual(
    service.messages.map(message => message.content),
    ['Pressed', 'Somebody pressed'],
  )
})

test('a press that takes long is taken note of in time, and still updates the message', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { test: service, thrown } = start({
    async button(ctx) {
      await promise
      await ctx.update('Pressed at last')
    },
  })
  const shown = service.command('try')
  await shown.ended
  const use = service.press(shown.reply, 'Press')
  await service.advance(2600)
  assert.equal(use.state, 'answered')
  resolve()
  await use.ended
  assert.deepEqual(thrown, [])
  assert.equal(service.messages[0]?.content, 'Pressed at last')
})

test('a button without an answer is taken note of; a command without one is logged', async () => {
  const { test: service } = start({ button: () => {} })
  const shown = service.command('try')
  await shown.ended
  const press = service.press(shown.reply, 'Press')
  await press.ended
  assert.equal(press.state, 'answered')

  const silent = start({ command: () => {} })
  log.length = 0
  const use = silent.test.command('try')
  await use.ended
  assert.deepEqual(log, ['/try: the handler ended without an answer'])
  await silent.test.advance(3000)
  assert.equal(use.state, 'timed_out')
})
