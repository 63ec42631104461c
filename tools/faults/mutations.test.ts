import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readOperations, writeRequest } from './mutations.ts'
import { createRandom } from './random.ts'

const document = {
  paths: {
    '/api/servers/{id}': {
      get: { parameters: [{ in: 'query', name: 'limit', schema: { type: 'integer' } }] },
      patch: {
        requestBody: {
          content: {
            'application/json': { schema: { type: 'object', properties: { name: { type: 'string' } } } },
          },
        },
      },
      parameters: [],
    },
  },
}
const values = {
  ids: ['12'],
  parameters: { serverId: '77' },
  credentials: [{ cookie: 'gatehouse_session=x' }],
}

function requests(seed: number): string[] {
  const random = createRandom(seed)
  const operations = readOperations(document)
  return Array.from({ length: 500 }, () => writeRequest(random.pick(operations), values, random))
}

test('writes the same requests for the same seed and different requests for another seed', () => {
  assert.deepEqual(requests(1), requests(1))
  assert.notDeepEqual(requests(1), requests(2))
})

test('reads the method, path, query and body of each operation of an OpenAPI document', () => {
  const operations = readOperations(document)
  assert.deepEqual(
    operations.map(({ method, path, query, body }) => [method, path, query.length, body?.type]),
    [
      ['GET', '/api/servers/{id}', 1, undefined],
      ['PATCH', '/api/servers/{id}', 0, 'application/json'],
    ],
  )
})

test('writes some requests with existing ids and a correct Content-Length for every body', () => {
  const written = requests(3)
  assert.ok(written.some(text => text.includes('/api/servers/77 ')))
  for (const text of written) {
    const length = /content-length: (\d+)/.exec(text)?.[1]
    if (length === undefined) continue
    assert.equal(text.length - text.indexOf('\r\n\r\n') - 4, Number(length))
  }
})
