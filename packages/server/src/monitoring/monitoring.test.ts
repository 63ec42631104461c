import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { version } from '@gatehouse/protocol/version'
import { eachService, startService } from '@gatehouse/testkit/service'
import { createMetrics } from './metrics.ts'

eachService('/healthz and /readyz return 200 while the service runs', async (_t, service) => {
  for (const path of ['/healthz', '/readyz']) {
    const reply = await service.client().get(path)
    assert.equal(reply.status, 200)
    assert.deepEqual(reply.body, { status: 'ok' })
  }
})

eachService('/readyz returns 503 without the database, /healthz returns 200', async (_t, service) => {
  await service.db.close()
  const reply = await service.client().get('/readyz')
  assert.equal(reply.status, 503)
  assert.equal(reply.body.code, 'unavailable')
  assert.ok(reply.headers.get('retry-after'))
  assert.equal((await service.client().get('/healthz')).status, 200)
})

eachService('/api/version returns the version, also to a page of another origin', async (_t, service) => {
  const reply = await service.client().get('/api/version', { origin: 'https://elsewhere.example' })
  assert.equal(reply.status, 200)
  assert.deepEqual(reply.body, { version })
  assert.equal(reply.headers.get('access-control-allow-origin'), '*')
})

test('all packages have the version of the protocol', () => {
  const root = fileURLToPath(new URL('../../../../', import.meta.url))
  const manifests = globSync('{.,packages/*,examples/*,tools}/package.json', { cwd: root })
  assert.ok(manifests.length > 10)
  const lock = JSON.parse(readFileSync(`${root}/package-lock.json`, 'utf8'))
  assert.equal(lock.version, version)
  for (const file of manifests) {
    assert.equal(JSON.parse(readFileSync(`${root}/${file}`, 'utf8')).version, version, file)
    const folder = file.slice(0, -'/package.json'.length)
    assert.equal(lock.packages[folder === '.' ? '' : folder].version, version, `${file} in package-lock.json`)
  }
})

test('/metrics allows loopback without METRICS_TOKEN', async t => {
  const service = await startService(t)
  await service.client().get('/healthz')
  const reply = await service.client().get('/metrics')
  assert.equal(reply.status, 200)
  assert.match(reply.headers.get('content-type') ?? '', /^text\/plain/)
  assert.match(
    reply.text,
    /gatehouse_http_request_seconds_count\{method="GET",route="\/healthz",status="200"\} 1/,
  )
})

test('another service in the process does not observe the garbage collector again', t => {
  const observe = t.mock.method(PerformanceObserver.prototype, 'observe')
  createMetrics()
  assert.equal(observe.mock.callCount(), 0)
})

eachService('/metrics counts what the service sends to PostgreSQL', async (_t, service) => {
  const read = async () => {
    const { text } = await service.client().get('/metrics')
    return ['round_trips', 'statements', 'transactions'].map(name =>
      Number(new RegExp(`^gatehouse_postgres_${name}_total (\\d+)`, 'm').exec(text)?.[1]),
    )
  }
  const before = await read()
  await service.client().get('/readyz')
  const after = await read()
  for (const [i, count] of after.entries()) {
    if (service.db.engine === 'sqlite') assert.ok(Number.isNaN(count))
    else assert.ok(count > (before[i] ?? count), `${before} → ${after}`)
  }
})

test('/metrics returns 404 for a request through a proxy on the same machine', async t => {
  for (const TRUST_PROXY of ['', '127.0.0.1']) {
    const service = await startService(t, { env: { TRUST_PROXY } })
    for (const [name, value] of [
      ['x-forwarded-for', '203.0.113.9'],
      ['x-forwarded-for', '127.0.0.1'],
      ['forwarded', 'for=203.0.113.9'],
    ] as const) {
      assert.equal((await service.client().get('/metrics', { [name]: value })).status, 404)
    }
  }
})

test('/metrics requires METRICS_TOKEN if it is set, and returns 404 without it', async t => {
  const service = await startService(t, { env: { METRICS_TOKEN: 'let-me-look' } })
  const get = (headers: Record<string, string>) => service.client().get('/metrics', headers)
  assert.equal((await get({ authorization: 'Bearer let-me-look' })).status, 200)
  assert.equal((await get({ authorization: 'Bearer let-me-lock' })).status, 404)
  assert.equal((await get({})).status, 404)
})

test('returns the page of the web client for its views, and 404 for unknown paths of the API', async t => {
  const service = await startService(t)
  const view = await service.client().get('/channels/1/2')
  assert.equal(view.status, 200)
  assert.match(view.headers.get('content-type') ?? '', /^text\/html/)
  assert.equal((await service.client().get('/api/none')).status, 404)
  assert.equal((await service.client().get('/assets/none.js')).status, 404)
})
