import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareRoutes, specifiedRoutes } from './specified-routes.ts'

const route = { method: 'GET', path: '/api/things/:id' }

test('reports routes that are missing or not specified', () => {
  const put = { method: 'PUT', path: '/api/things/:id' }
  assert.deepEqual(compareRoutes([route], [{ ...route, path: '/api/things/:thingId' }]), [])
  assert.deepEqual(compareRoutes([route], [route, put]), ['the service has no route PUT /api/things/:'])
  assert.deepEqual(compareRoutes([route, put], [route]), ['not in the specification: PUT /api/things/:'])
})

test('parses every method and path', () => {
  const has = (method: string, path: string) =>
    specifiedRoutes.some(route => route.method === method && route.path === path)
  assert.ok(has('DELETE', '/api/webhooks/:id/:token') && has('GET', '/docs/') && has('GET', '/docs/search'))
  assert.equal(specifiedRoutes.length, new Set(specifiedRoutes.map(({ method, path }) => method + path)).size)
})
