import { checkCommands } from '@gatehouse/protocol/commands'
import { type PermissionName, permissionSet } from './permissions.ts'
import type {
  AutocompleteInteraction,
  Choice,
  CommandInteraction,
  InteractionEvent,
  InteractionOption,
  Localizations,
  MenuCommandType,
  MessageCommandInteraction,
  OptionType,
  OptionValue,
  RegisteredCommand,
  RegisteredSubcommand,
  UserCommandInteraction,
} from './types.ts'
import { asJson, assertValid } from './validity.ts'

interface Named {
  /** Lowercase letters, digits, `-` and `_`; up to 32 characters. */
  readonly name: string
  /** The name in other languages, by language tag such as `ru`. */
  readonly nameLocalizations?: Localizations
  /** 1 to 100 characters. */
  readonly description: string
  /** The description in other languages, by language tag such as `ru`. */
  readonly descriptionLocalizations?: Localizations
}

export interface OptionDefinition extends Named {
  readonly type: OptionType
  /** Required options come first. */
  readonly required?: boolean
  /** Up to 25 values to select from, for string, integer and number. */
  readonly choices?: readonly Readonly<Choice>[]
  /**
   * The bot suggests values while the user types, for string, integer and number. The last argument of `bot.command`
   * has the handler.
   */
  readonly autocomplete?: boolean
  /** For integer and number. */
  readonly min?: number
  readonly max?: number
  /** The fewest and the most characters of a string, up to 6,000. */
  readonly minLength?: number
  readonly maxLength?: number
}

export interface SubcommandDefinition extends Named {
  readonly type: 'subcommand'
  /** Up to 25. */
  readonly options?: readonly OptionDefinition[]
}

export interface SubcommandGroupDefinition extends Named {
  readonly type: 'subcommand_group'
  /** 1 to 25. */
  readonly options: readonly SubcommandDefinition[]
}

export type CommandOptionDefinition = OptionDefinition | SubcommandDefinition | SubcommandGroupDefinition

/** A slash command, which decides the types of the options of its handler. */
export interface CommandDefinition extends Named {
  /** Up to 25 options with values, or else subcommands and groups, of which the user runs one. */
  readonly options?: readonly CommandOptionDefinition[]
  /**
   * The permissions that a member needs in the channel to use the command. `['ADMINISTRATOR']`: only administrators.
   * Members with MANAGE_SERVER can override them on their server.
   */
  readonly defaultMemberPermissions?: readonly [PermissionName, ...PermissionName[]]
  /** Default of `ephemeral` for the responses of this command. */
  readonly ephemeral?: boolean
}

/** A command in the menu of a user or a message. It has no options. */
export interface MenuCommandDefinition {
  /** 1 to 32 characters, with spaces and capital letters: `Report message`. */
  readonly name: string
  /** The name in other languages, by language tag such as `ru`. */
  readonly nameLocalizations?: Localizations
  /** The permissions that a member needs in the channel, as for a slash command. */
  readonly defaultMemberPermissions?: CommandDefinition['defaultMemberPermissions']
  /** Default of `ephemeral` for the responses of this command. */
  readonly ephemeral?: boolean
}

/** A command of a bot. A slash command has no `type`. */
export type AnyCommandDefinition =
  | (CommandDefinition & { readonly type?: undefined })
  | (MenuCommandDefinition & { readonly type: MenuCommandType })

/** The type of a value by the type of its option. */
interface ValueTypes {
  string: string
  integer: number
  number: number
  boolean: boolean
  user: string
  channel: string
  role: string
  mentionable: string
}

type ValueOf<Option extends OptionDefinition> = Option extends {
  choices: readonly { value: infer Value }[]
}
  ? Value
  : ValueTypes[Option['type']]

export interface WithOptions extends Named {
  readonly options?: readonly CommandOptionDefinition[]
}

/**
 * The type of `ctx.options`: one property per option of the definition. An option that is not required may be
 * undefined. The value of a user, channel, role or mentionable option is its id. For a command without subcommands, or
 * a subcommand.
 */
export type OptionsOf<Definition extends WithOptions> = Definition extends {
  options: readonly (infer Option extends CommandOptionDefinition)[]
}
  ? {
      readonly [One in Extract<Option, OptionDefinition> as One['name']]: One extends { required: true }
        ? ValueOf<One>
        : ValueOf<One> | undefined
    }
  : WithOptions extends Definition
    ? { readonly [name: string]: OptionValue | undefined }
    : Readonly<Record<never, never>>

/** The options of each subcommand by its name, with that of its group: `'role add'`. */
export type SubcommandsOf<Definition extends CommandDefinition> = {
  readonly [Name in keyof SubcommandDefinitionsOf<Definition>]: OptionsOfSubcommand<
    SubcommandDefinitionsOf<Definition>[Name]
  >
}

type OptionsOfSubcommand<Subcommand> = Subcommand extends WithOptions ? OptionsOf<Subcommand> : never

/** The definition of each subcommand by the same name. */
export type SubcommandDefinitionsOf<Definition extends CommandDefinition> = Definition extends {
  options: readonly (infer Option)[]
}
  ? UnionToIntersection<DefinitionsBySubcommand<Option>>
  : Record<never, never>

type DefinitionsBySubcommand<Option> = Option extends SubcommandDefinition
  ? { readonly [Name in Option['name']]: Option }
  : Option extends SubcommandGroupDefinition
    ? { readonly [Inner in Option['options'][number] as `${Option['name']} ${Inner['name']}`]: Inner }
    : Record<never, never>

export type UnionToIntersection<Union> = (Union extends unknown ? (member: Union) => void : never) extends (
  member: infer Intersection,
) => void
  ? Intersection
  : never

type AnyCommandInteraction = CommandInteraction | UserCommandInteraction | MessageCommandInteraction

export function isUserCommand(event: AnyCommandInteraction): event is UserCommandInteraction {
  return 'type' in event.data && event.data.type === 'user'
}

export function isMessageCommand(event: AnyCommandInteraction): event is MessageCommandInteraction {
  return 'type' in event.data && event.data.type === 'message'
}

/** The type of the command of an event, undefined for a button. */
export function commandTypeOf(event: InteractionEvent): RegisteredCommand['type'] | undefined {
  if (event.type !== 'command') return undefined
  return 'type' in event.data ? event.data.type : 'slash'
}

/** Both have the options that the user entered. */
type WithEventOptions = Pick<CommandInteraction | AutocompleteInteraction, 'data'>
type EventOptions = CommandInteraction['data']['options']

/**
 * The names of the group and subcommand of an event, separated by a space. Undefined for a command without subcommands.
 */
export function readSubcommand({ data }: WithEventOptions): string | undefined {
  return selectSubcommand(data.options).names.join(' ') || undefined
}

/** The names of the group and subcommand, and the options with values. */
export function selectSubcommand(
  options: EventOptions,
  names: readonly string[] = [],
): { names: readonly string[]; values: InteractionOption[] } {
  const [first] = options
  if (first && 'options' in first) return selectSubcommand(first.options, [...names, first.name])
  return { names, values: options.flatMap(option => ('value' in option ? [option] : [])) }
}

/** Returns the options of an event by name, and the one in which the user types. */
export function readOptions<Definition extends CommandDefinition>({
  data,
}: WithEventOptions): { options: OptionsOf<Definition>; focused: InteractionOption | undefined } {
  const { values: found } = selectSubcommand(data.options)
  const values = Object.fromEntries(found.map(({ name, value }) => [name, value]))
  // The service has validated the values against the registered definition.
  return { options: values as OptionsOf<Definition>, focused: found.find(option => option.focused) }
}

/** A definition as it is registered with the service. */
export type Registration = Pick<
  RegisteredCommand,
  'type' | keyof Named | 'options' | 'defaultMemberPermissions'
>

export function toRegistration(definition: AnyCommandDefinition): Registration {
  const { defaultMemberPermissions: permissions } = definition
  const defaultMemberPermissions = permissions === undefined ? null : permissionSet(permissions)
  if (definition.type !== undefined) {
    const { ephemeral: _, ...command } = definition
    return { ...command, description: '', options: [], defaultMemberPermissions }
  }
  const { ephemeral: _, options = [], ...named } = definition
  return { ...named, type: 'slash', options: options.map(toRegisteredOption), defaultMemberPermissions }
}

function toRegisteredOption(option: CommandOptionDefinition): Registration['options'][number] {
  if (option.type === 'subcommand') return toRegisteredSubcommand(option)
  if (option.type !== 'subcommand_group') return option
  return { ...option, options: option.options.map(toRegisteredSubcommand) }
}

function toRegisteredSubcommand(subcommand: SubcommandDefinition): RegisteredSubcommand {
  return { ...subcommand, options: subcommand.options ?? [] }
}

/** Throws a TypeError unless the service accepts the command. `call`: the function that defines it. */
export function assertCommand(call: string, definition: AnyCommandDefinition): void {
  const { violations } = checkCommands(asJson([toRegistration(definition)]))
  assertValid(`${call}(${JSON.stringify(definition.name)})`, violations, 1)
}

/**
 * The commands as the service stores them. Throws a TypeError unless it accepts the set: the number of commands and
 * their names.
 */
export function readCommandSet(call: string, definitions: readonly AnyCommandDefinition[]): Registration[] {
  const { commands, violations } = checkCommands(asJson(definitions.map(toRegistration)))
  assertValid(call, violations)
  return commands
}

/** Whether the registered commands equal the set, in any order. */
export function isRegistered(
  set: readonly Registration[],
  registered: readonly RegisteredCommand[],
): boolean {
  return canonicalize(set) === canonicalize(registered)
}

/** The names of the registered commands that are not in the set. Commands of different types may have one name. */
export function listRemoved(
  set: readonly Registration[],
  registered: readonly RegisteredCommand[],
): string[] {
  const keyOf = ({ type, name }: Pick<Registration, 'type' | 'name'>) => `${type} ${name}`
  const kept = new Set(set.map(keyOf))
  return registered.filter(command => !kept.has(keyOf(command))).map(({ name }) => name)
}

/** Without what the service adds. */
function canonicalize(commands: readonly Registration[]): string {
  const members = commands.map(
    ({ id: _, applicationId, serverId, createdAt, updatedAt, ...command }: Partial<RegisteredCommand>) =>
      JSON.stringify(command, sortMembers),
  )
  return JSON.stringify(members.toSorted())
}

/** An option that is not required may also have no such member. */
function sortMembers(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const members = Object.entries(value).filter(([, member]) => member !== false)
  return Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
