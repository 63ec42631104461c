import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Bot, createBot } from './bot.ts'
import { button, modal, row, stringSelect, textInput } from './builders.ts'
import type { CommandContext } from './contexts.ts'
import { createTestBot } from './test-bot.ts'
import type { Intent } from './types.ts'

const question = { content: 'Sure?', components: [row(button('sure:yes', 'Yes'), button('sure:no', 'No'))] }

/** A bot whose command `ask` runs the handler. */
function start(
  handler: (ctx: CommandContext) => unknown,
  options: { intents?: Intent[]; define?(bot: Bot): void } = {},
) {
  const log: string[] = []
  const bot = createBot({
    token: 'gbt_x',
    url: 'http://localhost:1',
    log: (line, error) => log.push(error instanceof Error ? `${line}: ${error.message}` : line),
    ...(options.intents ? { intents: options.intents } : {}),
  })
  options.define?.(bot)
  const about = { type: 'string', name: 'about', description: 'About whom' } as const
  bot.command({ name: 'ask', description: 'Asks', options: [about] }, handler)
  return { bot, service: createTestBot(bot), log }
}

/** Resolves when the response of the command is there. */
async function ask(service: ReturnType<typeof createTestBot>) {
  const use = service.command('ask')
  await service.advance(0)
  return use
}

test('awaitButton resolves to the context of the press, with the parameters of the pattern', async () => {
  const { service, log } = start(async ctx => {
    await ctx.reply(question)
    const press = await ctx.awaitButton({ customId: 'sure:{answer}' })
    await press?.update({ content: `${press.user.displayName}: ${press.params.answer}`, components: [] })
  })
  const use = await ask(service)
  const press = service.press(use.reply, 'No', { user: { displayName: 'Eve' } })
  await press.ended
  await use.ended
  assert.deepEqual([use.reply?.content, press.state], ['Eve: no', 'answered'])
  assert.deepEqual(log, [])
})

test('a press that is not awaited goes to the handlers of the bot, or else is acknowledged', async () => {
  const { service, log } = start(
    async ctx => {
      await ctx.reply({ content: 'A', components: [row(button('a', 'A'), button('b', 'B'))] })
      const press = await ctx.awaitButton({ user: ctx.user.id, filter: ({ customId }) => customId === 'b' })
      await press?.reply('awaited')
    },
    { define: bot => bot.button('a', ctx => ctx.reply('handler')) },
  )
  const use = await ask(service)
  const handled = service.press(use.reply, 'A')
  const other = service.press(use.reply, 'B', { user: { id: '5' } })
  await Promise.all([handled.ended, other.ended])
  assert.deepEqual([handled.reply?.content, other.state], ['handler', 'answered'])
  assert.equal(other.reply?.content, 'A')
  const awaited = service.press(use.reply, 'B')
  await Promise.all([awaited.ended, use.ended])
  assert.equal(awaited.reply?.content, 'awaited')
  // Nobody waits any more, and there is no handler.
  const late = service.press(use.reply, 'B')
  await late.ended
  assert.equal(late.reply?.content, 'Something went wrong.')
  assert.match(log.join(), /no handler for the button b/)
})

test('two uses of a command wait for the buttons of their own messages', async () => {
  const { service } = start(async ctx => {
    await ctx.reply(question)
    const press = await ctx.awaitButton()
    await press?.reply(`${press.customId} ${press.message.id}`)
  })
  const [first, second] = [await ask(service), await ask(service)]
  const press = service.press(second.reply, 'Yes')
  await Promise.all([press.ended, second.ended])
  assert.equal(press.reply?.content, `sure:yes ${second.reply?.id}`)
  const other = service.press(first.reply, 'No')
  await Promise.all([other.ended, first.ended])
  assert.equal(other.reply?.content, `sure:no ${first.reply?.id}`)
})

test('awaitButton resolves to undefined after the time', async () => {
  const { service } = start(async ctx => {
    await ctx.reply(question)
    const press = await ctx.awaitButton({ timeoutMs: 60_000 })
    if (!press) await ctx.edit({ content: 'Too late', components: [] })
  })
  const use = await ask(service)
  await service.advance(59_999)
  assert.equal(use.reply?.content, 'Sure?')
  await service.advance(1)
  await use.ended
  assert.equal(use.reply?.content, 'Too late')
})

test('a handler waits for several presses, also of a follow-up and with the context of a press', async () => {
  const { service } = start(async ctx => {
    await ctx.reply('Starting')
    await ctx.followUp(question)
    let count = 0
    for (let press = await ctx.awaitButton(); press && count < 2; press = await press.awaitButton()) {
      await press.update({ ...question, content: `${++count}` })
    }
  })
  const use = await ask(service)
  const [message] = use.followUps
  for (const count of ['1', '2']) {
    const press = service.press(message, 'Yes')
    await press.ended
    await service.advance(0)
    assert.deepEqual([message?.content, press.state], [count, 'answered'])
  }
  // The handler ends without a response to this one, which is acknowledged.
  const last = service.press(message, 'Yes')
  await Promise.all([last.ended, use.ended])
  assert.deepEqual([message?.content, last.state], ['2', 'answered'])
})

test('a handler that is slow to respond to an awaited press has the press deferred', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { service } = start(async ctx => {
    await ctx.reply(question)
    const press = await ctx.awaitButton()
    await promise
    await press?.update({ content: 'Done', components: [] })
  })
  const use = await ask(service)
  const press = service.press(use.reply, 'Yes')
  await service.advance(3000)
  assert.equal(press.state, 'answered')
  resolve()
  await use.ended
  assert.equal(use.reply?.content, 'Done')
})

test('awaitSelect resolves to the context of the use, and not for a button', async () => {
  const { service } = start(async ctx => {
    const menu = stringSelect('tea', ['green', 'black'])
    await ctx.reply({ content: 'Tea?', components: [row(menu), row(button('tea-none', 'None'))] })
    const use = await ctx.awaitSelect({ customId: 'tea' })
    await use?.update({ content: use.values.join(), components: [] })
  })
  const use = await ask(service)
  await service.press(use.reply, 'None').ended
  const select = service.select(use.reply, 'tea', ['black'])
  await Promise.all([select.ended, use.ended])
  assert.equal(use.reply?.content, 'black')
})

test('awaitMessage resolves to the next message of a person in the channel', async () => {
  const { service } = start(
    async ctx => {
      await ctx.reply('Your name?')
      const message = await ctx.awaitMessage({ user: ctx.user.id, filter: ({ content }) => content !== '' })
      await ctx.followUp(`Hello ${message?.content}`)
    },
    { intents: ['messages', 'messageContent'] },
  )
  const use = await ask(service)
  await service.message('elsewhere', { channelId: '1' })
  await service.message('of another user', { user: { id: '5' } })
  await service.message('Ann')
  await use.ended
  assert.equal(use.followUps[0]?.content, 'Hello Ann')
})

test('awaitMessage resolves to the first of two messages that arrive together', async () => {
  const { service } = start(
    async ctx => {
      await ctx.reply('Your name?')
      const message = await ctx.awaitMessage()
      await ctx.followUp(`Hello ${message?.content}`)
    },
    { intents: ['messages', 'messageContent'] },
  )
  const use = await ask(service)
  await Promise.all([service.message('Ann'), service.message('Ben')])
  await use.ended
  assert.equal(use.followUps[0]?.content, 'Hello Ann')
})

test('awaitMessage needs an intent, and awaitButton a message', async () => {
  const { service, log } = start(ctx => ctx.awaitMessage())
  await service.command('ask').ended
  assert.match(log.join(), /"message" needs the intent "messages" or "directMessages"/)
  const early = start(ctx => ctx.awaitButton())
  await early.service.command('ask').ended
  assert.match(early.log.join(), /the interaction has no message yet/)
})

test('stop ends the waits, and the handlers may still respond', async () => {
  const { bot, service, log } = start(async ctx => {
    await ctx.reply(question)
    const press = await ctx.awaitButton()
    await ctx.edit({ content: press ? 'Pressed' : 'Ended', components: [] })
  })
  const use = await ask(service)
  await bot.stop()
  await use.ended
  assert.equal(use.reply?.content, 'Ended')
  assert.deepEqual(log, [])
})

test('a wait that begins while the bot stops, or after that, ends at once, until the bot starts again', async () => {
  const { promise: requested, resolve } = Promise.withResolvers<void>()
  const results: (string | undefined)[] = []
  const { bot, service } = start(
    async ctx => {
      await ctx.reply(question)
      await requested
      const waits = [ctx.awaitButton(), ctx.awaitSelect(), ctx.awaitModal('why')]
      for (const wait of waits) results.push((await wait)?.customId)
      results.push((await ctx.awaitMessage())?.id)
    },
    { intents: ['messages'] },
  )
  const use = await ask(service)
  const stopped = bot.stop()
  resolve()
  await Promise.all([stopped, use.ended])
  assert.deepEqual(results.splice(0), [undefined, undefined, undefined, undefined])

  const startFailed = assert.rejects(bot.start(), /stopped before it was ready/)
  const later = await ask(service)
  await Promise.all([service.press(later.reply, 'Yes').ended, bot.stop(), later.ended, startFailed])
  assert.deepEqual(results, ['sure:yes', undefined, undefined, undefined])
})

test('awaitModal resolves to the modal that the same user submits, with its fields', async () => {
  const { service, log } = start(async ctx => {
    const why = modal('why', 'Why?', textInput('reason', 'Reason'))
    await ctx.showModal(why)
    const submitted = await ctx.awaitModal(why)
    // The compiler knows the fields.
    const reason: string | undefined = submitted?.fields.reason
    await submitted?.reply(`${submitted.user.id}: ${reason}`)
  })
  const [first, second] = [
    service.command('ask', {}, { user: { id: '5' } }),
    service.command('ask', {}, { user: { id: '6' } }),
  ]
  await service.advance(0)
  const other = service.submit(second, { reason: 'two' })
  const one = service.submit(first, { reason: 'one' })
  await Promise.all([one.ended, other.ended, first.ended, second.ended])
  assert.deepEqual([one.reply?.content, other.reply?.content], ['5: one', '6: two'])
  assert.deepEqual(log, [])
})

test('awaitModal resolves to undefined after the time, and the modal then has no handler', async () => {
  const { service, log } = start(async ctx => {
    await ctx.showModal(modal('why', 'Why?', textInput('reason', 'Reason')))
    const submitted = await ctx.awaitModal('why', { timeoutMs: 1000 })
    if (!submitted) await ctx.followUp('Too late')
  })
  const use = service.command('ask')
  await service.advance(1000)
  await use.ended
  assert.equal(use.followUps[0]?.content, 'Too late')
  await service.submit(use, { reason: 'late' }).ended
  assert.match(log.join(), /no handler for the modal why/)
})

test('a submit goes to the last handler of its user and channel that waits for the modal', async () => {
  const { service, log } = start(async ctx => {
    const why = modal('why', 'Why?', textInput('reason', 'Reason'))
    await ctx.showModal(why)
    const submitted = await ctx.awaitModal(why)
    await submitted?.reply(`${ctx.options.about}: ${submitted.fields.reason}`)
  })
  const ask = async (about: string, channelId: string) => {
    const use = service.command('ask', { about }, { channelId })
    await service.advance(0)
    return use
  }
  // The user closes this modal without a submit.
  await ask('ann', '1')
  const [ben, cat] = [await ask('ben', '1'), await ask('cat', '2')]
  for (const [use, reply] of [
    [ben, 'ben: spam'],
    [cat, 'cat: spam'],
  ] as const) {
    const submit = service.submit(use, { reason: 'spam' })
    await submit.ended
    assert.equal(submit.reply?.content, reply)
  }
  assert.deepEqual(log, [])
})

test('an error of a filter is an error of the handler that waits, and the interaction is acknowledged', async () => {
  const { bot, service, log } = start(async ctx => {
    await ctx.reply(question)
    await ctx.awaitButton({
      filter() {
        throw new Error('the filter failed')
      },
    })
  })
  const caught: unknown[] = []
  bot.catch((error, ctx) => caught.push([error instanceof Error && error.message, ctx.event.type]))
  const use = service.command('ask')
  await service.advance(0)
  const press = service.press(use.reply, 'Yes')
  await Promise.all([press.ended, use.ended])
  assert.deepEqual([press.state, caught, log], ['answered', [['the filter failed', 'command']], []])
  await bot.stop()
})

test('an error of a filter of awaitMessage is an error of the handler that waits', async () => {
  const { service, log } = start(
    async ctx => {
      await ctx.reply('Your name?')
      await ctx.awaitMessage({
        filter() {
          throw new Error('the filter failed')
        },
      })
    },
    { intents: ['messages'] },
  )
  const use = await ask(service)
  await service.message('Ann')
  await use.ended
  assert.deepEqual(log, ['/ask: the handler failed: the filter failed'])
})
