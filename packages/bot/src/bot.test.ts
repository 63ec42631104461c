import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { createBot } from './bot.ts'
import { button, modal, roleSelect, row, stringSelect, textInput, userSelect } from './builders.ts'
import type { Timers } from './clock.ts'
import type { CommandDefinition } from './commands.ts'
import { customId } from './custom-ids.ts'
import { InvalidError, UnreachableError } from './errors.ts'
import type { PageQuery } from './resources.ts'
import { createTestBot } from './test-bot.ts'
import { createTestClock } from './test-clock.ts'
import { createTestService } from './test-service.ts'
import type { CommandInteraction, InteractionEvent } from './types.ts'

function start(t: { log: string[] } = { log: [] }) {
  const bot = createBot({
    token: 'gbt_secret',
    url: 'http://localhost:1',
    log: (line, error) => t.log.push(error instanceof Error ? `${line}: ${error.message}` : line),
  })
  return { bot, log: t.log }
}

const config = {
  name: 'config',
  description: 'Changes settings',
  options: [
    {
      type: 'subcommand_group',
      name: 'role',
      description: 'Roles',
      options: [
        {
          type: 'subcommand',
          name: 'add',
          description: 'Adds a role',
          options: [
            { type: 'string', name: 'name', description: 'Name', required: true, minLength: 2, maxLength: 3 },
          ],
        },
      ],
    },
    { type: 'subcommand', name: 'list', description: 'Lists settings' },
  ],
} as const satisfies CommandDefinition

test('commands in the menus of users and messages have their target', async () => {
  const { bot } = start()
  bot.command({ name: 'profile', description: 'Shows yours' }, ctx => ctx.reply('yours'))
  bot.userCommand({ name: 'profile', ephemeral: true }, ctx => ctx.reply(`about ${ctx.target.displayName}`))
  bot.messageCommand({ name: 'Report message' }, ctx => ctx.reply(`reported: ${ctx.target.content}`))
  assert.throws(() => bot.userCommand({ name: 'profile' }, () => {}), /already has a handler/)
  bot.use((ctx, next) => (ctx.type === 'messageCommand' && ctx.target.author.bot ? ctx.reply('no') : next()))
  const user = createTestBot(bot)
  const about = user.userCommand('profile', { displayName: 'Bob' })
  await about.ended
  assert.deepEqual([about.reply?.content, about.reply?.ephemeral], ['about Bob', true])
  assert.equal(about.reply?.interaction?.commandType, 'user')
  const report = user.messageCommand('Report message', await user.message('rude words'))
  await report.ended
  assert.equal(report.reply?.content, 'reported: rude words')
  const refused = user.messageCommand('Report message', about.reply)
  await refused.ended
  assert.equal(refused.reply?.content, 'no')
  const own = user.command('profile')
  await own.ended
  assert.deepEqual([own.reply?.content, own.reply?.interaction?.commandType], ['yours', undefined])
  assert.throws(() => user.userCommand('Report message'), /no user command "Report message"/)
  assert.throws(() => user.command('Report message'), /no command/)
})

test('the handler of a command with subcommands tells them apart by `ctx.subcommand`', async () => {
  const { bot } = start()
  bot.command(config, ctx => {
    if (ctx.subcommand === 'role add') return ctx.reply(`added ${ctx.options.name.toUpperCase()}`)
    return ctx.reply(ctx.subcommand)
  })
  const user = createTestBot(bot)
  const add = user.command('config role add', { name: 'abc' })
  await add.ended
  assert.equal(add.reply?.content, 'added ABC')
  const list = user.command('config list')
  await list.ended
  assert.equal(list.reply?.content, 'list')
  assert.throws(() => user.command('config'), /options: must contain a subcommand: "role", "list"/)
  assert.throws(() => user.command('config role remove'), /must be the name of a subcommand: "add"/)
  assert.throws(
    () => user.command('config list', { page: 1 }),
    /must be the name of an option of the command, not "page"/,
  )
  assert.throws(() => user.command('config role add'), /must include "name"/)
  assert.throws(() => user.command('config role add', { name: 'a' }), /at least 2 characters/)
  assert.throws(() => user.command('config role add', { name: 'abcd' }), /at most 3 characters/)
})

test('passes the options to the handler by name, typed by the definition', async () => {
  const { bot } = start()
  bot.command(
    {
      name: 'roll',
      description: 'Roll',
      options: [
        { type: 'integer', name: 'sides', description: 'Sides', required: true, min: 2 },
        { type: 'string', name: 'colour', description: 'Colour', choices: [{ name: 'Red', value: 'red' }] },
      ],
    },
    async ctx => {
      const sides: number = ctx.options.sides
      const colour: 'red' | undefined = ctx.options.colour
      await ctx.reply(`${sides} ${colour} ${ctx.user.displayName} ${ctx.name}`)
    },
  )
  const service = createTestBot(bot)
  const one = service.command('roll', { sides: 6, colour: 'red' })
  const two = service.command('roll', { sides: 20 }, { user: { displayName: 'Борис' } })
  await Promise.all([one.ended, two.ended])
  assert.equal(one.reply?.content, '6 red Ana roll')
  assert.equal(two.reply?.content, '20 undefined Борис roll')
})

test('the test bot rejects options that the service rejects', async () => {
  const { bot } = start()
  bot.command(
    {
      name: 'roll',
      description: 'Roll',
      options: [{ type: 'integer', name: 'sides', description: 'Sides', required: true, min: 2, max: 9 }],
    },
    ctx => ctx.reply({ content: 'x', components: [row(button('a', 'A', { disabled: true }))] }),
  )
  const service = createTestBot(bot)
  assert.throws(() => service.command('throw'), /no command "throw"/)
  assert.throws(() => service.command('roll'), /must include "sides"/)
  assert.throws(() => service.command('roll', { sides: 1 }), /must be between 2 and 9 \(option "sides"\)/)
  assert.throws(() => service.command('roll', { sides: 10 }), /must be between 2 and 9/)
  assert.throws(() => service.command('roll', { sides: 2.5 }), /must be a whole number/)
  assert.throws(() => service.command('roll', { sides: '6' }), /must be a whole number/)
  assert.throws(
    () => service.command('roll', { sides: 6, count: 1 }),
    /must be the name of an option of the command, not "count"/,
  )
  const use = service.command('roll', { sides: 6 })
  await use.ended
  assert.throws(() => service.press(use.reply, 'A'), /disabled/)
  assert.throws(() => service.press(use.reply, 'B'), /no button "B"/)
})

test('calls the button handler of the matching pattern; a pattern without parameters takes precedence', async () => {
  const { bot } = start()
  bot.command({ name: 'vote', description: 'Vote' }, ctx =>
    ctx.reply({ content: 'Vote', components: [row(button('vote:tea', 'Tea'), button('vote:end', 'End'))] }),
  )
  bot.button('vote:{choice}', ctx => ctx.reply(`for ${ctx.params.choice}`))
  bot.button('vote:end', ctx => ctx.update({ content: 'Over', components: [] }))
  const service = createTestBot(bot)
  const shown = service.command('vote')
  await shown.ended
  const tea = service.press(shown.reply, 'Tea')
  await tea.ended
  assert.equal(tea.reply?.content, 'for tea')
  await service.press(shown.reply, 'vote:end').ended
  assert.equal(shown.reply?.content, 'Over')
})

test('the handler of a select menu receives its values and what they refer to', async () => {
  const { bot } = start()
  const rows = [
    row(
      stringSelect('teas:{cup}', ['Green', { label: 'Black', value: 'b' }], { minValues: 0, maxValues: 2 }),
    ),
    row(userSelect('who', { placeholder: 'A member' })),
    row(roleSelect('role', { disabled: true })),
  ]
  bot.command({ name: 'menus', description: 'Menus' }, ctx =>
    ctx.reply({ content: 'Menus', components: rows }),
  )
  bot.select('teas:{cup}', ctx => ctx.reply(`${ctx.type} ${ctx.params.cup}: ${ctx.values.join()}`))
  bot.select('who', ctx => {
    const names = ctx.values.map(id => ctx.resolved.users?.[id]?.displayName)
    return ctx.update({ content: `Chosen: ${names}`, components: [] })
  })
  const service = createTestBot(bot)
  const shown = service.command('menus')
  await shown.ended
  const teas = service.select(shown.reply, 'teas:{cup}', ['Black', 'Green'])
  await teas.ended
  assert.equal(teas.reply?.content, 'select {cup}: b,Green')
  const none = service.select(shown.reply, 'teas:{cup}', [])
  await none.ended
  assert.equal(none.reply?.content, 'select {cup}: ')
  assert.throws(() => service.select(shown.reply, 'other', []), /no select menu "other"/)
  assert.throws(
    () => service.select(shown.reply, 'teas:{cup}', ['White']),
    /values\[0\]: must be one of "Green", "b"/,
  )
  assert.throws(
    () => service.select(shown.reply, 'teas:{cup}', ['b', 'Black']),
    /must differ from every other value/,
  )
  assert.throws(() => service.select(shown.reply, 'who', []), /at least 1/)
  assert.throws(() => service.select(shown.reply, 'who', ['1', '2']), /at most 1/)
  assert.throws(() => service.select(shown.reply, 'role', ['1']), /disabled/)
  await service.select(shown.reply, 'A member', [{ id: '5', displayName: 'Bo' }]).ended
  assert.deepEqual([shown.reply?.content, shown.reply?.components], ['Chosen: Bo', []])
})

test('a command and a button open modals, whose handler receives the fields, typed by the modal', async () => {
  const { bot } = start()
  const report = modal(
    'report:{subject}',
    'Report',
    textInput('reason', 'Reason', { minLength: 2, maxLength: 10 }),
    textInput('details', 'Details', { style: 'paragraph', required: false }),
  )
  const open = (subject: string) => ({ ...report, customId: customId(report.customId, { subject }) })
  bot.command({ name: 'report', description: 'Report' }, ctx => ctx.showModal(open('a')))
  bot.command({ name: 'post', description: 'Post' }, ctx =>
    ctx.reply({ content: 'Post', components: [row(button('report', 'Report'))] }),
  )
  bot.button('report', ctx => ctx.showModal(open('b')))
  bot.modal(report, async ctx => {
    const fields: { readonly reason: string; readonly details: string } = ctx.fields
    const text = `${ctx.type} ${ctx.params.subject}: ${fields.reason} (${fields.details})`
    await (ctx.message ? ctx.update({ content: text, components: [] }) : ctx.reply(text))
  })
  const service = createTestBot(bot)
  const use = service.command('report')
  await use.ended
  assert.deepEqual([use.state, use.modal?.customId, use.reply], ['answered', 'report:a', undefined])
  assert.throws(() => service.submit(use, { reason: ' ' }), /is required \(field "Reason"\)/)
  assert.throws(() => service.submit(use, { reason: 'x' }), /at least 2/)
  assert.throws(() => service.submit(use, { reason: 'x'.repeat(11) }), /at most 10/)
  assert.throws(() => service.submit(use, { reason: 'a\nb' }), /line breaks/)
  assert.throws(() => service.submit(use, { other: 'x' }), /must be the customId of a field of the modal/)
  const submitted = service.submit(use, { reason: 'Spam', details: ' a\nb ' })
  await submitted.ended
  assert.equal(submitted.reply?.content, 'modal a: Spam (a\nb)')
  assert.throws(() => service.submit(use, { reason: 'Spam' }), /submitted before/)
  assert.throws(() => service.submit(submitted), /has not opened a modal/)

  const post = service.command('post')
  await post.ended
  const press = service.press(post.reply, 'Report')
  await press.ended
  await service.submit(press, { reason: 'Spam' }).ended
  assert.equal(post.reply?.content, 'modal b: Spam ()')
})

test('a modal is only a first response; a submit without one is acknowledged', async () => {
  const { bot, log } = start()
  const dialog = modal('m', 'M', textInput('t', 'T'))
  bot.command({ name: 'late', description: 'Late' }, async ctx => {
    await ctx.defer()
    await ctx.showModal(dialog)
  })
  bot.command({ name: 'twice', description: 'Twice' }, ctx =>
    ctx.showModal(modal('m', 'M', textInput('t', 'T'), textInput('t', 'T'))),
  )
  bot.command({ name: 'post', description: 'Post' }, ctx =>
    ctx.reply({ content: 'Post', components: [row(button('open', 'Open'))] }),
  )
  bot.button('open', ctx => ctx.showModal(dialog))
  bot.modal('m', () => {})
  const service = createTestBot(bot)
  await service.command('late').ended
  assert.match(log[0] ?? '', /showModal: the interaction already has a response/)
  const twice = service.command('twice')
  await twice.ended
  assert.equal(twice.modal, undefined)
  const post = service.command('post')
  await post.ended
  const press = service.press(post.reply, 'Open')
  await press.ended
  const submitted = service.submit(press, { t: 'x' })
  await submitted.ended
  assert.equal(submitted.state, 'answered')
})

test('the submit of a modal of a command may be acknowledged, also by a handler without a response', async () => {
  const { bot } = start()
  const dialog = modal('m', 'M', textInput('t', 'T'))
  bot.command({ name: 'open', description: 'Open' }, ctx => ctx.showModal(dialog))
  bot.modal(dialog, async ctx => {
    if (ctx.fields.t === 'quiet') return
    await ctx.deferUpdate()
    await ctx.followUp('Saved')
  })
  const service = createTestBot(bot)
  for (const [t, messages] of [
    ['quiet', []],
    ['loud', ['Saved']],
  ] as const) {
    const use = service.command('open')
    await use.ended
    const submitted = service.submit(use, { t })
    await submitted.ended
    assert.deepEqual([submitted.state, submitted.reply], ['answered', undefined])
    assert.deepEqual(
      service.messages.map(({ content }) => content),
      messages,
    )
  }
})

test('menus have default values, and fields a description', async () => {
  const { bot } = start()
  const user = { type: 'user', id: '100000000000000001' } as const
  const menu = userSelect('who', { defaultValues: [user] })
  bot.command({ name: 'ask', description: 'Ask' }, ctx =>
    ctx.reply({ content: 'Who?', components: [row(menu)] }),
  )
  const service = createTestBot(bot)
  const asked = service.command('ask')
  await asked.ended
  assert.deepEqual(asked.reply?.components, [{ type: 'row', components: [menu] }])
  assert.deepEqual(textInput('t', 'T', { description: 'Below' }).description, 'Below')
  assert.throws(() => roleSelect('r', { defaultValues: [user] }), /"defaultValues\[0\]\.type" must be "role"/)
  assert.throws(() => userSelect('u', { defaultValues: [user, user] }), /"defaultValues" must have at most 1/)
  assert.throws(
    () => textInput('t', 'T', { description: 'x'.repeat(101) }),
    /"description" must have at most 100/,
  )
})

test('runs middleware around handlers in order; a middleware can skip the handler', async () => {
  const { bot } = start()
  const steps: string[] = []
  bot.use(async (_, next) => {
    steps.push('in')
    await next()
    steps.push('out')
  })
  bot.use(async (ctx, next) => {
    if (ctx.user.username !== 'boris') await next()
    else await ctx.reply({ content: 'Not you', ephemeral: true })
  })
  bot.command({ name: 'try', description: 'Try' }, async ctx => {
    steps.push('handler')
    await ctx.reply('Fine')
  })
  const service = createTestBot(bot)
  const ana = service.command('try')
  await ana.ended
  assert.deepEqual(steps, ['in', 'handler', 'out'])
  const boris = service.command('try', {}, { user: { username: 'boris' } })
  await boris.ended
  assert.deepEqual(steps, ['in', 'handler', 'out', 'in', 'out'])
  assert.deepEqual([boris.reply?.content, boris.reply?.ephemeral], ['Not you', true])
})

test('logs the error of a handler and sends an ephemeral error message', async () => {
  const { bot, log } = start()
  bot.command({ name: 'fail', description: 'Fail' }, () => {
    throw new Error('broken')
  })
  bot.command({ name: 'fail-later', description: 'Fail' }, async ctx => {
    await ctx.defer()
    throw new Error('broken later')
  })
  const service = createTestBot(bot)
  for (const name of ['fail', 'fail-later']) {
    const use = service.command(name)
    await use.ended
    assert.deepEqual([use.reply?.content, use.reply?.ephemeral], ['Something went wrong.', true])
  }
  assert.deepEqual(log, [
    '/fail: the handler failed: broken',
    '/fail-later: the handler failed: broken later',
  ])
  assert.equal(service.messages.length, 2)
})

test('bot.catch receives errors of handlers and middleware; an error in it is only logged', async () => {
  const { bot, log } = start()
  bot.use(() => {
    throw new Error('broken')
  })
  bot.command({ name: 'try', description: 'Try' }, () => {})
  let caught: unknown
  bot.catch(async (error, ctx) => {
    caught = error
    await ctx.reply('Sorry')
    throw new Error('broken too')
  })
  const use = createTestBot(bot).command('try')
  await use.ended
  assert.equal(caught instanceof Error && caught.message, 'broken')
  assert.equal(use.reply?.content, 'Sorry')
  assert.deepEqual(log, ['/try: the error handler failed: broken too'])
})

test('drops events after their deadline and repeated events', async () => {
  const { bot, log } = start()
  let runs = 0
  bot.command({ name: 'try', description: 'Try' }, async ctx => {
    runs++
    await ctx.reply('Once')
  })
  const service = createTestBot(bot)
  const at = (ms: number) => new Date(service.now() + ms).toISOString()
  const event: CommandInteraction = {
    version: 1,
    id: '1',
    token: 'git_x',
    type: 'command',
    applicationId: '2',
    channelId: '3',
    serverId: '4',
    user: { id: '5', username: 'ana', displayName: 'Ana', avatar: '/a' },
    createdAt: at(-3000),
    deadlineAt: at(0),
    expiresAt: at(897_000),
    data: { id: '6', name: 'try', options: [] },
  }
  await service.deliver(event).ended
  assert.equal(runs, 0)
  assert.deepEqual(log, ['/try: ignored, because it was received after its deadline'])

  const fresh = { ...event, id: '7', deadlineAt: at(1) }
  await service.deliver(fresh).ended
  await service.deliver(fresh).ended
  assert.equal(runs, 1)
})

test('runs a repeated event once, even if timers fire 1 ms early', async () => {
  const { bot } = start()
  const clock = createTestClock()
  const { api } = createTestService(clock)
  let runs = 0
  bot.command({ name: 'ping', description: 'Ping' }, () => void runs++)
  const timers: Timers = { after: (ms, work) => clock.timers.after(ms - 1, work) }
  const event: CommandInteraction = {
    version: 1,
    id: '100000000000000001',
    token: 'test',
    type: 'command',
    applicationId: '700000000000000001',
    channelId: '600000000000000001',
    serverId: '500000000000000001',
    user: { id: '800000000000000001', username: 'ana', displayName: 'Ana', avatar: '/avatars/ana' },
    data: { id: '400000000000000001', name: 'ping', options: [] },
    createdAt: new Date(clock.now()).toISOString(),
    deadlineAt: new Date(clock.now() + 3000).toISOString(),
    expiresAt: new Date(clock.now() + 900_000).toISOString(),
  }
  await bot.handle(event, { api, clock: clock.now, timers })
  await clock.advance(2999)
  await bot.handle(event, { api, clock: clock.now, timers })
  assert.equal(runs, 1)
})

test('an event that this version cannot read is logged, and does not reject', async () => {
  const { bot, log } = start()
  const clock = createTestClock()
  const { api } = createTestService(clock)
  bot.modal('m', () => {})
  const at = (ms: number) => new Date(clock.now() + ms).toISOString()
  const event = {
    ...{ version: 1, token: 'git_x', applicationId: '2', channelId: '3', serverId: '4' },
    user: { id: '5', username: 'ana', displayName: 'Ana', avatar: '/a' },
    ...{ createdAt: at(0), deadlineAt: at(3000), expiresAt: at(900_000) },
  }
  const unreadable = [
    { type: 'command', id: '1', data: null },
    { type: 'modal_submit', id: '2', data: { customId: 'm' }, message: { id: '9' } },
    { type: 'autocomplete', id: '3', data: { name: 'try' } },
    { type: 'command', id: '4', data: null, deadlineAt: at(0) },
  ]
  const environment = { api, clock: clock.now, timers: clock.timers }
  for (const each of unreadable) {
    await bot.handle({ ...event, ...each } as unknown as InteractionEvent, environment)
  }
  // Nothing is deferred: the user sees that the bot did not respond.
  await clock.advance(900_000)
  assert.deepEqual(
    log.map(line => line.split(': ')[0]),
    ['command 1', 'modal_submit 2', 'autocomplete 3', 'command 4'].map(
      name => `${name} could not be handled`,
    ),
  )
  await bot.stop()
})

test('logs an unknown command and sends an error message', async () => {
  const { bot, log } = start()
  const known = { name: 'old', description: 'Old' }
  const service = createTestBot({ commands: [known], handle: bot.handle })
  const use = service.command('old')
  await use.ended
  assert.equal(use.reply?.content, 'Something went wrong.')
  assert.deepEqual(log, ['/old: the handler failed: there is no handler for /old'])
})

test('stop waits for running handlers and then aborts the remaining ones', async () => {
  for (const [graceMs, expected] of [
    [60_000, 'answered'],
    [0, 'the bot was stopped'],
  ] as const) {
    const { bot } = start()
    const { promise: resumed, resolve } = Promise.withResolvers<void>()
    let outcome = ''
    bot.command({ name: 'try', description: 'Try' }, async ctx => {
      ctx.signal.addEventListener('abort', () => resolve())
      await resumed
      if (ctx.signal.aborted) outcome = String(ctx.signal.reason.message)
      else outcome = (await ctx.reply('Done')) && ctx.state
    })
    const use = createTestBot(bot).command('try')
    const stopped = bot.stop({ graceMs })
    if (graceMs > 0) resolve()
    await Promise.all([stopped, use.ended])
    assert.equal(outcome, expected)
  }
})

test('rejects start if the bot is stopped before it is ready', async () => {
  const { bot } = start()
  const ready = bot.start()
  await Promise.all([assert.rejects(ready, /stopped before it was ready/), bot.stop()])
})

test('sync logs that the service is unreachable and rejects after a limited time', async () => {
  const clock = createTestClock()
  const startedAt = clock.now()
  const log: string[] = []
  const failingFetch = async () => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) })
  }
  const bot = createBot({
    token: 'gbt_secret',
    url: 'http://localhost:1',
    log: line => log.push(line),
    runtime: { fetch: failingFetch, clock: clock.now, timers: clock.timers },
  })
  let endedAt = 0
  const synced = bot.sync().catch((error: unknown) => {
    endedAt = clock.now()
    return error
  })
  await clock.advance(0)
  const message = 'GET commands: http://localhost:1 could not be reached (ECONNREFUSED)'
  assert.deepEqual(log, [`${message}; trying again in 1 s`])
  await clock.advance(60_000)
  const error = await synced
  assert.ok(error instanceof UnreachableError)
  assert.equal(error.message, message)
  assert.equal(endedAt - startedAt, 15_000)
  assert.equal(log.length, 4)
})

test('throws if a command or button has two handlers', () => {
  const { bot } = start()
  bot.command({ name: 'café', description: 'Coffee' }, () => {})
  assert.throws(() => bot.command({ name: 'cafe\u0301', description: 'Coffee' }, () => {}), /already/)
  bot.button('a:{b}', () => {})
  assert.throws(() => bot.button('a:{b}', () => {}), /already/)
})

test('createBot throws if an option is invalid', () => {
  assert.throws(() => createBot({ token: '', url: 'http://localhost:1' }), /`token` is required/)
  assert.throws(() => createBot({ token: 'gbt_x', url: 'localhost:3000' }), /`url` must be/)
  assert.throws(() => createBot({ token: 'gbt_x', url: '' }), /`url` must be/)
})

test('printing a bot does not expose its token', () => {
  const { bot } = start()
  const printed = inspect(bot, { depth: Number.POSITIVE_INFINITY, showHidden: true }) + JSON.stringify(bot)
  assert.doesNotMatch(printed, /gbt_secret/)
})

test('listeners of events get the payload and the API of the test', async () => {
  const bot = createBot({
    token: 'gbt_secret',
    url: 'http://localhost:1',
    intents: ['messages', 'messageContent', 'members'],
  })
  bot.on('message', async (message, { api }) => {
    if (message.content === '!ping')
      await api.sendMessage(message.channelId, { content: `pong, ${message.author.username}` })
  })
  const removed: string[] = []
  bot.on('memberRemove', ({ user }) => removed.push(user.username))
  const service = createTestBot(bot)
  await service.message('!ping', { user: { username: 'boris' } })
  await service.message('hello')
  assert.deepEqual(
    service.messages.map(({ content }) => content),
    ['!ping', 'pong, boris', 'hello'],
  )
  const user = { id: '1', username: 'eve', displayName: 'Eve', avatar: '/avatars/eve', bot: false }
  await service.emit('memberRemove', { serverId: '2', user })
  assert.deepEqual(removed, ['eve'])
})

test('on throws if the intent of the event is missing, and names it', () => {
  const { bot } = start()
  assert.throws(() => bot.on('message', () => {}), {
    name: 'TypeError',
    message:
      'on: the event "message" needs the intent "messages" or "directMessages" in `intents` of createBot.',
  })
  assert.throws(() => bot.on('roleCreate', () => {}), /needs the intent "servers"/)
  bot.on('serverAdd', () => {})
  const direct = createBot({ token: 'x', url: 'http://localhost:1', intents: ['directMessages'] })
  direct.on('message', () => {})
  assert.throws(() => direct.on('memberAdd', () => {}), /needs the intent "members"/)
})

test('the test bot records the requests of the API, and the test sets their results', async () => {
  const { bot, log } = start()
  bot.command({ name: 'promote', description: 'Adds a role' }, async ctx => {
    await ctx.api.members.addRole(ctx.serverId, ctx.user.id, '7')
    const { roles } = await ctx.api.members.get(ctx.serverId, ctx.user.id)
    await ctx.api.messages.create(ctx.channelId, { content: `promoted ${roles.join()}` })
    const [newest] = await ctx.api.messages.list(ctx.channelId)
    await ctx.reply(newest?.content ?? '')
  })
  const member = {
    user: { id: '1', username: 'ana', displayName: 'Ana', avatar: '/a', bot: false },
    ...{ nick: null, roles: ['7'], joinedAt: '2026-01-31T12:00:00.000Z', timedOutUntil: null },
  }
  const service = createTestBot(bot, { api: { members: { get: async () => member } } })
  const use = service.command('promote', {}, { user: { id: '1' } })
  await use.ended
  assert.equal(use.reply?.content, 'promoted 7')
  assert.deepEqual(
    service.requests.map(({ name, args }) => [name, args[1]]),
    [
      ['members.addRole', '1'],
      ['members.get', '1'],
      ['messages.create', { content: 'promoted 7' }],
      ['messages.list', undefined],
    ],
  )
  const { bot: other } = start({ log })
  other.command({ name: 'ask', description: 'Asks' }, ctx => ctx.api.members.get(ctx.serverId, ctx.user.id))
  await createTestBot(other).command('ask').ended
  assert.match(log.join(), /no result for api\.members\.get: createTestBot\(bot, \{ api: \{ members: /)
})

test('a function of the API takes ids, then an object: a text is never taken for an id', async () => {
  for (const { api } of [start().bot, createTestService(createTestClock())]) {
    const create = api.messages.create as (...args: unknown[]) => Promise<unknown>
    const message = { content: 'hello' }
    await assert.rejects(
      create('1', 'hello'),
      /^TypeError: api\.messages\.create: argument 2 must be an object, such/,
    )
    await assert.rejects(create(message, '1'), /^TypeError: api\.messages\.create: argument 1 must be an id/)
    await assert.rejects(
      (api.editMessage as typeof create)('1', 'hello', '2'),
      /argument 3 must be an object/,
    )
  }
})

test('the list of messages of the test bot has the pages of the service', async () => {
  const { bot, log } = start()
  bot.command({ name: 'list', description: 'Lists' }, async ctx => {
    const list = async (page: PageQuery) =>
      (await ctx.api.messages.list('1', page)).map(({ content }) => content).join('')
    const { messages } = ctx.api
    const [, four = '', , two = ''] = (await messages.list('1')).map(({ id }) => id)
    const pages = [{ limit: 2 }, { before: four }, { before: four, limit: 2 }, { after: two, limit: 2 }]
    const found = [...pages, { after: two, before: four }, { after: four }].map(page => list(page))
    await ctx.reply((await Promise.all(found)).join())
    for (const limit of [0, 101]) await assert.rejects(messages.list('1', { limit }), InvalidError)
  })
  const service = createTestBot(bot)
  for (const content of ['1', '2', '3', '4', '5']) await service.message(content, { channelId: '1' })
  await service.message('elsewhere', { channelId: '2' })
  const use = service.command('list')
  await use.ended
  assert.equal(use.reply?.content, '54,321,32,43,3,5')
  assert.deepEqual(log, [])
})
