import type { RegisteredCommand } from '@gatehouse/protocol/commands'
import { isId } from '@gatehouse/protocol/ids'
import type { JsonObject } from '@gatehouse/protocol/json-object'
import type { APIGuildApplicationCommandPermissions } from 'discord-api-types/v10'
import { type CommandSet, type Commands, parseCommands } from '../../applications/index.ts'
import { AppError, type FieldError, invalidAll } from '../../errors/app-error.ts'
import type { Route } from '../../http/route.ts'
import { missingAccess, NumberedError, unknownError } from '../api-errors.ts'
import type { BotRequest, DeclareBotRoute } from '../bot-route.ts'
import {
  fromDiscordCommand,
  toDiscordCommand,
  toDiscordCommandPermission,
} from '../objects/discord-commands.ts'
import { withOptionsAsText, withoutUnsupportedOptions } from '../objects/unsupported-options.ts'
import type { Whole } from '../objects/whole.ts'

export interface CommandRouteDeps {
  commands: Commands
}

const paths = [
  '/applications/:applicationId/commands',
  '/applications/:applicationId/guilds/:guildId/commands',
] as const

/** The commands of a bot: the global set, and that of a guild. */
export function discordCommandRoutes(botRoute: DeclareBotRoute, { commands }: CommandRouteDeps): Route[] {
  return [...paths.flatMap(path => setRoutes(botRoute, commands, path)), ...permissionRoutes(botRoute)]
}

function setRoutes(botRoute: DeclareBotRoute, commands: Commands, path: (typeof paths)[number]): Route[] {
  const missing = 'command'
  return [
    botRoute(`GET ${path}`, {
      summary: 'Lists commands of the bot.',
      missing,
      handle: async request => (await list(request)).map(toDiscordCommand),
    }),
    botRoute(`PUT ${path}`, {
      summary: 'Replaces the commands of the bot.',
      missing,
      async handle(request) {
        const { applicationId, serverId } = setOf(request)
        const given = request.entries()
        const { supported, leftOut } = withoutUnsupportedOptions(given)
        // First all of it, so that errors have the indexes of the request.
        if (leftOut.length > 0) await named(async () => parseCommands(toSet(given.map(withOptionsAsText))))
        const replaced = await named(() =>
          commands.replace(applicationId, serverId, toSet(supported), leftOut),
        )
        return replaced.map(toDiscordCommand)
      },
    }),
    botRoute(`POST ${path}`, {
      summary: 'Adds a command, or replaces the one of its type and name.',
      missing,
      handle: async request =>
        toDiscordCommand(
          await named(() => commands.put(setOf(request), fromDiscordCommand(request.members()))),
        ),
    }),
    botRoute(`GET ${path}/:commandId`, {
      summary: 'Returns a command of the bot.',
      missing,
      handle: async request => toDiscordCommand(await find(request)),
    }),
    botRoute(`PATCH ${path}/:commandId`, {
      summary: 'Changes a command of the bot.',
      missing,
      async handle(request) {
        const changes = request.members()
        const change = (command: RegisteredCommand) =>
          fromDiscordCommand({ ...toDiscordCommand(command), ...changes })
        return toDiscordCommand(await named(() => commands.update(setOf(request), idOf(request), change)))
      },
    }),
    botRoute(`DELETE ${path}/:commandId`, {
      summary: 'Deletes a command of the bot.',
      missing,
      handle: request => commands.delete(setOf(request), idOf(request)),
    }),
  ]

  function list(request: BotRequest): Promise<RegisteredCommand[]> {
    const { applicationId, serverId } = setOf(request)
    return commands.list(applicationId, serverId)
  }

  async function find(request: BotRequest): Promise<RegisteredCommand> {
    const found = (await list(request)).find(({ id }) => id === idOf(request))
    if (found === undefined) throw unknownError('command')
    return found
  }
}

/** Who may use the commands of the bot on a guild. Only people change it, as in Discord's API. */
function permissionRoutes(botRoute: DeclareBotRoute): Route[] {
  const path = paths[1]
  const missing = 'commandPermissions'
  async function list(request: BotRequest): Promise<Whole<APIGuildApplicationCommandPermissions>[]> {
    const { applicationId, serverId } = setOf(request)
    const id = serverId ?? ''
    const all = await request.run('listServerCommandPermissions', { params: { id } })
    return all
      .filter(command => command.applicationId === applicationId && command.overrides.length > 0)
      .map(({ id: commandId, overrides }) => ({
        id: commandId,
        application_id: applicationId,
        guild_id: id,
        permissions: overrides.map(toDiscordCommandPermission),
      }))
  }
  return [
    botRoute(`GET ${path}/permissions`, {
      summary: 'Lists who may use the commands of the bot on a guild.',
      missing,
      handle: list,
    }),
    botRoute(`GET ${path}/:commandId/permissions`, {
      summary: 'Returns who may use a command of the bot on a guild.',
      missing,
      async handle(request) {
        const found = (await list(request)).find(({ id }) => id === idOf(request))
        if (found === undefined) throw unknownError('commandPermissions')
        return found
      },
    }),
  ]
}

function toSet(given: readonly JsonObject[]): JsonObject[] {
  return given.map((command, index) => fromDiscordCommand(command, `[${index}].`))
}

/** Throws 403 if the application of the path is another one. */
export function requireOwnApplication({ caller, params }: Pick<BotRequest, 'caller' | 'params'>): void {
  // A bot of 0.3.0 has another id than its application (discord/application-ids).
  if (params.applicationId === caller.applicationId || params.applicationId === caller.userId) return
  const message = 'You are not authorized to perform this action on this application'
  throw new NumberedError('missing_permission', 20012, message)
}

/** Throws 403 for another application, and for a guild that has no id. */
function setOf(request: BotRequest): CommandSet {
  requireOwnApplication(request)
  const { caller, params } = request
  const { guildId } = params
  if (guildId !== undefined && !isId(guildId)) throw missingAccess()
  return { applicationId: caller.applicationId, serverId: guildId ?? null }
}

function idOf({ params }: BotRequest): string {
  return params.commandId ?? ''
}

/** Names the bounds in errors as Discord's API does. */
async function named<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof AppError) || error.errors === undefined) throw error
    throw invalidAll(
      error.errors.map(
        (each): FieldError => ({ ...each, path: each.path.replace(/\b(min|max)$/, '$1Value') }),
      ),
    )
  }
}
