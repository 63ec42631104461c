import type { Choice, CommandOption, CommandOverride, RegisteredCommand } from '@gatehouse/protocol/commands'
import { isJsonObject, type JsonObject } from '@gatehouse/protocol/json-object'
import type {
  APIApplicationCommand,
  APIApplicationCommandChannelOption,
  APIApplicationCommandNumberOption,
  APIApplicationCommandOptionBase,
  APIApplicationCommandOptionChoice,
  APIApplicationCommandPermission,
  APIApplicationCommandStringOption,
  APIApplicationCommandSubcommandOption,
} from 'discord-api-types/v10'
import { invalid } from '../../errors/app-error.ts'
import { timestampToSnowflake } from '../../kit/snowflake.ts'
import { nameOfNumber, toPermissions } from '../request-members.ts'
import { fromDiscordChoices } from './discord-callback.ts'
import { commandTypeNumbers, optionTypeNumbers } from './discord-interaction.ts'
import type { OptionalMembers, Whole } from './whole.ts'

type Translations = Readonly<Record<string, string>> | null

interface Translated {
  name_localizations: Translations
  description_localizations: Translations
}

type DiscordChoice = Whole<APIApplicationCommandOptionChoice, never, Pick<Translated, 'name_localizations'>>

/** The members of the options of all types. */
type OptionMembers = APIApplicationCommandOptionBase<never> &
  Pick<APIApplicationCommandNumberOption, 'max_value' | 'min_value'> &
  Pick<APIApplicationCommandStringOption, 'max_length' | 'min_length'> &
  Pick<APIApplicationCommandChannelOption, 'channel_types'> &
  Pick<APIApplicationCommandSubcommandOption, 'options'> & {
    autocomplete?: boolean
    choices?: DiscordChoice[]
  }

type DiscordCommandOption = Whole<
  OptionMembers,
  OptionalMembers['commandOption'],
  Translated & { type: number; choices?: DiscordChoice[]; options?: DiscordCommandOption[] }
>

export type DiscordCommand = Whole<
  APIApplicationCommand,
  OptionalMembers['command'],
  Translated & { options: DiscordCommandOption[] }
>

/** Commands are used on servers only, by members (`contexts`, `integration_types`). */
export function toDiscordCommand(command: RegisteredCommand): DiscordCommand {
  const { serverId } = command
  return {
    id: command.id,
    application_id: command.applicationId,
    ...(serverId === undefined
      ? { dm_permission: false, contexts: [0], integration_types: [0] }
      : { guild_id: serverId }),
    type: commandTypeNumbers[command.type],
    name: command.name,
    name_localizations: command.nameLocalizations ?? null,
    description: command.description,
    description_localizations: command.descriptionLocalizations ?? null,
    options: command.options.map(toDiscordOption),
    default_member_permissions: command.defaultMemberPermissions,
    default_permission: true,
    nsfw: false,
    version: timestampToSnowflake(Date.parse(command.updatedAt)),
  }
}

function toDiscordOption(option: CommandOption): DiscordCommandOption {
  const common = {
    type: optionTypeNumbers[option.type],
    name: option.name,
    name_localizations: option.nameLocalizations ?? null,
    description: option.description,
    description_localizations: option.descriptionLocalizations ?? null,
  }
  if ('options' in option) return { ...common, options: option.options.map(toDiscordOption) }
  const { required, choices, autocomplete, min, max, minLength, maxLength } = option
  return {
    ...common,
    ...(required === undefined ? {} : { required }),
    ...(choices === undefined ? {} : { choices: choices.map(toDiscordChoice) }),
    ...(autocomplete === undefined ? {} : { autocomplete }),
    ...(min === undefined ? {} : { min_value: min }),
    ...(max === undefined ? {} : { max_value: max }),
    ...(minLength === undefined ? {} : { min_length: minLength }),
    ...(maxLength === undefined ? {} : { max_length: maxLength }),
  }
}

function toDiscordChoice({ name, nameLocalizations, value }: Choice): DiscordChoice {
  return { name, name_localizations: nameLocalizations ?? null, value }
}

const permissionTypes = { role: 1, user: 2, channel: 3 } as const

export function toDiscordCommandPermission({
  type,
  id,
  allow,
}: CommandOverride): Whole<APIApplicationCommandPermission> {
  return { id, type: permissionTypes[type], permission: allow }
}

/**
 * A command of a request in the format of our API, whose operation validates it. Where commands can be used in
 * Discord's clients (`contexts`, `integration_types`, `dm_permission`), `nsfw` and the types of channels are ignored.
 */
export function fromDiscordCommand(given: JsonObject, path = ''): JsonObject {
  const { type, name, description, options } = given
  const permissions = given.default_member_permissions
  return present({
    type: nameOf(
      commandTypeNumbers,
      type ?? commandTypeNumbers.slash,
      `${path}type`,
      'commands of the types 1, 2 and 3',
    ),
    name,
    nameLocalizations: withoutNulls(given.name_localizations),
    description,
    descriptionLocalizations: withoutNulls(given.description_localizations),
    options: fromDiscordOptions(options, `${path}options`),
    defaultMemberPermissions: permissions === null ? null : toPermissions(permissions),
  })
}

function fromDiscordOptions(given: unknown, path: string): unknown {
  if (!Array.isArray(given)) return given ?? undefined
  return given.map((option: unknown, index) =>
    isJsonObject(option) ? fromDiscordOption(option, `${path}[${index}]`) : option,
  )
}

function fromDiscordOption(given: JsonObject, path: string): JsonObject {
  const type = nameOf(optionTypeNumbers, given.type, `${path}.type`, 'options of the types 1 to 10')
  const common = {
    type,
    name: given.name,
    nameLocalizations: withoutNulls(given.name_localizations),
    description: given.description,
    descriptionLocalizations: withoutNulls(given.description_localizations),
  }
  if (type === 'subcommand' || type === 'subcommand_group') {
    return present({ ...common, options: fromDiscordOptions(given.options, `${path}.options`) })
  }
  const choices = Array.isArray(given.choices) && given.choices.length === 0 ? undefined : given.choices
  return present({
    ...common,
    required: given.required,
    choices: fromDiscordChoices(choices),
    autocomplete: given.autocomplete,
    min: given.min_value,
    max: given.max_value,
    minLength: given.min_length,
    maxLength: given.max_length,
  })
}

function nameOf(
  numbers: Readonly<Record<string, number>>,
  given: unknown,
  path: string,
  supported: string,
): string {
  const name = nameOfNumber(numbers, given)
  if (name !== undefined) return name
  throw invalid(path, 'invalid_choice', `is not supported: only ${supported} are`)
}

/** Null is no text in Discord's API. */
function withoutNulls(given: unknown): unknown {
  if (!isJsonObject(given)) return given
  return Object.fromEntries(Object.entries(given).filter(([, text]) => text !== null))
}

/** Without absent members. Null is one, but of the permissions. */
function present(members: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(members).filter(
      ([name, value]) => value !== undefined && (value !== null || name === 'defaultMemberPermissions'),
    ),
  )
}
