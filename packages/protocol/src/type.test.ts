import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type as TypeBox } from 'typebox'
import { Type } from './type.ts'

/** Calls every member at least once, with and without options. */
function samples(type: typeof Type): Record<string, unknown> {
  const person = type.Object({
    id: type.String({ pattern: '^[0-9]+$' }),
    name: type.Optional(type.String({ maxLength: 32, description: 'Shown.' })),
    age: type.Optional(type.Integer({ minimum: 0 })),
    tags: type.Array(type.String(), { maxItems: 5 }),
  })
  return {
    Array: type.Array(type.Number()),
    Boolean: type.Boolean({ default: false }),
    Integer: type.Integer(),
    Literal: [type.Literal('a'), type.Literal(1), type.Literal(true, { description: 'd' })],
    Null: type.Null(),
    Number: type.Number({ maximum: 1 }),
    Object: [
      person,
      type.Object({}),
      type.Object({ a: type.Optional(type.Null()) }, { additionalProperties: false }),
    ],
    Optional: type.Object({ a: type.Optional(person), b: person }),
    Partial: [type.Partial(person), type.Partial(person, { additionalProperties: false })],
    Pick: [type.Pick(person, ['id', 'name']), type.Pick(person, ['name'], { additionalProperties: false })],
    String: type.String(),
    Union: [
      type.Union([type.String(), type.Null()]),
      type.Union([type.Literal(1), person], { description: 'd' }),
    ],
    Unknown: [type.Unknown(), type.Unknown({ description: 'd' })],
    Unsafe: type.Unsafe<string>({ type: 'string', format: 'binary' }),
  }
}

test('the builder has these members, and each returns the same schema as TypeBox', () => {
  const ours = samples(Type)
  assert.deepEqual(Object.keys(ours), Object.keys(Type).sort())
  // Serialized as for OpenAPI and Ajv, which drops symbols and undefined members.
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
  assert.deepEqual(plain(ours), plain(samples(TypeBox)))
})
