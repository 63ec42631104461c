// node bot.ts, with GATEHOUSE_URL and BOT_TOKEN in the environment, and LOG_CHANNEL, the name of a channel.
import { createModerationBot } from './moderation.ts'

const { GATEHOUSE_URL = 'http://localhost:3000', BOT_TOKEN = '', LOG_CHANNEL = 'moderation' } = process.env

const bot = createModerationBot({ url: GATEHOUSE_URL, token: BOT_TOKEN }, LOG_CHANNEL)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => bot.stop().finally(() => process.exit()))
}

await bot.sync()
await bot.start()
console.log('ready')
