// The bot of the row `soak`: counts the messages that it receives, and answers one in ten. `node soak-bot.ts URL TOKEN`.
import { createBot } from '@gatehouse/bot'
import { WebSocket } from 'ws'

export interface SoakReport {
  /** How often each text was received. */
  received: Record<string, number>
  /** From the creation of a message to the bot, in milliseconds; separately those that arrived while it was reconnecting. */
  delays: number[]
  delaysOfReconnects: number[]
  /** How the bot returned after each lost connection. */
  reconnects: string[]
  errors: Record<string, number>
}

const [url = '', token = ''] = process.argv.slice(2)
const report: SoakReport = { received: {}, delays: [], delaysOfReconnects: [], reconnects: [], errors: {} }
let socket: WebSocket | undefined
let isAway = false
let onReturn = () => {}

class BotSocket extends WebSocket {
  constructor(address: string) {
    super(address)
    socket = this
  }
}

const bot = createBot({
  url,
  token,
  intents: ['messages', 'messageContent'],
  log: () => {},
  // The class of `ws` has what the SDK uses, and `terminate`, which closes without a close frame.
  runtime: { WebSocket: BotSocket as never },
})

bot.on('message', async ({ content, channelId, createdAt }) => {
  const delays = isAway ? report.delaysOfReconnects : report.delays
  delays.push(Date.now() - Date.parse(createdAt))
  report.received[content] = (report.received[content] ?? 0) + 1
  const [, number] = /^soak (\d+)$/.exec(content) ?? []
  if (number === undefined || Number(number) % 10 !== 0) return
  try {
    await bot.api.messages.create(channelId, `answer ${number}`)
  } catch (error) {
    report.errors[String(error)] = (report.errors[String(error)] ?? 0) + 1
  }
})
for (const name of ['ready', 'resumed'] as const) {
  bot.on(name, () => {
    if (!isAway) return
    isAway = false
    report.reconnects.push(name)
    onReturn()
  })
}

process.on('message', async (request: 'disconnect' | 'count' | 'report') => {
  if (request === 'disconnect') {
    await new Promise<void>(resolve => {
      onReturn = resolve
      isAway = true
      socket?.terminate()
    })
    process.send?.({})
  } else process.send?.(request === 'count' ? Object.keys(report.received).length : report)
})

await bot.start()
// It listens on no port.
process.send?.({ port: 0 })
