import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { appWith } from '@gatehouse/testkit/app'
import Fastify from 'fastify'
import { addWebClient } from './web-client.ts'

const web = new URL('../../../web/', import.meta.url)
const html = { accept: 'text/html,application/xhtml+xml' }

/** Example paths of the web client's routes, with and without optional parameters. */
function clientPaths(): string[] {
  const source = readFileSync(new URL('src/shell/app.tsx', web), 'utf8')
  const declared = [...source.matchAll(/<Route path="([^"]+)"/g)].flatMap(([, path]) => path ?? [])
  assert.ok(declared.length > 5)
  return [
    '/',
    ...declared
      .filter(path => path !== '*')
      .flatMap(path => [path.replace(/\/:\w+\?/g, ''), path.replaceAll('?', '')])
      .map(path => `/${path.replace(/:\w+/g, '1234567890123456789')}`),
  ]
}

test('every route of the web client returns its page, also with a trailing slash', async () => {
  const { app } = await appWith()
  for (const path of new Set(clientPaths())) {
    for (const url of [path, `${path}?a=b.c`, path === '/' ? path : `${path}/`]) {
      const reply = await app.inject(url)
      assert.equal(reply.statusCode, 200, url)
      assert.equal(reply.headers['content-type'], 'text/html; charset=utf-8')
      assert.equal(reply.headers['cache-control'], 'no-cache')
    }
    const other = await app.inject({
      method: 'POST',
      url: path,
      payload: 'x',
      headers: { 'content-type': 'text/plain' },
    })
    assert.deepEqual([other.statusCode, other.headers.allow], [405, 'GET, HEAD'], path)
  }
})

test('files that browsers request by default are served with their type and cached for an hour', async () => {
  const { app } = await appWith()
  for (const [path, type, begins] of [
    ['/favicon.svg', 'image/svg+xml', '<svg'],
    ['/favicon.ico', 'image/x-icon', '\0\0\x01\0'],
    ['/apple-touch-icon.png', 'image/png', '\x89PNG'],
    ['/robots.txt', 'text/plain; charset=utf-8', '#'],
    ['/manifest.webmanifest', 'application/manifest+json', '{'],
  ] as const) {
    const reply = await app.inject(path)
    assert.equal(reply.statusCode, 200, path)
    assert.equal(reply.headers['content-type'], type)
    assert.equal(reply.headers['cache-control'], 'public, max-age=3600')
    assert.equal(reply.headers['content-security-policy'], "default-src 'none'; frame-ancestors 'none'")
    assert.equal(reply.headers['x-content-type-options'], 'nosniff')
    assert.equal(reply.rawPayload.toString('latin1').startsWith(begins), true, path)
    assert.equal((await app.inject({ method: 'HEAD', url: path })).statusCode, 200)
    const other = await app.inject({ method: 'PUT', url: path })
    assert.deepEqual([other.statusCode, other.headers.allow], [405, 'GET, HEAD'], path)
  }
})

test('the page links to its icons and manifest, and the manifest to icons of the declared sizes', async () => {
  const { app } = await appWith()
  const page = (await app.inject('/')).body
  for (const [, path = ''] of page.matchAll(
    /<link rel="(?:icon|apple-touch-icon|manifest)" href="([^"]+)"/g,
  )) {
    assert.equal((await app.inject(path)).statusCode, 200, path)
  }
  assert.match(page, /<link rel="manifest" href="\/manifest\.webmanifest"/)
  const manifest = (await app.inject('/manifest.webmanifest')).json()
  assert.deepEqual([manifest.name, manifest.start_url, manifest.display], ['Gatehouse', '/', 'standalone'])
  for (const { src, sizes, type } of manifest.icons) {
    const icon = await app.inject(src)
    assert.deepEqual([icon.statusCode, icon.headers['content-type']], [200, type], src)
    // Width and height are in the IHDR chunk, which is the first (PNG §11.2.1).
    const bytes = icon.rawPayload
    if (type === 'image/png') assert.equal(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, sizes)
  }
})

test('the page may load images of this service only (webhooks/media-proxy)', async () => {
  const { app } = await appWith()
  const { headers } = await app.inject('/')
  assert.match(String(headers['content-security-policy']), /(^|; )img-src 'self' data:;/)
})

test('robots.txt excludes the API, invites and channels', async () => {
  const { app } = await appWith()
  const lines = (await app.inject('/robots.txt')).body.split('\n')
  for (const path of ['/api/', '/oauth2/', '/channels/', '/invite/'])
    assert.ok(lines.includes(`Disallow: ${path}`))
})

test('an unknown file or path is 404 and must not be cached', async () => {
  const { app } = await appWith()
  for (const url of [
    '/sw.js',
    '/main.js',
    '/channels/main.js',
    '/channels/1/main.js',
    '/.env',
    '/index.html',
    '/assets/main.js',
    '/assets/',
    '/nope',
    '/channels',
    '/invite/a/b',
  ]) {
    const reply = await app.inject(url)
    assert.equal(reply.statusCode, 404, url)
    assert.equal(reply.headers['content-type'], 'application/json')
    assert.equal(reply.json().code, 'not_found')
    assert.equal(reply.headers['cache-control'], 'no-store')
  }
})

test('a browser that opens an unknown page gets the web client with status 404', async () => {
  const { app } = await appWith()
  for (const url of ['/nope', '/channels', '/invite/a/b']) {
    const reply = await app.inject({ url, headers: html })
    assert.equal(reply.statusCode, 404, url)
    assert.equal(reply.headers['content-type'], 'text/html; charset=utf-8')
    assert.equal(reply.headers.vary, 'Accept, Cookie')
    assert.match(reply.body, /<div id="root">/)
  }
  for (const url of ['/sw.js', '/api/nope', '/assets/nope', '/images/nope']) {
    assert.equal((await app.inject({ url, headers: html })).headers['content-type'], 'application/json', url)
  }
})

test('an unknown path below /assets/ is 404, a failed precondition 412, and neither is logged', async () => {
  const { app, log } = await appWith()
  const script = /src="(\/assets\/[^"]+)"/.exec((await app.inject('/')).body)?.[1] ?? ''
  const found = await app.inject(script)
  assert.equal(found.statusCode, 200)
  assert.match(String(found.headers['cache-control']), /immutable/)
  assert.equal(found.headers['x-content-type-options'], 'nosniff')
  const again = await app.inject({ url: script, headers: { 'if-none-match': String(found.headers.etag) } })
  assert.equal(again.statusCode, 304)
  const failed = await app.inject({ url: script, headers: { 'if-match': '"other"' } })
  assert.deepEqual([failed.statusCode, failed.json().code], [412, 'precondition_failed'])
  // RFC 9110 §14.2: a server may ignore Range.
  assert.equal((await app.inject({ url: script, headers: { range: 'bytes=999999999-' } })).statusCode, 200)
  for (const path of ['/assets//main.js', '/assets/a%00b', '/assets/%2e%2e/index.html', '/assets/./a']) {
    const reply = await app.inject(path)
    assert.equal(reply.statusCode, 404, path)
    assert.equal(reply.headers['content-type'], 'application/json')
  }
  assert.equal(log.join('').includes('"level":50'), false)
})

test('the npm package of the SDK is public, has an ETag and is cached for five minutes', async () => {
  const { app } = await appWith()
  const path = '/sdk/gatehouse-bot.tgz'
  const reply = await app.inject(path)
  assert.equal(reply.statusCode, 200)
  assert.equal(reply.headers['content-type'], 'application/gzip')
  assert.equal(reply.headers['cache-control'], 'public, max-age=300')
  // The first bytes of a gzip file (RFC 1952 §2.3.1).
  assert.equal(reply.rawPayload.subarray(0, 2).toString('hex'), '1f8b')
  const { etag = '' } = reply.headers
  const repeated = await app.inject({ url: path, headers: { 'if-none-match': String(etag) } })
  assert.deepEqual([repeated.statusCode, repeated.body], [304, ''])
  const head = await app.inject({ method: 'HEAD', url: path })
  assert.equal(head.headers['content-length'], String(reply.rawPayload.length))
  const other = await app.inject({ method: 'PUT', url: path })
  assert.deepEqual([other.statusCode, other.headers.allow], [405, 'GET, HEAD'])
  for (const absent of ['/sdk/index.js', '/sdk/package.json', '/sdk/', '/sdk']) {
    assert.equal((await app.inject({ url: absent, headers: html })).statusCode, 404, absent)
  }
})

test('a service that was built without the SDK says so', async () => {
  const app = Fastify()
  await addWebClient(app, { sdkFolder: '/nonexistent' })
  const reply = await app.inject('/sdk/gatehouse-bot.tgz')
  assert.equal(reply.json().message, 'This service was built without the SDK. Run `npm run build`.')
})
