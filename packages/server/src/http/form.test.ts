import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxFormFields } from '@gatehouse/protocol/limits'
import { eachService } from '@gatehouse/testkit/service'
import { parseForm } from './form.ts'

function fields(count: number): string {
  return Array.from({ length: count }, (_one, index) => `f${index}=x`).join('&')
}

test('a repeated field is an array in its order', () => {
  assert.deepEqual({ ...parseForm('a=1&b=2&a=3&a=') }, { a: ['1', '3', ''], b: '2' })
})

test('a field called __proto__ is parsed like other fields', () => {
  assert.deepEqual(Object.entries(parseForm('__proto__=x')), [['__proto__', 'x']])
})

test('a form may have up to 1,000 fields', () => {
  assert.equal(Object.keys(parseForm(fields(maxFormFields))).length, maxFormFields)
  assert.throws(() => parseForm(fields(maxFormFields + 1)), { code: 'validation_failed' })
  assert.throws(() => parseForm('&'.repeat(maxFormFields)), { code: 'validation_failed' })
})

eachService('400: more than 1,000 fields, in the words of each endpoint', async (_t, service) => {
  const post = (path: string) =>
    service.client().send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
      body: fields(maxFormFields + 1),
    })
  const token = await post('/api/oauth2/token')
  assert.equal(token.status, 400)
  assert.equal(token.body.error, 'invalid_request')
  const introspection = await post('/api/oauth2/introspect')
  assert.equal(introspection.status, 400)
  assert.equal(introspection.body.error, 'invalid_request')
  for (const path of ['/oauth2/authorize', '/oauth2/consent', '/login']) {
    const page = await post(path)
    assert.equal(page.status, 400, path)
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
  }
})
