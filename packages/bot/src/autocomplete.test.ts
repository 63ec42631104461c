import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AutocompleteHandlers } from './autocomplete.ts'
import { createBot } from './bot.ts'
import type { CommandDefinition, OptionDefinition } from './commands.ts'
import { InvalidError, LateError } from './errors.ts'
import { createTestBot } from './test-bot.ts'

const song = {
  type: 'string',
  name: 'song',
  description: 'What',
  required: true,
  autocomplete: true,
} as const

const play = {
  name: 'play',
  description: 'Plays a song',
  options: [song, { type: 'string', name: 'artist', description: 'Who' }],
} as const satisfies CommandDefinition

function start() {
  const log: string[] = []
  const errors: unknown[] = []
  const bot = createBot({
    token: 'gbt_secret',
    url: 'http://localhost:1',
    log(line, error) {
      log.push(error instanceof Error ? `${line}: ${error.message}` : line)
      errors.push(error)
    },
  })
  return { bot, log, errors, user: createTestBot(bot) }
}

test('a handler gets the text so far and the other options, and returns values or choices', async () => {
  const { bot, log, user } = start()
  bot.command(play, () => {}, {
    async song({ value, options, focused, name, subcommand, user, channelId, serverId, ...ctx }) {
      const artist: string | undefined = options.artist
      assert.deepEqual([focused, name, subcommand, ctx.type], ['song', 'play', undefined, 'autocomplete'])
      assert.deepEqual([channelId, serverId, Object.keys(options)], ['7', '8', artist ? ['artist'] : []])
      return [`${value} by ${artist}`, { name: user.username, nameLocalizations: { ru: 'Я' }, value: 'me' }]
    },
  })
  const from = { channelId: '7', serverId: '8' }
  const me = { name: 'ana', nameLocalizations: { ru: 'Я' }, value: 'me' }
  assert.deepEqual(await user.autocomplete('play', { focused: 'song' }, from), [
    { name: ' by undefined', value: ' by undefined' },
    me,
  ])
  const typed = { focused: 'song', value: 'mos', options: { artist: 'Moby' } }
  assert.deepEqual(await user.autocomplete('play', typed, from), [
    { name: 'mos by Moby', value: 'mos by Moby' },
    me,
  ])
  assert.deepEqual(log, [])
})

test('the handlers of a command with subcommands are grouped by subcommand', async () => {
  const { bot, user } = start()
  const rating = { type: 'integer', name: 'rating', description: 'How', autocomplete: true } as const
  bot.command(
    {
      name: 'songs',
      description: 'Songs',
      options: [
        {
          type: 'subcommand_group',
          name: 'list',
          description: 'Lists',
          options: [{ type: 'subcommand', name: 'add', description: 'Adds', options: [song, rating] }],
        },
        { type: 'subcommand', name: 'open', description: 'Opens', options: [song] },
        { type: 'subcommand', name: 'close', description: 'Closes' },
      ],
    },
    () => {},
    {
      'list add': { song: ctx => [`add ${ctx.options.rating} ${ctx.subcommand}`], rating: () => [5] },
      open: { song: () => ['open'] },
    },
  )
  const namesOf = async (name: string, focused: string, options = {}) =>
    (await user.autocomplete(name, { focused, options })).map(choice => choice.name)
  assert.deepEqual(await namesOf('songs list add', 'song', { rating: 3 }), ['add 3 list add'])
  assert.deepEqual(await namesOf('songs list add', 'rating'), ['5'])
  assert.deepEqual(await namesOf('songs open', 'song'), ['open'])
  await assert.rejects(
    namesOf('songs close', 'song'),
    /focused: must be the name of an option with autocomplete/,
  )
  await assert.rejects(namesOf('songs list', 'song'), /must be the name of a subcommand: "add"/)
  await assert.rejects(
    namesOf('songs list add', 'song', { rating: 'x' }),
    /must be a whole number \(option "rating"\)/,
  )
})

test('each option with autocomplete needs a handler, and each handler such an option', () => {
  const { bot } = start()
  const define = (
    autocomplete?: AutocompleteHandlers,
    options: readonly OptionDefinition[] = play.options,
  ) => {
    const definition: CommandDefinition = { ...play, options }
    return () => bot.command(definition, () => {}, autocomplete)
  }
  assert.throws(define(), /\/play: the option "song" has autocomplete, but no handler/)
  assert.throws(define({ song: { song: () => [] } }), /the option "song" has autocomplete, but no handler/)
  const more = { song: () => [], artist: () => [] }
  assert.throws(define(more), /\/play has no option "artist" with autocomplete/)
  assert.throws(define({ song: () => [] }, []), /\/play has no option "song" with autocomplete/)
  define({ song: () => [] })()
})

test('the user sees the first 25 suggestions', async () => {
  const { bot, user } = start()
  bot.command(play, () => {}, { song: () => Array.from({ length: 26 }, (_, index) => `song ${index}`) })
  const choices = await user.autocomplete('play', { focused: 'song' })
  assert.deepEqual([choices.length, choices.at(-1)?.name], [25, 'song 24'])
})

test('after an error the user gets no suggestions, and it is logged', async () => {
  const { bot, errors, user } = start()
  bot.catch(() => assert.fail('the context of autocomplete has no reply'))
  bot.command(play, () => {}, {
    song({ value }) {
      if (value === 'long') return ['x'.repeat(101)]
      throw new Error('broken')
    },
  })
  assert.deepEqual(await user.autocomplete('play', { focused: 'song' }), [])
  assert.deepEqual(await user.autocomplete('play', { focused: 'song', value: 'long' }), [])
  const [broken, error] = errors
  assert.ok(broken instanceof Error && broken.message === 'broken')
  assert.ok(error instanceof InvalidError)
  assert.deepEqual(
    error.fieldErrors.map(({ path, code }) => `${path} ${code}`),
    ['data.choices[0].name too_long', 'data.choices[0].value too_long'],
  )
})

test('middleware, which may respond, does not run for suggestions', async () => {
  const { bot, log, user } = start()
  bot.use(ctx => ctx.reply('Not now.'))
  bot.command(play, () => assert.fail('there was no next'), { song: () => ['x'] })
  assert.equal((await user.autocomplete('play', { focused: 'song' })).length, 1)
  const use = user.command('play', { song: 'x' })
  await use.ended
  assert.equal(use.reply?.content, 'Not now.')
  assert.deepEqual(log, [])
})

test('after the deadline the signal is aborted, and nothing is sent', async () => {
  const { bot, errors, user } = start()
  const aborted = Promise.withResolvers<void>()
  bot.command(play, () => {}, {
    async song({ signal }) {
      signal.addEventListener('abort', () => aborted.resolve())
      await aborted.promise
      return ['late']
    },
  })
  const choices = user.autocomplete('play', { focused: 'song' })
  await user.advance(3000)
  assert.deepEqual(await choices, [])
  assert.equal(errors.length, 1)
  assert.ok(errors[0] instanceof LateError)
})

test('a stop of the bot ends the handler', async () => {
  const { bot, log, user } = start()
  const { promise, resolve } = Promise.withResolvers<string[]>()
  bot.command(play, () => {}, {
    song({ signal }) {
      signal.addEventListener('abort', () => resolve(['late']))
      return promise
    },
  })
  const choices = user.autocomplete('play', { focused: 'song' })
  await bot.stop({ graceMs: 0 })
  assert.deepEqual(await choices, [])
  assert.deepEqual(log, ['the autocomplete of /play: the handler failed: the bot was stopped'])
})
