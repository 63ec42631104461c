import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareRoutes, specifiedRoutes } from './specified-routes.ts'

const route = { method: 'GET', path: '/api/things/:id' }
const request = 'await client.get(`/api/things/' + '$' + '{thing.id}`)'

test('reports routes that are missing, not specified or not tested', () => {
  const put = { method: 'PUT', path: '/api/things/:id' }
  assert.deepEqual(compareRoutes([route], [{ ...route, path: '/api/things/:thingId' }], request), [])
  assert.deepEqual(compareRoutes([route], [route, put], request), [
    'the service has no route PUT /api/things/:',
  ])
  assert.deepEqual(compareRoutes([route, put], [route], request), [
    'not in the specification: PUT /api/things/:',
  ])
})

test('a test requests a path with values, not a longer, shorter or other path', () => {
  for (const text of ["'/api/things/1'", "'/api/things/1?limit=2'", "'/api/things/:id'"])
    assert.deepEqual(compareRoutes([route], [route], text), [], text)
  for (const text of ["'/api/things'", "'/api/things/1/parts'", "'/api/other/1'", "'/api/things/'"])
    assert.deepEqual(compareRoutes([route], [route], text), ['no test requests /api/things/:id'], text)
})

test('parses every method and path', () => {
  const has = (method: string, path: string) =>
    specifiedRoutes.some(route => route.method === method && route.path === path)
  assert.ok(has('DELETE', '/api/webhooks/:id/:token') && has('GET', '/docs/') && has('GET', '/docs/search'))
  assert.equal(specifiedRoutes.length, new Set(specifiedRoutes.map(({ method, path }) => method + path)).size)
})
