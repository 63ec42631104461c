import type { AvailableCommand } from '@gatehouse/protocol/commands'
import type { EnteredOption, RunInteractionBody } from '@gatehouse/protocol/interactions'
import { has, permissionFor } from '@gatehouse/protocol/permissions'
import {
  type ApplicationRecord,
  type CommandRecord,
  findCommand,
  findCommandAvailability,
  listServerCommands,
  mayUseCommand,
  readServerCommands,
  type ServerCommandRecord,
  toIconPath,
  toRegisteredCommand,
} from '../applications/index.ts'
import {
  canViewChannel,
  requireActiveMember,
  requireChannel,
  requirePermissions,
} from '../community/permissions/index.ts'
import { AppError, notFound } from '../errors/app-error.ts'
import type { Sql } from '../storage/database.ts'
import { requireBotInChannel } from './channel-bot.ts'
import type { Use, UserInChannel } from './interaction-use.ts'
import { type ValidatedOptions, validateOptions } from './option-values.ts'
import { createEntityLookup } from './resolved-entities.ts'
import type { ResponseDeps } from './response-context.ts'
import { resolveTarget } from './targets.ts'

/**
 * The commands that a user can run in a channel, by name (bots/server-commands, bots/command-visibility). Empty in a
 * direct message; 404 if the user may not view the channel.
 */
export async function listAvailableCommands(
  sql: Sql,
  now: number,
  userId: string,
  channelId: string,
): Promise<AvailableCommand[]> {
  const { channel, permissions, roleIds } = await requireChannel(sql, now, userId, channelId)
  if (channel.serverId === null || channel.type === 'category' || !has(permissions, permissionFor.useCommand))
    return []
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

/**
 * Checks the use of a command (bots/command-gone, bots/option-values, bots/context-commands). Throws 400, 403 or 404.
 */
export async function resolveCommand(
  deps: Pick<ResponseDeps, 'db' | 'clock' | 'messages' | 'ephemerals'>,
  { userId, access }: UserInChannel,
  body: Extract<RunInteractionBody, { type: 'command' }>,
): Promise<Use> {
  const { commandId, targetId } = body
  const usable = await requireUsableCommand(deps.db, commandId, { userId, access })
  const { application, serverId } = usable
  const { id, name, type } = usable.command
  const user = { userId, channelId: access.channel.id }
  const { subcommand, data } = await resolveOptions(deps, usable, user, body)
  const target = await resolveTarget(deps, type, { ...user, serverId, targetId })
  return {
    application,
    name: [name, ...subcommand].join(' '),
    sourceMessage: undefined,
    openedBy: null,
    event: {
      type: 'command',
      serverId,
      data: target ? { id, name, ...target, options: [] } : { id, name, ...data },
    },
  }
}

/** The options that the user entered. `focused` as in `validateOptions`. Throws 400. */
export function resolveOptions(
  { db, clock }: Pick<ResponseDeps, 'db' | 'clock'>,
  { command, serverId }: UsableCommand,
  user: { userId: string; channelId: string },
  { options = [], focused }: { options?: readonly EnteredOption[]; focused?: string },
): Promise<ValidatedOptions> {
  const lookup = createEntityLookup(db, clock(), { ...user, serverId })
  return validateOptions(command.options, options, lookup, focused)
}

/** A command of a server, which the user may use. */
interface UsableCommand {
  command: CommandRecord
  application: ApplicationRecord
  serverId: string
}

/**
 * A command that the user may use in the channel, and its application. The same rules as `listAvailableCommands`:
 * throws 404 for a direct message and a command that is not available in the channel, 403 if the user may not run it
 * there (bots/command-visibility, bots/default-permissions, bots/command-overrides).
 */
export async function requireUsableCommand(
  sql: Sql,
  commandId: string,
  { userId, access }: UserInChannel,
): Promise<UsableCommand> {
  const { server, channel, permissions, roleIds } = access
  // Direct messages have no commands (bots/pressing-a-button).
  if (server === undefined) throw notFound()
  requirePermissions(access, permissionFor.useCommand)
  requireActiveMember(access)
  const [command, availability] = await Promise.all([
    findCommand(sql, commandId),
    findCommandAvailability(sql, commandId, channel.id),
  ])
  if (!command || !availability) throw notFound()
  if (command.serverId !== null && command.serverId !== server.id) throw notFound()
  const { scopes, botId, hiddenBy, overrides } = availability
  if (botId === null || hiddenBy !== null) throw notFound()
  if (!scopes?.split(' ').includes('applications.commands')) throw notFound()
  const bot = { applicationId: command.applicationId, botId }
  const application = await requireBotInChannel(sql, bot, channel)
  const user = { userId, serverId: server.id, channelId: channel.id, permissions, roleIds }
  if (!mayUseCommand(user, command, overrides)) {
    const message = `The permissions of the command "${command.name}" do not let you use it in this channel.`
    throw new AppError('missing_permission', message)
  }
  return { command, application, serverId: server.id }
}
