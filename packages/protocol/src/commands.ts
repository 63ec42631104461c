import type { Static } from 'typebox'
import { type NameRule, readCommandName } from './command-names.ts'
import { type CheckFault, nest, report } from './faults.ts'
import { Id, Timestamp } from './ids.ts'
import * as limits from './limits.ts'
import { isMembers, type MemberRule, type Members, needText, refuseOthers } from './members.ts'
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

const commandName = 'Small Latin or Cyrillic letters, 0-9, `-` and `_`; up to 32; not trimmed (D28).'

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

/** A command as a bot registers it, after `checkCommands`: left-out options are `[]` (D52). */
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

export type CommandFault = CheckFault<CommandRule>

/**
 * Judges a set of commands (D28, D52). Names come back in NFC, descriptions and names of choices trimmed, left-out
 * options as `[]`. `commands` is `[]` where there are faults. `overLimit`: more than 100, which has an error of its own
 * (`command_limit`) and is the only fault then. Paths begin with the index: `[3].options[1].choices[0].value`.
 */
export function checkCommands(value: unknown): {
  commands: Command[]
  faults: CommandFault[]
  overLimit: boolean
} {
  const faults: CommandFault[] = []
  if (!Array.isArray(value)) {
    report(faults, { path: [], rule: 'invalid_type', message: 'must be an array of commands' })
    return { commands: [], faults, overLimit: false }
  }
  if (value.length > limits.maxCommands) {
    const message = `must have at most ${limits.maxCommands} commands`
    report(faults, { path: [], rule: 'too_many', message, limit: limits.maxCommands })
    return { commands: [], faults, overLimit: true }
  }
  const commands: Command[] = []
  const names = new Set<string>()
  for (const [index, item] of value.entries()) {
    const before = faults.length
    if (isMembers(item)) commands.push(readCommand(item, names, faults))
    else report(faults, { path: [], rule: 'invalid_type', message: 'must be an object' })
    nest(faults, before, index)
  }
  return { commands: faults.length === 0 ? commands : [], faults, overLimit: false }
}

function readCommand(from: Members, names: Set<string>, faults: CommandFault[]): Command {
  refuseOthers(from, ['name', 'description', 'options'], faults)
  const name = readName(from, names, faults)
  const description = needText(from, 'description', limits.maxCommandDescription, faults) ?? ''
  const options: Option[] = []
  const optionNames = new Set<string>()
  let optional = false
  readList(from, 'options', limits.maxOptions, faults, item => {
    const option = readOption(item, optionNames, faults)
    if (option.required === true && optional) {
      const message = 'required options come before the others'
      report(faults, { path: ['required'], rule: 'wrong_order', message })
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
  faults: CommandFault[],
  read: (item: Members) => void,
): void {
  const value = from[key]
  if (value === undefined) return
  if (!Array.isArray(value)) {
    report(faults, { path: [key], rule: 'invalid_type', message: 'must be an array' })
    return
  }
  if (value.length > max) {
    report(faults, { path: [key], rule: 'too_many', message: `must have at most ${max}`, limit: max })
  }
  for (const [index, item] of value.slice(0, max).entries()) {
    const before = faults.length
    if (isMembers(item)) read(item)
    else report(faults, { path: [], rule: 'invalid_type', message: 'must be an object' })
    nest(faults, before, key, index)
  }
}

function readName(from: Members, taken: Set<string>, faults: CommandFault[]): string {
  const read = readCommandName(from.name)
  if ('fault' in read) {
    report(faults, { path: ['name'], ...read.fault })
    return ''
  }
  if (taken.has(read.name)) {
    report(faults, { path: ['name'], rule: 'duplicate', message: 'stands in this list already' })
  }
  taken.add(read.name)
  return read.name
}

const optionMembers = ['type', 'name', 'description', 'required', 'choices', 'min', 'max']

function readOption(from: Members, names: Set<string>, faults: CommandFault[]): Option {
  refuseOthers(from, optionMembers, faults)
  const type = optionTypes.find(known => known === from.type)
  if (type === undefined) {
    const message = `must be one of ${optionTypes.join(', ')}`
    report(faults, { path: ['type'], rule: 'invalid_choice', message })
  }
  const option: Option = {
    type: type ?? 'string',
    name: readName(from, names, faults),
    description: needText(from, 'description', limits.maxCommandDescription, faults) ?? '',
  }
  if (typeof from.required === 'boolean') option.required = from.required
  else if (from.required !== undefined) {
    report(faults, { path: ['required'], rule: 'invalid_type', message: 'must be true or false' })
  }
  if (type !== undefined) readValues(from, type, option, faults)
  return option
}

/** What the values of an option may be: a list to pick from, or bounds, never both (D28). */
function readValues(from: Members, type: OptionType, option: Option, faults: CommandFault[]): void {
  const numeric = type === 'integer' || type === 'number'
  const choices: Choice[] = []
  if (numeric || type === 'string') {
    const names = new Set<string>()
    readList(from, 'choices', limits.maxChoices, faults, item => {
      choices.push(readChoice(item, type, names, faults))
    })
  } else if (from.choices !== undefined) {
    const message = 'choices are for string, integer and number'
    report(faults, { path: ['choices'], rule: 'not_allowed', message })
  }
  if (choices.length > 0) option.choices = choices

  for (const key of ['min', 'max'] as const) {
    const bound = from[key]
    if (bound === undefined) continue
    if (!numeric) {
      report(faults, { path: [key], rule: 'not_allowed', message: `${key} is for integer and number` })
    } else if (choices.length > 0) {
      report(faults, { path: [key], rule: 'not_allowed', message: `choices and ${key} exclude each other` })
    } else if (isOfType(bound, type)) option[key] = bound
    else report(faults, { path: [key], rule: 'invalid_type', message: expected(type) })
  }
  if (option.min !== undefined && option.max !== undefined && option.min > option.max) {
    report(faults, { path: ['max'], rule: 'out_of_range', message: 'must not be less than min' })
  }
}

function readChoice(from: Members, type: OptionType, taken: Set<string>, faults: CommandFault[]): Choice {
  refuseOthers(from, ['name', 'value'], faults)
  const name = needText(from, 'name', limits.maxChoiceName, faults) ?? ''
  if (name !== '' && taken.has(name)) {
    report(faults, { path: ['name'], rule: 'duplicate', message: 'stands in this list already' })
  }
  taken.add(name)
  return { name, value: readChoiceValue(from.value, type, faults) }
}

/** Kept as it is: it is a bot's own word. */
function readChoiceValue(value: unknown, type: OptionType, faults: CommandFault[]): string | number {
  const path = ['value']
  if (value === undefined) {
    report(faults, { path, rule: 'required', message: 'is required' })
    return ''
  }
  if (type !== 'string') {
    if (isOfType(value, type)) return value
    report(faults, { path, rule: 'invalid_type', message: expected(type) })
    return ''
  }
  if (typeof value !== 'string') {
    report(faults, { path, rule: 'invalid_type', message: 'must be a string' })
    return ''
  }
  if (!isSound(value)) {
    const message = 'must not contain U+0000 or half of a surrogate pair'
    report(faults, { path, rule: 'invalid_text', message })
  } else if (isLonger(value, limits.maxChoiceValue)) {
    const message = `must have at most ${limits.maxChoiceValue} characters`
    report(faults, { path, rule: 'too_long', message, limit: limits.maxChoiceValue })
  }
  return value
}

// D28: integer values are safe integers. JSON can write numbers that are none here: 1e999.
function isOfType(value: unknown, type: OptionType): value is number {
  return type === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value)
}

function expected(type: OptionType): string {
  return type === 'integer' ? 'must be a whole number that JSON keeps exactly' : 'must be a number'
}
