import type { AvailableCommand } from '@gatehouse/protocol/commands'
import { has, Permission } from '@gatehouse/protocol/permissions'
import {
  type ApplicationRecord,
  type CommandRecord,
  findIntegration,
  isShadowed,
  listServerCommands,
  toIconPath,
  toRegisteredCommand,
} from '../applications/index.ts'
import { notFound } from '../kit/app-error.ts'
import { canViewChannel, requireChannel, requirePermissions } from '../platform/permissions/index.ts'
import type { Sql } from '../storage/database.ts'

/** What a user needs to run commands, besides VIEW_CHANNEL (bots/command-visibility). */
const commandPermissions = Permission.SEND_MESSAGES | Permission.USE_COMMANDS

/** Throws 403. */
export function requireCommandPermissions(permissions: bigint): void {
  requirePermissions(permissions, commandPermissions)
}

/**
 * The commands that a user can run in a channel, by name (bots/server-commands, bots/command-visibility). Empty in a direct
 * message; 404 if the user may not view the channel.
 */
export async function listAvailableCommands(
  sql: Sql,
  userId: string,
  channelId: string,
): Promise<AvailableCommand[]> {
  const { channel, permissions } = await requireChannel(sql, userId, channelId)
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

/** `application` is that of the command. Throws 404 for a command that `listAvailableCommands` does not list in the channel. */
export async function requireAvailableCommand(
  sql: Sql,
  command: CommandRecord | undefined,
  application: ApplicationRecord | undefined,
  { channelId, serverId }: { channelId: string; serverId: string },
): Promise<{ command: CommandRecord; application: ApplicationRecord }> {
  if (!command || (command.serverId !== null && command.serverId !== serverId)) throw notFound()
  if (!application || application.botUserId === null) throw notFound()
  const { applicationId, name } = command
  const [visible, integration, shadowed] = await Promise.all([
    canViewChannel(sql, application.botUserId, channelId),
    findIntegration(sql, serverId, applicationId),
    // A server command hides the global command of the same name (bots/command-set).
    command.serverId === null ? isShadowed(sql, applicationId, serverId, name) : false,
  ])
  const canRun = integration?.scopes.split(' ').includes('applications.commands') && !shadowed
  if (!visible || !canRun) throw notFound()
  return { command, application }
}
