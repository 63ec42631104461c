import assert from 'node:assert/strict'
import { test } from 'node:test'
import { translateTo } from '../../i18n/translate.ts'
import type { Schema } from './docs-document.ts'
import { createSchemaView } from './docs-schemas.ts'

function viewOf(schemas: Record<string, Schema>) {
  return createSchemaView(schemas, translateTo('en'))
}

function textOf(html: { text: string } | undefined): string {
  return (html?.text ?? '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

test('an object that contains itself is expanded once and linked inside itself', () => {
  const node: Schema = {
    type: 'object',
    properties: { name: { type: 'string' }, parent: { $ref: '#/components/schemas/Node' } },
  }
  const html = viewOf({ Node: node }).writeMembers({ $ref: '#/components/schemas/Node' }, 'body')
  assert.deepEqual(html?.text.match(/id="[^"]*"/g), ['id="body-name"', 'id="body-parent"'])
  assert.match(html?.text ?? '', /<a href="\/docs\/objects\/Node">Node<\/a>/)
})

test('types, nullable values, maps and lists are in words', () => {
  const view = viewOf({ Id: { type: 'string' }, User: { type: 'object', properties: { id: {} } } })
  const typeOf = (schema: Schema) => textOf(view.writeType(schema))
  assert.equal(typeOf({ type: ['integer', 'null'] }), 'integer or null')
  assert.equal(typeOf({ anyOf: [{ $ref: '#/components/schemas/User' }, { type: 'null' }] }), 'User or null')
  assert.equal(typeOf({ $ref: '#/components/schemas/Id' }), 'string ( Id )')
  assert.equal(typeOf({ type: 'array', items: { $ref: '#/components/schemas/User' } }), 'array of User')
  assert.equal(
    typeOf({ type: 'object', additionalProperties: { type: 'number' } }),
    'object whose members are number',
  )
  assert.equal(typeOf({ const: 4 }), 'number')
  assert.equal(typeOf({}), 'any value')
})

test('limits are in words, those of the items of a list too', () => {
  const view = viewOf({})
  const limitsOf = (schema: Schema) => textOf(view.writeLimits(schema))
  assert.equal(limitsOf({ type: 'string', minLength: 1, maxLength: 32 }), '1 to 32 characters')
  assert.equal(limitsOf({ type: 'string', minLength: 0, maxLength: 1 }), 'at most 1 character')
  assert.equal(limitsOf({ type: 'string', minLength: 2 }), 'at least 2 characters')
  assert.equal(limitsOf({ type: 'integer', minimum: 0 }), 'at least 0')
  assert.equal(limitsOf({ type: 'integer', minimum: 1, maximum: 100, default: 50 }), '1 to 100; default 50')
  assert.equal(limitsOf({ type: 'integer', maximum: 0 }), 'at most 0')
  assert.equal(limitsOf({ type: 'string', minLength: 6, maxLength: 6 }), 'exactly 6 characters')
  assert.equal(
    limitsOf({ type: 'array', maxItems: 10, uniqueItems: true, items: { type: 'string', maxLength: 5 } }),
    'at most 10 items; no duplicates; each at most 5 characters',
  )
  assert.equal(limitsOf({ type: 'string', format: 'uri', pattern: '^https:' }), 'URL; pattern ^https:')
})

test('the variants of a value are listed with what tells them apart', () => {
  const variant = (value: string): Schema => ({
    type: 'object',
    required: ['type'],
    properties: { type: { type: 'string', enum: [value] }, data: { type: 'string' } },
  })
  const view = viewOf({ Text: variant('text'), Image: variant('image') })
  const members = view.writeMembers(
    { oneOf: [{ $ref: '#/components/schemas/Text' }, { $ref: '#/components/schemas/Image' }] },
    'body',
  )
  const text = textOf(members)
  assert.match(text, /Text , type &quot;text&quot;.*Image , type &quot;image&quot;/)
})

test('members of combined schemas are one list, and ids are unique', () => {
  const view = viewOf({
    Base: { type: 'object', required: ['code'], properties: { code: { type: 'string' } } },
  })
  const schema: Schema = {
    allOf: [{ $ref: '#/components/schemas/Base' }, { properties: { code: { enum: ['a'] } } }],
  }
  assert.match(textOf(view.writeMembers(schema, 'error')), /^code string required Always &quot;a&quot;$/)
  assert.match(view.writeMembers(schema, 'error')?.text ?? '', /id="error-code-2"/)
})
