import { type Bot, type BotOptions, button, createBot, customId, type Reply, row } from '@gatehouse/bot'

const rollAgainId = 'again:{count}:{sides}'

const dice = [
  { type: 'integer', name: 'sides', description: 'Sides of a die (default: 6)', min: 2, max: 1000 },
  { type: 'integer', name: 'count', description: 'Number of dice (default: 1)', min: 1, max: 20 },
] as const

const outcomes = {
  coin: ['Heads', 'Tails'],
  compass: ['North', 'East', 'South', 'West'],
  oracle: ['Yes', 'No', 'Ask again later'],
} as const

/** A bot that rolls dice. `random` returns a number from 0 up to 1. */
export function createDiceBot(options: BotOptions, random: () => number = Math.random): Bot {
  const bot = createBot(options)

  const die = (sides: number) => 1 + Math.floor(random() * sides)
  const rollAll = (count: number, sides: number) => Array.from({ length: count }, () => die(sides))
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)

  function rollReply(count: number, sides: number): Reply {
    const numbers = rollAll(count, sides)
    const parts = count > 1 ? `${numbers.join(' + ')} = ` : ''
    return {
      content: `🎲 ${count}d${sides}: ${parts}**${sum(numbers)}**`,
      components: [row(button(customId(rollAgainId, { count, sides }), 'Roll again'))],
    }
  }

  bot.command({ name: 'roll', description: 'Roll dice', options: dice }, async ctx => {
    const { sides = 6, count = 1 } = ctx.options
    await ctx.reply(rollReply(count, sides))
  })

  bot.button(rollAgainId, async ctx => {
    const { count, sides } = ctx.params
    await ctx.reply(rollReply(Number(count), Number(sides)))
  })

  bot.command(
    {
      name: 'choose',
      description: 'Pick a random result',
      options: [
        {
          type: 'string',
          name: 'with',
          description: 'What to pick with',
          required: true,
          choices: [
            { name: 'a coin', value: 'coin' },
            { name: 'a compass', value: 'compass' },
            { name: 'an oracle', value: 'oracle' },
          ],
        },
      ],
    },
    async ctx => {
      // The type of the option is a union of the three values above.
      const possible = outcomes[ctx.options.with]
      await ctx.reply(`🔮 ${possible[die(possible.length) - 1]}`)
    },
  )

  bot.command(
    {
      name: 'odds',
      description: 'Estimate how likely a total is. Only you see the response',
      options: [
        {
          type: 'integer',
          name: 'goal',
          description: 'The lowest total that counts',
          required: true,
          min: 1,
        },
        ...dice,
      ],
      ephemeral: true,
    },
    async ctx => {
      const { goal, sides = 6, count = 1 } = ctx.options
      // This takes a moment. `defer` shows a placeholder, and `reply` replaces it.
      await ctx.defer()
      const rolls = 100_000
      let reached = 0
      for (let i = 0; i < rolls; i++) if (sum(rollAll(count, sides)) >= goal) reached++
      await ctx.reply(`📈 ${goal} or more with ${count}d${sides}: about **${(100 * reached) / rolls} %**`)
    },
  )

  return bot
}
