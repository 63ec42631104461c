import type { Static, TSchema, TUnsafe } from 'typebox'
import * as v from 'valibot'
import type { Violation } from './field-errors.ts'
import { rule, type Schema } from './wire.ts'

/** While definitions of two kinds exist. */
export type AnySchema = TSchema | Schema

export type Output<S> =
  S extends v.GenericSchema<unknown, infer Value> ? Value : S extends TSchema ? Static<S> : never

export function isDefinition(schema: object): schema is Schema {
  return 'kind' in schema && schema.kind === 'schema'
}

/** A definition that schemas of TypeBox contain: gives it the type that they read. */
export function both<S extends Schema>(schema: S): S & TUnsafe<v.InferOutput<S>> {
  return schema as S & TUnsafe<v.InferOutput<S>>
}

/** A schema of TypeBox in a definition: of a response, or one made with `Documented`, whose check runs. */
export function typebox<S extends TSchema>(schema: S): v.GenericSchema<Static<S>> {
  const { check } = schema as { check?: (value: unknown) => Violation[] }
  const checked = v.pipe(
    v.any(),
    // The first step of their paths is the name of the member.
    rule(value => (check?.(value) ?? []).map(violation => ({ ...violation, path: violation.path.slice(1) }))),
  )
  return { ...checked, pipe: undefined, type: 'typebox', schema } as unknown as v.GenericSchema<Static<S>>
}
