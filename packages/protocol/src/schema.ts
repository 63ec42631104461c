import type { Static, TObject, TProperties, TSchema, TUnsafe } from 'typebox'
import type { Violation } from './field-errors.ts'
import { original, Type } from './type.ts'

/**
 * Builders for JSON Schemas (2020-12) without unions, which validators and serializers process faster than the unions of
 * TypeBox.
 */

interface Annotations {
  description?: string
}

/** A copy of `schema` that describes one member. In the API document it is still a reference to `schema`. */
export function Described<Schema extends TSchema>(schema: Schema, description: string): Schema {
  return Object.defineProperty({ ...schema, description }, original, { value: schema })
}

/** A string that is one of `values`. */
export function OneOf<const Value extends string>(
  values: readonly Value[],
  annotations: Annotations = {},
): TUnsafe<Value> {
  return Type.Unsafe<Value>({ type: 'string', enum: [...values], ...annotations })
}

/** The schema that `Nullable` extended. Symbols, so that neither JSON nor the validator has them. */
export const nullable = Symbol('nullable')

/** The schema that the API document shows instead of the one that the validator uses. */
export const documented = Symbol('documented')

/** `schema`, which has a single `type`, or null. */
export function Nullable<Schema extends TSchema & { type?: unknown }>(
  schema: Schema,
  annotations: Annotations = {},
): TUnsafe<Static<Schema> | null> {
  if (typeof schema.type !== 'string') throw new TypeError('only a schema with one type can be made nullable')
  const choices = 'enum' in schema && Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {}
  return Type.Unsafe<Static<Schema> | null>({
    ...schema,
    type: [schema.type, 'null'],
    ...choices,
    ...annotations,
    [nullable]: schema,
    [documented]: undefined,
  })
}

/**
 * `schema` is for the API reference only: the validator accepts every value, and the feature checks it, because its rules
 * go beyond JSON Schema or its error format depends on the route. If the rest of a body is invalid, the validator calls
 * `check`, so that one response lists all errors.
 */
export function Documented(schema: TSchema, description: string, check?: Check): TUnsafe<unknown> {
  return Type.Unsafe<unknown>({
    description,
    ...(check === undefined ? {} : { check }),
    anyOf: [{}, schema],
    [documented]: schema,
  })
}

/** `schema`, which the API document shows as `shown`: for rules that the endpoint checks. */
export function ShownAs<Schema extends TSchema>(schema: Schema, shown: TSchema): TUnsafe<Static<Schema>> {
  return Type.Unsafe<Static<Schema>>({ ...schema, [documented]: shown })
}

/** One of `variants`, each of which has another value of the member `by`, for the API document. */
export function Variants(by: string, variants: readonly TSchema[], description: string): TUnsafe<unknown> {
  return Type.Unsafe<unknown>({ oneOf: variants, [discriminator]: by, description })
}

/** A string that contains JSON. */
export function JsonText(schema: TSchema, description: string): TUnsafe<string> {
  return Type.Unsafe<string>({
    type: 'string',
    contentMediaType: 'application/json',
    contentSchema: schema,
    description,
  })
}

/** Accepts every value, as the endpoint checks it. The API document shows `schema`. */
export function Unchecked(schema: TSchema & { description?: string }): TUnsafe<unknown> {
  const { description } = schema
  return Type.Unsafe<unknown>({
    ...(description === undefined ? {} : { description }),
    [documented]: schema,
  })
}

/** Paths begin with the name of the member that has the value. */
export type Check = (value: unknown) => Violation[]

/** The member that tells the variants of `oneOf` apart. */
export const discriminator = Symbol('discriminator')

const rules = Symbol('rules')

/**
 * Adds rules that compare the fields of a value, which a JSON Schema cannot express. They run if the schema accepts the
 * value; a value without violations is a `Valid`.
 */
export function withRules<Schema extends TSchema, Valid extends Static<Schema>>(
  schema: Schema,
  check: (value: Static<Schema>) => Violation[],
): TUnsafe<Valid> {
  return Type.Unsafe<Valid>({ ...schema, [rules]: check })
}

/** The violations of the rules of `schema`. The schema must accept `value`. */
export function checkRules(schema: { [rules]?: Check } | object, value: unknown): Violation[] {
  return rules in schema ? (schema[rules]?.(value) ?? []) : []
}

/** The object that `Extended` extends. */
export const extended = Symbol('extended')

/** The object `base` with more members. In the API document it refers to `base`. Only for responses. */
export function Extended<Base extends TProperties, Added extends TProperties>(
  base: TObject<Base>,
  added: Added,
  description: string,
): TObject<Base & Added> {
  return Type.Object({ ...base.properties, ...added }, { ...closed(description), [extended]: base })
}

/** Rejects fields that are not in `properties`, and describes the object in the API document. */
export function closed(description: string): { additionalProperties: false; description: string } {
  return { additionalProperties: false, description }
}
