import { button, createBot, customId, row } from '@gatehouse/bot'

const { GATEHOUSE_URL = 'http://localhost:3000', BOT_TOKEN = '' } = process.env
const bot = createBot({ url: GATEHOUSE_URL, token: BOT_TOKEN })

bot.command(
  {
    name: 'greet',
    description: 'Greet somebody',
    options: [{ type: 'user', name: 'whom', description: 'You, if not said' }],
  },
  async ctx => {
    const whom = ctx.options.whom ?? ctx.user.id
    await ctx.reply({
      content: `Hello <@${whom}>!`,
      components: [row(button(customId('wave:{whom}', { whom }), 'Wave', { emoji: '👋' }))],
    })
  },
)

bot.button('wave:{whom}', async ctx => {
  await ctx.reply(`${ctx.user.displayName} waves at <@${ctx.params.whom}>`)
})

await bot.sync()
await bot.start()
console.log('ready')
