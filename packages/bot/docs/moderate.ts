import type { BotApi } from '@gatehouse/bot'

/** Times a member out for an hour if one of the last ten messages of a channel is theirs and has a link. */
export async function timeOutSpammer(api: BotApi, serverId: string, channelId: string, userId: string) {
  const newest = await api.messages.list(channelId, { limit: 10 })
  const spam = newest.filter(({ author, content }) => author.id === userId && content.includes('https://'))
  if (spam.length === 0) return
  await api.members.update(serverId, userId, {
    timedOutUntil: new Date(Date.now() + 3_600_000).toISOString(),
  })
  for (const { id } of spam) await api.messages.delete(channelId, id)
}
