/** Member names and indexes, starting at the checked value. */
export type Path = readonly (string | number)[]

/** The codes that the functions of this package report. The service adds codes for what only it can check. */
export type ViolationCode =
  | 'conflict'
  | 'duplicate'
  | 'empty'
  | 'invalid_choice'
  | 'invalid_emoji'
  | 'invalid_format'
  | 'invalid_text'
  | 'invalid_timestamp'
  | 'invalid_type'
  | 'invalid_url'
  | 'not_allowed'
  | 'out_of_range'
  | 'required'
  | 'too_few'
  | 'too_long'
  | 'too_many'
  | 'too_short'
  | 'total_too_long'
  | 'unknown_member'
  | 'unknown_permission'
  | 'wrong_order'

/** A violation of a rule, without the place where it was found. */
export interface ViolationDetails<Code extends string = ViolationCode> {
  code: Code
  message: string
  /** The accepted values, from which clients build messages in other languages. */
  min?: number
  max?: number
  accepted?: readonly string[]
  /** The reason for `invalid_url`. */
  reason?: UrlReason
  /** For `invalid_url`: the scheme, if it is not allowed. Only Discord's format has it. */
  scheme?: string
}

/** A violation of a rule, found by a `check…` function. Each error format serializes it differently. */
export interface Violation<Code extends string = ViolationCode> extends ViolationDetails<Code> {
  path: Path
}

/** An entry of `errors` in a 400 response with the code `validation_failed`. */
export interface FieldError extends Omit<ViolationDetails<string>, 'scheme'> {
  path: string
}

/** The reasons for `invalid_url`, with their messages. */
export const urlReasons = {
  scheme: 'must start with http:// or https://',
  https: 'must start with https://; http:// is accepted only for addresses in ALLOW_PRIVATE_TARGETS',
  redirect_https:
    'must start with https://; http:// is accepted only for localhost, loopback and private ' +
    'IP addresses, and names that end in .local, .internal, .lan or .home.arpa',
  redirect_scheme:
    'must start with https://, or with a scheme of your own application and a slash, such as ' +
    'com.example.app:/ or myapp://; not with one that browsers or operating systems handle',
  absolute: 'must be an absolute URL, such as https://example.org/path',
  host: 'must have a domain name or an IP address as its host',
  port: 'must have a port between 0 and 65535',
  credentials: 'must not contain a user name or a password',
  fragment: 'must not contain a fragment (#)',
  control_characters: 'must not contain control characters such as tabs or line breaks',
  characters: 'must not contain spaces or other characters that RFC 3986 does not allow in a URL',
  private_address: 'must not lead to a private address',
} as const

export type UrlReason = keyof typeof urlReasons

export const urlReasonNames = Object.keys(urlReasons).filter((name): name is UrlReason => name in urlReasons)

export function urlViolation(reason: UrlReason): ViolationDetails {
  return { code: 'invalid_url', message: urlReasons[reason], reason }
}

/** Text that contains U+0000 or a lone surrogate (limits/text-length). */
export const invalidText: ViolationDetails = {
  code: 'invalid_text',
  message: 'must not contain U+0000 or half of a surrogate pair',
}

export const required: ViolationDetails = { code: 'required', message: 'is required' }

export function tooShort(min: number, unit = 'character'): ViolationDetails {
  return { code: 'too_short', message: `must have at least ${countOf(min, unit)}`, min }
}

export function tooLong(max: number): ViolationDetails {
  return { code: 'too_long', message: `must have at most ${countOf(max, 'character')}`, max }
}

export function tooFew(min: number): ViolationDetails {
  return { code: 'too_few', message: `must have at least ${countOf(min, 'entry')}`, min }
}

export function tooMany(max: number, unit = 'entry'): ViolationDetails {
  return { code: 'too_many', message: `must have at most ${countOf(max, unit)}`, max }
}

function countOf(count: number, unit: string): string {
  if (count === 1) return `1 ${unit}`
  return `${count} ${unit === 'entry' ? 'entries' : `${unit}s`}`
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
}

/** For a value of another type. `types` are names of JSON Schema. */
export function mustBe(...types: readonly string[]): ViolationDetails {
  const message = `must be ${types.map(type => typeNames[type] ?? type).join(' or ')}`
  return { code: 'invalid_type', message, accepted: types }
}

/** For a value that is not in `accepted`. */
export function oneOf(accepted: readonly (string | number | boolean)[]): ViolationDetails {
  const values = accepted.map(value => JSON.stringify(value)).join(', ')
  return {
    code: 'invalid_choice',
    message: `must be ${accepted.length > 1 ? 'one of ' : ''}${values}`,
    accepted: accepted.map(String),
  }
}

/** For a member that is not in `accepted`. */
export function unknownMember(accepted: readonly string[]): ViolationDetails {
  const known = accepted.length === 0 ? '' : `, only ${accepted.map(name => `"${name}"`).join(', ')}`
  return { code: 'unknown_member', message: `is not accepted here${known}`, accepted }
}

/** For a number below `min` or above `max`. */
export function outOfRange(min: number | undefined, max: number | undefined): ViolationDetails {
  const code = 'out_of_range'
  if (max === undefined)
    return { code, message: `must be at least ${min}`, ...(min === undefined ? {} : { min }) }
  if (min === undefined) return { code, message: `must be at most ${max}`, max }
  return { code, message: `must be between ${min} and ${max}`, min, max }
}

/** The maximum number of violations of a check, which limits the size of the response. */
export const maxViolations = 1000

/** Formats `['options', 0, 'name']` as `options[0].name`, and `[3, 'name']` as `[3].name`. */
export function formatPath(path: Path, prefix = ''): string {
  let text = prefix
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else text += text === '' ? step : `.${step}`
  }
  return text
}

/** Converts violations; `prefix` is the path of the checked value in the body (`data` of a callback). */
export function toFieldErrors(violations: readonly Violation<string>[], prefix = ''): FieldError[] {
  return violations.map(({ path, scheme: _, ...details }) => ({ path: formatPath(path, prefix), ...details }))
}

/** Formats field errors in one line: `"limit" must be between 1 and 100. "before" must be an id.` */
export function formatFieldErrors(errors: readonly FieldError[], max = 5): string {
  const sentences = errors
    .slice(0, max)
    .map(({ path, message }) => `${path === '' ? 'The body' : `"${path}"`} ${message}.`)
  if (errors.length > max) sentences.push(`There are ${errors.length - max} more errors.`)
  return sentences.join(' ')
}
