// One process of the bot in the soak test. Reads GATEHOUSE_URL and BOT_TOKEN from the environment.
import { createBot } from '@gatehouse/bot'

const { GATEHOUSE_URL = '', BOT_TOKEN = '' } = process.env
// On a busy machine, a deferred response would be completed after the user has given up and used the command again.
const bot = createBot({ url: GATEHOUSE_URL, token: BOT_TOKEN, autoDefer: false })

bot.command(
  {
    name: 'echo',
    description: 'Says what it was told',
    options: [{ type: 'string', name: 'text', description: 'What', required: true }],
  },
  ctx => ctx.reply(ctx.options.text),
)

await bot.sync()
await bot.start()
console.log('ready')
