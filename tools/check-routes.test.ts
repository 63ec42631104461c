import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareFiles, compareRoutes } from './check-routes.ts'
import { specifiedRoutes } from './specified-routes.ts'

const route = { method: 'GET', path: '/api/things/:id' }
const request = 'await client.get(`/api/things/' + '$' + '{thing.id}`)'

test('accepts a service whose specified routes exist and are tested', () => {
  assert.deepEqual(
    compareRoutes([route], [{ method: 'GET', path: '/api/things/:thingId' }], [], [request]),
    [],
  )
})

test('reports a specified route that the service does not have', () => {
  const put = { method: 'PUT', path: '/api/things/:id' }
  assert.deepEqual(compareRoutes([route], [route, put], [], [request]), [
    'the service has no route PUT /api/things/:id',
  ])
})

test('reports a route that is neither specified nor additional', () => {
  const page = { method: 'GET', path: '/page' }
  assert.deepEqual(compareRoutes([page], [], [], ["'/page'"]), ['not in the specification: GET /page'])
  assert.deepEqual(compareRoutes([page], [], [page], ["'/page'"]), [])
})

test('reports a route that is declared twice', () => {
  assert.deepEqual(compareRoutes([route, route], [route], [], [request]), [
    'declared twice: GET /api/things/:id',
  ])
})

test('reports a route if the tests only contain a longer, a shorter or another path', () => {
  for (const text of ["'/api/things'", "'/api/things/1/parts'", "'/api/other/1'", "'/api/things/'"])
    assert.deepEqual(compareRoutes([route], [route], [], [text]), ['no test requests /api/things/:id'], text)
})

test('a test may contain the path with values, with a query or with template placeholders', () => {
  for (const text of [
    "'/api/things/1'",
    "'/api/things/1?limit=2'",
    '`/api/things/x' + '$' + '{id}`',
    "'/api/things/:id'",
  ])
    assert.deepEqual(compareRoutes([route], [route], [], [text]), [], text)
})

test('reports a route in the wrong file, without operations or without a base path', () => {
  const bases = [{ path: '/api/things', folder: 'things' }]
  const sources: Record<string, string> = {
    'things/routes/things.ts': "path: '/api/things/:id'",
    'things/routes/icon.ts': "path: '/api/things/:id/icon'",
    'things/icon.ts': '',
  }
  const check = (path: string) => compareFiles([{ method: 'GET', path }], bases, file => sources[file])
  assert.deepEqual(check('/api/things/:id/icon'), [])
  assert.deepEqual(check('/api/things/:id'), [
    'the operations of /api/things/:id must be in things/things.ts',
  ])
  assert.deepEqual(check('/api/things/:id/name'), [
    '/api/things/:id/name must be declared in things/routes/name.ts',
    'the operations of /api/things/:id/name must be in things/name.ts or things/things.ts',
  ])
  sources['things/things.ts'] = ''
  assert.deepEqual(check('/api/things/:id'), [])
  assert.deepEqual(check('/api/things'), ['/api/things must be declared in things/routes/things.ts'])
  assert.deepEqual(check('/other'), ['no base path in ARCHITECTURE.md matches /other'])
})

test('parses every specified route', () => {
  assert.equal(specifiedRoutes.length, new Set(specifiedRoutes.map(({ method, path }) => method + path)).size)
  assert.ok(
    specifiedRoutes.some(({ method, path }) => method === 'DELETE' && path === '/api/webhooks/:id/:token'),
  )
  assert.ok(
    specifiedRoutes.every(
      ({ method, path }) => /^(GET|PUT|POST|PATCH|DELETE)$/.test(method) && path.startsWith('/'),
    ),
  )
})
