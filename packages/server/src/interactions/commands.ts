import type { AvailableCommand } from '@gatehouse/protocol/commands'
import type { EnteredOption } from '@gatehouse/protocol/interactions'
import { has, permissionFor } from '@gatehouse/protocol/permissions'
import {
  type ApplicationRecord,
  type CommandAvailability,
  type CommandRecord,
  findApplicationOfCommand,
  findCommand,
  findCommandAvailability,
  listServerCommands,
  mayUseCommand,
  readServerCommands,
  type ServerCommandRecord,
  toIconPath,
  toRegisteredCommand,
} from '../applications/index.ts'
import { AppError, notFound } from '../kit/app-error.ts'
import { findMemberIds } from '../platform/members/index.ts'
import {
  type ChannelAccess,
  canViewChannel,
  listChannelPermissionsOfBot,
  listVisibleChannelIds,
  type PermissionRow,
  requireChannel,
  requirePermissions,
  requireVisibleToBot,
  type ServerRecord,
} from '../platform/permissions/index.ts'
import { findRoleIds } from '../platform/roles/index.ts'
import type { Sql } from '../storage/database.ts'
import type { Deps } from './deps.ts'
import { validateOptions } from './option-values.ts'

/**
 * The commands that a user can run in a channel, by name (bots/server-commands, bots/command-visibility). Empty in a direct
 * message; 404 if the user may not view the channel.
 */
export async function listAvailableCommands(
  sql: Sql,
  now: number,
  userId: string,
  channelId: string,
): Promise<AvailableCommand[]> {
  const { channel, permissions, roleIds } = await requireChannel(sql, now, userId, channelId)
  if (channel.serverId === null || !has(permissions, permissionFor.useCommand)) return []
  const user = { userId, serverId: channel.serverId, channelId, permissions, roleIds }
  const commands = (await listServerCommands(sql, channel.serverId)).filter(command =>
    mayUseCommand(user, command, command.overrides),
  )
  const botIds = [...new Set(commands.map(command => command.application.botUserId))]
  const isVisible = await Promise.all(botIds.map(botId => canViewChannel(sql, botId, channelId)))
  const botsInChannel = new Set(botIds.filter((_, index) => isVisible[index]))
  const available = commands.filter(command => botsInChannel.has(command.application.botUserId))
  return (await readServerCommands(sql, available)).map(toAvailableCommand)
}

function toAvailableCommand({
  application: { name, iconHash, botUserId },
  overrides: _,
  ...command
}: ServerCommandRecord): AvailableCommand {
  const id = command.applicationId
  return {
    ...toRegisteredCommand(command),
    application: { id, name, icon: toIconPath(id, iconHash), botId: botUserId },
  }
}

/** A command, whether it is available in a channel, and the permissions of its bot there. */
export interface FoundCommand {
  command: CommandRecord | undefined
  application: ApplicationRecord | undefined
  availability: CommandAvailability | undefined
  botPermissions: readonly PermissionRow[]
}

/** For speed: one round trip to PostgreSQL, so nothing is read by an id that another statement returns. */
export async function findCommandForChannel(
  sql: Sql,
  commandId: string,
  channelId: string,
): Promise<FoundCommand> {
  const [command, application, availability, botPermissions] = await Promise.all([
    findCommand(sql, commandId),
    findApplicationOfCommand(sql, commandId),
    findCommandAvailability(sql, commandId, channelId),
    listChannelPermissionsOfBot(sql, commandId, channelId),
  ])
  return { command, application, availability, botPermissions }
}

/** A command that the user may use in the channel, with its validated options. `focused` as in `validateOptions`. */
export async function validateUsedOptions(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  userId: string,
  { channelId, commandId, options: given = [] }: UsedCommand,
  focused?: string,
) {
  // For speed: all are sent to PostgreSQL at once. What the user must not know about is rejected below.
  const [access, found] = await Promise.all([
    requireChannel(db, clock(), userId, channelId),
    findCommandForChannel(db, commandId, channelId),
  ])
  const { command, application, server } = requireUsableCommand(found, userId, access)
  const serverId = server.id
  const lookup = {
    users: (ids: readonly string[]) => findMemberIds(db, serverId, ids),
    channels: () => listVisibleChannelIds(db, userId, serverId),
    roles: (ids: readonly string[]) => findRoleIds(db, serverId, ids),
  }
  return {
    command,
    application,
    serverId,
    ...(await validateOptions(command.options, given, lookup, focused)),
  }
}

interface UsedCommand {
  channelId: string
  commandId: string
  options?: EnteredOption[]
}

/**
 * The same rules as `listAvailableCommands`: throws 404 for a direct message and a command that is not available in the channel, 403
 * if the user may not run it there (bots/command-visibility, bots/default-permissions, bots/command-overrides).
 */
export function requireUsableCommand(
  { command, application, availability, botPermissions }: FoundCommand,
  userId: string,
  access: ChannelAccess,
): { command: CommandRecord; application: ApplicationRecord; server: ServerRecord } {
  const { server, channel, permissions, roleIds } = access
  // Direct messages have no commands (bots/pressing-a-button).
  if (server === undefined) throw notFound()
  requirePermissions(access, permissionFor.useCommand)
  if (!command || !application || !availability) throw notFound()
  if (command.serverId !== null && command.serverId !== server.id) throw notFound()
  const { scopes, botId, hiddenBy, overrides } = availability
  if (botId === null || hiddenBy !== null) throw notFound()
  if (!scopes?.split(' ').includes('applications.commands')) throw notFound()
  requireVisibleToBot(botPermissions, botId, server.id)
  const user = { userId, serverId: server.id, channelId: channel.id, permissions, roleIds }
  if (!mayUseCommand(user, command, overrides)) {
    const message = `The permissions of the command "${command.name}" do not let you use it in this channel.`
    throw new AppError('missing_permission', message)
  }
  return { command, application, server }
}
