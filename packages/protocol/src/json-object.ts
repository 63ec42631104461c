import {
  addViolation,
  mustBe,
  outOfRange,
  type Path,
  prefixPaths,
  required,
  tooFew,
  tooMany,
  unknownMember,
  type Violation,
} from './field-errors.ts'
import { checkText } from './text.ts'
import { checkUrl } from './urls.ts'

/** Read its members by name and never copy its keys. */
export type JsonObject = Readonly<Record<string, unknown>>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a member is absent: undefined, or null, which programs write for it. */
export function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null
}

/**
 * Reads a text, trimmed or as `clean` returns it. Returns undefined if it is absent, empty or invalid. Returns a text that
 * is too long, because it counts for the sum over several texts.
 */
export function readText(
  from: JsonObject,
  key: string,
  max: number,
  violations: Violation[],
  clean?: (text: string) => string,
): string | undefined {
  const { text, violation } = checkText(from[key] ?? '', max, clean)
  if (violation) addViolation(violations, { path: [key], ...violation })
  return text === '' ? undefined : text
}

/** As `readText`; absent and empty are violations. */
export function requireText(
  from: JsonObject,
  key: string,
  max: number,
  violations: Violation[],
  clean?: (text: string) => string,
): string | undefined {
  const before = violations.length
  const text = readText(from, key, max, violations, clean)
  if (text === undefined && violations.length === before)
    addViolation(violations, { path: [key], ...required })
  return text
}

/** Reads a URL. Returns undefined if it is absent, `''` or invalid. Without `violations`, an invalid URL is ignored. */
export function readUrl(
  from: JsonObject,
  key: string,
  max?: number,
  violations: Violation[] = [],
): string | undefined {
  const { url, violations: found } = checkUrl(from[key], key, max)
  for (const violation of found) addViolation(violations, violation)
  return url
}

/** Returns undefined if the member is absent or invalid. */
export function readBoolean(from: JsonObject, key: string, violations: Violation[]): boolean | undefined {
  const value = from[key]
  if (isAbsent(value)) return undefined
  if (typeof value === 'boolean') return value
  addViolation(violations, { path: [key], ...mustBe('boolean') })
  return undefined
}

/** For formats whose senders write numbers where a text is expected: a number becomes text, other values stay. */
export function numberToText(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value
}

/** `from` with its numbers at these keys as text. */
export function withNumbersAsText(from: JsonObject, keys: readonly string[]): JsonObject {
  const numbers = keys.filter(key => typeof from[key] === 'number')
  if (numbers.length === 0) return from
  return { ...from, ...Object.fromEntries(numbers.map(key => [key, String(from[key])])) }
}

/** For the same formats: reads `"True"`, `"false"`, 0, 1 and their texts as booleans. Other values stay; `''` is absent. */
export function toBoolean(value: unknown): unknown {
  const text = typeof value === 'string' ? value.trim().toLowerCase() : value
  if (text === 'true' || text === '1' || text === 1) return true
  if (text === 'false' || text === '0' || text === 0) return false
  return text === '' ? undefined : value
}

/** Returns undefined if the member is absent or invalid. */
export function readInteger(
  from: JsonObject,
  key: string,
  { min, max }: { min: number; max: number },
  violations: Violation[],
): number | undefined {
  const value = from[key]
  if (isAbsent(value)) return undefined
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
    addViolation(violations, { path: [key], ...mustBe('integer') })
  } else if (value < min || value > max) addViolation(violations, { path: [key], ...outOfRange(min, max) })
  else return value
  return undefined
}

/** Calls `read` for each object of an array, up to `max`. `path` is the path of the array. */
export function readObjects(
  value: unknown,
  path: Path,
  { min = 0, max, unit }: { min?: number; max: number; unit?: string },
  violations: Violation[],
  read: (item: JsonObject, index: number) => void,
): void {
  if (!Array.isArray(value)) {
    addViolation(violations, { path, ...mustBe('array') })
    return
  }
  if (value.length < min) addViolation(violations, { path, ...tooFew(min) })
  if (value.length > max) addViolation(violations, { path, ...tooMany(max, unit) })
  for (const [index, item] of value.slice(0, max).entries()) {
    const before = violations.length
    if (isJsonObject(item)) read(item, index)
    else addViolation(violations, { path: [], ...mustBe('object') })
    prefixPaths(violations, before, ...path, index)
  }
}

/** Rejects the members that are not in `known`, as the native API does (community/validation). */
export function rejectUnknownMembers(
  from: JsonObject,
  known: readonly string[],
  violations: Violation[],
): void {
  for (const key of Object.keys(from)) {
    if (!known.includes(key)) addViolation(violations, { path: [key], ...unknownMember(known) })
  }
}
