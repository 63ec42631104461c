import type { Static } from 'typebox'
import { readCommandName } from './command-names.ts'
import { addViolation, mustBe, oneOf, required, tooMany, type Violation } from './field-errors.ts'
import { Id, Timestamp } from './ids.ts'
import { type JsonObject, readObjects, rejectUnknownMembers, requireText } from './json-object.ts'
import * as limits from './limits.ts'
import { closed, Described, Documented, Nullable, OneOf, ShownAs } from './schema.ts'
import { checkText, cleaners } from './text.ts'
import { Type } from './type.ts'

export const optionTypes = ['string', 'integer', 'number', 'boolean', 'user', 'channel', 'role'] as const

export const OptionType = OneOf(optionTypes, { description: 'The type of the value that a user enters.' })
export type OptionType = Static<typeof OptionType>

/** The value of an option that a user entered; for a user, channel or role its id. */
export type OptionValue = string | number | boolean

export const Choice = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: limits.maxChoiceName, description: 'What the user sees.' }),
    value: ShownAs(
      Type.Unsafe<string | number>({
        description: 'Has the type of the option; a string has up to 100 characters.',
      }),
      Type.Unsafe<string | number>({
        type: ['string', 'number'],
        maxLength: limits.maxChoiceValue,
        description: 'Has the type of the option; a string has up to 100 characters.',
      }),
    ),
  },
  closed('A value that the user can choose.'),
)
export type Choice = Static<typeof Choice>

const CommandName = Type.String({
  minLength: 1,
  maxLength: limits.maxCommandName,
  // `readCommandName` also checks the script, which not all regular expressions can.
  pattern: '^[-_0-9\\p{Ll}\\p{M}]*$',
  description: 'The name: lowercase Latin or Cyrillic letters, 0-9, `-` and `_`; not trimmed.',
})
const CommandDescription = Type.String({
  minLength: 1,
  maxLength: limits.maxCommandDescription,
  description: 'What it does.',
})

export const Option = Type.Object(
  {
    type: OptionType,
    name: CommandName,
    description: CommandDescription,
    required: Type.Optional(Type.Boolean({ description: 'Whether the user must enter a value.' })),
    choices: Type.Optional(
      Type.Array(Choice, {
        maxItems: limits.maxChoices,
        description: 'The accepted values of a string, integer or number; excludes `min` and `max`.',
      }),
    ),
    min: Type.Optional(Type.Number({ description: 'The lowest value of an integer or number.' })),
    max: Type.Optional(Type.Number({ description: 'The highest value of an integer or number.' })),
  },
  closed('An option of a command.'),
)
export type Option = Static<typeof Option>

const command = { name: CommandName, description: CommandDescription }
const Options = Type.Array(Option, {
  maxItems: limits.maxOptions,
  description: 'What the user enters, the required options first.',
})

/** A command as a bot registers it, after `checkCommands`: omitted options are `[]` (bots/command-set). */
export const Command = Type.Object({ ...command, options: Options }, closed('A slash command.'))
export type Command = Static<typeof Command>

/** A command as a bot sends it, for the API document. */
export const CommandInput = Type.Object(
  { ...command, options: Type.Optional(Options) },
  closed('A slash command.'),
)

/** Body of `PUT …/commands`: unknown until `checkCommands` has validated it. */
export const CommandsInput = Documented(
  Type.Array(CommandInput, { maxItems: limits.maxCommands }),
  'The complete set of up to 100 commands. Commands that are not in it are deleted.',
)

const registered = {
  id: Described(Id, 'The id of the command.'),
  applicationId: Described(Id, 'The id of the application.'),
  ...command,
  options: Options,
  serverId: Type.Optional(Described(Id, 'The id of the server, of a command of one server only.')),
  createdAt: Described(Timestamp, 'When the command was registered.'),
  updatedAt: Described(Timestamp, 'When the command was last changed.'),
}

/** One of `GET · PUT /api/applications/@me/commands` and of the set of one server, which has `serverId`. */
export const RegisteredCommand = Type.Object(registered, closed('A registered command.'))
export type RegisteredCommand = Static<typeof RegisteredCommand>

/** One of `GET /api/channels/:id/commands`. */
export const AvailableCommand = Type.Object(
  {
    ...registered,
    application: Type.Object(
      {
        id: Described(Id, 'The id of the application.'),
        name: Type.String({ description: 'The name of the application.' }),
        icon: Nullable(Type.String(), {
          description: 'The path of the icon on the service; null if there is none.',
        }),
        botId: Described(Id, 'The id of the bot.'),
      },
      closed('The application of the command.'),
    ),
  },
  closed('A command that the caller can use in the channel.'),
)
export type AvailableCommand = Static<typeof AvailableCommand>

/**
 * Validates a set of commands (bots/command-names, bots/command-set). Returns names in NFC, trimmed descriptions and choice
 * names, and `[]` for missing options. `commands` is `[]` if there are violations. `overLimit`: more than 100, which has a separate error
 * (`command_limit`) and is the only violation then. Paths begin with the index: `[3].options[1].choices[0].value`.
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
  const max = limits.maxCommands
  if (value.length > max) {
    addViolation(violations, { path: [], ...tooMany(max, 'command') })
    return { commands: [], violations, overLimit: true }
  }
  const commands: Command[] = []
  const names = new Set<string>()
  readObjects(value, [], { max }, violations, item => {
    commands.push(readCommand(item, names, violations))
  })
  return { commands: violations.length === 0 ? commands : [], violations, overLimit: false }
}

function readCommand(from: JsonObject, names: Set<string>, violations: Violation[]): Command {
  rejectUnknownMembers(from, ['name', 'description', 'options'], violations)
  const name = readName(from, names, violations)
  const description = readDescription(from, violations)
  const options: Option[] = []
  const optionNames = new Set<string>()
  let optional = false
  readList(from, 'options', limits.maxOptions, violations, item => {
    const option = readOption(item, optionNames, violations)
    if (option.required === true && optional) {
      const message = 'must not be true after an optional option: required options come first'
      addViolation(violations, { path: ['required'], code: 'wrong_order', message })
    }
    optional ||= option.required !== true
    options.push(option)
  })
  return { name, description, options }
}

/** Reads an array of objects that may be absent. */
function readList(
  from: JsonObject,
  key: string,
  max: number,
  violations: Violation[],
  read: (item: JsonObject) => void,
): void {
  if (from[key] !== undefined) readObjects(from[key], [key], { max }, violations, read)
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
  if (taken.has(name)) addViolation(violations, { path: ['name'], code: 'duplicate', message })
  taken.add(name)
}

function readDescription(from: JsonObject, violations: Violation[]): string {
  return requireText(from, 'description', limits.maxCommandDescription, violations, cleaners.name) ?? ''
}

const optionMembers = ['type', 'name', 'description', 'required', 'choices', 'min', 'max']

function readOption(from: JsonObject, names: Set<string>, violations: Violation[]): Option {
  rejectUnknownMembers(from, optionMembers, violations)
  const type = optionTypes.find(known => known === from.type)
  if (type === undefined) {
    addViolation(violations, { path: ['type'], ...oneOf(optionTypes) })
  }
  const option: Option = {
    type: type ?? 'string',
    name: readName(from, names, violations),
    description: readDescription(from, violations),
  }
  if (typeof from.required === 'boolean') option.required = from.required
  else if (from.required !== undefined) {
    addViolation(violations, { path: ['required'], ...mustBe('boolean') })
  }
  if (type !== undefined) readValues(from, type, option, violations)
  return option
}

/** The accepted values of an option: a list of choices, or bounds, but not both (bots/command-names). */
function readValues(from: JsonObject, type: OptionType, option: Option, violations: Violation[]): void {
  const numeric = type === 'integer' || type === 'number'
  const choices: Choice[] = []
  if (numeric || type === 'string') {
    const names = new Set<string>()
    readList(from, 'choices', limits.maxChoices, violations, item => {
      choices.push(readChoice(item, type, names, violations))
    })
  } else if (from.choices !== undefined) {
    const message = 'is accepted only for the types string, integer and number'
    addViolation(violations, { path: ['choices'], code: 'not_allowed', message })
  }
  if (choices.length > 0) option.choices = choices

  for (const key of ['min', 'max'] as const) {
    const bound = from[key]
    if (bound === undefined) continue
    if (!numeric) {
      addViolation(violations, {
        path: [key],
        code: 'not_allowed',
        message: 'is accepted only for the types integer and number',
      })
    } else if (choices.length > 0) {
      addViolation(violations, {
        path: [key],
        code: 'not_allowed',
        message: 'is not accepted with choices',
      })
    } else if (isOfType(bound, type)) option[key] = bound
    else addViolation(violations, { path: [key], code: 'invalid_type', message: expected(type) })
  }
  if (option.min !== undefined && option.max !== undefined && option.min > option.max) {
    addViolation(violations, { path: ['max'], code: 'out_of_range', message: 'must not be less than min' })
  }
}

function readChoice(from: JsonObject, type: OptionType, taken: Set<string>, violations: Violation[]): Choice {
  rejectUnknownMembers(from, ['name', 'value'], violations)
  const name = requireText(from, 'name', limits.maxChoiceName, violations, cleaners.name) ?? ''
  if (name !== '') requireUnique(name, taken, violations)
  return { name, value: readChoiceValue(from.value, type, violations) }
}

/** A string is not trimmed, because the bot receives it in the interaction. */
function readChoiceValue(value: unknown, type: OptionType, violations: Violation[]): string | number {
  const path = ['value']
  if (value === undefined) {
    addViolation(violations, { path, ...required })
    return ''
  }
  if (type !== 'string') {
    if (isOfType(value, type)) return value
    addViolation(violations, { path, code: 'invalid_type', message: expected(type) })
    return ''
  }
  const { text = '', violation } = checkText(value, limits.maxChoiceValue, cleaners.keep)
  if (violation) addViolation(violations, { path, ...violation })
  return text
}

// bots/command-names: integer values are safe integers. `JSON.parse` returns Infinity for 1e999.
function isOfType(value: unknown, type: OptionType): value is number {
  return type === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value)
}

function expected(type: OptionType): string {
  return type === 'integer' ? 'must be a whole number between -(2^53 - 1) and 2^53 - 1' : 'must be a number'
}
