import * as v from 'valibot'
import { readCommandName, readLocalizedName } from './command-names.ts'
import {
  mustBe,
  oneOf as notOneOf,
  required,
  tooMany,
  tooShort,
  type Violation,
  type ViolationDetails,
} from './field-errors.ts'
import { Id, Timestamp } from './ids.ts'
import { withoutJoiners } from './joiners.ts'
import { isAbsent, isJsonObject, type JsonObject, omit } from './json-object.ts'
import * as limits from './limits.ts'
import { type Bounds, checkBounds } from './option-bounds.ts'
import { parse } from './parse.ts'
import { checkPermissions, PermissionSet } from './permissions.ts'
import { checkText, cleaners } from './text.ts'
import { IconPath } from './users.ts'
import {
  boolean,
  constant,
  converted,
  described,
  extended,
  ignored,
  integer,
  keywords,
  list,
  nullable,
  nullish,
  number,
  object,
  oneOf,
  optional,
  readString,
  refusing,
  rule,
  type Schema,
  shownAs,
  string,
  text,
  variant,
  withViolation,
} from './wire.ts'

export const optionTypes = [
  'string',
  'integer',
  'number',
  'boolean',
  'user',
  'channel',
  'role',
  'mentionable',
] as const

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
  mentionable: 'other',
}

/** The types of commands. A command without a type is a slash command. */
export const commandTypes = ['slash', 'user', 'message'] as const

export const CommandType = oneOf(
  commandTypes,
  '`slash`: a user types the command. `user`, `message`: a user chooses it in the menu of a user or message.',
)
export type CommandType = v.InferOutput<typeof CommandType>

/** A command in the menu of a user or a message. It has no options: its input is that user or message. */
export const ContextCommandType = oneOf(
  ['user', 'message'],
  'The menu that the command was chosen in; absent for a slash command.',
)
export type ContextCommandType = v.InferOutput<typeof ContextCommandType>

/** The types of options that contain options instead of a value. */
export const subcommandTypes = ['subcommand', 'subcommand_group'] as const

/** The value of an option that a user entered; for a user, channel, role or mentionable its id. */
export type OptionValue = string | number | boolean

/** A member that may be absent, in requests also null. The document has no null, because responses do not have it. */
/* @__NO_SIDE_EFFECTS__ */
function absentIfNull<S extends Schema>(schema: S): v.ExactOptionalSchema<S, undefined> {
  return shownAs(nullish(schema), optional(schema))
}

/* @__NO_SIDE_EFFECTS__ */
function nameOf(read: typeof readCommandName, description: string, form: { pattern?: string } = {}) {
  const readName = (value: unknown) => {
    const result = read(value)
    return 'name' in result ? { value: result.name } : result
  }
  return readString(readName, description, { minLength: 1, maxLength: limits.maxCommandName, ...form })
}

/** A text of one line that must not be empty. */
/* @__NO_SIDE_EFFECTS__ */
function line(max: number, description: string) {
  return text({ min: 1, max, clean: 'name', empty: 'required', description })
}

export const CommandName = nameOf(
  readCommandName,
  'The name: lowercase Latin or Cyrillic letters, 0-9, `-` and `_`; not trimmed.',
  // `readCommandName` also checks the script, which not all regular expressions can.
  { pattern: '^[-_0-9\\p{Ll}\\p{M}]*$' },
)
const LocalizedName = nameOf(readLocalizedName, 'The name in another language.')
const MenuName = line(limits.maxCommandName, 'The name, with spaces and capital letters; trimmed.')
export const CommandDescription = line(limits.maxCommandDescription, 'What it does.')
const ChoiceName = line(limits.maxChoiceName, 'What the user sees.')

// A tag of one language (RFC 5646), with a script or a region: `ru`, `pt-BR`, `zh-Hant`.
const languageTag = /^[a-z]{2,3}(?:-[A-Z][a-z]{3})?(?:-(?:[A-Z]{2}|[0-9]{3}))?$/

export type Localizations = Readonly<Record<string, string>>

/**
 * Texts in other languages by language tag, each of which follows `entry`. The client shows the one of its language, or
 * else the untranslated text. Without texts the member is absent.
 */
/* @__NO_SIDE_EFFECTS__ */
function localizationsOf(words: string, entry: v.GenericSchema<string>, maxLength: number) {
  const schema = v.pipe(
    v.custom<Localizations>(() => true),
    rule(given => findLocalizationViolations(given, entry)),
    v.transform(given => {
      const texts = Object.entries(given).map(([tag, text]) => [tag, parse(entry, text).value])
      return texts.length > 0 ? Object.fromEntries(texts) : undefined
    }),
  )
  return keywords(schema as unknown as v.GenericSchema<Localizations>, {
    type: 'object',
    propertyNames: { pattern: languageTag.source },
    additionalProperties: { type: 'string', minLength: 1, maxLength },
    maxProperties: limits.maxLocalizations,
    description: `${words} in other languages, by language tag such as \`ru\` or \`pt-BR\`.`,
  })
}

function findLocalizationViolations(given: unknown, entry: Schema): Violation[] {
  if (!isJsonObject(given)) return [{ path: [], ...mustBe('object') }]
  const texts = Object.entries(given)
  if (texts.length > limits.maxLocalizations) return [{ path: [], ...tooMany(limits.maxLocalizations) }]
  return texts.flatMap(([tag, text]) => {
    if (languageTag.test(tag)) {
      return parse(entry, text).violations.map(violation => ({ ...violation, path: [tag] }))
    }
    const sent = JSON.stringify(tag.slice(0, 40))
    const message = `must have language tags such as "ru" or "pt-BR" as its keys, not ${sent}`
    return [{ path: [], code: 'invalid_format', message }]
  })
}

export const NameLocalizations = localizationsOf('The name', LocalizedName, limits.maxCommandName)
const MenuNameLocalizations = shownAs(
  localizationsOf('The name', MenuName, limits.maxCommandName),
  NameLocalizations,
)
export const DescriptionLocalizations = localizationsOf(
  'The description',
  CommandDescription,
  limits.maxCommandDescription,
)
export const ChoiceLocalizations = localizationsOf('The name', ChoiceName, limits.maxChoiceName)

export const Choice = object(
  {
    name: ChoiceName,
    nameLocalizations: absentIfNull(ChoiceLocalizations),
    // `checkChoiceValue` checks it.
    value: keywords(
      v.custom<string | number>(() => true),
      {
        type: ['string', 'number'],
        minLength: 1,
        maxLength: limits.maxChoiceValue,
        description: 'Has the type of the option; a string has 1 to 100 characters.',
      },
    ),
  },
  'A value that the user can choose.',
)
export type Choice = v.InferOutput<typeof Choice>

/** Two may have the same name, as in Discord's API. */
const Choices = list(Choice, 'The accepted values of a string, integer or number, within its bounds.', {
  max: limits.maxChoices,
})

const named = {
  name: CommandName,
  nameLocalizations: absentIfNull(NameLocalizations),
  description: CommandDescription,
  descriptionLocalizations: absentIfNull(DescriptionLocalizations),
}

/** A bound of a number. `JSON.parse` returns Infinity for 1e999. */
/* @__NO_SIDE_EFFECTS__ */
function bound(description: string) {
  return optional(converted(number(description), given => (Number.isFinite(given) ? given : null)))
}

const isRequired = optional(boolean('Whether the user must enter a value.'))

const optionMembers = object(
  {
    // Not a named schema: generators want the member that a discriminator names to be a string, not a reference.
    type: oneOf(optionTypes, 'The type of the value that a user enters.'),
    ...named,
    required: isRequired,
    choices: optional(Choices),
    autocomplete: absentIfNull(
      boolean(
        'Whether the bot suggests values of a string, integer or number while the user types; excludes `choices`.',
      ),
    ),
    min: bound('The lowest value of an integer or number.'),
    max: bound('The highest value of an integer or number.'),
    minLength: optional(
      integer('The fewest characters of a string.', { min: 0, max: limits.maxOptionValue }),
    ),
    maxLength: optional(integer('The most characters of a string.', { min: 1, max: limits.maxOptionValue })),
  },
  'An option with a value.',
)
export type Option = v.InferOutput<typeof optionMembers>

export const Option = v.pipe(
  refusing(optionMembers, findMembersOfOthers),
  rule(findValueViolations, { always: true }),
  v.transform((option): Option => {
    const { choices, ...rest } = option
    return choices?.length === 0 ? rest : option
  }),
)

/** An option that has none of `types`. The members that do not depend on the type are validated. */
/* @__NO_SIDE_EFFECTS__ */
function optionOfOtherType(types: readonly string[]) {
  const members = object({
    type: ignored,
    ...named,
    required: isRequired,
    choices: ignored,
    autocomplete: ignored,
    min: ignored,
    max: ignored,
    minLength: ignored,
    maxLength: ignored,
  })
  return withViolation(members, { path: ['type'], ...notOneOf(types) })
}

/** `schema`, an option of one of `types`. */
/* @__NO_SIDE_EFFECTS__ */
function ofTypes<S extends Schema>(schema: S, types: readonly string[]): S {
  const others = optionOfOtherType(types)
  const chosen: Schema = v.lazy(given =>
    isJsonObject(given) && types.every(type => type !== given.type) ? others : schema,
  )
  return shownAs(chosen as S, schema)
}

const ValueOptions = v.pipe(
  list(ofTypes(Option, optionTypes), 'What the user enters, the required options first.', {
    max: limits.maxOptions,
  }),
  rule(findOptionsViolations, { always: true }),
)

export const Subcommand = converted(
  object(
    {
      type: constant('subcommand', 'A command within the command.'),
      ...named,
      options: ValueOptions,
    },
    'A command within a command or group. The user runs it instead of the command.',
  ),
  // A request may omit the options.
  given => (isJsonObject(given) ? { options: [], ...given } : given),
)
export type Subcommand = v.InferOutput<typeof Subcommand>

export const SubcommandGroup = object(
  {
    type: constant('subcommand_group', 'A group of subcommands.'),
    ...named,
    options: v.pipe(
      list(ofTypes(Subcommand, ['subcommand']), 'The subcommands of the group.', {
        min: 1,
        max: limits.maxOptions,
      }),
      rule(findOptionsViolations, { always: true }),
    ),
  },
  'A group of subcommands.',
)
export type SubcommandGroup = v.InferOutput<typeof SubcommandGroup>

/** An option with a value, or a subcommand or group, which contains options. */
export const CommandOption = variant(
  'type',
  [Option, Subcommand, SubcommandGroup],
  'An option with a value, or a subcommand or group.',
  { others: optionOfOtherType([...optionTypes, ...subcommandTypes]) },
)
export type CommandOption = v.InferOutput<typeof CommandOption>

export const CommandOptions = v.pipe(
  list(
    CommandOption,
    'What the user enters, the required options first. Or else subcommands and groups, of which the user runs one.',
    { max: limits.maxOptions },
  ),
  rule(findOptionsViolations, { always: true }),
)

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
export const DefaultMemberPermissions = nullable(
  v.pipe(
    PermissionSet,
    rule(given => {
      const violation = checkPermissions(given)
      return violation ? [{ path: [], ...violation }] : []
    }),
  ),
  'The permissions that a member needs in the channel to use the command. null: none. "0": only administrators.',
)

const registered = {
  type: CommandType,
  ...named,
  name: string(
    'The name. Of a slash command: lowercase Latin or Cyrillic letters, 0-9, `-` and `_`. Of another one any text.',
    { minLength: 1, maxLength: limits.maxCommandName },
  ),
  description: string('What a slash command does. Empty for other commands.', {
    maxLength: limits.maxCommandDescription,
  }),
  options: CommandOptions,
  defaultMemberPermissions: DefaultMemberPermissions,
}

/** One of `GET · PUT /api/applications/@me/commands` and of the set of one server, which has `serverId`. */
export const RegisteredCommand = object(
  {
    id: described(Id, 'The id of the command.'),
    applicationId: described(Id, 'The id of the application.'),
    ...registered,
    serverId: optional(described(Id, 'The id of the server, of a command of one server only.')),
    createdAt: described(Timestamp, 'When the command was registered.'),
    updatedAt: described(Timestamp, 'When the command was last changed.'),
  },
  'A registered command.',
)
export type RegisteredCommand = v.InferOutput<typeof RegisteredCommand>

/** A command as a bot registers it, after `checkCommands`: omitted options are `[]` (bots/command-set). */
export type Command = Pick<RegisteredCommand, keyof typeof registered>

export const SlashCommandInput = v.pipe(
  object(
    {
      // A type that is none of all commands is reported here.
      type: absentIfNull(keywords(oneOf(commandTypes, 'The type of the command.'), { enum: ['slash'] })),
      ...named,
      options: optional(CommandOptions),
      defaultMemberPermissions: optional(DefaultMemberPermissions),
    },
    'A slash command.',
  ),
  v.transform((given): Command => ({ options: [], defaultMemberPermissions: null, ...given, type: 'slash' })),
)

const slashMembers = ['description', 'descriptionLocalizations', 'options'] as const

/** Empty ones are accepted, because programs send them for absent ones. */
function findSlashMembers(given: JsonObject): Violation[] {
  const message = 'is accepted only for a slash command'
  return slashMembers
    .filter(name => !isEmpty(given[name]))
    .map(name => ({ path: [name], code: 'not_allowed', message }))
}

function isEmpty(value: unknown): boolean {
  return isAbsent(value) || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)
}

export const ContextCommandInput = v.pipe(
  refusing(
    converted(
      object(
        {
          type: oneOf(['user', 'message'], 'The menu that has the command.'),
          name: MenuName,
          nameLocalizations: absentIfNull(MenuNameLocalizations),
          description: optional(oneOf([''], 'Only a slash command has a description.')),
          defaultMemberPermissions: optional(DefaultMemberPermissions),
        },
        'A command in the menu of a user or a message. It has no options.',
      ),
      given => (isJsonObject(given) ? omit(given, slashMembers) : given),
    ),
    findSlashMembers,
  ),
  v.transform(
    (given): Command => ({ defaultMemberPermissions: null, ...given, description: '', options: [] }),
  ),
)

/** A command as a bot sends it. One without a type, or with an unknown one, is checked as a slash command. */
export const CommandInput = shownAs(
  v.lazy(given => (typeOf(given) === 'slash' ? SlashCommandInput : ContextCommandInput)),
  described(
    v.union([SlashCommandInput, ContextCommandInput]),
    'A slash command, or a command in the menu of a user or a message.',
  ),
)

function typeOf(given: unknown): CommandType {
  const type = isJsonObject(given) ? given.type : undefined
  return type === 'user' || type === 'message' ? type : 'slash'
}

/** The commands of each type in a set (bots/command-set, bots/context-commands). */
const maxCommandsOf: Readonly<Record<CommandType, number>> = {
  slash: limits.maxCommands,
  user: limits.maxUserCommands,
  message: limits.maxMessageCommands,
}

/** Body of `PUT …/commands`. `checkCommands` checks first how many there are of each type. */
export const CommandsInput = v.pipe(
  list(
    CommandInput,
    'The complete set of up to 100 slash commands, 15 user commands and 15 message commands. ' +
      'Commands that are not in it are deleted.',
    { max: limits.maxCommands + limits.maxUserCommands + limits.maxMessageCommands },
  ),
  rule(findDuplicateCommands, { always: true }),
)

/** Names in a set are unique for each type. Paths begin with the index. */
export function findDuplicateCommands(commands: Entries<{ type: string; name: string }>): Violation[] {
  return commandTypes.flatMap(type =>
    findDuplicates(commands.map(command => (typeOf(command) === type ? command : undefined))),
  )
}

/** The type of which a set has more than 100 or 15 commands. */
export function findExceededType(commands: readonly unknown[]): CommandType | undefined {
  return commandTypes.find(
    type => commands.filter(command => typeOf(command) === type).length > maxCommandsOf[type],
  )
}

/** Who may use a command, or where, in one server (bots/command-overrides). */
export const CommandOverride = object(
  {
    type: oneOf(['role', 'user', 'channel'], 'What the id is the id of.'),
    id: described(
      Id,
      'The id of the role, member or channel. The id of the server is the role @everyone, or all channels.',
    ),
    allow: boolean('Whether the command may be used.'),
  },
  'Whether a role or member may use the command, or whether it may be used in a channel.',
)
export type CommandOverride = v.InferOutput<typeof CommandOverride>

/** Body of `PUT /api/servers/:id/commands/:commandId/permissions`. */
export const CommandOverrides = list(CommandOverride, 'All overrides of the command in this server.', {
  max: limits.maxCommandOverrides,
})
export type CommandOverrides = v.InferOutput<typeof CommandOverrides>

/** One of `GET /api/servers/:id/commands/permissions`. */
export const ServerCommand = extended(
  RegisteredCommand,
  { overrides: CommandOverrides },
  'A command of a bot of the server, with the overrides of this server.',
)
export type ServerCommand = v.InferOutput<typeof ServerCommand>

/** One of `GET /api/channels/:id/commands`. */
export const AvailableCommand = extended(
  RegisteredCommand,
  {
    application: object(
      {
        id: described(Id, 'The id of the application.'),
        name: string('The name of the application.'),
        icon: IconPath,
        botId: described(Id, 'The id of the bot.'),
      },
      'The application of the command.',
    ),
  },
  'A command that the caller can use in the channel.',
)
export type AvailableCommand = v.InferOutput<typeof AvailableCommand>

/**
 * Validates a set of commands (bots/command-names, bots/command-set, bots/context-commands). Returns names in NFC,
 * trimmed descriptions and choice names, and `[]` for missing options. `commands` is `[]` if there are violations.
 * `overLimit`: more than 100 slash commands or 15 of another type, which has a separate error (`command_limit`) and is
 * the only violation then. Paths begin with the index: `[3].options[1].choices[0].value`.
 */
export function checkCommands(value: unknown): {
  commands: Command[]
  violations: Violation[]
  overLimit: boolean
} {
  const given: unknown[] = Array.isArray(value) ? value : []
  const exceeded = findExceededType(given)
  if (exceeded) {
    const violation = { path: [], ...tooMany(maxCommandsOf[exceeded], `${exceeded} command`) }
    return { commands: [], violations: [violation], overLimit: true }
  }
  const { value: commands = [], violations } = parse(CommandsInput, value)
  return { commands, violations: [...violations], overLimit: false }
}

/**
 * Validates the choices that a bot suggests for an option (bots/autocomplete). Violations have the path `choices`.
 * Bounds are checked when the user sends the command.
 */
export function checkChoices(
  value: unknown,
  type: OptionType,
): { choices: Choice[]; violations: Violation[] } {
  if (isAbsent(value)) return { choices: [], violations: [{ path: ['choices'], ...required }] }
  const schema = v.pipe(
    Choices,
    rule(choices => findChoiceViolations(choices, { type }), { always: true }),
  )
  const { value: choices = [], violations } = parse(schema, value)
  return { choices, violations: violations.map(each => ({ ...each, path: ['choices', ...each.path] })) }
}

/** What could be read of entries of a list with violations. */
type Entries<Entry> = readonly (Partial<Entry> | undefined)[]

/** Names must differ. */
function findDuplicates(entries: Entries<{ name: string }>): Violation[] {
  const taken = new Set<string>()
  return entries.flatMap((entry, index) => {
    if (entry?.name === undefined) return []
    const key = withoutJoiners(entry.name)
    if (!taken.has(key)) {
      taken.add(key)
      return []
    }
    const message = 'must differ from every other name in the list'
    return [{ path: [index, 'name'], code: 'duplicate', message }]
  })
}

/** The members of options of all types that the rules of a list compare. */
interface AnyOption {
  type: OptionType | (typeof subcommandTypes)[number]
  name: string
  required?: boolean
}

function findOptionsViolations(options: Entries<AnyOption>): Violation[] {
  const violations = findDuplicates(options)
  const isNested = ({ type }: Partial<AnyOption>) => subcommandTypes.some(each => each === type)
  const first = options.find(option => option !== undefined)
  let hasOptional = false
  for (const [index, option] of options.entries()) {
    if (option === undefined || first === undefined) continue
    if (isNested(first) !== isNested(option)) {
      const message = 'must not be mixed: a command with subcommands has no other options'
      violations.push({ path: [index, 'type'], code: 'not_allowed', message })
    }
    const isRequired = option.required === true
    if (isRequired && hasOptional) {
      const message = 'must not be true after an optional option: required options come first'
      violations.push({ path: [index, 'required'], code: 'wrong_order', message })
    }
    hasOptional ||= !isRequired
  }
  return violations
}

/** The members of other types of options. */
function findMembersOfOthers({ type, ...given }: JsonObject): Violation[] {
  const kind = valueKinds[type as OptionType]
  const refuse = (isAccepted: boolean, types: string, ...names: string[]): Violation[] => {
    const message = `is accepted only for the ${types}`
    const refused = isAccepted ? [] : names.filter(name => given[name] !== undefined)
    return refused.map(name => ({ path: [name], code: 'not_allowed', message }))
  }
  return [
    ...refuse(kind === 'number', 'types integer and number', 'min', 'max'),
    ...refuse(kind === 'text', 'type string', 'minLength', 'maxLength'),
    ...refuse(kind !== 'other', 'types string, integer and number', 'choices'),
  ]
}

/**
 * The accepted values of an option: bounds, and a list of choices within them, or autocomplete (bots/option-bounds).
 */
function findValueViolations(option: Pick<Option, 'type'> & Partial<Option>): Violation[] {
  const { type, choices = [] } = option
  const kind = valueKinds[type]
  const violations: Violation[] = []
  const [low, high] = kind === 'number' ? (['min', 'max'] as const) : (['minLength', 'maxLength'] as const)
  if ((option[low] ?? -Infinity) > (option[high] ?? Infinity)) {
    violations.push({ path: [high], code: 'out_of_range', message: `must not be less than ${low}` })
  }
  for (const { path, ...violation } of findChoiceViolations(choices, option)) {
    violations.push({ path: ['choices', ...path], ...violation })
  }
  if (option.autocomplete && (kind === 'other' || choices.length > 0)) {
    const message =
      kind === 'other'
        ? 'is accepted only for the types string, integer and number'
        : 'is not accepted with choices'
    violations.push({ path: ['autocomplete'], code: 'not_allowed', message })
  }
  return violations
}

/** What the value of a choice depends on. */
type ChoiceRule = Pick<Option, 'type'> & Bounds

function findChoiceViolations(choices: Entries<Choice>, option: ChoiceRule): Violation[] {
  return choices.flatMap((choice, index) => {
    const violation = choice?.value === undefined ? undefined : checkChoiceValue(choice.value, option)
    return violation ? [{ path: [index, 'value'], ...violation }] : []
  })
}

/** A string is not trimmed, because the bot receives it in the interaction. */
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
