import { button, createBot, customId, row } from '@gatehouse/bot'

const { GATEHOUSE_URL = 'http://localhost:3000', BOT_TOKEN = '' } = process.env
const bot = createBot({ url: GATEHOUSE_URL, token: BOT_TOKEN })

bot.command(
  {
    name: 'greet',
    description: 'Greet somebody',
    options: [{ type: 'user', name: 'user', description: 'Default: you' }],
  },
  async ctx => {
    const userId = ctx.options.user ?? ctx.user.id
    await ctx.reply({
      content: `Hello <@${userId}>!`,
      components: [row(button(customId('wave:{userId}', { userId }), 'Wave', { emoji: '👋' }))],
    })
  },
)

bot.button('wave:{userId}', async ctx => {
  await ctx.reply(`${ctx.user.displayName} waves at <@${ctx.params.userId}>`)
})

await bot.sync()
await bot.start()
console.log('ready')
