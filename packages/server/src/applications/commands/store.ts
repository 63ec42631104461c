import type { Command } from '@gatehouse/protocol/commands'
import type { Sql } from '../../storage/database.ts'

export interface CommandRecord extends Command {
  id: string
  applicationId: string
  /** Null for a global command. */
  serverId: string | null
  createdAt: number
  updatedAt: number
}

interface Row {
  id: string
  application_id: string
  server_id: string
  name: string
  description: string
  options: string
  created_at: number
  updated_at: number
}

function record(row: Row): CommandRecord {
  return {
    id: row.id,
    applicationId: row.application_id,
    serverId: row.server_id === '' ? null : row.server_id,
    name: row.name,
    description: row.description,
    options: JSON.parse(row.options),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

/** One set in the order in which it was put; `serverId` null for the global one. */
export async function listCommands(
  sql: Sql,
  applicationId: string,
  serverId: string | null,
): Promise<CommandRecord[]> {
  const rows = await sql.all<Row>`
    SELECT id, application_id, server_id, name, description, options, created_at, updated_at
    FROM commands WHERE application_id = ${applicationId} AND server_id = ${serverId ?? ''} ORDER BY position`
  return rows.map(record)
}

/** Every command of an application: the global set, then those of servers, each in its order. */
export async function commandsOfApplication(sql: Sql, applicationId: string): Promise<CommandRecord[]> {
  const rows = await sql.all<Row>`
    SELECT id, application_id, server_id, name, description, options, created_at, updated_at
    FROM commands WHERE application_id = ${applicationId} ORDER BY server_id, position`
  return rows.map(record)
}

export async function findCommand(sql: Sql, id: string): Promise<CommandRecord | undefined> {
  const row = await sql.get<Row>`
    SELECT id, application_id, server_id, name, description, options, created_at, updated_at
    FROM commands WHERE id = ${id}`
  return row && record(row)
}

/** Whether the server has a command of this name of the same application: it shadows a global one (D27, D52). */
export async function isShadowed(
  sql: Sql,
  applicationId: string,
  serverId: string,
  name: string,
): Promise<boolean> {
  const row = await sql.get`
    SELECT 1 AS one FROM commands
    WHERE application_id = ${applicationId} AND server_id = ${serverId} AND name = ${name}`
  return row !== undefined
}

/** Inserts or changes one command; what stands and is the same keeps its `updated_at`. */
export async function putCommand(sql: Sql, command: CommandRecord, position: number): Promise<void> {
  await sql.run`
    INSERT INTO commands (id, application_id, server_id, name, description, options, position, created_at, updated_at)
    VALUES (${command.id}, ${command.applicationId}, ${command.serverId ?? ''}, ${command.name},
      ${command.description}, ${JSON.stringify(command.options)}, ${position}, ${command.createdAt},
      ${command.updatedAt})
    ON CONFLICT (id) DO UPDATE SET description = excluded.description, options = excluded.options,
      position = excluded.position, updated_at = excluded.updated_at`
}

export async function deleteCommand(sql: Sql, id: string): Promise<void> {
  await sql.run`DELETE FROM commands WHERE id = ${id}`
}

export async function deleteCommandsOfServer(
  sql: Sql,
  applicationId: string,
  serverId: string,
): Promise<void> {
  await sql.run`DELETE FROM commands WHERE application_id = ${applicationId} AND server_id = ${serverId}`
}

/** Every command that can be used on a server: of the applications added there with their commands, server's own first. */
export async function commandsForServer(
  sql: Sql,
  serverId: string,
): Promise<
  (CommandRecord & { application: { name: string; iconHash: string | null; botUserId: string } })[]
> {
  const rows = await sql.all<
    Row & { application_name: string; icon_hash: string | null; bot_user_id: string }
  >`
    SELECT c.id, c.application_id, c.server_id, c.name, c.description, c.options, c.created_at, c.updated_at,
      a.name AS application_name, a.icon_hash, a.bot_user_id
    FROM installations i
    JOIN applications a ON a.id = i.application_id
    JOIN commands c ON c.application_id = i.application_id
    WHERE i.server_id = ${serverId} AND a.bot_user_id IS NOT NULL
      AND (' ' || i.scopes || ' ') LIKE '% applications.commands %'
      AND (c.server_id = i.server_id OR (c.server_id = '' AND NOT EXISTS (
        SELECT 1 FROM commands own
        WHERE own.application_id = c.application_id AND own.server_id = i.server_id AND own.name = c.name)))
    ORDER BY c.name, c.id`
  return rows.map(row => ({
    ...record(row),
    application: { name: row.application_name, iconHash: row.icon_hash, botUserId: row.bot_user_id },
  }))
}
