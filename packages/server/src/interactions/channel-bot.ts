import { type ApplicationRecord, findApplication } from '../applications/index.ts'
import { notFound } from '../kit/app-error.ts'
import { canViewChannel } from '../platform/permissions/index.ts'
import type { Sql } from '../storage/database.ts'

/** Throws 404 unless the application has a bot that may view the channel. */
export async function requireBotInChannel(
  sql: Sql,
  applicationId: string,
  channelId: string,
): Promise<ApplicationRecord> {
  const application = await findApplication(sql, applicationId)
  if (!application || application.botUserId === null) throw notFound()
  if (!(await canViewChannel(sql, application.botUserId, channelId))) throw notFound()
  return application
}
