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

/** `from` without these members. */
export function omit(from: JsonObject, names: readonly unknown[]): JsonObject {
  return Object.fromEntries(Object.entries(from).filter(([name]) => !names.includes(name)))
}

/** Reads a URL. Undefined if it is absent, `''` or invalid. */
export function readUrl(from: JsonObject, key: string): string | undefined {
  return checkUrl(from[key], key).url
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

/**
 * For the same formats: reads `"True"`, `"false"`, 0, 1 and their texts as booleans. Other values stay; `''` is absent.
 */
export function toBoolean(value: unknown): unknown {
  const text = typeof value === 'string' ? value.trim().toLowerCase() : value
  if (text === 'true' || text === '1' || text === 1) return true
  if (text === 'false' || text === '0' || text === 0) return false
  return text === '' ? undefined : value
}
