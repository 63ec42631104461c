// node bot.ts, with GATEHOUSE_URL and BOT_TOKEN in the environment.
import { createDiceBot } from './dice.ts'

const { GATEHOUSE_URL = 'http://localhost:3000', BOT_TOKEN = '' } = process.env

const bot = createDiceBot({ url: GATEHOUSE_URL, token: BOT_TOKEN })
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => bot.stop().finally(() => process.exit()))
}

await bot.sync()
const { user, servers } = await bot.start()
console.log(
  `${user.displayName} is installed on ${servers.map(server => server.name).join(', ') || 'no server yet'}`,
)
