/** Member names and indexes, starting at the checked value. */
export type Path = readonly (string | number)[]

/** A violation of a rule, found by a `check…` function. Each error format serializes it differently. */
export interface Violation<Rule extends string = string> {
  path: Path
  rule: Rule
  message: string
  /** The exceeded bound, for rules such as `too_long`, `too_many` and `total_too_long`. */
  limit?: number
  /** The accepted values, for `invalid_choice` and `unknown_member`. */
  accepted?: readonly string[]
  /** The reason for `invalid_url`. */
  reason?: UrlReason
  /** For `invalid_url`: the scheme, if it is not allowed. */
  scheme?: string
}

/** The reasons for `invalid_url`, with their messages. */
export const urlReasons = {
  scheme: 'must start with http:// or https://',
  https: 'must start with https://; http:// is accepted only for addresses in ALLOW_PRIVATE_TARGETS',
  redirect_https: 'must start with https://; http:// is accepted only for localhost, 127.0.0.1 and [::1]',
  redirect_scheme:
    'must start with https://, or with a private-use scheme that has a dot in its name, such as com.example.app:/',
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

/** An entry of `errors` in a 400 response with the code `validation_failed`. */
export interface FieldError {
  path: string
  code: string
  message: string
  /** The accepted values, from which clients build messages in other languages. */
  min?: number
  max?: number
  accepted?: readonly string[]
  reason?: UrlReason
}

/** The maximum number of violations of a check, which limits the size of the response. */
export const maxViolations = 1000

type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null'

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
} satisfies Partial<Record<JsonType, string>>

type Description<Rule> = Pick<Violation, 'message'> & { rule: Rule }

/** Text that contains U+0000 or a lone surrogate (limits/text-length). */
export const invalidText = {
  rule: 'invalid_text',
  message: 'must not contain U+0000 or half of a surrogate pair',
} as const satisfies Description<'invalid_text'>

export const required = {
  rule: 'required',
  message: 'is required',
} as const satisfies Description<'required'>

export function tooLong(max: number): Description<'too_long'> & { limit: number } {
  return { rule: 'too_long', message: atMost(max, 'character'), limit: max }
}

type Unit = 'character' | 'entry'

export function atLeast(min: number, unit: Unit): string {
  return `must have at least ${countOf(min, unit)}`
}

export function atMost(max: number, unit: Unit): string {
  return `must have at most ${countOf(max, unit)}`
}

function countOf(count: number, unit: Unit): string {
  if (count === 1) return `1 ${unit}`
  return `${count} ${unit === 'entry' ? 'entries' : `${unit}s`}`
}

interface TypeViolation {
  rule: 'invalid_type'
  message: string
  accepted: readonly string[]
}

/** For a value of another type. `types` are names of JSON Schema. */
export function mustBe(...types: readonly string[]): TypeViolation {
  const message = `must be ${types.map(type => typeNames[type] ?? type).join(' or ')}`
  return { rule: 'invalid_type', message, accepted: types }
}

interface ChoiceViolation {
  message: string
  accepted: readonly string[]
}

/** For a value that is not in `accepted`. */
export function oneOf(accepted: readonly (string | number | null)[]): ChoiceViolation {
  const values = accepted.map(value => JSON.stringify(value)).join(', ')
  return {
    message: `must be ${accepted.length > 1 ? 'one of ' : ''}${values}`,
    accepted: accepted.map(String),
  }
}

/** For a member that is not in `accepted`. */
export function notAccepted(accepted: readonly string[]): ChoiceViolation {
  const known = accepted.length === 0 ? '' : `, only ${accepted.map(name => `"${name}"`).join(', ')}`
  return { message: `is not accepted here${known}`, accepted }
}

/** For a number below `min` or above `max`. */
export function range(
  min: number | undefined,
  max: number | undefined,
): { message: string; min?: number; max?: number } {
  if (min === undefined) return { message: `must be at most ${max}`, ...(max === undefined ? {} : { max }) }
  if (max === undefined) return { message: `must be at least ${min}`, min }
  return { message: `must be between ${min} and ${max}`, min, max }
}

/** A list that accepts violations of these rules. */
export interface ViolationList<Rule extends string> {
  readonly length: number
  push(violation: Violation<Rule>): number
}

/** Adds a violation, up to `maxViolations`. */
export function addViolation<Rule extends string>(
  violations: ViolationList<Rule>,
  violation: Violation<Rule>,
): void {
  if (violations.length < maxViolations) violations.push(violation)
}

/** Prepends `prefix` to the paths of violations from index `from` on. Gain: valid values need no paths. */
export function prefixPaths(violations: Violation[], from: number, ...prefix: Path): void {
  for (let i = from; i < violations.length; i++) {
    const violation = violations[i]
    if (violation) violation.path = [...prefix, ...violation.path]
  }
}

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
export function toFieldErrors(violations: readonly Violation[], prefix = ''): FieldError[] {
  return violations.map(violation => ({
    path: formatPath(violation.path, prefix),
    code: violation.rule,
    message: violation.message,
    ...boundOf(violation),
    ...(violation.accepted === undefined ? {} : { accepted: violation.accepted }),
    ...(violation.reason === undefined ? {} : { reason: violation.reason }),
  }))
}

function boundOf({ rule, limit }: Violation): Pick<FieldError, 'min' | 'max'> {
  if (limit === undefined) return {}
  return rule === 'too_few' || rule === 'too_short' ? { min: limit } : { max: limit }
}

/** Formats field errors in one line: `"limit" must be between 1 and 100. "before" must be an id.` */
export function formatFieldErrors(errors: readonly FieldError[], max = 5): string {
  const sentences = errors
    .slice(0, max)
    .map(({ path, message }) => `${path === '' ? 'The body' : `"${path}"`} ${message}.`)
  if (errors.length > max) sentences.push(`There are ${errors.length - max} more errors.`)
  return sentences.join(' ')
}
