import { type ApplicationRecord, findValidApplication } from '../applications/index.ts'
import { requireAcceptedSender } from '../community/channels/index.ts'
import { type ChannelRecord, canViewChannel } from '../community/permissions/index.ts'
import { notFound } from '../errors/app-error.ts'
import type { Sql } from '../storage/database.ts'

/**
 * Throws 404 unless `botId` is the bot of the application and may view the channel, and 403 `cannot_message_user` if
 * the user of a direct message accepts no messages of the bot: it could not respond.
 */
export async function requireBotInChannel(
  sql: Sql,
  { applicationId, botId }: { applicationId: string; botId: string },
  channel: Pick<ChannelRecord, 'id' | 'serverId'>,
): Promise<ApplicationRecord> {
  const [application, isVisible] = await Promise.all([
    findValidApplication(sql, applicationId),
    canViewChannel(sql, botId, channel.id),
  ])
  if (application?.botUserId !== botId || !isVisible) throw notFound()
  await requireAcceptedSender(sql, channel, botId)
  return application
}
