import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BotOptions, createBot } from './bot.ts'
import { button, row } from './builders.ts'
import type { ButtonContext, CommandContext } from './contexts.ts'
import { AlreadyAnsweredError, InvalidError, LateError, NotAnsweredError } from './errors.ts'
import { createTestBot } from './test-bot.ts'

const log: string[] = []

/** A bot with the command `/try` and the button `press`, with the handlers of the test. */
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

test('a second reply throws AlreadyAnsweredError', async () => {
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

test('of two concurrent replies, the service accepts the first one', async () => {
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

test('a reply after defer replaces the placeholder', async () => {
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

test('an ephemeral reply does not replace a public placeholder', async () => {
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

test('after an ephemeral placeholder, the response that replaces it is ephemeral', async () => {
  const { test: service } = start({
    async command(ctx) {
      await ctx.defer({ ephemeral: true })
      await ctx.followUp('Secret')
      await ctx.followUp('For all')
    },
  })
  await service.command('try').ended
  assert.deepEqual(
    service.messages.map(({ content, ephemeral }) => [content, ephemeral]),
    [
      ['Secret', true],
      ['For all', undefined],
    ],
  )
})

test('an ephemeral command has an ephemeral placeholder, reply and follow-ups', async () => {
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

test('defers a command 500 ms before the deadline and accepts a later reply', async () => {
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

test('the placeholder of an automatic deferral is ephemeral if the command is', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { test: service } = start(
    {
      async command(ctx) {
        await promise
        await ctx.reply('Only for you')
      },
    },
    { ephemeral: true },
  )
  const use = service.command('try')
  await service.advance(2500)
  assert.deepEqual([use.state, service.messages[0]?.ephemeral], ['deferred', true])
  resolve()
  await use.ended
  assert.deepEqual(
    service.messages.map(({ content, ephemeral }) => [content, ephemeral]),
    [['Only for you', true]],
  )
})

test('autoDefer sets the time of the deferral, or disables it', async () => {
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

test('aborts the signal at the deadline, and a reply throws LateError', async () => {
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

test('every response after 15 minutes throws LateError', async () => {
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

test('an invalid reply throws InvalidError, and a corrected one is accepted before the deadline', async () => {
  const { test: service, thrown } = start({
    async command(ctx) {
      await assert.rejects(ctx.reply('x'.repeat(2001)), (error: InvalidError) => {
        assert.ok(error instanceof InvalidError)
        assert.deepEqual(
          error.fieldErrors.map(({ path, code }) => [path, code]),
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

test('edits and deletes follow-ups by id, and the reply without id', async () => {
  const { test: service, thrown } = start({
    async command(ctx) {
      await ctx.reply('Answer')
      const one = await ctx.followUp('One')
      const two = await ctx.followUp('Two')
      await ctx.edit('Changed answer')
      await ctx.edit({ messageId: one.id, content: 'Changed one' })
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

test('edit takes one message, so that a text is never taken for an id', async () => {
  const { test: service, thrown } = start({
    async command(ctx) {
      await ctx.reply('Answer')
      const { id } = await ctx.followUp('One')
      const call = ctx.edit as (...args: unknown[]) => Promise<unknown>
      await assert.rejects(
        call('Changed', id),
        /^TypeError: edit: takes one message.*edit\(\{ messageId, content/,
      )
      await assert.rejects(call(id, 'Changed'), TypeError)
    },
  })
  const use = service.command('try')
  await use.ended
  assert.deepEqual(thrown, [])
  assert.deepEqual(
    service.messages.map(message => message.content),
    ['Answer', 'One'],
  )
})

test('a follow-up or an edit before the first response throws NotAnsweredError', async () => {
  for (const early of ['followUp', 'edit'] as const) {
    const { test: service, thrown } = start({ command: ctx => ctx[early]('Early') })
    await service.command('try').ended
    assert.ok(thrown[0] instanceof NotAnsweredError, early)
  }
})

test('update changes the message of the button', async () => {
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

test('update after deferUpdate changes the message, and reply sends a new one', async () => {
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

test('acknowledges a button press before the deadline and accepts a later update', async () => {
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

test('acknowledges a button press without a response; logs a command without one', async () => {
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
  assert.deepEqual(log, ['/try: the handler ended without a response'])
  await silent.test.advance(3000)
  assert.equal(use.state, 'timed_out')
})
