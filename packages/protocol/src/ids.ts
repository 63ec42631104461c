import type { Static, TUnsafe } from 'typebox'
import { Type } from './type.ts'

/** The regular expression of an id, without anchors. */
export const idPattern = '[1-9][0-9]{16,19}'

/** The regular expression of a mention of everyone, which is not in a word or an email address. Needs the flag `u` or `v`. */
export const everyonePattern = String.raw`(?<![\p{L}\p{N}_])@(?:everyone|here)(?![\p{L}\p{N}_])`

/** A snowflake as a decimal string (community/ids). */
export const Id = Type.String({
  pattern: `^${idPattern}$`,
  description: 'An id: 17 to 20 digits, as a string that sorts by time of creation.',
})
export type Id = Static<typeof Id>

const id = new RegExp(`^${idPattern}$`)

/** Whether `text` is a well-formed id. An object with this id need not exist. */
export function isId(text: unknown): text is Id {
  return typeof text === 'string' && id.test(text)
}

/** ISO 8601, UTC, with milliseconds (community/time). Only in responses. */
export const Timestamp = Type.String({
  format: 'date-time',
  description: 'ISO 8601 in UTC with milliseconds: `2026-01-31T12:00:00.000Z`.',
})
export type Timestamp = Static<typeof Timestamp>

/** Path parameters that are ids: `PathIds('id', 'messageId')`. A parameter that is not a well-formed id is 404. */
export function PathIds<const Name extends string>(...names: Name[]): TUnsafe<Record<Name, Id>> {
  return Type.Unsafe<Record<Name, Id>>(Type.Object(Object.fromEntries(names.map(name => [name, Id]))))
}
