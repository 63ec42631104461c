import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { listOperations } from '../api-requests/generate.ts'
import { type HttpRequest, listPages, requestArbitrary } from './requests.ts'

const document = {
  paths: {
    '/api/servers/{id}': {
      get: { parameters: [{ in: 'query', name: 'limit', schema: { type: 'integer' } }] },
      patch: {
        requestBody: {
          content: {
            'application/json': { schema: { $ref: '#/components/schemas/Name' } },
          },
        },
      },
      parameters: [],
    },
  },
  components: { schemas: { Name: { type: 'object', properties: { name: { type: 'string' } } } } },
}
const known = {
  ids: ['12'],
  parameters: { serverId: '77' },
  credentials: [{ cookie: 'gatehouse_session=x' }],
}
const operations = listOperations(document)

function sample(seed: number): HttpRequest[] {
  const requests = operations.map(operation => requestArbitrary(operation, known))
  return fc.sample(fc.oneof(...requests), { seed, numRuns: 500 })
}

test('generates the same requests for the same seed and different requests for another seed', () => {
  assert.deepEqual(sample(1), sample(1))
  assert.notDeepEqual(sample(1), sample(2))
})

test('reads the method, path, query and body of each operation of an OpenAPI document', () => {
  assert.deepEqual(
    operations.map(({ method, path, parameters, bodies: [body] }) => [
      method,
      path,
      parameters.filter(parameter => parameter.in === 'query').length,
      body?.type,
    ]),
    [
      ['GET', '/api/servers/{id}', 1, undefined],
      ['PATCH', '/api/servers/{id}', 0, 'application/json'],
    ],
  )
})

test('lists the pages, with the fields of their forms', () => {
  const login = listPages().find(({ method, path }) => method === 'POST' && path === '/login')
  const [body] = login?.bodies ?? []
  assert.equal(body?.type, 'application/x-www-form-urlencoded')
  assert.ok(body.schema.properties?.password)
})

test('generates requests with existing ids, valid bodies and invalid bodies', () => {
  const requests = sample(3)
  assert.ok(requests.some(({ path }) => path === '/api/servers/77'))
  const isJson = ({ body }: HttpRequest) => {
    try {
      return typeof JSON.parse(body ?? '') === 'object'
    } catch {
      return false
    }
  }
  const patches = requests.filter(({ method }) => method === 'PATCH')
  assert.ok(patches.some(isJson))
  assert.ok(!patches.every(isJson))
})
