import type { Static } from 'typebox'
import { type NameRule, readCommandName } from './command-names.ts'
import {
  addViolation,
  atMost,
  invalidText,
  mustBe,
  oneOf,
  prefixPaths,
  required,
  tooLong,
  type Violation,
} from './field-errors.ts'
import { Id, Timestamp } from './ids.ts'
import * as limits from './limits.ts'
import { isMembers, type MemberRule, type Members, needName, refuseOthers } from './members.ts'
import { Checked, closed, Nullable, OneOf } from './schema.ts'
import { isLonger, isSound } from './text.ts'
import { Type } from './type.ts'

export const optionTypes = ['string', 'integer', 'number', 'boolean', 'user', 'channel', 'role'] as const

export const OptionType = OneOf(optionTypes)
export type OptionType = Static<typeof OptionType>

/** What a person gave for an option: for user, channel and role the id. */
export type OptionValue = string | number | boolean

export const Choice = Type.Object(
  {
    name: Type.String({ description: '1 to 100 characters.' }),
    value: Type.Unsafe<string | number>({
      description: "Of the option's type; a string up to 100 characters.",
    }),
  },
  closed('A value to pick from the list.'),
)
export type Choice = Static<typeof Choice>

const commandName = 'Small Latin or Cyrillic letters, 0-9, `-` and `_`; up to 32; not trimmed.'

export const Option = Type.Object(
  {
    type: OptionType,
    name: Type.String({ description: commandName }),
    description: Type.String({ description: '1 to 100 characters.' }),
    required: Type.Optional(Type.Boolean()),
    choices: Type.Optional(
      Type.Array(Choice, { description: 'Up to 25; for string, integer and number; without min and max.' }),
    ),
    min: Type.Optional(Type.Number({ description: 'For integer and number.' })),
    max: Type.Optional(Type.Number({ description: 'For integer and number.' })),
  },
  closed('An option of a command.'),
)
export type Option = Static<typeof Option>

const command = {
  name: Type.String({ description: commandName }),
  description: Type.String({ description: '1 to 100 characters.' }),
}
const Options = Type.Array(Option, { description: 'Up to 25, the required ones first.' })

/** A command as a bot registers it, after `checkCommands`: left-out options are `[]` (bots/command-set). */
export const Command = Type.Object({ ...command, options: Options }, closed('A slash command.'))
export type Command = Static<typeof Command>

/** Body of `PUT …/commands`: unknown until `checkCommands` has judged it. */
export const CommandsInput = Checked(
  Type.Array(Type.Object({ ...command, options: Type.Optional(Options) }, closed('A slash command.'))),
  'The whole set, up to 100: what is not in it is deleted.',
)

const registered = {
  id: Id,
  applicationId: Id,
  ...command,
  options: Options,
  serverId: Type.Optional(Id),
  createdAt: Timestamp,
  updatedAt: Timestamp,
}

/** One of `GET · PUT /api/applications/@me/commands` and of the set of one server, which has `serverId`. */
export const RegisteredCommand = Type.Object(registered, closed('A command that is registered.'))
export type RegisteredCommand = Static<typeof RegisteredCommand>

/** One of `GET /api/channels/:id/commands`. */
export const AvailableCommand = Type.Object(
  {
    ...registered,
    application: Type.Object(
      { id: Id, name: Type.String(), icon: Nullable(Type.String()), botId: Id },
      closed('Whose command it is.'),
    ),
  },
  closed('A command that the caller can use in the channel.'),
)
export type AvailableCommand = Static<typeof AvailableCommand>

export type CommandRule =
  | MemberRule
  | NameRule
  | 'invalid_choice'
  | 'out_of_range'
  | 'not_allowed'
  | 'wrong_order'
  | 'duplicate'
  | 'too_many'
  | 'unknown_member'

export type CommandViolation = Violation<CommandRule>

/**
 * Validates a set of commands (bots/command-names, bots/command-set). Returns names in NFC, trimmed descriptions and choice
 * names, and `[]` for missing options. `commands` is `[]` if there are violations. `overLimit`: more than 100, which has a separate error
 * (`command_limit`) and is the only violation then. Paths begin with the index: `[3].options[1].choices[0].value`.
 */
export function checkCommands(value: unknown): {
  commands: Command[]
  violations: CommandViolation[]
  overLimit: boolean
} {
  const violations: CommandViolation[] = []
  if (!Array.isArray(value)) {
    addViolation(violations, { path: [], rule: 'invalid_type', message: 'must be an array of commands' })
    return { commands: [], violations, overLimit: false }
  }
  if (value.length > limits.maxCommands) {
    const message = `must have at most ${limits.maxCommands} commands`
    addViolation(violations, { path: [], rule: 'too_many', message, limit: limits.maxCommands })
    return { commands: [], violations, overLimit: true }
  }
  const commands: Command[] = []
  const names = new Set<string>()
  for (const [index, item] of value.entries()) {
    const before = violations.length
    if (isMembers(item)) commands.push(readCommand(item, names, violations))
    else addViolation(violations, { path: [], ...mustBe('object') })
    prefixPaths(violations, before, index)
  }
  return { commands: violations.length === 0 ? commands : [], violations, overLimit: false }
}

function readCommand(from: Members, names: Set<string>, violations: CommandViolation[]): Command {
  refuseOthers(from, ['name', 'description', 'options'], violations)
  const name = readName(from, names, violations)
  const description = needName(from, 'description', limits.maxCommandDescription, violations) ?? ''
  const options: Option[] = []
  const optionNames = new Set<string>()
  let optional = false
  readList(from, 'options', limits.maxOptions, violations, item => {
    const option = readOption(item, optionNames, violations)
    if (option.required === true && optional) {
      const message = 'must not be true after an optional option: required options come first'
      addViolation(violations, { path: ['required'], rule: 'wrong_order', message })
    }
    optional ||= option.required !== true
    options.push(option)
  })
  return { name, description, options }
}

/** Reads a list that may be absent; members beyond `max` are not looked at. */
function readList(
  from: Members,
  key: string,
  max: number,
  violations: CommandViolation[],
  read: (item: Members) => void,
): void {
  const value = from[key]
  if (value === undefined) return
  if (!Array.isArray(value)) {
    addViolation(violations, { path: [key], ...mustBe('array') })
    return
  }
  if (value.length > max) {
    addViolation(violations, {
      path: [key],
      rule: 'too_many',
      message: atMost(max, 'entry'),
      limit: max,
    })
  }
  for (const [index, item] of value.slice(0, max).entries()) {
    const before = violations.length
    if (isMembers(item)) read(item)
    else addViolation(violations, { path: [], ...mustBe('object') })
    prefixPaths(violations, before, key, index)
  }
}

function readName(from: Members, taken: Set<string>, violations: CommandViolation[]): string {
  const read = readCommandName(from.name)
  if ('violation' in read) {
    addViolation(violations, { path: ['name'], ...read.violation })
    return ''
  }
  if (taken.has(read.name)) {
    addViolation(violations, {
      path: ['name'],
      rule: 'duplicate',
      message: 'must differ from every other name in the list',
    })
  }
  taken.add(read.name)
  return read.name
}

const optionMembers = ['type', 'name', 'description', 'required', 'choices', 'min', 'max']

function readOption(from: Members, names: Set<string>, violations: CommandViolation[]): Option {
  refuseOthers(from, optionMembers, violations)
  const type = optionTypes.find(known => known === from.type)
  if (type === undefined) {
    addViolation(violations, { path: ['type'], rule: 'invalid_choice', ...oneOf(optionTypes) })
  }
  const option: Option = {
    type: type ?? 'string',
    name: readName(from, names, violations),
    description: needName(from, 'description', limits.maxCommandDescription, violations) ?? '',
  }
  if (typeof from.required === 'boolean') option.required = from.required
  else if (from.required !== undefined) {
    addViolation(violations, { path: ['required'], ...mustBe('boolean') })
  }
  if (type !== undefined) readValues(from, type, option, violations)
  return option
}

/** What the values of an option may be: a list to pick from, or bounds, never both (bots/command-names). */
function readValues(from: Members, type: OptionType, option: Option, violations: CommandViolation[]): void {
  const numeric = type === 'integer' || type === 'number'
  const choices: Choice[] = []
  if (numeric || type === 'string') {
    const names = new Set<string>()
    readList(from, 'choices', limits.maxChoices, violations, item => {
      choices.push(readChoice(item, type, names, violations))
    })
  } else if (from.choices !== undefined) {
    const message = 'is accepted only for the types string, integer and number'
    addViolation(violations, { path: ['choices'], rule: 'not_allowed', message })
  }
  if (choices.length > 0) option.choices = choices

  for (const key of ['min', 'max'] as const) {
    const bound = from[key]
    if (bound === undefined) continue
    if (!numeric) {
      addViolation(violations, {
        path: [key],
        rule: 'not_allowed',
        message: 'is accepted only for the types integer and number',
      })
    } else if (choices.length > 0) {
      addViolation(violations, {
        path: [key],
        rule: 'not_allowed',
        message: 'is not accepted beside choices',
      })
    } else if (isOfType(bound, type)) option[key] = bound
    else addViolation(violations, { path: [key], rule: 'invalid_type', message: expected(type) })
  }
  if (option.min !== undefined && option.max !== undefined && option.min > option.max) {
    addViolation(violations, { path: ['max'], rule: 'out_of_range', message: 'must not be less than min' })
  }
}

function readChoice(
  from: Members,
  type: OptionType,
  taken: Set<string>,
  violations: CommandViolation[],
): Choice {
  refuseOthers(from, ['name', 'value'], violations)
  const name = needName(from, 'name', limits.maxChoiceName, violations) ?? ''
  if (name !== '' && taken.has(name)) {
    addViolation(violations, {
      path: ['name'],
      rule: 'duplicate',
      message: 'must differ from every other name in the list',
    })
  }
  taken.add(name)
  return { name, value: readChoiceValue(from.value, type, violations) }
}

/** Kept as it is: it is a bot's own word. */
function readChoiceValue(value: unknown, type: OptionType, violations: CommandViolation[]): string | number {
  const path = ['value']
  if (value === undefined) {
    addViolation(violations, { path, ...required })
    return ''
  }
  if (type !== 'string') {
    if (isOfType(value, type)) return value
    addViolation(violations, { path, rule: 'invalid_type', message: expected(type) })
    return ''
  }
  if (typeof value !== 'string') {
    addViolation(violations, { path, ...mustBe('string') })
    return ''
  }
  if (!isSound(value)) {
    addViolation(violations, { path, ...invalidText })
  } else if (isLonger(value, limits.maxChoiceValue)) {
    addViolation(violations, { path, ...tooLong(limits.maxChoiceValue) })
  }
  return value
}

// bots/command-names: integer values are safe integers. JSON can write numbers that are none here: 1e999.
function isOfType(value: unknown, type: OptionType): value is number {
  return type === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value)
}

function expected(type: OptionType): string {
  return type === 'integer' ? 'must be a whole number that JSON keeps exactly' : 'must be a number'
}
