import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApiCheck } from './api-document.ts'
import { startService } from './service.ts'

const reply = { type: 'object', properties: { id: { $ref: '#/components/schemas/Id' } }, required: ['id'] }
const operation = (operationId: string) => ({
  operationId,
  responses: {
    200: { content: { 'application/json': { schema: reply } } },
    204: {},
    404: { $ref: '#/components/responses/not_found' },
  },
})
const check = createApiCheck({
  paths: {
    '/things/{id}': { get: operation('getThing') },
    '/things/@me': { get: operation('getOwnThing') },
  },
  components: {
    responses: { not_found: { content: { 'text/plain': { schema: { enum: ['not found'] } } } } },
    schemas: { Id: { type: 'string', pattern: '^[0-9]+$' } },
  },
})

function respond(status: number, text: string, type?: string) {
  const headers = new Headers(type === undefined ? {} : { 'content-type': type })
  return { status, text, headers, body: text.startsWith('{') ? JSON.parse(text) : undefined }
}

test('a response that the API document has passes', () => {
  const thing = check.findOperation('GET', '/things/1')
  assert.ok(thing)
  check.checkResponse(thing, respond(200, '{"id":"1"}', 'application/json; charset=utf-8'))
  check.checkResponse(thing, respond(204, ''))
  check.checkResponse(thing, respond(404, 'not found', 'text/plain'))
})

test('another status, media type or body fails with the operation and the difference', () => {
  const thing = check.findOperation('GET', '/things/1')
  assert.ok(thing)
  const findings = [
    [respond(500, ''), /^getThing, 500: the API document has only the statuses 200,204,404/],
    [
      respond(200, 'ok', 'text/html'),
      /^getThing, 200: the API document does not have the media type "text\/html"/,
    ],
    [respond(200, '{}', 'application/json'), /^getThing, 200: .*must have required property 'id': {}$/],
    [respond(200, '{"id":1}', 'application/json'), /^getThing, 200: .*\/id must be string/],
    [respond(200, 'x', 'application/json'), /^getThing, 200: the body is not JSON/],
    [respond(204, 'x'), /^getThing, 204: the API document has no body: x/],
    [
      respond(404, 'gone', 'text/plain'),
      /^getThing, 404: .*must be equal to one of the allowed values: gone/,
    ],
  ] as const
  for (const [given, message] of findings) assert.throws(() => check.checkResponse(thing, given), { message })
})

test('the operation of a request is the one of the router', () => {
  assert.equal(check.findOperation('GET', '/things/@me')?.operationId, 'getOwnThing')
  assert.equal(check.findOperation('GET', '/things/1')?.operationId, 'getThing')
  for (const path of ['/things', '/things/', '/things/1/2', '/other/1'])
    assert.equal(check.findOperation('GET', path), undefined, path)
  assert.equal(check.findOperation('POST', '/things/1'), undefined)
})

test('a request of a test client fails if the API document does not have its response', async t => {
  const service = await startService(t)
  const version = service.routes.find(route => route.operationId === 'getVersion')
  assert.ok(version)
  Object.assign(version, { handle: async () => ({ status: 204 }) })
  await assert.rejects(service.client().get('/api/version'), /^AssertionError.*: getVersion, 204: /)
})
