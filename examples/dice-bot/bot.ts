// `npm start`. README.md says what the environment has.
import { GatehouseError } from '@gatehouse/bot'
import { createDiceBot } from './dice.ts'

const { GATEHOUSE_URL = 'http://localhost:3000', BOT_TOKEN = '' } = process.env

/** Errors of the library say what to do. Any other is a bug, and has a stack. */
function exit(error: unknown): never {
  console.error(error instanceof GatehouseError ? error.message : error)
  process.exit(1)
}

if (BOT_TOKEN === '') exit('BOT_TOKEN is missing: copy the bot token from the developer console.')

const bot = createDiceBot({ url: GATEHOUSE_URL, token: BOT_TOKEN })
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => bot.stop().finally(() => process.exit()))
}
// For example, the token was reset. The bot reconnects after any other loss of the connection.
bot.on('stopped', ({ error }) => exit(error))

try {
  await bot.sync()
  const { user, servers } = await bot.start()
  const names = servers.map(server => server.name)
  console.log(`${user.displayName} is installed on ${names.join(', ') || 'no server yet'}\nready`)
} catch (error) {
  exit(error)
}
