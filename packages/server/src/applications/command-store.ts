import type { NotRegistered } from '@gatehouse/protocol/applications'
import type { Command, CommandOverride } from '@gatehouse/protocol/commands'
import { maxSetsNotRegistered } from '@gatehouse/protocol/limits'
import { bytesPerSlice, groupBySize, inSlices } from '../kit/batches.ts'
import { list, type Sql } from '../storage/database.ts'
import type { DeletedParents, DeleteRows } from '../storage/deletion-registry.ts'

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
  return { ...row, ...parseContent(options, localizations), serverId: serverId === '' ? null : serverId }
}

function parseContent(options: string, localizations: string): Localized & Pick<Command, 'options'> {
  const localized: Localized = JSON.parse(localizations)
  return { ...localized, options: JSON.parse(options) }
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

/**
 * All sets of an application, the global set first, each in its order. Reads one set at a time, between which the event
 * loop handles other events (limits/event-loop).
 */
export async function listCommandsOfApplication(sql: Sql, applicationId: string): Promise<CommandRecord[]> {
  const sets = await sql.all<{ serverId: string }>`
    SELECT DISTINCT server_id FROM commands
    WHERE application_id = ${applicationId} AND deleted_at IS NULL ORDER BY server_id`
  const slices = await inSlices(sets, 1, async ([set]) =>
    set ? await listCommands(sql, applicationId, set.serverId) : [],
  )
  return slices.flat()
}

export async function findCommand(sql: Sql, id: string): Promise<CommandRecord | undefined> {
  const row = await sql.get<Row>`
    SELECT id, application_id, server_id, type, name, description, localizations, options,
      default_member_permissions, created_at, updated_at
    FROM commands WHERE id = ${id} AND deleted_at IS NULL`
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

/**
 * Undefined if the command or the channel does not exist. Overrides of deleted roles and channels apply to nobody, so
 * they are read too.
 */
export async function findCommandAvailability(
  sql: Sql,
  commandId: string,
  channelId: string,
): Promise<CommandAvailability | undefined> {
  const row = await sql.get<Omit<CommandAvailability, 'overrides'> & { overrides: string | null }>`
    SELECT i.scopes, m.user_id AS bot_id, own.id AS hidden_by,
      (SELECT string_agg(
        COALESCE('r' || o.role_id, 'u' || o.user_id, 'c' || COALESCE(o.channel_id, o.server_id))
          || CAST(o.allow AS TEXT),
        ',' ORDER BY o.position)
       FROM command_overrides o WHERE o.server_id = ch.server_id AND o.command_id = c.id) AS overrides
    FROM commands c
    JOIN valid_applications a ON a.id = c.application_id
    JOIN channels ch ON ch.id = ${channelId}
    LEFT JOIN integrations i ON i.server_id = ch.server_id AND i.application_id = c.application_id
    LEFT JOIN members m ON m.server_id = ch.server_id AND m.user_id = a.bot_user_id
    LEFT JOIN commands own ON c.server_id = '' AND own.application_id = c.application_id
      AND own.server_id = ch.server_id AND own.type = c.type AND own.name = c.name
    WHERE c.id = ${commandId} AND c.deleted_at IS NULL`
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
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, description = excluded.description,
      localizations = excluded.localizations, options = excluded.options,
      default_member_permissions = excluded.default_member_permissions, position = excluded.position,
      updated_at = excluded.updated_at`
}

/**
 * From now on no read finds the command, nor its overrides on any server (limits/deletion). It is in no set any more,
 * so that the set may have another command with its name.
 */
export async function markDeleted(sql: Sql, id: string, now: number): Promise<void> {
  await sql.run`UPDATE commands SET deleted_at = ${now}, server_id = 'deleted', name = id WHERE id = ${id}`
}

const deleteOverrides: DeleteRows = (sql, commandId, limit) =>
  sql.run`
    DELETE FROM command_overrides WHERE (server_id, command_id, position) IN
      (SELECT o.server_id, o.command_id, o.position FROM command_overrides o WHERE o.command_id = ${commandId}
        LIMIT ${limit})`

const deleteCommand: DeleteRows = (sql, id) =>
  sql.run`DELETE FROM commands WHERE id = ${id} AND deleted_at IS NOT NULL`

export const deletedCommands: DeletedParents = {
  list: sql => sql.all`SELECT id FROM commands WHERE deleted_at >= 0 ORDER BY deleted_at LIMIT 100`,
  deletions: [deleteOverrides, deleteCommand],
}

/** The overrides of all commands of a server have a cap. */
export async function deleteServerCommands(sql: Sql, applicationId: string, serverId: string): Promise<void> {
  await sql.run`DELETE FROM commands WHERE application_id = ${applicationId} AND server_id = ${serverId}`
}

/** What was left out of a set (discord/unsupported-options). */
export type LeftOut = Omit<NotRegistered, 'serverId'>

/** `serverId` is null for the global set. */
export async function setNotRegistered(
  sql: Sql,
  applicationId: string,
  serverId: string | null,
  leftOut: readonly LeftOut[],
): Promise<void> {
  const json = leftOut.length === 0 ? null : JSON.stringify(leftOut)
  if (serverId === null) {
    await sql.run`UPDATE applications SET not_registered = ${json} WHERE id = ${applicationId}`
  } else {
    await sql.run`
      UPDATE integrations SET not_registered = ${json}
      WHERE server_id = ${serverId} AND application_id = ${applicationId}`
  }
}

/** Of the global set, and of those of servers. */
export async function listNotRegistered(sql: Sql, applicationId: string): Promise<NotRegistered[]> {
  const rows = await sql.all<{ serverId: string; notRegistered: string }>`
    SELECT '' AS server_id, not_registered FROM applications
    WHERE id = ${applicationId} AND not_registered IS NOT NULL
    UNION ALL
    SELECT * FROM (
      SELECT server_id, not_registered FROM integrations
      WHERE application_id = ${applicationId} AND not_registered IS NOT NULL LIMIT ${maxSetsNotRegistered}) sets`
  return rows.flatMap(({ serverId, notRegistered }) => {
    const leftOut: LeftOut[] = JSON.parse(notRegistered)
    return serverId === '' ? leftOut : leftOut.map(each => ({ ...each, serverId }))
  })
}

/** A command that is available on a server. */
export interface ServerCommandRecord extends CommandRecord {
  application: { name: string; iconHash: string | null; botUserId: string }
  /** Of the command on the server (bots/command-overrides). */
  overrides: CommandOverride[]
}

/** A command of a server. Its options and texts may be long, so they are read later (`readServerCommands`). */
export interface ServerCommandHead extends Omit<ServerCommandRecord, 'options' | keyof Localized> {
  /** Of its options and localizations. */
  bytes: number
  /** JSON. Null if this command and those before it have more than `maxBytesWithHeads`. */
  options: string | null
  localizations: string | null
}

interface ServerCommandRow
  extends Pick<ServerCommandHead, 'bytes' | 'options' | 'localizations'>,
    Omit<Row, 'options' | 'localizations'> {
  applicationName: string
  iconHash: string | null
  botUserId: string
  overrides: string | null
}

/** The commands of most servers are read with one statement. */
const maxBytesWithHeads = 64 * 1024

/**
 * The commands of all applications with the scope `applications.commands` on a server, without hidden global commands,
 * by name.
 */
export async function listServerCommands(sql: Sql, serverId: string): Promise<ServerCommandHead[]> {
  // Subqueries instead of columns: a sort would copy all options.
  const rows = await sql.all<ServerCommandRow>`
    SELECT l.id, l.application_id, l.server_id, l.type, l.name, l.description, l.default_member_permissions,
      l.created_at, l.updated_at, l.bytes, l.application_name, l.icon_hash, l.bot_user_id, x.overrides,
      (SELECT f.options FROM commands f WHERE f.id = l.id AND l.total <= ${maxBytesWithHeads}) AS options,
      (SELECT f.localizations FROM commands f WHERE f.id = l.id AND l.total <= ${maxBytesWithHeads}) AS localizations
    FROM (
      SELECT c.id, c.application_id, c.server_id, c.type, c.name, c.description, c.default_member_permissions,
        c.created_at, c.updated_at, octet_length(c.options) + octet_length(c.localizations) AS bytes,
        SUM(octet_length(c.options) + octet_length(c.localizations)) OVER (ORDER BY c.name, c.id) AS total,
        a.name AS application_name, a.icon_hash, a.bot_user_id
      FROM integrations i
      JOIN valid_applications a ON a.id = i.application_id
      JOIN commands c ON c.application_id = i.application_id
      WHERE i.server_id = ${serverId} AND a.bot_user_id IS NOT NULL
        AND (' ' || i.scopes || ' ') LIKE '% applications.commands %'
        AND (c.server_id = i.server_id OR (c.server_id = '' AND NOT EXISTS (
          SELECT 1 FROM commands own
          WHERE own.application_id = c.application_id AND own.server_id = i.server_id
            AND own.type = c.type AND own.name = c.name)))
    ) l
    LEFT JOIN (
      SELECT o.command_id, string_agg(
        COALESCE('r' || o.role_id, 'u' || o.user_id, 'c' || COALESCE(o.channel_id, o.server_id))
          || CAST(o.allow AS TEXT),
        ',' ORDER BY o.position) AS overrides
      FROM valid_command_overrides o WHERE o.server_id = ${serverId} GROUP BY o.command_id
    ) x ON x.command_id = l.id
    ORDER BY l.name, l.id`
  return rows.map(({ applicationName, iconHash, botUserId, overrides, serverId, ...row }) => ({
    ...row,
    serverId: serverId === '' ? null : serverId,
    overrides: parseOverrides(overrides),
    application: { name: applicationName, iconHash, botUserId },
  }))
}

/**
 * Reads the options and texts of commands in slices, between which the event loop handles other events: in a
 * transaction, of one command only. Without the commands that were deleted since.
 */
export async function readServerCommands(
  sql: Sql,
  heads: readonly ServerCommandHead[],
): Promise<ServerCommandRecord[]> {
  const groups = groupBySize(heads, head => head.bytes, bytesPerSlice)
  const slices = await inSlices(groups, 1, async ([group = []]) => {
    const ids = group.filter(({ options }) => options === null).map(({ id }) => id)
    const read = new Map(ids.length === 0 ? [] : await listContents(sql, ids))
    return group.flatMap(head => toServerRecord(head, read.get(head.id) ?? head) ?? [])
  })
  return slices.flat()
}

type CommandContent = Pick<ServerCommandHead, 'options' | 'localizations'>

async function listContents(sql: Sql, ids: readonly string[]): Promise<[id: string, CommandContent][]> {
  const rows = await sql.all<CommandContent & { id: string }>`
    SELECT id, options, localizations FROM commands WHERE id IN ${list(ids)}`
  return rows.map(({ id, ...content }) => [id, content])
}

function toServerRecord(
  { bytes: _bytes, options: _options, localizations: _localizations, ...head }: ServerCommandHead,
  { options, localizations }: CommandContent,
): ServerCommandRecord | undefined {
  if (options === null || localizations === null) return undefined
  return { ...head, ...parseContent(options, localizations) }
}
