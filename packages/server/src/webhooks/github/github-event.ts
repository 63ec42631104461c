import { isJsonObject, type JsonObject } from '@gatehouse/protocol/json-object'
import { isValidText } from '@gatehouse/protocol/text'
import { escapeMarkdown } from '../discord/escape-markdown.ts'
import { convertStandardMarkdown } from '../standard-markdown.ts'
import { truncateUnits } from '../truncate.ts'

/** The parts of an embed that depend on the event type. */
export interface EventSummary {
  /** Follows the name of the repository. */
  title: string
  url: string | undefined
  /** Markdown. */
  description?: string
  color: number
  /** Appended to the name of the repository. */
  branch?: string
}

/** How events of one type are posted. */
export interface EventType {
  /** The values of `action` that are posted. Default: all. */
  actions?: readonly string[]
  /** Members that every payload of the event type has. Default: `action`. */
  required?: readonly string[]
  /** Undefined for an event that is not posted. */
  summarize: (payload: JsonObject) => EventSummary | undefined
}

export const colors = {
  green: 0x2da44e,
  red: 0xcf222e,
  purple: 0x8250df,
  yellow: 0xbf8700,
  gray: 0x6e7781,
} as const

const outcomeColors: ReadonlyMap<string, number> = new Map([
  ['success', colors.green],
  ['approved', colors.green],
  ['failure', colors.red],
  ['error', colors.red],
  ['timed_out', colors.red],
  ['startup_failure', colors.red],
  ['changes_requested', colors.red],
  ['action_required', colors.yellow],
])

/** The color of a conclusion, commit status or review state. */
export function outcomeColor(outcome: string): number {
  return outcomeColors.get(outcome) ?? colors.gray
}

// The functions below accept any value, because a sender other than GitHub may send any JSON.

const emptyObject: JsonObject = {}
// More code units than an embed can contain.
const maxTextUnits = 20_000

/** Returns an empty object if the member is not an object. */
export function readObject(from: JsonObject, key: string): JsonObject {
  const value = from[key]
  return isJsonObject(value) ? value : emptyObject
}

/** Returns the objects in an array, or an empty array if the member is not an array. */
export function readObjects(from: JsonObject, key: string): JsonObject[] {
  const value = from[key]
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

/** Reads a string or number as trimmed text. Returns '' for other values, U+0000 and lone surrogates. */
export function readText(from: JsonObject, key: string): string {
  const value = from[key]
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') return ''
  const text = truncateUnits(value, maxTextUnits)
  return isValidText(text) ? text.trim() : ''
}

/** Reads `body`, which is Markdown. */
export function readBody(from: JsonObject): string {
  return convertStandardMarkdown(readText(from, 'body'))
}

/** Reads text that is no Markdown as Markdown that shows it. */
export function readPlain(from: JsonObject, key: string): string {
  return escapeMarkdown(readText(from, key))
}
