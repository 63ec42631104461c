import type { InferOutput } from 'valibot'
import { openObject, pattern, string } from './wire.ts'

/** The regular expression of an id, without anchors. */
export const idPattern = '[1-9][0-9]{16,19}'

/** The regular expression of what a text has for a user, a role or a channel: `<@id>`, `<@!id>`, `<@&id>`, `<#id>`. */
export const referencePattern = `<(@[!&]?|#)(${idPattern})>`

/**
 * The regular expression of a mention of everyone, which is not in a word or an email address. Needs the flag `u` or
 * `v`.
 */
export const everyonePattern = String.raw`(?<![\p{L}\p{N}_])@(?:everyone|here)(?![\p{L}\p{N}_])`

const id = new RegExp(`^${idPattern}$`)

/** A snowflake as a decimal string (community/ids). */
export const Id = pattern(id, 'An id: 17 to 20 digits, as a string that sorts by time of creation.')
export type Id = InferOutput<typeof Id>

/** Whether `text` is a well-formed id. An object with this id need not exist. */
export function isId(text: unknown): text is Id {
  return typeof text === 'string' && id.test(text)
}

/** 2015-01-01T00:00:00Z, from which ids count (community/ids). */
export const idEpoch = 1_420_070_400_000

/** ISO 8601, UTC, with milliseconds (community/time). Only in responses. */
export const Timestamp = string('ISO 8601 in UTC with milliseconds: `2026-01-31T12:00:00.000Z`.', {
  format: 'date-time',
})
export type Timestamp = InferOutput<typeof Timestamp>

/** Path parameters that are ids: `PathIds('id', 'messageId')`. A parameter that is not a well-formed id is 404. */
export function PathIds<const Name extends string>(...names: Name[]) {
  return openObject(Object.fromEntries(names.map(name => [name, Id])) as Record<Name, typeof Id>)
}
