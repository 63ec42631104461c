import type { RESTPostAPIGuildBulkBanResult } from 'discord-api-types/v10'
import { readAuditReason } from '../../http/audit-reason.ts'
import type { Route } from '../../http/route.ts'
import { NumberedError } from '../api-errors.ts'
import type { BotRequest, DeclareBotRoute } from '../bot-route.ts'
import { toId } from '../request-members.ts'

export function discordBulkBanRoutes(botRoute: DeclareBotRoute): Route[] {
  return [
    botRoute('POST /guilds/:guildId/bulk-ban', {
      summary: 'Bans up to 200 users.',
      missing: 'guild',
      handle: banUsers,
    }),
  ]
}

async function banUsers({
  run,
  caller,
  params: { guildId: id = '' },
  members,
  request,
}: BotRequest): Promise<RESTPostAPIGuildBulkBanResult> {
  const { user_ids: userIds, delete_message_seconds: seconds } = members()
  const body = {
    userIds: Array.isArray(userIds) ? userIds.map(toId) : userIds,
    deleteMessageSeconds: seconds ?? undefined,
    reason: readAuditReason(request.headers) ?? caller.reason,
  }
  const { bannedUserIds, failedUserIds } = await run('createBans', { params: { id }, body })
  if (bannedUserIds.length === 0) throw new NumberedError('validation_failed', 500_000, 'Failed to ban users')
  return { banned_users: bannedUserIds, failed_users: failedUserIds }
}
