import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BotOptions, createBot } from './bot.ts'
import { button, modal, row, stringSelect, textInput } from './builders.ts'
import type { CommandContext } from './contexts.ts'
import { createTestBot } from './test-bot.ts'

/** A bot with the command `/try`. */
function start(command: (ctx: CommandContext) => unknown, options: Partial<BotOptions> = {}) {
  const errors: unknown[] = []
  const bot = createBot({ token: 'gbt_x', url: 'http://localhost:1', log: () => {}, ...options })
  bot.command({ name: 'try', description: 'Try' }, command)
  bot.catch(error => {
    errors.push(error)
  })
  return { bot, service: createTestBot(bot), errors }
}

test('a handler that waits for 3 seconds is deferred, or late without the automatic deferral', async () => {
  const slow = async (ctx: CommandContext) => {
    const started = ctx.now()
    await ctx.wait(3000)
    await ctx.reply(`${ctx.now() - started} ms`)
  }
  const deferred = start(slow)
  const use = deferred.service.command('try')
  await deferred.service.advance(2999)
  assert.deepEqual([use.state, use.reply?.content], ['deferred', ''])
  await deferred.service.advance(1)
  await use.ended
  assert.deepEqual([use.state, use.reply?.content, deferred.errors], ['answered', '3000 ms', []])

  const late = start(slow, { autoDefer: false })
  const lost = late.service.command('try')
  await late.service.advance(3000)
  await lost.ended
  assert.equal(lost.state, 'timed_out')
  assert.match(String(late.errors), /^LateError: the first response must be sent within 3 seconds/)
})

test('a handler that waits until the deadline of the token is stopped by its signal', async () => {
  const { service, errors } = start(async ctx => {
    await ctx.defer()
    await ctx.wait(Date.parse(ctx.event.expiresAt) - ctx.now() + 1, ctx.signal)
  })
  const use = service.command('try')
  await service.advance(15 * 60_000 - 1)
  assert.deepEqual([use.state, errors], ['deferred', []])
  await service.advance(1)
  await use.ended
  assert.equal(use.state, 'timed_out')
  assert.match(String(errors), /^LateError: responses are accepted for 15 minutes/)
})

test('a handler can wait longer than its token lives, and then send a message', async () => {
  const { service } = start(async ctx => {
    await ctx.reply('I will remind you in an hour.')
    await ctx.wait(3_600_000)
    await ctx.api.sendMessage(ctx.channelId, { content: 'Now!' })
  })
  const use = service.command('try')
  await service.advance(3_599_999)
  assert.equal(service.messages.length, 1)
  await service.advance(1)
  await use.ended
  assert.equal(service.messages[1]?.content, 'Now!')
})

test('the clock of the test is that of listeners and of suggestions too', async () => {
  const { bot, service } = start(() => {}, { intents: ['messages'] })
  const times: number[] = []
  bot.on('message', async (_, { now, wait }) => {
    await wait(10_000)
    times.push(now() - before)
  })
  bot.command(
    {
      name: 'play',
      description: 'Plays',
      options: [{ type: 'string', name: 'song', description: 'Song', autocomplete: true }],
    },
    () => {},
    {
      async song(ctx) {
        await ctx.wait(2999, ctx.signal)
        return [`${ctx.now() - before}`]
      },
    },
  )
  const before = service.now()
  const message = service.message('hello')
  const suggested = service.autocomplete('play', { focused: 'song' })
  await service.advance(10_000)
  await message
  assert.deepEqual(times, [10_000])
  assert.deepEqual(await suggested, [{ name: '2999', value: '2999' }])
})

test('a modal and the components of an ephemeral message expire with the token, others do not', async () => {
  const { bot, service } = start(ctx =>
    ctx.showModal(modal('form', 'Form', textInput('text', 'Text', { required: false }))),
  )
  const rows = [
    row(button('press', 'Press')),
    row(stringSelect('menu', ['one', 'two'], { placeholder: 'Menu' })),
  ]
  bot.button('press', () => {})
  bot.select('menu', () => {})
  bot.modal('form', ctx => ctx.reply({ content: 'Only you', ephemeral: true, components: rows }))
  bot.command({ name: 'public', description: 'For all' }, ctx =>
    ctx.reply({ content: 'All', components: rows }),
  )
  const opened = service.command('try')
  const shown = service.command('public')
  await Promise.all([opened.ended, shown.ended])
  const submitted = service.submit(opened)
  await submitted.ended
  service.press(submitted.reply, 'Press')
  const other = service.command('try')
  await service.advance(15 * 60_000)
  assert.throws(() => service.submit(other), /^TypeError: submit: the modal expired 15 minutes after/)
  assert.throws(() => service.press(submitted.reply, 'Press'), /^TypeError: The ephemeral message expired/)
  assert.throws(() => service.select(submitted.reply, 'Menu', ['one']), /^TypeError: The ephemeral message/)
  const use = service.press(shown.reply, 'Press')
  await use.ended
  assert.equal(use.state, 'answered')
})
