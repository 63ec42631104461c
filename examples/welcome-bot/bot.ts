// node bot.ts, with GATEHOUSE_URL and BOT_TOKEN in the environment, and WELCOME_CHANNEL, the name of a channel.
import { createWelcomeBot } from './welcome.ts'

const { GATEHOUSE_URL = 'http://localhost:3000', BOT_TOKEN = '', WELCOME_CHANNEL = 'general' } = process.env

const bot = createWelcomeBot({ url: GATEHOUSE_URL, token: BOT_TOKEN }, WELCOME_CHANNEL)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => bot.stop().finally(() => process.exit()))
}

await bot.sync()
await bot.start()
console.log('ready')
