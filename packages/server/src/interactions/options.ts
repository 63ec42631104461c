import type { Option, OptionValue } from '@gatehouse/protocol/commands'
import { isId } from '@gatehouse/protocol/ids'
import type { EventOption, InvokeOption } from '@gatehouse/protocol/interactions'
import { maxOptionValue } from '@gatehouse/protocol/limits'
import { isLonger, isSound } from '@gatehouse/protocol/text'
import { type Fault, invalidAll } from '../kit/app-error.ts'

/** Those of the ids that may be given, each asked for once with all of them. */
export interface Candidates {
  /** Members of the server. */
  users(ids: readonly string[]): Promise<readonly string[]>
  /** Channels of the server that the person may view. */
  channels(ids: readonly string[]): Promise<readonly string[]>
  /** Roles of the server. */
  roles(ids: readonly string[]): Promise<readonly string[]>
}

type Wrong = Pick<Fault, 'code' | 'message'>

/**
 * Checks what a person gave against the command, before anything is sent (check 55); answers in the order of the
 * definition. Throws 400 with paths like `options[0].value`, where the index is that of the request.
 */
export async function checkOptions(
  options: readonly Option[],
  given: readonly InvokeOption[],
  candidates: Candidates,
): Promise<EventOption[]> {
  const faults: Fault[] = []
  const found = new Map<string, { value: OptionValue; index: number }>()
  const seen = new Set<string>()
  for (const [index, { name: raw, value }] of given.entries()) {
    const name = raw.normalize('NFC')
    const option = options.find(other => other.name === name)
    if (!option) {
      faults.push({
        path: `options[${index}].name`,
        code: 'unknown_member',
        message: 'is no option of the command',
      })
      continue
    }
    if (seen.has(name)) {
      faults.push({ path: `options[${index}].name`, code: 'duplicate', message: `${name} was given already` })
      continue
    }
    seen.add(name)
    const checked = checkValue(option, value)
    if ('value' in checked) found.set(name, { value: checked.value, index })
    else
      faults.push({
        path: `options[${index}].value`,
        code: checked.code,
        message: `${name} ${checked.message}`,
      })
  }
  for (const { name, required } of options) {
    if (required !== true || seen.has(name)) continue
    faults.push({ path: 'options', code: 'required', message: `${name} is required` })
  }
  const values = options.flatMap(({ name, type }) => {
    const entry = found.get(name)
    return entry ? [{ name, type, ...entry }] : []
  })
  faults.push(...(await checkReferences(values, candidates)))
  if (faults.length > 0) throw invalidAll(faults)
  return values.map(({ name, type, value }) => ({ name, type, value }))
}

function checkValue(option: Option, value: unknown): { value: OptionValue } | Wrong {
  switch (option.type) {
    case 'string':
      return checkText(option, value)
    case 'integer':
      // D28: integer values are safe integers.
      return Number.isSafeInteger(value) ? checkNumber(option, Number(value)) : wrongType('a whole number')
    case 'number':
      return Number.isFinite(value) ? checkNumber(option, Number(value)) : wrongType('a number')
    case 'boolean':
      return typeof value === 'boolean' ? { value } : wrongType('true or false')
    default:
      if (typeof value !== 'string') return wrongType('an id')
      return isId(value) ? { value } : { code: 'invalid_format', message: 'must be an id' }
  }
}

function checkText(option: Option, value: unknown): { value: string } | Wrong {
  if (typeof value !== 'string') return wrongType('text')
  if (!isSound(value)) {
    return { code: 'invalid_text', message: 'must not contain U+0000 or half of a surrogate pair' }
  }
  // A choice's value is the bot's own word, kept as it is.
  if (option.choices) return isChoice(option, value) ? { value } : wrongChoice
  const text = value.trim()
  if (text === '') return { code: 'too_short', message: 'must not be empty' }
  if (!isLonger(text, maxOptionValue)) return { value: text }
  return { code: 'too_long', message: `must have at most ${maxOptionValue} characters` }
}

function checkNumber(option: Option, value: number): { value: number } | Wrong {
  if (option.choices) return isChoice(option, value) ? { value } : wrongChoice
  const { min, max } = option
  if (min !== undefined && value < min) return { code: 'out_of_range', message: `must be at least ${min}` }
  if (max !== undefined && value > max) return { code: 'out_of_range', message: `must be at most ${max}` }
  return { value }
}

function isChoice(option: Option, value: string | number): boolean {
  return option.choices?.some(choice => choice.value === value) ?? false
}

const wrongChoice: Wrong = { code: 'invalid_choice', message: 'must be one of the choices' }

function wrongType(expected: string): Wrong {
  return { code: 'invalid_type', message: `must be ${expected}` }
}

const references = {
  user: { ask: 'users', code: 'unknown_user', message: 'must be a member of this server' },
  channel: {
    ask: 'channels',
    code: 'unknown_channel',
    message: 'must be a channel of this server that you see',
  },
  role: { ask: 'roles', code: 'unknown_role', message: 'must be a role of this server' },
} as const

async function checkReferences(
  values: readonly { name: string; type: Option['type']; value: OptionValue; index: number }[],
  candidates: Candidates,
): Promise<Fault[]> {
  const faults: Fault[] = []
  for (const [type, { ask, code, message }] of Object.entries(references)) {
    const given = values.filter(value => value.type === type)
    if (given.length === 0) continue
    const known = await candidates[ask]([...new Set(given.map(({ value }) => String(value)))])
    for (const { name, value, index } of given) {
      if (known.includes(String(value))) continue
      faults.push({ path: `options[${index}].value`, code, message: `${name} ${message}` })
    }
  }
  return faults
}
