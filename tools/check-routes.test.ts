import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareFiles, compareRoutes } from './check-routes.ts'
import { contractRoutes } from './contract-routes.ts'

const one = { method: 'GET', path: '/api/things/:id' }
const named = 'await client.get(`/api/things/' + '$' + '{thing.id}`)'

test('a service that offers the contract, tested, has no fault', () => {
  assert.deepEqual(compareRoutes([one], [{ method: 'GET', path: '/api/things/:thingId' }], [], [named]), [])
})

test('what is promised and not offered is found', () => {
  const put = { method: 'PUT', path: '/api/things/:id' }
  assert.deepEqual(compareRoutes([one], [one, put], [], [named]), ['not offered: PUT /api/things/:id'])
})

test('what is offered and not promised is found, unless it stands beside the contract', () => {
  const page = { method: 'GET', path: '/page' }
  assert.deepEqual(compareRoutes([page], [], [], ["'/page'"]), ['not in the contract: GET /page'])
  assert.deepEqual(compareRoutes([page], [], [page], ["'/page'"]), [])
})

test('what is offered twice is found', () => {
  assert.deepEqual(compareRoutes([one, one], [one], [], [named]), ['offered twice: GET /api/things/:id'])
})

test('a longer path, a shorter one and another one are no test of a route', () => {
  for (const text of ["'/api/things'", "'/api/things/1/parts'", "'/api/other/1'", "'/api/things/'"])
    assert.deepEqual(compareRoutes([one], [one], [], [text]), ['no test names /api/things/:id'], text)
})

test('a written value, a query and a placeholder name a route', () => {
  for (const text of [
    "'/api/things/1'",
    "'/api/things/1?limit=2'",
    '`/api/things/x' + '$' + '{id}`',
    "'/api/things/:id'",
  ])
    assert.deepEqual(compareRoutes([one], [one], [], [text]), [], text)
})

test('one test does for every version of a path', () => {
  const versions = ['/api', '/api/v9', '/api/v10'].map(prefix => ({
    method: 'POST',
    path: `${prefix}/hooks/:id`,
  }))
  assert.deepEqual(compareRoutes(versions, versions, [], ["'/api/hooks/1'"]), [])
})

test('a route in another file, without operations or without a base path is found', () => {
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

test('the contract is read in full', () => {
  assert.equal(contractRoutes.length, new Set(contractRoutes.map(({ method, path }) => method + path)).size)
  assert.ok(
    contractRoutes.some(({ method, path }) => method === 'DELETE' && path === '/api/v10/webhooks/:id/:token'),
  )
  assert.ok(
    contractRoutes.every(
      ({ method, path }) => /^(GET|PUT|POST|PATCH|DELETE)$/.test(method) && path.startsWith('/'),
    ),
  )
})
