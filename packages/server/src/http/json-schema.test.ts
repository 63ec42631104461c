import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from '@gatehouse/protocol/parse'
import { listSchemaNames } from '@gatehouse/protocol/schema-names'
import {
  constant,
  described,
  list,
  nullable,
  nullish,
  object,
  oneOf,
  type Schema,
  string,
  text,
  variant,
} from '@gatehouse/protocol/wire'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fastJson from 'fast-json-stringify'
import { toJsonSchema } from './json-schema.ts'

type Json = Readonly<Record<string, unknown>>

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null
}

/** Every exported schema by name, as it appears in OpenAPI. */
function exportedSchemas(): Map<string, Json> {
  const names = [...listSchemaNames()]
  return new Map(names.map(([schema, name]) => [name, toJsonSchema(schema as Schema)]))
}

/** The request bodies of the native API by name. */
function requestBodies(): [string, Json][] {
  return [...exportedSchemas()].filter(([name]) => isRequestBody(name))
}

function isRequestBody(name: string): boolean {
  return name.endsWith('Body') && !['WebhookMessageBody', 'ErrorBody'].includes(name)
}

/** The objects in a schema, without the parts that a check function validates and the schema only documents. */
function* objectsIn(schema: unknown): Generator<Json> {
  if (!isJson(schema) || 'anyOf' in schema) return
  if (schema.type === 'object') yield schema
  for (const part of Object.values(schema)) yield* objectsIn(part)
}

test('every schema can be compiled', () => {
  const schemas = exportedSchemas()
  assert.ok(schemas.size > 100)
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  for (const [name, schema] of schemas) assert.doesNotThrow(() => ajv.compile(schema), name)
})

test('every native request body rejects unknown members at every depth', () => {
  const bodies = requestBodies()
  assert.ok(bodies.length > 20)
  for (const [name, schema] of bodies) {
    for (const part of objectsIn(schema)) {
      // Browsers may add members to WebAuthn responses. Programs for Discord add members to embeds.
      const fromBrowser = part.description === 'As the browser returns it.'
      const isEmbed = String(part.description).endsWith('Other members are ignored.')
      assert.equal(part.additionalProperties, isEmbed ? undefined : fromBrowser, name)
    }
  }
})

/** The members of a definition, at every depth, that accept a string. */
function* stringsIn(definition: object, seen = new Set<object>()): Generator<[string, Schema]> {
  if (seen.has(definition)) return
  seen.add(definition)
  const { entries = {}, pipe = [], options = [], item, wrapped }: Parts = definition
  for (const [name, member] of Object.entries(entries)) {
    const types = [toJsonSchema(member).type].flat()
    // The value of a choice may be a number. A rule of the command checks it, because it depends on the type of the
    // option.
    if (types.includes('string') && !types.includes('number')) yield [name, member]
  }
  for (const part of [...Object.values(entries), ...pipe, ...options, item, wrapped]) {
    if (typeof part === 'object' && part !== null) yield* stringsIn(part, seen)
  }
}

interface Parts {
  entries?: Readonly<Record<string, Schema>>
  pipe?: readonly object[]
  options?: readonly unknown[]
  item?: object
  wrapped?: object
}

test('no string of a native request may contain U+0000 (limits/text-length)', () => {
  let texts = 0
  for (const [schema, name] of listSchemaNames()) {
    if (!isRequestBody(name)) continue
    for (const [member, definition] of stringsIn(schema)) {
      texts++
      assert.ok(parse(definition, 'a\0').violations.length > 0, `${name}.${member}`)
    }
  }
  assert.ok(texts > 30)
})

test('every string of a native request has a format or is checked for U+0000 (limits/text-length)', () => {
  let texts = 0
  for (const [name, schema] of requestBodies()) {
    for (const part of objectsIn(schema)) {
      for (const [member, value] of Object.entries(isJson(part.properties) ? part.properties : {})) {
        if (!isJson(value) || ![value.type].flat().includes('string')) continue
        texts++
        const isDigits = typeof value.pattern === 'string' && value.pattern.includes('[0-9]{')
        const isText = 'x-text' in value
        assert.ok(isText || 'enum' in value || isDigits || readMembers.has(member), `${name}.${member}`)
      }
    }
  }
  assert.ok(texts > 30)
})

/** Members whose definition checks the form of the string, which the test above verifies. */
const readMembers = new Set(['url', 'icon_url', 'icon', 'avatar', 'timestamp', 'value', 'groupsClaim'])

const Fruit = object({ type: constant('fruit'), name: string() }, 'A fruit.')
const Tree = object({ type: constant('tree'), age: nullable(string()) }, 'A tree.')
const Plant = variant('type', [Fruit, Tree], 'A plant.')

test('a definition becomes JSON Schema with the descriptions and limits of its parts', () => {
  const schema = object(
    {
      a: text({ max: 5, description: 'Text.' }),
      b: nullish(oneOf(['x', 'y']), 'A choice.'),
      c: list(Fruit, 'Fruits.'),
    },
    'A thing.',
  )
  const write = (part: object) =>
    part === Fruit ? { $ref: '#/Fruit' } : toJsonSchema(part as never, { write })
  assert.deepEqual(toJsonSchema(schema, { write }), {
    type: 'object',
    description: 'A thing.',
    additionalProperties: false,
    required: ['a', 'c'],
    properties: {
      a: { type: 'string', 'x-text': 'trim', maxLength: 5, description: 'Text.' },
      b: { type: ['string', 'null'], enum: ['x', 'y', null], description: 'A choice.' },
      c: { type: 'array', items: { $ref: '#/Fruit' }, description: 'Fruits.' },
    },
  })
  assert.deepEqual(toJsonSchema(described(Fruit, 'Mine.'), { write }), {
    $ref: '#/Fruit',
    description: 'Mine.',
  })
})

test('variants have a discriminator in the document, and one object for the serializer', () => {
  const names = new Map<object, string>([
    [Fruit, '#/Fruit'],
    [Tree, '#/Tree'],
  ])
  const write = (part: object): Json =>
    names.has(part) ? { $ref: names.get(part) } : toJsonSchema(part as never, { write })
  assert.deepEqual(toJsonSchema(Plant, { write }), {
    oneOf: [{ $ref: '#/Fruit' }, { $ref: '#/Tree' }],
    discriminator: { propertyName: 'type', mapping: { fruit: '#/Fruit', tree: '#/Tree' } },
    description: 'A plant.',
  })
  const serialize = fastJson(toJsonSchema(list(Plant), { merged: true }))
  const plants = [
    { type: 'fruit', name: 'fig', hidden: 1 },
    { type: 'tree', age: null },
  ]
  assert.deepEqual(JSON.parse(serialize(plants)), [
    { type: 'fruit', name: 'fig' },
    { type: 'tree', age: null },
  ])
})
