import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { Compile } from 'typebox/compile'
import { checkRules, Nullable, OneOf, withRules } from './schema.ts'
import { Type } from './type.ts'

test('OneOf and Nullable are plain JSON Schema without nesting', () => {
  assert.deepEqual(JSON.parse(JSON.stringify(OneOf(['a', 'b']))), { type: 'string', enum: ['a', 'b'] })
  assert.deepEqual(JSON.parse(JSON.stringify(Nullable(OneOf(['a']), { description: 'd' }))), {
    type: ['string', 'null'],
    enum: ['a', null],
    description: 'd',
  })
  assert.throws(() => Nullable(Type.Union([Type.String(), Type.Number()])), TypeError)
})

test('withRules adds rules that JSON Schema cannot express, and changes nothing else', () => {
  const range = Type.Object({ min: Type.Number(), max: Type.Number() })
  const withOrder = withRules(range, ({ min, max }) =>
    min <= max ? [] : [{ path: ['max'], code: 'out_of_range', message: 'must not be less than min' }],
  )
  assert.deepEqual(checkRules(withOrder, { min: 1, max: 1 }), [])
  assert.deepEqual(
    checkRules(withOrder, { min: 2, max: 1 }).map(({ path, code }) => [path, code]),
    [[['max'], 'out_of_range']],
  )
  assert.deepEqual(checkRules(range, { min: 2, max: 1 }), [])
  assert.equal(JSON.stringify(withOrder), JSON.stringify(range))
})

type Json = Readonly<Record<string, unknown>>

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null
}

function isSchema(value: unknown): value is Json {
  return isJson(value) && !Array.isArray(value) && ('type' in value || 'anyOf' in value || 'enum' in value)
}

/** Every exported schema by name, as it appears in OpenAPI. */
async function exportedSchemas(): Promise<Map<string, Json>> {
  const found = new Map<string, Json>()
  for (const file of readdirSync(import.meta.dirname)) {
    if (file.endsWith('.test.ts')) continue
    const exported: Json = await import(`./${file}`)
    for (const [name, value] of Object.entries(exported)) {
      if (isSchema(value)) found.set(name, JSON.parse(JSON.stringify(value)))
    }
  }
  return found
}

/** The request bodies of the native API by name. */
async function requestBodies(): Promise<[string, Json][]> {
  const others = ['WebhookMessageBody', 'ErrorBody']
  return [...(await exportedSchemas())].filter(([name]) => name.endsWith('Body') && !others.includes(name))
}

/** The objects in a schema, without the parts that a check function validates and the schema only documents. */
function* objectsIn(schema: unknown): Generator<Json> {
  if (!isJson(schema) || 'anyOf' in schema) return
  if (schema.type === 'object') yield schema
  for (const part of Object.values(schema)) yield* objectsIn(part)
}

test('every schema can be compiled', async () => {
  const schemas = await exportedSchemas()
  assert.ok(schemas.size > 100)
  for (const [name, schema] of schemas) assert.doesNotThrow(() => Compile(schema), name)
})

test('every native request body rejects unknown members at every depth', async () => {
  const bodies = await requestBodies()
  assert.ok(bodies.length > 20)
  for (const [name, schema] of bodies) {
    for (const part of objectsIn(schema)) {
      // Browsers may add members to WebAuthn responses.
      const fromBrowser = part.description === 'As the browser returns it.'
      assert.equal(part.additionalProperties, fromBrowser, name)
    }
  }
})

test('every string of a native request is an id, a set of bits, an enum value, or checked for U+0000 (limits/text-length)', async () => {
  let texts = 0
  for (const [name, schema] of await requestBodies()) {
    for (const part of objectsIn(schema)) {
      for (const [member, value] of Object.entries(isJson(part.properties) ? part.properties : {})) {
        if (!isJson(value) || ![value.type].flat().includes('string')) continue
        texts++
        const isDigits = typeof value.pattern === 'string' && value.pattern.includes('[0-9]{')
        assert.ok('text' in value || 'enum' in value || isDigits, `${name}.${member}`)
      }
    }
  }
  assert.ok(texts > 30)
})
