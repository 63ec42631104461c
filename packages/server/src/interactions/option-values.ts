import type { Choice, Option, OptionValue } from '@gatehouse/protocol/commands'
import { mustBe, oneOf, outOfRange, type ViolationDetails } from '@gatehouse/protocol/field-errors'
import { isId } from '@gatehouse/protocol/ids'
import type { EventOption, RunInteractionOption } from '@gatehouse/protocol/interactions'
import { maxOptionValue } from '@gatehouse/protocol/limits'
import { checkText, cleaners } from '@gatehouse/protocol/text'
import { type FieldError, invalidAll } from '../kit/app-error.ts'

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
 * Validates the option values of a command (bots/option-values) and returns them in the order of the definition. Throws 400
 * with paths such as `options[0].value`; the index is that of the request.
 */
export async function validateOptionValues(
  options: readonly Option[],
  given: readonly RunInteractionOption[],
  lookup: ReferenceLookup,
): Promise<EventOption[]> {
  const errors: FieldError[] = []
  const found = new Map<string, { value: OptionValue; index: number }>()
  const seen = new Set<string>()
  for (const [index, { name: raw, value }] of given.entries()) {
    const name = raw.normalize('NFC')
    const option = options.find(other => other.name === name)
    if (!option) {
      errors.push({
        path: `options[${index}].name`,
        code: 'unknown_member',
        message: `must be the name of an option of the command, not ${JSON.stringify(name)}`,
      })
      continue
    }
    if (seen.has(name)) {
      errors.push({
        path: `options[${index}].name`,
        code: 'duplicate',
        message: `must not be given twice: ${JSON.stringify(name)}`,
      })
      continue
    }
    seen.add(name)
    const result = validateValue(option, value)
    if ('value' in result) found.set(name, { value: result.value, index })
    else errors.push({ ...withOptionName(name, result), path: `options[${index}].value` })
  }
  for (const { name, required } of options) {
    if (required !== true || seen.has(name)) continue
    errors.push({ path: 'options', code: 'required', message: `must include ${JSON.stringify(name)}` })
  }
  const values = options.flatMap(({ name, type }) => {
    const entry = found.get(name)
    return entry ? [{ name, type, ...entry }] : []
  })
  errors.push(...(await validateReferences(values, lookup)))
  if (errors.length > 0) throw invalidAll(errors)
  return values.map(({ name, type, value }) => ({ name, type, value }))
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

function validateString(option: Option, value: unknown): { value: string } | ValueError {
  // The value of a choice is not trimmed, because the bot registered it with its spaces.
  const { text = '', violation } = option.choices
    ? checkText(value, Infinity, cleaners.keep)
    : checkText(value, maxOptionValue)
  if (violation) return violation
  if (option.choices) return checkChoice(option.choices, text)
  return text === '' ? { code: 'too_short', message: 'must not be empty' } : { value: text }
}

function validateNumber(option: Option, value: number): { value: number } | ValueError {
  if (option.choices) return checkChoice(option.choices, value)
  const { min, max } = option
  if ((min === undefined || value >= min) && (max === undefined || value <= max)) return { value }
  return outOfRange(min, max)
}

function checkChoice<T extends string | number>(
  choices: readonly Choice[],
  value: T,
): { value: T } | ValueError {
  const values = choices.map(choice => choice.value)
  return values.includes(value) ? { value } : oneOf(values)
}

const references = {
  user: { lookup: 'users', code: 'unknown_user', message: 'must be a member of this server' },
  channel: {
    lookup: 'channels',
    code: 'unknown_channel',
    message: 'must be a channel of this server that you may view',
  },
  role: { lookup: 'roles', code: 'unknown_role', message: 'must be a role of this server' },
} as const

async function validateReferences(
  values: readonly { name: string; type: Option['type']; value: OptionValue; index: number }[],
  lookups: ReferenceLookup,
): Promise<FieldError[]> {
  const errors: FieldError[] = []
  for (const [type, { lookup, code, message }] of Object.entries(references)) {
    const given = values.filter(value => value.type === type)
    if (given.length === 0) continue
    const known = await lookups[lookup]([...new Set(given.map(({ value }) => String(value)))])
    for (const { name, value, index } of given) {
      if (known.includes(String(value))) continue
      errors.push({ ...withOptionName(name, { code, message }), path: `options[${index}].value` })
    }
  }
  return errors
}
