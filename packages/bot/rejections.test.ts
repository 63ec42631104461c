import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  type AnyCommandDefinition,
  ApiError,
  type AutocompleteContext,
  type BotApi,
  button as buttonOf,
  type CommandDefinition,
  createBot,
  createTestBot,
  type InteractionEvent,
  InvalidError,
  row,
} from '@gatehouse/bot'
import { createTestClock } from './src/test-clock.ts'
import { createTestService } from './src/test-service.ts'
import { fetchWithoutDate, startBotSetup } from './testing.ts'

// The offline test bot accepts and rejects the same as the service, with the same codes and paths.

/** `accepted`, or the code of the error, followed by paths and codes of its field errors. */
type Verdict = readonly string[]

async function verdictOf(sent: Promise<unknown>): Promise<Verdict> {
  try {
    await sent
    return ['accepted']
  } catch (error) {
    if (error instanceof InvalidError && error.code === 'validation_failed') {
      return error.fieldErrors.map(({ path, code }) => `${path} ${code}`).toSorted()
    }
    assert.ok(error instanceof ApiError, String(error))
    return [error.code]
  }
}

type Body = Parameters<BotApi['callback']>[1]

interface Case {
  name: string
  /** Sends the response as a bot would. */
  send: (api: BotApi, event: InteractionEvent) => Promise<unknown>
  expected: Verdict
}

/** Not typed, because the compiler rejects some of them already. */
const callback = (body: object) => (api: BotApi, event: InteractionEvent) => api.callback(event, body as Body)
const message = (data: object) => callback({ type: 'message', data })
const components = (...items: object[]) =>
  message({ content: 'x', components: [{ type: 'row', components: items }] })
const embed = (value: object) => message({ embeds: [value] })
const button = { type: 'button', style: 'primary', label: 'A', customId: 'a' }
const link = { type: 'button', style: 'link', label: 'A', url: 'https://example.org' }
const options = ['a', 'b'].map(value => ({ label: value, value }))
const menu = { type: 'string_select', customId: 'm', options }
const users = { type: 'user_select', customId: 'u' }
const ana = { type: 'user', id: '100000000000000001' }
const input = { type: 'text_input', customId: 't', style: 'short', label: 'T' }
const inputRow = (changes: object = {}) => ({ type: 'row', components: [{ ...input, ...changes }] })
const modal = (changes: object = {}) =>
  callback({ type: 'modal', data: { customId: 'm', title: 'M', components: [inputRow()], ...changes } })
const firstButton = 'data.components[0].components[0]'
const answered = callback({ type: 'message', data: { content: 'x' } })
const deferred = callback({ type: 'defer' })

/** Sends a valid first response, then another request. */
const after =
  (first: Case['send'], next: Case['send']): Case['send'] =>
  async (api, event) => {
    await first(api, event)
    return next(api, event)
  }
const followUp = (data: object) => (api: BotApi, event: InteractionEvent) => api.followUp(event, data)
const edit = (data: object) => (api: BotApi, event: InteractionEvent) => api.edit(event, 'original', data)

const good: [string, Case['send']][] = [
  ['a text', message({ content: 'x' })],
  ['a text of 2000 emoji', message({ content: '😀'.repeat(2000) })],
  ['an embed without a text', embed({ title: 't'.repeat(256) })],
  [
    'an embed of 6000 characters',
    embed({ description: 'd'.repeat(4096), footer: { text: 'f'.repeat(1904) } }),
  ],
  ['25 fields', embed({ fields: Array.from({ length: 25 }, () => ({ name: 'n', value: 'v' })) })],
  ['five buttons', components(...['a', 'b', 'c', 'd', 'e'].map(customId => ({ ...button, customId })))],
  ['a link', components(link)],
  ['a menu of two values', components({ ...menu, minValues: 2, maxValues: 2 })],
  ['a menu for users', components({ type: 'user_select', customId: 'm' })],
  ['a menu for users and roles', components({ type: 'mentionable_select', customId: 'm' })],
  ['members that are null', message({ content: 'x', embeds: null, components: null })],
  ['an ephemeral placeholder', callback({ type: 'defer', data: { ephemeral: true } })],
  ['the flag for ephemeral', message({ content: 'x', flags: 64 })],
  [
    'a modal of five fields',
    modal({ components: ['a', 'b', 'c', 'd', 'e'].map(customId => inputRow({ customId })) }),
  ],
  ['a follow-up', after(answered, followUp({ content: 'y' }))],
  ['an edit of the embeds', after(answered, edit({ embeds: [{ title: 't' }] }))],
  ['mentions of users', message({ content: 'x', allowedMentions: { parse: ['users'] } })],
]

const bad: [string, Case['send'], ...Verdict][] = [
  ['an empty message', message({}), 'data.content required'],
  ['no data', callback({ type: 'message' }), 'data.content required'],
  ['a blank text', message({ content: ' \u200b ' }), 'data.content required'],
  ['a text of 2001', message({ content: 'x'.repeat(2001) }), 'data.content too_long'],
  ['a number as text', message({ content: 5 }), 'data.content invalid_type'],
  ['U+0000', message({ content: 'a\u0000' }), 'data.content invalid_text'],
  ['an unknown member', message({ content: 'x', text: 'y' }), 'data.text unknown_member'],
  ['ephemeral as text', message({ content: 'x', ephemeral: 'yes' }), 'data.ephemeral invalid_type'],
  ['an unknown flag', message({ content: 'x', flags: 1 }), 'data.flags invalid_choice'],
  ['a title of 300', embed({ title: 't'.repeat(300) }), 'data.embeds[0].title too_long'],
  ['an empty embed', embed({}), 'data.embeds[0] empty'],
  [
    'a link to JavaScript',
    embed({ title: 't', url: 'javascript:alert(1)' }),
    'data.embeds[0].url invalid_url',
  ],
  [
    '26 fields',
    embed({ fields: Array.from({ length: 26 }, () => ({ name: 'n', value: 'v' })) }),
    'data.embeds[0].fields too_many',
  ],
  [
    '8000 characters',
    message({ embeds: [{ description: 'd'.repeat(4000) }, { description: 'd'.repeat(4000) }] }),
    'data.embeds total_too_long',
  ],
  ['a field without text', embed({ fields: [{ name: 'n' }] }), 'data.embeds[0].fields[0].value required'],
  ['a color', embed({ title: 't', color: 0x1000000 }), 'data.embeds[0].color out_of_range'],
  ['a timestamp', embed({ title: 't', timestamp: 'soon' }), 'data.embeds[0].timestamp invalid_timestamp'],
  [
    'eleven embeds',
    message({ embeds: Array.from({ length: 11 }, () => ({ title: 't' })) }),
    'data.embeds too_many',
  ],
  ['a label of 81', components({ ...button, label: 'x'.repeat(81) }), `${firstButton}.label too_long`],
  [
    'a customId of 101',
    components({ ...button, customId: 'x'.repeat(101) }),
    `${firstButton}.customId too_long`,
  ],
  ['a button without a face', components({ ...button, label: '' }), `${firstButton}.label required`],
  ['a button with a URL', components({ ...button, url: link.url }), `${firstButton}.url not_allowed`],
  ['a link without a URL', components({ ...link, url: undefined }), `${firstButton}.url required`],
  ['two emoji', components({ ...button, emoji: '👍👍' }), `${firstButton}.emoji invalid_emoji`],
  [
    'the same customId twice',
    components(button, button),
    'data.components[0].components[1].customId duplicate',
  ],
  ['a button beside a menu', components(button, menu), 'data.components[0].components conflict'],
  [
    'six buttons',
    components(...'abcdef'.split('').map(customId => ({ ...button, customId }))),
    'data.components[0].components too_many',
  ],
  [
    'more minValues than options',
    components({ ...menu, minValues: 3, maxValues: 3 }),
    `${firstButton}.options too_few`,
  ],
  ['a menu without options', components({ ...menu, options: [] }), `${firstButton}.options too_few`],
  [
    'an unknown component',
    components({ type: 'slider', customId: 'a' }),
    `${firstButton}.style invalid_choice`,
    `${firstButton}.type invalid_choice`,
    `${firstButton}.label required`,
  ],
  [
    'mentions of a kind twice',
    message({ content: 'x', allowedMentions: { parse: ['users'], users: ['900000000000000001'] } }),
    'data.allowedMentions.users conflict',
  ],
  [
    'a placeholder with a text',
    callback({ type: 'defer', data: { content: 'x' } }),
    'data.content not_allowed',
  ],
  ['an update of a command', callback({ type: 'update', data: { content: 'x' } }), 'type not_allowed'],
  ['choices for a command', callback({ type: 'autocomplete', data: { choices: [] } }), 'type not_allowed'],
  ['a modal without a title', modal({ title: '' }), 'data.title required'],
  ['a modal with a title of 46', modal({ title: 'x'.repeat(46) }), 'data.title too_long'],
  ['a modal without fields', modal({ components: [] }), 'data.components too_few'],
  [
    'a modal with six fields',
    modal({ components: 'abcdef'.split('').map(customId => inputRow({ customId })) }),
    'data.components too_many',
  ],
  [
    'a modal with a field twice',
    modal({ components: [inputRow(), inputRow()] }),
    'data.components[1].components[0].customId duplicate',
  ],
  [
    'a field with a description of 100',
    modal({ components: [inputRow({ description: 'x'.repeat(100) })] }),
    'accepted',
  ],
  [
    'a field with a description of 101',
    modal({ components: [inputRow({ description: 'x'.repeat(101) })] }),
    'data.components[0].components[0].description too_long',
  ],
  ['a menu with default values', components({ ...users, defaultValues: [ana] }), 'accepted'],
  [
    'a menu with default values of another kind, and too many',
    components({
      ...users,
      defaultValues: [
        { ...ana, type: 'role' },
        { ...ana, id: '100000000000000002' },
      ],
    }),
    'data.components[0].components[0].defaultValues too_many',
    'data.components[0].components[0].defaultValues[0].type invalid_choice',
  ],
  ['a modal without data', callback({ type: 'modal' }), 'data required'],
  ['a second response', after(answered, answered), 'interaction_already_answered'],
  ['an invalid second response', after(answered, embed({ color: -1 })), 'data.embeds[0].color out_of_range'],
  [
    'a second response of 2001',
    after(answered, message({ content: 'x'.repeat(2001) })),
    'data.content too_long',
  ],
  ['a response after a placeholder', after(deferred, answered), 'interaction_already_answered'],
  ['a follow-up before the response', followUp({ content: 'x' }), 'interaction_not_answered'],
  ['an empty follow-up', after(answered, followUp({})), 'content required'],
  [
    'a follow-up with a bad embed',
    after(answered, followUp({ embeds: [{ title: 't'.repeat(257) }] })),
    'embeds[0].title too_long',
  ],
  ['an edit that leaves nothing', after(answered, edit({ content: null })), 'content required'],
  ['an ephemeral edit', after(answered, edit({ content: 'y', ephemeral: true })), 'ephemeral unknown_member'],
]

const cases: Case[] = [
  ...good.map(([name, send]) => ({ name, send, expected: ['accepted'] })),
  ...bad.map(([name, send, ...expected]) => ({ name, send, expected: expected.toSorted() })),
]

/** The service with a bot that is not connected yet, which shares its clock. */
async function startBot(t: TestContext) {
  const setup = await startBotSetup(t)
  const { service, token } = setup
  const bot = createBot({
    token,
    url: service.url,
    autoDefer: false,
    log: () => {},
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
  })
  return { ...setup, bot }
}

/** What the handler of the bot sends next, and the verdict. */
function createTrial() {
  let current: { send: Case['send']; verdict: PromiseWithResolvers<Verdict> } | undefined
  return {
    async handle({ api, event }: { api: BotApi; event: InteractionEvent }) {
      if (!current) throw new Error('the bot received an interaction before a case')
      const { send, verdict } = current
      verdict.resolve(await verdictOf(send(api, event)))
    },
    /** `use`: starts the interaction. */
    async run(send: Case['send'], use: () => Promise<unknown>): Promise<Verdict> {
      const verdict = Promise.withResolvers<Verdict>()
      current = { send, verdict }
      await use()
      return verdict.promise
    },
  }
}

function assertVerdicts(name: string, expected: Verdict, ofService: Verdict, ofTestBot: Verdict): void {
  assert.deepEqual(ofService, expected, `${name}, by the service`)
  assert.deepEqual(ofTestBot, expected, `${name}, by the test bot`)
}

test('the test bot accepts and rejects the same responses as the service', async t => {
  const { bot, ana, channelId, commandId } = await startBot(t)
  const trial = createTrial()
  bot.command({ name: 'try', description: 'Tries' }, trial.handle)
  await bot.sync()
  await bot.start()
  const body = { type: 'command', channelId, commandId: await commandId('try') }
  const testBot = createTestBot(bot)
  for (const { name, send, expected } of cases) {
    const ofService = await trial.run(send, () => ana.request('POST', '/api/interactions', body))
    const ofTestBot = await trial.run(send, () => testBot.command('try').ended)
    assertVerdicts(name, expected, ofService, ofTestBot)
  }
  // Its handlers end before the service stops.
  await bot.stop()
})

const ephemeral = { content: 'x', ephemeral: true }

test('the test bot accepts and rejects the same responses to a button as the service', async t => {
  const { bot, ana, channelId, commandId, use, messages } = await startBot(t)
  const trial = createTrial()
  bot.command({ name: 'ask', description: 'Asks' }, ctx =>
    ctx.reply({ content: 'Sure?', components: [row(buttonOf('yes', 'Yes'))] }),
  )
  bot.button('yes', trial.handle)
  await bot.sync()
  await bot.start()
  await use({ type: 'command', commandId: await commandId('ask') })
  const [asked] = await messages()
  const body = { type: 'component', channelId, messageId: asked?.id, customId: 'yes' }
  const testBot = createTestBot(bot)
  const asking = testBot.command('ask')
  await asking.ended
  const found: [string, Case['send'], ...Verdict][] = [
    ['an update', callback({ type: 'update', data: { content: 'y' } }), 'accepted'],
    ['an update of nothing', callback({ type: 'update', data: {} }), 'accepted'],
    [
      'an update that leaves nothing',
      callback({ type: 'update', data: { content: '' } }),
      'data.content required',
    ],
    ['an ephemeral update', callback({ type: 'update', data: ephemeral }), 'data.ephemeral not_allowed'],
    ['an acknowledgement', callback({ type: 'deferred_update' }), 'accepted'],
    [
      'an acknowledgement with a text',
      callback({ type: 'deferred_update', data: { content: 'x' } }),
      'data.content not_allowed',
    ],
    ['an ephemeral message', message(ephemeral), 'accepted'],
    ['a modal', modal(), 'accepted'],
  ]
  for (const [name, send, ...expected] of found) {
    const ofService = await trial.run(send, () => ana.request('POST', '/api/interactions', body))
    const ofTestBot = await trial.run(send, () => testBot.press(asking.reply, 'yes').ended)
    assertVerdicts(name, expected, ofService, ofTestBot)
  }
  // Its handlers end before the service stops.
  await bot.stop()
})

const suggest = (...choices: object[]) => callback({ type: 'autocomplete', data: { choices } })

test('the test bot accepts and rejects the same choices as the service', async t => {
  const { bot, ana, channelId, commandId } = await startBot(t)
  const trial = createTrial()
  const handler = async (ctx: AutocompleteContext) => {
    await trial.handle(ctx)
    return []
  }
  const option = { type: 'integer', name: 'size', description: 'Size', autocomplete: true, max: 9 } as const
  bot.command({ name: 'find', description: 'Finds', options: [option] }, () => {}, { size: handler })
  await bot.sync()
  await bot.start()
  const body = {
    channelId,
    commandId: await commandId('find'),
    options: [{ name: 'size', value: '' }],
    focused: 'size',
  }
  const testBot = createTestBot(bot)
  const many = Array.from({ length: 26 }, (_, index) => ({ name: `${index}`, value: index }))
  const found: [string, Case['send'], ...Verdict][] = [
    ['no choices', suggest(), 'accepted'],
    ['25 choices', suggest(...many.slice(1)), 'accepted'],
    ['a choice beyond the bounds', suggest({ name: 'Many', value: 99 }), 'accepted'],
    ['26 choices', suggest(...many), 'data.choices too_many'],
    ['a text for an integer', suggest({ name: 'One', value: '1' }), 'data.choices[0].value invalid_type'],
    ['a fraction', suggest({ name: 'Half', value: 0.5 }), 'data.choices[0].value invalid_type'],
    ['a name of 101', suggest({ name: 'x'.repeat(101), value: 1 }), 'data.choices[0].name too_long'],
    ['a name twice', suggest({ name: 'One', value: 1 }, { name: 'One', value: 2 }), 'accepted'],
    ['a choice without a value', suggest({ name: 'One' }), 'data.choices[0].value required'],
    ['a message', answered, 'type not_allowed'],
    ['choices twice', after(suggest(), suggest()), 'interaction_already_answered'],
    ['a message after choices', after(suggest(), answered), 'type not_allowed'],
    ['a follow-up', after(suggest(), followUp({ content: 'x' })), 'not_found'],
  ]
  for (const [name, send, ...expected] of found) {
    const ofService = await trial.run(send, () =>
      ana.request('POST', '/api/interactions/autocomplete', body).catch(() => undefined),
    )
    const ofTestBot = await trial.run(send, () => testBot.autocomplete('find', { focused: 'size' }))
    assertVerdicts(name, expected, ofService, ofTestBot)
  }
  // Its handlers end before the service stops.
  await bot.stop()
})

const command = { name: 'try', description: 'Tries' }
const withOption = (option: object) => ({
  ...command,
  options: [{ type: 'string', name: 'a', description: 'A', ...option }],
})
const required = { type: 'string', name: 'b', description: 'B', required: true }

test('a bad definition throws at the call, and the test bot rejects the same sets as the service', async t => {
  const { bot } = await startBot(t)
  const found: [string, object, ...Verdict][] = [
    ['a command', { ...command, options: [required] }, 'accepted'],
    ['a user command', { type: 'user', name: 'Report message' }, 'accepted'],
    ['a capital letter', { ...command, name: 'Try' }, '[0].name invalid_format'],
    ['a name of 33', { ...command, name: 'x'.repeat(33) }, '[0].name too_long'],
    ['no description', { name: 'try' }, '[0].description required'],
    ['a description of 101', { ...command, description: 'x'.repeat(101) }, '[0].description too_long'],
    ['an unknown member', { ...command, nsfw: true }, '[0].nsfw unknown_member'],
    [
      'an unknown language',
      { ...command, nameLocalizations: { RU: 'x' } },
      '[0].nameLocalizations invalid_format',
    ],
    ['an unknown type', withOption({ type: 'attachment' }), '[0].options[0].type invalid_choice'],
    ['bounds of a text', withOption({ min: 1 }), '[0].options[0].min not_allowed'],
    [
      'a maximum below the minimum',
      withOption({ type: 'integer', min: 2, max: 1 }),
      '[0].options[0].max out_of_range',
    ],
    ['a length of 6001', withOption({ maxLength: 6001 }), '[0].options[0].maxLength out_of_range'],
    [
      'a choice of another type',
      withOption({ choices: [{ name: 'One', value: 1 }] }),
      '[0].options[0].choices[0].value invalid_type',
    ],
    ['choices of a user', withOption({ type: 'user', choices: [] }), '[0].options[0].choices not_allowed'],
    [
      'autocomplete of a user',
      withOption({ type: 'user', autocomplete: true }),
      '[0].options[0].autocomplete not_allowed',
    ],
    [
      'an optional option first',
      { ...command, options: [{ ...required, name: 'a', required: false }, required] },
      '[0].options[1].required wrong_order',
    ],
    ['an option twice', { ...command, options: [required, required] }, '[0].options[1].name duplicate'],
    [
      'an empty group',
      { ...command, options: [{ type: 'subcommand_group', name: 'g', description: 'G', options: [] }] },
      '[0].options[0].options too_few',
    ],
  ]
  const { api } = createTestService(createTestClock())
  for (const [name, given, ...expected] of found) {
    const definition = given as AnyCommandDefinition
    const ofService = await verdictOf(bot.api.putCommands([definition]))
    assertVerdicts(name, expected, ofService, await verdictOf(api.putCommands([definition])))
    if (definition.type !== undefined) continue
    const other = createBot({ token: 'x', url: 'http://localhost:1' })
    const define = () => other.command<CommandDefinition>(definition, () => {}, {} as never)
    if (expected[0] === 'accepted') define()
    else assert.throws(define, { name: 'TypeError', message: /^command\("/ }, name)
  }
  const sets: [string, object[], ...Verdict][] = [
    ['a name twice', [command, command], '[1].name duplicate'],
    [
      '101 commands',
      Array.from({ length: 101 }, (_, index) => ({ ...command, name: `x${index}` })),
      'command_limit',
    ],
  ]
  for (const [name, given, ...expected] of sets) {
    const set = given as AnyCommandDefinition[]
    const ofService = await verdictOf(bot.api.putCommands(set))
    assertVerdicts(name, expected, ofService, await verdictOf(api.putCommands(set)))
  }
})
