import type { Static, TSchema, TUnsafe } from 'typebox'
import { Type } from './type.ts'

/**
 * Builders for JSON Schemas that validators and serialisers handle in one step, where the general forms of the type
 * builder make unions. All of them are plain JSON Schema (2020-12).
 */

interface Words {
  description?: string
}

/** A string that is one of `values`. */
export function OneOf<const Value extends string>(
  values: readonly Value[],
  words: Words = {},
): TUnsafe<Value> {
  return Type.Unsafe<Value>({ type: 'string', enum: [...values], ...words })
}

/** `schema`, which has a single `type`, or null. */
export function Nullable<Schema extends TSchema & { type?: unknown }>(
  schema: Schema,
  words: Words = {},
): TUnsafe<Static<Schema> | null> {
  if (typeof schema.type !== 'string') throw new TypeError('only a schema with one type can be made nullable')
  const choices = 'enum' in schema && Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {}
  return Type.Unsafe<Static<Schema> | null>({ ...schema, type: [schema.type, 'null'], ...choices, ...words })
}

/**
 * Documented as `schema`, but any value passes: a `check…` function of this package judges it, because the rules go
 * beyond JSON Schema and all their violations are to be reported in one dialect or the other.
 */
export function Checked(schema: TSchema, description: string, check?: Check): TUnsafe<unknown> {
  const named = check === undefined ? {} : { check }
  return Type.Unsafe<unknown>({ description, ...named, anyOf: [{}, schema] })
}

/**
 * Names the function that judges the value. Where the rest of a body is not valid, the validator calls it, so that one
 * answer lists the errors of both.
 */
export type Check = 'embeds' | 'components' | 'allowedMentions'

/** Texts for the API reference. A request with a field that is not in `properties` is rejected. */
export function closed(description: string): { additionalProperties: false; description: string } {
  return { additionalProperties: false, description }
}
