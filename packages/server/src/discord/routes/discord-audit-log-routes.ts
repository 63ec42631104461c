import { type AuditLogEntry, auditActions } from '@gatehouse/protocol/audit-log'
import type { APIAuditLog } from 'discord-api-types/v10'
import { findUsers, userView } from '../../accounts/users/index.ts'
import { invalid } from '../../errors/app-error.ts'
import type { Route } from '../../http/route.ts'
import type { Sql } from '../../storage/database.ts'
import type { BotRequest, DeclareBotRoute } from '../bot-route.ts'
import {
  auditEventNumbers,
  type DiscordAuditLogEntry,
  overwriteCreate,
  toDiscordAuditLogEntry,
} from '../objects/discord-audit-log.ts'
import { type DiscordUser, toDiscordUser } from '../objects/discord-user.ts'
import type { Whole } from '../objects/whole.ts'
import { toCursor } from '../request-members.ts'

export function discordAuditLogRoutes(botRoute: DeclareBotRoute, { db }: { db: Sql }): Route[] {
  return [
    botRoute('GET /guilds/:guildId/audit-logs', {
      summary: 'Lists the acts on a server that this API has too, newest first.',
      missing: 'guild',
      handle: request => readAuditLog(request, db),
    }),
  ]
}

type DiscordAuditLog = Whole<
  APIAuditLog,
  never,
  { audit_log_entries: DiscordAuditLogEntry[]; users: DiscordUser[] }
>

async function readAuditLog({ run, params, query }: BotRequest, db: Sql): Promise<DiscordAuditLog> {
  const { limit, user_id: userId, action_type: type } = query
  const page = { before: toCursor(query.before), after: toCursor(query.after), limit, userId }
  const entries: AuditLogEntry[] = []
  for (const action of type === undefined ? [undefined] : findActions(type)) {
    const id = params.guildId ?? ''
    entries.push(...(await run('listAuditLog', { params: { id }, query: { ...page, action } })))
  }
  const translated = entries
    .flatMap(entry => toDiscordAuditLogEntry(entry) ?? [])
    .filter(entry => type === undefined || String(entry.action_type) === type)
  return {
    audit_log_entries: translated,
    users: await findUsersOf(db, translated),
    application_commands: [],
    auto_moderation_rules: [],
    guild_scheduled_events: [],
    integrations: [],
    threads: [],
    webhooks: [],
  }
}

/** Those with the number, of which there may be two or none. */
function findActions(type: unknown) {
  if (typeof type !== 'string' || !/^\d+$/.test(type)) {
    throw invalid('action_type', 'invalid_type', 'must be a number')
  }
  const number = Number(type) === overwriteCreate ? auditEventNumbers.OVERWRITE_UPDATE : Number(type)
  return auditActions.filter(action => auditEventNumbers[action] === number)
}

/** Those who acted, and whom an entry is about. Other ids of targets are of no user. */
async function findUsersOf(sql: Sql, entries: readonly DiscordAuditLogEntry[]): Promise<DiscordUser[]> {
  const ids = entries.flatMap(entry => [entry.user_id, entry.target_id, entry.options?.id])
  const users = await findUsers(sql, [...new Set(ids.filter(id => typeof id === 'string'))])
  return [...users.values()].map(user => toDiscordUser(userView(user)))
}
