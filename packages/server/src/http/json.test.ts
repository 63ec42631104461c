import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseJson } from './json.ts'

const parse = (text: string) => parseJson(new TextEncoder().encode(text))

test('a body with more than 50,000 commas, arrays and objects is malformed (limits/json-values)', () => {
  const malformed = { status: 400, code: 'malformed_json', message: 'The body has more than 50000 values.' }
  for (const value of ['1', '{}', '[{}]', '"a,b"', '"[\\"{"']) {
    const perElement = value.replaceAll(/".*"/g, '').replaceAll(/[^[{]/g, '').length + 1
    // The array of them counts too, and has one comma less than elements.
    const count = Math.floor(50_000 / perElement)
    const list = (length: number) => `[${Array(length).fill(value).join()}]`
    assert.deepEqual(parse(list(count)), Array(count).fill(JSON.parse(value)))
    assert.throws(() => parse(list(count + 1)), malformed)
  }
  const text = ','.repeat(60_000)
  assert.equal(parse(JSON.stringify(text)), text)
})
