import type { AvailableCommand } from '@gatehouse/protocol/commands'
import { has, Permission } from '@gatehouse/protocol/permissions'
import {
  type ApplicationRecord,
  type CommandAvailability,
  type CommandRecord,
  findApplicationOfCommand,
  findCommand,
  findCommandAvailability,
  listServerCommands,
  toIconPath,
  toRegisteredCommand,
} from '../applications/index.ts'
import { notFound } from '../kit/app-error.ts'
import {
  type ChannelAccess,
  canViewChannel,
  listChannelPermissionsOfBot,
  type PermissionRow,
  requireChannel,
  requirePermissions,
  requireVisible,
  type ServerRecord,
} from '../platform/permissions/index.ts'
import type { Sql } from '../storage/database.ts'

/** What a user needs to run commands, besides VIEW_CHANNEL (bots/command-visibility). */
const commandPermissions = Permission.SEND_MESSAGES | Permission.USE_COMMANDS

/** Throws 403. */
export function requireCommandPermissions(access: ChannelAccess): void {
  requirePermissions(access, commandPermissions)
}

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
  const { channel, permissions } = await requireChannel(sql, now, userId, channelId)
  if (channel.serverId === null || !has(permissions, commandPermissions)) return []
  const commands = await listServerCommands(sql, channel.serverId)
  const botIds = [...new Set(commands.map(command => command.application.botUserId))]
  const isVisible = await Promise.all(botIds.map(botId => canViewChannel(sql, botId, channelId)))
  const botsInChannel = new Set(botIds.filter((_, index) => isVisible[index]))
  return commands.filter(command => botsInChannel.has(command.application.botUserId)).map(toAvailableCommand)
}

function toAvailableCommand({
  application: { name, iconHash, botUserId },
  ...command
}: Awaited<ReturnType<typeof listServerCommands>>[number]): AvailableCommand {
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

/** Throws 404 for a command that `listAvailableCommands` does not list in the channel. */
export function requireAvailableCommand(
  { command, application, availability, botPermissions }: FoundCommand,
  server: ServerRecord,
): { command: CommandRecord; application: ApplicationRecord } {
  if (!command || !application || !availability) throw notFound()
  if (command.serverId !== null && command.serverId !== server.id) throw notFound()
  const { scopes, botId, hiddenBy } = availability
  if (botId === null || hiddenBy !== null) throw notFound()
  if (!scopes?.split(' ').includes('applications.commands')) throw notFound()
  requireVisible(botPermissions, botId, server)
  return { command, application }
}
