import type { AvailableCommand } from '@gatehouse/protocol/commands'
import { has, Permission, permissionNames } from '@gatehouse/protocol/permissions'
import {
  type ApplicationRecord,
  type CommandRecord,
  commandsForServer,
  findApplication,
  findCommand,
  findInstallation,
  isShadowed,
} from '../applications/index.ts'
import { AppError, notFound } from '../kit/app-error.ts'
import { imagePath } from '../platform/images/index.ts'
import { mayView, requireChannel } from '../platform/permissions/index.ts'
import type { Sql } from '../storage/database.ts'

/** D65: what a person needs for commands beside VIEW_CHANNEL. */
const needed = Permission.SEND_MESSAGES | Permission.USE_COMMANDS

/** Throws 403 where a person who may view the channel may not use commands there. */
export function requireUse(permissions: bigint): void {
  if (has(permissions, needed)) return
  const names = permissionNames(needed & ~permissions).join(', ')
  throw new AppError('missing_permission', `This needs the permission ${names}.`)
}

/** The commands that a person can use in a channel, by name (D27, D65); none in a direct message. */
export async function availableCommands(
  sql: Sql,
  userId: string,
  channelId: string,
): Promise<AvailableCommand[]> {
  const { channel, permissions } = await requireChannel(sql, userId, channelId)
  if (channel.serverId === null || !has(permissions, needed)) return []
  const commands = await commandsForServer(sql, channel.serverId)
  const bots = [...new Set(commands.map(command => command.application.botUserId))]
  const seen = await Promise.all(bots.map(botId => mayView(sql, botId, channelId)))
  const present = new Set(bots.filter((_, index) => seen[index]))
  return commands.filter(command => present.has(command.application.botUserId)).map(view)
}

function view(command: Awaited<ReturnType<typeof commandsForServer>>[number]): AvailableCommand {
  const { id, applicationId, name, description, options, serverId } = command
  const { botUserId, iconHash } = command.application
  return {
    id,
    applicationId,
    name,
    description,
    options,
    ...(serverId === null ? {} : { serverId }),
    createdAt: new Date(command.createdAt).toISOString(),
    updatedAt: new Date(command.updatedAt).toISOString(),
    application: {
      id: applicationId,
      name: command.application.name,
      icon: iconHash === null ? null : imagePath('applications', applicationId, iconHash),
      botId: botUserId,
    },
  }
}

/** A command by its id as it can be used on a server; 404 for any that `availableCommands` would not list there. */
export async function usableCommand(
  sql: Sql,
  { commandId, channelId, serverId }: { commandId: string; channelId: string; serverId: string },
): Promise<{ command: CommandRecord; application: ApplicationRecord }> {
  const command = await findCommand(sql, commandId)
  if (!command || (command.serverId !== null && command.serverId !== serverId)) throw notFound()
  const { applicationId, name } = command
  const [application, installation, shadowed] = await Promise.all([
    botOf(sql, applicationId, channelId),
    findInstallation(sql, serverId, applicationId),
    // D52: the id of a global command that a server's own shadows is 404 there.
    command.serverId === null ? isShadowed(sql, applicationId, serverId, name) : false,
  ])
  if (!installation?.scopes.split(' ').includes('applications.commands') || shadowed) throw notFound()
  return { command, application }
}

/** The application, where its bot is in the channel; else 404. */
export async function botOf(sql: Sql, applicationId: string, channelId: string): Promise<ApplicationRecord> {
  const application = await findApplication(sql, applicationId)
  if (!application || application.botUserId === null) throw notFound()
  if (!(await mayView(sql, application.botUserId, channelId))) throw notFound()
  return application
}
