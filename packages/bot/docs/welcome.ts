import { type Bot, type BotOptions, createBot } from '@gatehouse/bot'

/** Greets new members in a channel of their server. `channels` has the id of the channel by server id. */
export function createWelcomeBot(options: BotOptions, channels: ReadonlyMap<string, string>): Bot {
  const bot = createBot({ ...options, intents: ['members'] })
  bot.on('memberAdd', async ({ serverId, user }, { api }) => {
    const channelId = channels.get(serverId)
    if (channelId === undefined || user.bot) return
    await api.sendMessage(channelId, { content: `Welcome, <@${user.id}>!` })
  })
  return bot
}
