import type { Static } from 'typebox'
import { readCommandName, readLocalizedName } from './command-names.ts'
import {
  addViolation,
  mustBe,
  oneOf,
  outOfRange,
  required,
  tooMany,
  tooShort,
  type Violation,
  type ViolationDetails,
} from './field-errors.ts'
import { Id, Timestamp } from './ids.ts'
import { withoutJoiners } from './joiners.ts'
import {
  isAbsent,
  isJsonObject,
  type JsonObject,
  readBoolean,
  readObjects,
  rejectUnknownMembers,
  requireText,
} from './json-object.ts'
import * as limits from './limits.ts'
import { type Bounds, checkBounds } from './option-bounds.ts'
import { checkPermissions, PermissionSet } from './permissions.ts'
import { closed, Described, Documented, Extended, Nullable, OneOf, ShownAs, Variants } from './schema.ts'
import { checkText, cleaners } from './text.ts'
import { Type } from './type.ts'
import { IconPath } from './users.ts'

export const optionTypes = ['string', 'integer', 'number', 'boolean', 'user', 'channel', 'role'] as const

export type OptionType = (typeof optionTypes)[number]

/** Only text and numbers have bounds, choices and autocomplete (bots/option-bounds, bots/autocomplete). */
const valueKinds: Readonly<Record<OptionType, 'text' | 'number' | 'other'>> = {
  string: 'text',
  integer: 'number',
  number: 'number',
  boolean: 'other',
  user: 'other',
  channel: 'other',
  role: 'other',
}

/** Not a named schema: generators want the member that a discriminator names to be a string, not a reference. */
export const optionTypeMember = () =>
  OneOf(optionTypes, { description: 'The type of the value that a user enters.' })

/** The types of commands. A command without a type is a slash command. */
export const commandTypes = ['slash', 'user', 'message'] as const

export const CommandType = OneOf(commandTypes, {
  description:
    '`slash`: a user types the command. `user`, `message`: a user chooses it in the menu of a user or message.',
})
export type CommandType = Static<typeof CommandType>

/** A command in the menu of a user or a message. It has no options: its input is that user or message. */
export const ContextCommandType = OneOf(['user', 'message'], {
  description: 'The menu that the command was chosen in; absent for a slash command.',
})
export type ContextCommandType = Static<typeof ContextCommandType>

/** The types of options that contain options instead of a value. */
export const subcommandTypes = ['subcommand', 'subcommand_group'] as const

/** The value of an option that a user entered; for a user, channel or role its id. */
export type OptionValue = string | number | boolean

// A tag of one language (RFC 5646), with a script or a region: `ru`, `pt-BR`, `zh-Hant`.
const languageTag = /^[a-z]{2,3}(?:-[A-Z][a-z]{3})?(?:-(?:[A-Z]{2}|[0-9]{3}))?$/

/** Texts in other languages by language tag. The client shows the one of its language, or else the untranslated text. */
function localizationsOf(text: string, maxLength: number) {
  return Type.Unsafe<Localizations>({
    type: 'object',
    propertyNames: { pattern: languageTag.source },
    additionalProperties: { type: 'string', minLength: 1, maxLength },
    maxProperties: limits.maxLocalizations,
    description: `${text} in other languages, by language tag such as \`ru\` or \`pt-BR\`.`,
  })
}
export type Localizations = Readonly<Record<string, string>>

export const NameLocalizations = localizationsOf('The name', limits.maxCommandName)
export const DescriptionLocalizations = localizationsOf('The description', limits.maxCommandDescription)
export const ChoiceLocalizations = localizationsOf('The name', limits.maxChoiceName)

export const Choice = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: limits.maxChoiceName, description: 'What the user sees.' }),
    nameLocalizations: Type.Optional(ChoiceLocalizations),
    value: ShownAs(
      Type.Unsafe<string | number>({
        description: 'Has the type of the option; a string has 1 to 100 characters.',
      }),
      Type.Unsafe<string | number>({
        type: ['string', 'number'],
        minLength: 1,
        maxLength: limits.maxChoiceValue,
        description: 'Has the type of the option; a string has 1 to 100 characters.',
      }),
    ),
  },
  closed('A value that the user can choose.'),
)
export type Choice = Static<typeof Choice>

export const CommandName = Type.String({
  minLength: 1,
  maxLength: limits.maxCommandName,
  // `readCommandName` also checks the script, which not all regular expressions can.
  pattern: '^[-_0-9\\p{Ll}\\p{M}]*$',
  description: 'The name: lowercase Latin or Cyrillic letters, 0-9, `-` and `_`; not trimmed.',
})
export const CommandDescription = Type.String({
  minLength: 1,
  maxLength: limits.maxCommandDescription,
  description: 'What it does.',
})

const named = {
  name: CommandName,
  nameLocalizations: Type.Optional(NameLocalizations),
  description: CommandDescription,
  descriptionLocalizations: Type.Optional(DescriptionLocalizations),
}

const MenuName = Type.String({
  minLength: 1,
  maxLength: limits.maxCommandName,
  description: 'The name, with spaces and capital letters; trimmed.',
})

/** The texts of a command of any type. */
const displayed = {
  ...named,
  name: Type.String({
    minLength: 1,
    maxLength: limits.maxCommandName,
    description:
      'The name. Of a slash command: lowercase Latin or Cyrillic letters, 0-9, `-` and `_`. Of another one any text.',
  }),
  description: Type.String({
    maxLength: limits.maxCommandDescription,
    description: 'What a slash command does. Empty for other commands.',
  }),
}

export const Option = Type.Object(
  {
    type: optionTypeMember(),
    ...named,
    required: Type.Optional(Type.Boolean({ description: 'Whether the user must enter a value.' })),
    choices: Type.Optional(
      Type.Array(Choice, {
        maxItems: limits.maxChoices,
        description: 'The accepted values of a string, integer or number, within its bounds.',
      }),
    ),
    autocomplete: Type.Optional(
      Type.Boolean({
        description:
          'Whether the bot suggests values of a string, integer or number while the user types; excludes `choices`.',
      }),
    ),
    min: Type.Optional(Type.Number({ description: 'The lowest value of an integer or number.' })),
    max: Type.Optional(Type.Number({ description: 'The highest value of an integer or number.' })),
    minLength: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: limits.maxOptionValue,
        description: 'The fewest characters of a string.',
      }),
    ),
    maxLength: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: limits.maxOptionValue,
        description: 'The most characters of a string.',
      }),
    ),
  },
  closed('An option with a value.'),
)
export type Option = Static<typeof Option>

const ValueOptions = Type.Array(Option, {
  maxItems: limits.maxOptions,
  description: 'What the user enters, the required options first.',
})

export const Subcommand = Type.Object(
  {
    type: OneOf(['subcommand'], { description: 'A command within the command.' }),
    ...named,
    options: ValueOptions,
  },
  closed('A command within a command or group. The user runs it instead of the command.'),
)
export type Subcommand = Static<typeof Subcommand>

export const SubcommandGroup = Type.Object(
  {
    type: OneOf(['subcommand_group'], { description: 'A group of subcommands.' }),
    ...named,
    options: Type.Array(Subcommand, {
      minItems: 1,
      maxItems: limits.maxOptions,
      description: 'The subcommands of the group.',
    }),
  },
  closed('A group of subcommands.'),
)
export type SubcommandGroup = Static<typeof SubcommandGroup>

/** An option with a value, or a subcommand or group, which contains options. */
export const CommandOption = ShownAs(
  Type.Union([Option, Subcommand, SubcommandGroup]),
  Variants(
    'type',
    [Option, Subcommand, SubcommandGroup],
    'An option with a value, or a subcommand or group.',
  ),
)
export type CommandOption = Static<typeof CommandOption>

export const CommandOptions = Type.Array(CommandOption, {
  maxItems: limits.maxOptions,
  description:
    'What the user enters, the required options first. Or else subcommands and groups, of which the user runs one.',
})

export function isSubcommand(option: CommandOption): option is Subcommand {
  return option.type === 'subcommand'
}

export function isSubcommandGroup(option: CommandOption): option is SubcommandGroup {
  return option.type === 'subcommand_group'
}

/** Whether the option has a value. */
export function hasValue(option: CommandOption): option is Option {
  return !isSubcommand(option) && !isSubcommandGroup(option)
}

/** Who may use the command on a server without overrides of it (bots/default-permissions). */
export const DefaultMemberPermissions = Nullable(PermissionSet, {
  description:
    'The permissions that a member needs in the channel to use the command. null: none. "0": only administrators.',
})

/** A command as a bot registers it, after `checkCommands`: omitted options are `[]` (bots/command-set). */
export const Command = Type.Object(
  {
    type: CommandType,
    ...displayed,
    options: CommandOptions,
    defaultMemberPermissions: DefaultMemberPermissions,
  },
  closed('A command.'),
)
export type Command = Static<typeof Command>

export const SlashCommandInput = Type.Object(
  {
    type: Type.Optional(OneOf(['slash'], { description: 'The type of the command.' })),
    ...named,
    options: Type.Optional(CommandOptions),
    defaultMemberPermissions: Type.Optional(DefaultMemberPermissions),
  },
  closed('A slash command.'),
)

export const ContextCommandInput = Type.Object(
  {
    type: OneOf(['user', 'message'], { description: 'The menu that has the command.' }),
    name: MenuName,
    nameLocalizations: Type.Optional(NameLocalizations),
    description: Type.Optional(OneOf([''], { description: 'Only a slash command has a description.' })),
    defaultMemberPermissions: Type.Optional(DefaultMemberPermissions),
  },
  closed('A command in the menu of a user or a message. It has no options.'),
)

/** A command as a bot sends it, for the API document. */
export const CommandInput = Type.Union([SlashCommandInput, ContextCommandInput], {
  description: 'A slash command, or a command in the menu of a user or a message.',
})

/** The commands of each type in a set (bots/command-set, bots/context-commands). */
const maxCommandsOf: Readonly<Record<CommandType, number>> = {
  slash: limits.maxCommands,
  user: limits.maxUserCommands,
  message: limits.maxMessageCommands,
}
const maxCommandsOfAllTypes = limits.maxCommands + limits.maxUserCommands + limits.maxMessageCommands

/** Body of `PUT …/commands`: unknown until `checkCommands` has validated it. */
export const CommandsInput = Documented(
  Type.Array(CommandInput, { maxItems: maxCommandsOfAllTypes }),
  'The complete set of up to 100 slash commands, 15 user commands and 15 message commands. Commands that are not in it are deleted.',
)

/** One of `GET · PUT /api/applications/@me/commands` and of the set of one server, which has `serverId`. */
export const RegisteredCommand = Type.Object(
  {
    id: Described(Id, 'The id of the command.'),
    applicationId: Described(Id, 'The id of the application.'),
    type: CommandType,
    ...displayed,
    options: CommandOptions,
    defaultMemberPermissions: DefaultMemberPermissions,
    serverId: Type.Optional(Described(Id, 'The id of the server, of a command of one server only.')),
    createdAt: Described(Timestamp, 'When the command was registered.'),
    updatedAt: Described(Timestamp, 'When the command was last changed.'),
  },
  closed('A registered command.'),
)
export type RegisteredCommand = Static<typeof RegisteredCommand>

/** Who may use a command, or where, in one server (bots/command-overrides). */
export const CommandOverride = Type.Object(
  {
    type: OneOf(['role', 'user', 'channel'], { description: 'What the id is the id of.' }),
    id: Described(
      Id,
      'The id of the role, member or channel. The id of the server is the role @everyone, or all channels.',
    ),
    allow: Type.Boolean({ description: 'Whether the command may be used.' }),
  },
  closed('Whether a role or member may use the command, or whether it may be used in a channel.'),
)
export type CommandOverride = Static<typeof CommandOverride>

/** Body of `PUT /api/servers/:id/commands/:commandId/permissions`. */
export const CommandOverrides = Type.Array(CommandOverride, {
  maxItems: limits.maxCommandOverrides,
  description: 'All overrides of the command in this server.',
})
export type CommandOverrides = Static<typeof CommandOverrides>

/** One of `GET /api/servers/:id/commands/permissions`. */
export const ServerCommand = Extended(
  RegisteredCommand,
  { overrides: CommandOverrides },
  'A command of a bot of the server, with the overrides of this server.',
)
export type ServerCommand = Static<typeof ServerCommand>

/** One of `GET /api/channels/:id/commands`. */
export const AvailableCommand = Extended(
  RegisteredCommand,
  {
    application: Type.Object(
      {
        id: Described(Id, 'The id of the application.'),
        name: Type.String({ description: 'The name of the application.' }),
        icon: IconPath,
        botId: Described(Id, 'The id of the bot.'),
      },
      closed('The application of the command.'),
    ),
  },
  'A command that the caller can use in the channel.',
)
export type AvailableCommand = Static<typeof AvailableCommand>

/**
 * Validates a set of commands (bots/command-names, bots/command-set, bots/context-commands). Returns names in NFC, trimmed
 * descriptions and choice names, and `[]` for missing options. `commands` is `[]` if there are violations. `overLimit`: more than
 * 100 slash commands or 15 of another type, which has a separate error (`command_limit`) and is the only violation then. Paths
 * begin with the index: `[3].options[1].choices[0].value`.
 */
export function checkCommands(value: unknown): {
  commands: Command[]
  violations: Violation[]
  overLimit: boolean
} {
  const violations: Violation[] = []
  if (!Array.isArray(value)) {
    addViolation(violations, { path: [], code: 'invalid_type', message: 'must be an array of commands' })
    return { commands: [], violations, overLimit: false }
  }
  const exceeded = commandTypes.find(type => countOfType(value, type) > maxCommandsOf[type])
  if (exceeded) {
    addViolation(violations, { path: [], ...tooMany(maxCommandsOf[exceeded], `${exceeded} command`) })
    return { commands: [], violations, overLimit: true }
  }
  const commands: Command[] = []
  const names = { slash: new Set<string>(), user: new Set<string>(), message: new Set<string>() }
  readObjects(value, [], { max: maxCommandsOfAllTypes }, violations, item => {
    commands.push(readCommand(item, names, violations))
  })
  return { commands: violations.length === 0 ? commands : [], violations, overLimit: false }
}

/** Everything that is not a user or message command counts as a slash command. */
function countOfType(commands: readonly unknown[], type: CommandType): number {
  return commands.filter(command => {
    const given = isJsonObject(command) ? command.type : undefined
    return type === (given === 'user' || given === 'message' ? given : 'slash')
  }).length
}

const namedMembers = ['name', 'nameLocalizations', 'description', 'descriptionLocalizations']

/** `names`: those of the commands before it, which are unique for each type. */
function readCommand(
  from: JsonObject,
  names: Readonly<Record<CommandType, Set<string>>>,
  violations: Violation[],
): Command {
  rejectUnknownMembers(from, ['type', ...namedMembers, 'options', 'defaultMemberPermissions'], violations)
  const type = isAbsent(from.type) ? 'slash' : commandTypes.find(known => known === from.type)
  if (type === undefined) addViolation(violations, { path: ['type'], ...oneOf(commandTypes) })
  if (type === 'user' || type === 'message') return readContextCommand(from, type, names[type], violations)
  const head = readNamed(from, names.slash, violations)
  return {
    type: 'slash',
    ...head,
    options: readOptions(from, [...optionTypes, ...subcommandTypes], violations),
    defaultMemberPermissions: readDefaultPermissions(from, violations),
  }
}

/** Empty texts and lists are accepted, because programs send them for absent ones. */
function readContextCommand(
  from: JsonObject,
  type: ContextCommandType,
  names: Set<string>,
  violations: Violation[],
): Command {
  const name = requireText(from, 'name', limits.maxCommandName, violations, cleaners.name) ?? ''
  if (name !== '') requireUnique(name, names, violations)
  const nameLocalizations = readLocalizations(from, 'nameLocalizations', violations, text =>
    checkText(text, limits.maxCommandName, cleaners.name),
  )
  for (const key of ['description', 'descriptionLocalizations', 'options']) {
    const value = from[key]
    if (isAbsent(value) || value === '' || (typeof value === 'object' && Object.keys(value).length === 0))
      continue
    const message = `is not accepted for the type ${type}`
    addViolation(violations, { path: [key], code: 'not_allowed', message })
  }
  return {
    type,
    name,
    ...(nameLocalizations && { nameLocalizations }),
    description: '',
    options: [],
    defaultMemberPermissions: readDefaultPermissions(from, violations),
  }
}

function readDefaultPermissions(
  { defaultMemberPermissions: value }: JsonObject,
  violations: Violation[],
): PermissionSet | null {
  if (isAbsent(value)) return null
  const problem = checkPermissions(value)
  if (problem) addViolation(violations, { path: ['defaultMemberPermissions'], ...problem })
  return typeof value === 'string' ? value : null
}

/** The options of a command, a subcommand or a group, which accept different types. */
function readOptions<Type extends CommandOption['type']>(
  from: JsonObject,
  accepted: readonly Type[],
  violations: Violation[],
  min = 0,
): Extract<CommandOption, { type: Type }>[] {
  const options: CommandOption[] = []
  const names = new Set<string>()
  let hasOptional = false
  readList(from, 'options', { min, max: limits.maxOptions }, violations, item => {
    const type = accepted.find(known => known === item.type)
    if (type === undefined) addViolation(violations, { path: ['type'], ...oneOf(accepted) })
    const option = readOption(item, type, names, violations)
    const [first = option] = options
    if (hasValue(first) !== hasValue(option)) {
      const message = 'must not be mixed: a command with subcommands has no other options'
      addViolation(violations, { path: ['type'], code: 'not_allowed', message })
    }
    const isRequired = hasValue(option) && option.required === true
    if (isRequired && hasOptional) {
      const message = 'must not be true after an optional option: required options come first'
      addViolation(violations, { path: ['required'], code: 'wrong_order', message })
    }
    hasOptional ||= !isRequired
    options.push(option)
  })
  return options.filter((option): option is Extract<CommandOption, { type: Type }> =>
    accepted.some(type => type === option.type),
  )
}

/** `type` is undefined if it is invalid. */
function readOption(
  from: JsonObject,
  type: CommandOption['type'] | undefined,
  names: Set<string>,
  violations: Violation[],
): CommandOption {
  if (type !== 'subcommand' && type !== 'subcommand_group') {
    return readValueOption(from, type, names, violations)
  }
  rejectUnknownMembers(from, ['type', ...namedMembers, 'options'], violations)
  const head = readNamed(from, names, violations)
  if (type === 'subcommand') return { type, ...head, options: readOptions(from, optionTypes, violations) }
  if (from.options === undefined) addViolation(violations, { path: ['options'], ...required })
  return { type, ...head, options: readOptions(from, ['subcommand'], violations, 1) }
}

/** The names and descriptions of a command, an option, a subcommand or a group. */
function readNamed(from: JsonObject, names: Set<string>, violations: Violation[]) {
  const name = readName(from, names, violations)
  const description = readDescription(from, violations)
  const nameLocalizations = readLocalizations(from, 'nameLocalizations', violations, text => {
    const read = readLocalizedName(text)
    return 'violation' in read ? { violation: read.violation } : { text: read.name }
  })
  const descriptionLocalizations = readLocalizations(from, 'descriptionLocalizations', violations, text =>
    checkText(text, limits.maxCommandDescription, cleaners.name),
  )
  return {
    name,
    ...(nameLocalizations && { nameLocalizations }),
    description,
    ...(descriptionLocalizations && { descriptionLocalizations }),
  }
}

/** Texts by language tag. Undefined if the member is absent, null or empty. */
function readLocalizations(
  from: JsonObject,
  key: string,
  violations: Violation[],
  check: (text: unknown) => { text?: string | undefined; violation?: ViolationDetails | undefined },
): Localizations | undefined {
  const value = from[key]
  if (isAbsent(value)) return undefined
  if (!isJsonObject(value)) {
    addViolation(violations, { path: [key], ...mustBe('object') })
    return undefined
  }
  const entries = Object.entries(value)
  if (entries.length > limits.maxLocalizations) {
    addViolation(violations, { path: [key], ...tooMany(limits.maxLocalizations) })
    return undefined
  }
  const texts = entries.map(([tag, from]): [string, string] => {
    if (!languageTag.test(tag)) {
      const message = `must have language tags such as "ru" or "pt-BR" as its keys, not ${JSON.stringify(tag.slice(0, 40))}`
      addViolation(violations, { path: [key], code: 'invalid_format', message })
      return [tag, '']
    }
    const { text = '', violation } = check(from)
    const problem = violation ?? (text === '' ? required : undefined)
    if (problem) addViolation(violations, { path: [key, tag], ...problem })
    return [tag, text]
  })
  return texts.length > 0 ? Object.fromEntries(texts) : undefined
}

/** Reads an array of objects that may be absent. */
function readList(
  from: JsonObject,
  key: string,
  count: { min?: number; max: number },
  violations: Violation[],
  read: (item: JsonObject) => void,
): void {
  if (from[key] !== undefined) readObjects(from[key], [key], count, violations, read)
}

function readName(from: JsonObject, taken: Set<string>, violations: Violation[]): string {
  const read = readCommandName(from.name)
  if ('violation' in read) {
    addViolation(violations, { path: ['name'], ...read.violation })
    return ''
  }
  requireUnique(read.name, taken, violations)
  return read.name
}

function requireUnique(name: string, taken: Set<string>, violations: Violation[]): void {
  const message = 'must differ from every other name in the list'
  const key = withoutJoiners(name)
  if (taken.has(key)) addViolation(violations, { path: ['name'], code: 'duplicate', message })
  taken.add(key)
}

function readDescription(from: JsonObject, violations: Violation[]): string {
  return requireText(from, 'description', limits.maxCommandDescription, violations, cleaners.name) ?? ''
}

const valueMembers = [
  'type',
  ...namedMembers,
  'required',
  'choices',
  'autocomplete',
  'min',
  'max',
  'minLength',
  'maxLength',
]

function readValueOption(
  from: JsonObject,
  type: OptionType | undefined,
  names: Set<string>,
  violations: Violation[],
): Option {
  rejectUnknownMembers(from, valueMembers, violations)
  const option: Option = { type: type ?? 'string', ...readNamed(from, names, violations) }
  if (typeof from.required === 'boolean') option.required = from.required
  else if (from.required !== undefined) {
    addViolation(violations, { path: ['required'], ...mustBe('boolean') })
  }
  if (type !== undefined) {
    readValues(from, type, option, violations)
    readAutocomplete(from, type, option, violations)
  }
  return option
}

function readAutocomplete(from: JsonObject, type: OptionType, option: Option, violations: Violation[]): void {
  const autocomplete = readBoolean(from, 'autocomplete', violations)
  if (autocomplete === undefined) return
  option.autocomplete = autocomplete
  if (!autocomplete) return
  const hasSuggestions = valueKinds[type] !== 'other'
  if (hasSuggestions && !option.choices) return
  const message = hasSuggestions
    ? 'is not accepted with choices'
    : 'is accepted only for the types string, integer and number'
  addViolation(violations, { path: ['autocomplete'], code: 'not_allowed', message })
}

/** What the value of a choice depends on. */
type ChoiceRule = Pick<Option, 'type'> & Bounds

/**
 * Validates the choices that a bot suggests for an option (bots/autocomplete). Violations have the path `choices`.
 * Bounds are checked when the user sends the command.
 */
export function checkChoices(
  value: unknown,
  type: OptionType,
): { choices: Choice[]; violations: Violation[] } {
  const violations: Violation[] = []
  const choices: Choice[] = []
  const names = new Set<string>()
  if (isAbsent(value)) addViolation(violations, { path: ['choices'], ...required })
  else {
    readObjects(value, ['choices'], { max: limits.maxChoices }, violations, item => {
      choices.push(readChoice(item, { type }, names, violations))
    })
  }
  return { choices, violations }
}

/** Reads the lowest and the highest value or length. `read` returns the bound, or what is wrong. */
function readBounds(
  from: JsonObject,
  option: Option,
  violations: Violation[],
  {
    keys: [low, high],
    types,
    isAccepted,
    read,
  }: {
    keys: ['min', 'max'] | ['minLength', 'maxLength']
    types: string
    isAccepted: boolean
    read: (bound: unknown, isLow: boolean) => number | ViolationDetails
  },
): void {
  for (const key of [low, high]) {
    if (from[key] === undefined) continue
    const message = `is accepted only for the ${types}`
    const bound = isAccepted ? read(from[key], key === low) : { code: 'not_allowed' as const, message }
    if (typeof bound === 'number') option[key] = bound
    else addViolation(violations, { path: [key], ...bound })
  }
  const [lowest, highest] = [option[low], option[high]]
  if (lowest !== undefined && highest !== undefined && lowest > highest) {
    const message = `must not be less than ${low}`
    addViolation(violations, { path: [high], code: 'out_of_range', message })
  }
}

/** The accepted values of an option: bounds, and a list of choices within them (bots/option-bounds). */
function readValues(from: JsonObject, type: OptionType, option: Option, violations: Violation[]): void {
  const kind = valueKinds[type]
  readBounds(from, option, violations, {
    keys: ['min', 'max'],
    types: 'types integer and number',
    isAccepted: kind === 'number',
    // Of an integer too: the bounds of the specification are numbers.
    read: bound => (isOfType(bound, 'number') ? bound : mustBe('number')),
  })
  readBounds(from, option, violations, {
    keys: ['minLength', 'maxLength'],
    types: 'type string',
    isAccepted: kind === 'text',
    read(length, isLow) {
      if (typeof length !== 'number' || !Number.isSafeInteger(length)) return mustBe('integer')
      const [min, max] = [isLow ? 0 : 1, limits.maxOptionValue]
      return length < min || length > max ? outOfRange(min, max) : length
    },
  })
  const choices: Choice[] = []
  if (kind !== 'other') {
    const names = new Set<string>()
    readList(from, 'choices', { max: limits.maxChoices }, violations, item => {
      choices.push(readChoice(item, option, names, violations))
    })
  } else if (from.choices !== undefined) {
    const message = 'is accepted only for the types string, integer and number'
    addViolation(violations, { path: ['choices'], code: 'not_allowed', message })
  }
  if (choices.length > 0) option.choices = choices
}

function readChoice(
  from: JsonObject,
  option: ChoiceRule,
  taken: Set<string>,
  violations: Violation[],
): Choice {
  rejectUnknownMembers(from, ['name', 'nameLocalizations', 'value'], violations)
  const name = requireText(from, 'name', limits.maxChoiceName, violations, cleaners.name) ?? ''
  if (name !== '') requireUnique(name, taken, violations)
  const nameLocalizations = readLocalizations(from, 'nameLocalizations', violations, text =>
    checkText(text, limits.maxChoiceName, cleaners.name),
  )
  const value = readChoiceValue(from.value, option, violations)
  return { name, ...(nameLocalizations && { nameLocalizations }), value }
}

/** A string is not trimmed, because the bot receives it in the interaction. */
function readChoiceValue(value: unknown, option: ChoiceRule, violations: Violation[]): string | number {
  const problem = value === undefined ? required : checkChoiceValue(value, option)
  if (problem) addViolation(violations, { path: ['value'], ...problem })
  return typeof value === 'number' || typeof value === 'string' ? value : ''
}

function checkChoiceValue(value: unknown, option: ChoiceRule): ViolationDetails | undefined {
  const { type } = option
  if (valueKinds[type] === 'text') {
    const { violation } = checkText(value, limits.maxChoiceValue, cleaners.keep)
    if (violation) return violation
    if (value === '') return tooShort(1)
  } else if (!isOfType(value, type)) return { code: 'invalid_type', message: expected(type) }
  return checkBounds(option, value)
}

// bots/command-names: integer values are safe integers. `JSON.parse` returns Infinity for 1e999.
function isOfType(value: unknown, type: OptionType): value is number {
  return type === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value)
}

function expected(type: OptionType): string {
  return type === 'integer' ? 'must be a whole number between -(2^53 - 1) and 2^53 - 1' : 'must be a number'
}
