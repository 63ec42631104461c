import { type ApplicationRecord, findValidApplication } from '../applications/index.ts'
import { canViewChannel } from '../community/permissions/index.ts'
import { notFound } from '../errors/app-error.ts'
import type { Sql } from '../storage/database.ts'

/** Throws 404 unless `botId` is the bot of the application and may view the channel. */
export async function requireBotInChannel(
  sql: Sql,
  { applicationId, botId }: { applicationId: string; botId: string },
  channelId: string,
): Promise<ApplicationRecord> {
  const [application, isVisible] = await Promise.all([
    findValidApplication(sql, applicationId),
    canViewChannel(sql, botId, channelId),
  ])
  if (application?.botUserId !== botId || !isVisible) throw notFound()
  return application
}
