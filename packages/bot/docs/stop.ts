import type { Bot } from '@gatehouse/bot'

export function stopOnSignal(bot: Bot): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => bot.stop().finally(() => process.exit()))
  }
}
