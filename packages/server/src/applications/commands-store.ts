import type { Command, CommandOverride } from '@gatehouse/protocol/commands'
import { storedName } from '@gatehouse/protocol/text'
import type { Sql } from '../storage/database.ts'

export interface CommandRecord extends Command {
  id: string
  applicationId: string
  /** Null for a global command. */
  serverId: string | null
  createdAt: number
  updatedAt: number
}

/** `serverId` is '' for a global command, because a unique index does not compare nulls. */
interface Row extends Omit<CommandRecord, 'serverId' | 'options' | keyof Localized> {
  serverId: string
  options: string
  /** JSON of `Localized`. */
  localizations: string
}

type Localized = Pick<Command, 'nameLocalizations' | 'descriptionLocalizations'>

function toRecord({ serverId, options, localizations, ...row }: Row): CommandRecord {
  const localized: Localized = JSON.parse(localizations)
  return { ...row, ...localized, serverId: serverId === '' ? null : serverId, options: JSON.parse(options) }
}

/** One set in the order of the request that stored it. `serverId` is null for the global set. */
export async function listCommands(
  sql: Sql,
  applicationId: string,
  serverId: string | null,
): Promise<CommandRecord[]> {
  const rows = await sql.all<Row>`
    SELECT id, application_id, server_id, type, name, description, localizations, options,
      default_member_permissions, created_at, updated_at
    FROM commands WHERE application_id = ${applicationId} AND server_id = ${serverId ?? ''} ORDER BY position`
  return rows.map(toRecord)
}

/** All sets of an application, the global set first, each in its order. */
export async function listCommandsOfApplication(sql: Sql, applicationId: string): Promise<CommandRecord[]> {
  const rows = await sql.all<Row>`
    SELECT id, application_id, server_id, type, name, description, localizations, options,
      default_member_permissions, created_at, updated_at
    FROM commands WHERE application_id = ${applicationId} ORDER BY server_id, position`
  return rows.map(toRecord)
}

export async function findCommand(sql: Sql, id: string): Promise<CommandRecord | undefined> {
  const row = await sql.get<Row>`
    SELECT id, application_id, server_id, type, name, description, localizations, options,
      default_member_permissions, created_at, updated_at
    FROM commands WHERE id = ${id}`
  return row && toRecord(row)
}

/** What decides whether a command is available in a channel of a server. */
export interface CommandAvailability {
  /** Of the integration with the server, separated by a space. Null without one. */
  scopes: string | null
  /** Null if the bot is not a member of the server. */
  botId: string | null
  /** The server command that hides this global command (bots/server-commands, bots/command-set). */
  hiddenBy: string | null
  /** Of the command on the server (bots/command-overrides). */
  overrides: CommandOverride[]
}

/** Undefined if the command or the channel does not exist. */
export async function findCommandAvailability(
  sql: Sql,
  commandId: string,
  channelId: string,
): Promise<CommandAvailability | undefined> {
  const row = await sql.get<Omit<CommandAvailability, 'overrides'> & { overrides: string | null }>`
    SELECT i.scopes, m.user_id AS bot_id, own.id AS hidden_by,
      (SELECT string_agg(
        COALESCE('r' || o.role_id, 'u' || o.user_id, 'c' || COALESCE(o.channel_id, o.server_id)) || CAST(o.allow AS TEXT),
        ',' ORDER BY o.position)
       FROM command_overrides o WHERE o.server_id = ch.server_id AND o.command_id = c.id) AS overrides
    FROM commands c
    JOIN applications a ON a.id = c.application_id
    JOIN channels ch ON ch.id = ${channelId}
    LEFT JOIN installations i ON i.server_id = ch.server_id AND i.application_id = c.application_id
    LEFT JOIN members m ON m.server_id = ch.server_id AND m.user_id = a.bot_user_id
    LEFT JOIN commands own ON c.server_id = '' AND own.application_id = c.application_id
      AND own.server_id = ch.server_id AND own.type = c.type AND own.name = c.name
    WHERE c.id = ${commandId}`
  return row && { ...row, overrides: parseOverrides(row.overrides) }
}

const overrideTypes = { r: 'role', u: 'user', c: 'channel' } as const

/** One override is the first letter of its type, the id, and 1 or 0. */
function parseOverrides(text: string | null): CommandOverride[] {
  if (text === null) return []
  return text.split(',').map(override => ({
    type: overrideTypes[override.charAt(0) as keyof typeof overrideTypes],
    id: override.slice(1, -1),
    allow: override.endsWith('1'),
  }))
}

export async function upsertCommand(sql: Sql, command: CommandRecord, position: number): Promise<void> {
  const { nameLocalizations, descriptionLocalizations } = command
  const localizations = JSON.stringify({ nameLocalizations, descriptionLocalizations })
  await sql.run`
    INSERT INTO commands (id, application_id, server_id, type, name, description, localizations, options,
      default_member_permissions, position, created_at, updated_at)
    VALUES (${command.id}, ${command.applicationId}, ${command.serverId ?? ''}, ${command.type}, ${command.name},
      ${command.description}, ${localizations}, ${JSON.stringify(command.options)},
      ${command.defaultMemberPermissions}, ${position}, ${command.createdAt}, ${command.updatedAt})
    ON CONFLICT (id) DO UPDATE SET description = excluded.description, localizations = excluded.localizations,
      options = excluded.options, default_member_permissions = excluded.default_member_permissions,
      position = excluded.position, updated_at = excluded.updated_at`
}

export async function deleteCommand(sql: Sql, id: string): Promise<void> {
  await sql.run`DELETE FROM commands WHERE id = ${id}`
}

export async function deleteServerCommands(sql: Sql, applicationId: string, serverId: string): Promise<void> {
  await sql.run`DELETE FROM commands WHERE application_id = ${applicationId} AND server_id = ${serverId}`
}

/** A command that is available on a server. */
export interface ServerCommandRecord extends CommandRecord {
  application: { name: string; iconHash: string | null; botUserId: string }
  /** Of the command on the server (bots/command-overrides). */
  overrides: CommandOverride[]
}

interface ServerCommandRow extends Row {
  applicationName: string
  iconHash: string | null
  botUserId: string
  overrides: string | null
}

/** The commands of all applications with the scope `applications.commands` on a server, without hidden global commands, by name. */
export async function listServerCommands(sql: Sql, serverId: string): Promise<ServerCommandRecord[]> {
  const rows = await sql.all<ServerCommandRow>`
    SELECT c.id, c.application_id, c.server_id, c.type, c.name, c.description, c.localizations, c.options,
      c.default_member_permissions, c.created_at, c.updated_at,
      a.name AS application_name, a.icon_hash, a.bot_user_id, x.overrides
    FROM installations i
    JOIN applications a ON a.id = i.application_id
    JOIN commands c ON c.application_id = i.application_id
    LEFT JOIN (
      SELECT o.command_id, string_agg(
        COALESCE('r' || o.role_id, 'u' || o.user_id, 'c' || COALESCE(o.channel_id, o.server_id)) || CAST(o.allow AS TEXT),
        ',' ORDER BY o.position) AS overrides
      FROM command_overrides o WHERE o.server_id = ${serverId} GROUP BY o.command_id
    ) x ON x.command_id = c.id
    WHERE i.server_id = ${serverId} AND a.bot_user_id IS NOT NULL
      AND (' ' || i.scopes || ' ') LIKE '% applications.commands %'
      AND (c.server_id = i.server_id OR (c.server_id = '' AND NOT EXISTS (
        SELECT 1 FROM commands own
        WHERE own.application_id = c.application_id AND own.server_id = i.server_id
          AND own.type = c.type AND own.name = c.name)))
    ORDER BY c.name, c.id`
  return rows.map(({ applicationName, iconHash, botUserId, overrides, ...row }) => ({
    ...toRecord(row),
    overrides: parseOverrides(overrides),
    application: { name: storedName(applicationName, row.applicationId), iconHash, botUserId },
  }))
}
