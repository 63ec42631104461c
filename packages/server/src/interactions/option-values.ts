import {
  type Choice,
  type CommandOption,
  hasValue,
  type Option,
  type OptionValue,
  type Subcommand,
  type SubcommandGroup,
} from '@gatehouse/protocol/commands'
import { mustBe, oneOf, required, tooMany, type ViolationDetails } from '@gatehouse/protocol/field-errors'
import { isId } from '@gatehouse/protocol/ids'
import type { EnteredOption, EventOption, EventValueOption } from '@gatehouse/protocol/interactions'
import { maxOptionValue } from '@gatehouse/protocol/limits'
import { boundViolation } from '@gatehouse/protocol/option-bounds'
import { checkText, cleaners } from '@gatehouse/protocol/text'
import { type FieldError, invalid, invalidAll } from '../kit/app-error.ts'

/** Each function returns the ids that the user may choose. It is called at most once per request. */
export interface ReferenceLookup {
  /** Members of the server. */
  users(ids: readonly string[]): Promise<readonly string[]>
  /** Channels of the server that the user may view. */
  channels(ids: readonly string[]): Promise<readonly string[]>
  /** Roles of the server. */
  roles(ids: readonly string[]): Promise<readonly string[]>
}

type ValueError = ViolationDetails<string>

/**
 * Validates the options of a command, or of the subcommand that the user runs (bots/option-values, bots/subcommands). Returns
 * them in the order of the definition, and the names of group and subcommand. Throws 400 with paths such as
 * `options[0].value`; the indexes are those of the request. With `focused`, the name of the option in which the user types,
 * required options may be missing, and the value of that option is the text so far (bots/autocomplete).
 */
export async function validateOptions(
  definitions: readonly CommandOption[],
  given: readonly EnteredOption[],
  lookup: ReferenceLookup,
  focused?: string,
): Promise<{ subcommand: readonly string[]; options: EventOption[]; focused: Option | undefined }> {
  const selected = selectSubcommand(definitions, given, 'options')
  const name = focused?.normalize('NFC')
  const focusedOption = selected.definitions.find(option => option.name === name)
  if (name !== undefined && focusedOption?.autocomplete !== true) {
    throw invalid('focused', 'invalid_choice', 'must be the name of an option with autocomplete')
  }
  const values = await validateOptionValues(selected, lookup, focusedOption)
  const options = selected.subcommands.reduceRight<EventOption[]>(
    (inner, { name, type }) => [{ name, type, options: inner } as EventOption],
    values,
  )
  return { subcommand: selected.subcommands.map(({ name }) => name), options, focused: focusedOption }
}

interface SelectedOptions {
  /** Group and subcommand. Empty for a command without subcommands. */
  subcommands: readonly (Subcommand | SubcommandGroup)[]
  definitions: readonly Option[]
  given: readonly EnteredOption[]
  /** The path of `given`. */
  path: string
}

/** Finds the options of the subcommand in the request. Throws 400 unless it is exactly one of `definitions`. */
function selectSubcommand(
  definitions: readonly CommandOption[],
  given: readonly EnteredOption[],
  path: string,
): SelectedOptions {
  const accepted = definitions.filter(option => !hasValue(option))
  if (accepted.length === 0) {
    return { subcommands: [], definitions: definitions.filter(hasValue), given, path }
  }
  const [entered, another] = given
  const names = accepted.map(({ name }) => JSON.stringify(name)).join(', ')
  const fail = (error: FieldError) => invalidAll([error])
  if (!entered) {
    throw fail({ path, code: 'required', message: `must contain a subcommand: ${names}` })
  }
  const name = entered.name.normalize('NFC')
  const found = accepted.find(option => option.name === name)
  if (!found) {
    const message = `must be the name of a subcommand: ${names}`
    throw fail({ path: `${path}[0].name`, code: 'unknown_member', message })
  }
  if (another) throw fail({ path, ...tooMany(1) })
  if (entered.value !== undefined) {
    const message = 'is not accepted for a subcommand, only "options"'
    throw fail({ path: `${path}[0].value`, code: 'not_allowed', message })
  }
  const inner = selectSubcommand(found.options, entered.options ?? [], `${path}[0].options`)
  return { ...inner, subcommands: [found, ...inner.subcommands] }
}

async function validateOptionValues(
  { definitions, given, path }: SelectedOptions,
  lookup: ReferenceLookup,
  focused?: Option,
): Promise<EventValueOption[]> {
  const errors: FieldError[] = []
  const found = new Map<string, { value: OptionValue; path: string }>()
  const seen = new Set<string>()
  for (const [index, { name: raw, value, options }] of given.entries()) {
    const place = `${path}[${index}]`
    const name = raw.normalize('NFC')
    const option = definitions.find(other => other.name === name)
    if (!option) {
      const message = `must be the name of an option of the command, not ${JSON.stringify(name)}`
      errors.push({ path: `${place}.name`, code: 'unknown_member', message })
      continue
    }
    if (seen.has(name)) {
      const message = `must not be given twice: ${JSON.stringify(name)}`
      errors.push({ path: `${place}.name`, code: 'duplicate', message })
      continue
    }
    seen.add(name)
    if (options !== undefined) {
      const message = 'is accepted only for a subcommand'
      errors.push({ path: `${place}.options`, code: 'not_allowed', message })
    }
    const result =
      option === focused
        ? validateTyped(value)
        : value === undefined
          ? required
          : validateValue(option, value)
    if ('value' in result) found.set(name, { value: result.value, path: `${place}.value` })
    else errors.push({ ...withOptionName(name, result), path: `${place}.value` })
  }
  for (const { name, required: isRequired } of definitions) {
    if (isRequired !== true || seen.has(name) || focused) continue
    errors.push({ path, code: 'required', message: `must include ${JSON.stringify(name)}` })
  }
  if (focused && !seen.has(focused.name)) found.set(focused.name, { value: '', path })
  const values = definitions.flatMap(({ name, type }) => {
    const entry = found.get(name)
    return entry ? [{ name, type, ...entry }] : []
  })
  errors.push(...(await validateReferences(values, lookup)))
  if (errors.length > 0) throw invalidAll(errors)
  return values.map(({ name, type, value }) =>
    name === focused?.name ? { name, type, value, focused: true } : { name, type, value },
  )
}

/** The path contains the index in the request only, so the message names the option. */
function withOptionName(name: string, error: ValueError): ValueError {
  return { ...error, message: `${error.message} (option "${name}")` }
}

function validateValue(option: Option, value: unknown): { value: OptionValue } | ValueError {
  switch (option.type) {
    case 'string':
      return validateString(option, value)
    case 'integer':
      // (bots/command-names)
      return Number.isSafeInteger(value) ? validateNumber(option, Number(value)) : mustBe('integer')
    case 'number':
      return Number.isFinite(value) ? validateNumber(option, Number(value)) : mustBe('number')
    case 'boolean':
      return typeof value === 'boolean' ? { value } : mustBe('boolean')
    default:
      if (typeof value !== 'string') return mustBe('string')
      return isId(value) ? { value } : { code: 'invalid_format', message: 'must be an id' }
  }
}

/** The text of the option in which the user types. */
function validateTyped(value: unknown): { value: string } | ValueError {
  const { text = '', violation } = checkText(
    typeof value === 'number' ? String(value) : (value ?? ''),
    maxOptionValue,
    cleaners.keep,
  )
  return violation ?? { value: text }
}

function validateString(option: Option, value: unknown): { value: string } | ValueError {
  // The value of a choice is not trimmed, because the bot registered or suggested it with its spaces.
  const { text = '', violation } = option.choices
    ? checkText(value, Infinity, cleaners.keep)
    : checkText(value, maxOptionValue)
  if (violation) return violation
  if (option.choices) return checkChoice(option.choices, text)
  if (text === '') return { code: 'too_short', message: 'must not be empty' }
  return boundViolation(option, text) ?? { value: option.autocomplete === true ? String(value) : text }
}

function validateNumber(option: Option, value: number): { value: number } | ValueError {
  if (option.choices) return checkChoice(option.choices, value)
  return boundViolation(option, value) ?? { value }
}

function checkChoice<T extends string | number>(
  choices: readonly Choice[],
  value: T,
): { value: T } | ValueError {
  const values = choices.map(choice => choice.value)
  return values.includes(value) ? { value } : oneOf(values)
}

/** The errors for ids that do not refer to what the user may choose. */
export const references = {
  user: { lookup: 'users', code: 'unknown_user', message: 'must be a member of this server' },
  channel: {
    lookup: 'channels',
    code: 'unknown_channel',
    message: 'must be a channel of this server that you may view',
  },
  role: { lookup: 'roles', code: 'unknown_role', message: 'must be a role of this server' },
} as const

async function validateReferences(
  values: readonly { name: string; type: Option['type']; value: OptionValue; path: string }[],
  lookups: ReferenceLookup,
): Promise<FieldError[]> {
  const errors: FieldError[] = []
  for (const [type, { lookup, code, message }] of Object.entries(references)) {
    const given = values.filter(value => value.type === type)
    if (given.length === 0) continue
    const known = await lookups[lookup]([...new Set(given.map(({ value }) => String(value)))])
    for (const { name, value, path } of given) {
      if (known.includes(String(value))) continue
      errors.push({ ...withOptionName(name, { code, message }), path })
    }
  }
  return errors
}
