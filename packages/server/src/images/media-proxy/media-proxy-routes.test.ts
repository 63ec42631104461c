import assert from 'node:assert/strict'
import { createServer as createHttpServer, type RequestListener } from 'node:http'

import { type TestContext, test } from 'node:test'
import { advanceUntilSettled } from '@gatehouse/testkit/clock'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import { listen, listenHttp, listenTcp } from '@gatehouse/testkit/listen'
import { type StartOptions, startService, type TestService } from '@gatehouse/testkit/service'
import sharp from 'sharp'

const allowLoopback = { ALLOW_PRIVATE_TARGETS: '127.0.0.1' }

/** A server with a webhook, and a user who reads its messages. */
async function setUp(t: TestContext, options: StartOptions = {}) {
  const service = await startService(t, { env: allowLoopback, ...options })
  const ann = await register(service, 'ann')
  const { general } = await createServer(ann)
  return { service, ann, hook: await createHook(ann, general.id), channelId: general.id }
}

async function createHook(user: TestUser, channelId: string): Promise<string> {
  const { body } = await user.client.json('POST', `/api/channels/${channelId}/webhooks`, { name: 'Robot' })
  return new URL(body.url).pathname
}

/** Posts an embed with the picture, and returns the signed path that a message has for it. */
async function post(service: TestService, hook: string, url: string): Promise<string> {
  const { status, body } = await service.client().json('POST', `${hook}?wait=true`, {
    embeds: [{ image: { url } }],
  })
  assert.equal(status, 200)
  const proxied = new URL(body.embeds[0].image.proxy_url)
  assert.equal(proxied.origin, service.url)
  return proxied.pathname + proxied.search
}

function picture(width: number, height: number, background = 'red') {
  return sharp({ create: { width, height, channels: 3, background } })
}

/** A server of pictures, and the requests that it got. */
async function serve(t: TestContext, listener: RequestListener) {
  const requests: string[] = []
  const server = await listenHttp(t, (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    listener(request, response)
  })
  return { ...server, requests }
}

async function servePng(t: TestContext) {
  const png = await picture(8, 8).png().toBuffer()
  return serve(t, (_, response) => response.writeHead(200, { 'content-type': 'image/png' }).end(png))
}

test('GET /media-proxy 200: a picture of an http URL, as WebP of at most 1024 px (webhooks/media-proxy)', async t => {
  const { service, ann, hook } = await setUp(t)
  const photo = await picture(2048, 512)
    .withExif({ IFD0: { Artist: 'secret' } })
    .jpeg()
    .toBuffer()
  const received: Record<string, unknown>[] = []
  const { url } = await serve(t, (request, response) => {
    received.push({ ...request.headers })
    response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'a=b', etag: '"x"' }).end(photo)
  })
  const path = await post(service, hook, `${url}/photo.jpg?size=1`)
  const reply = await ann.client.get(path)
  assert.equal(reply.status, 200)
  const header = (name: string) => reply.headers.get(name)
  assert.equal(header('content-type'), 'image/webp')
  assert.equal(header('cache-control'), 'private, max-age=86400')
  assert.equal(header('content-security-policy'), "sandbox; default-src 'none'")
  assert.equal(header('cross-origin-resource-policy'), 'same-origin')
  assert.equal(header('x-content-type-options'), 'nosniff')
  assert.deepEqual([header('etag'), header('set-cookie')], [null, null])
  const bytes = await readBytes(service, ann, path)
  const { format, width, height, exif } = await sharp(bytes).metadata()
  assert.deepEqual([format, width, height, exif], ['webp', 1024, 256, undefined])
  // The host learns nothing about the reader, and not which service asks.
  assert.deepEqual(received, [
    {
      host: new URL(url).host,
      'user-agent': 'Gatehouse',
      'accept-encoding': 'identity',
      accept: 'image/webp,image/png,image/jpeg,image/gif',
      connection: 'keep-alive',
    },
  ])
  assert.doesNotMatch(service.log.join(''), /photo\.jpg|signature=/)
})

async function readBytes(service: TestService, { client }: TestUser, path: string): Promise<Buffer> {
  const response = await fetch(service.url + path, { headers: { cookie: client.cookieHeader() } })
  return Buffer.from(await response.arrayBuffer())
}

test('GET /media-proxy 200: an animation stays animated', async t => {
  const { service, ann, hook } = await setUp(t)
  const frames = await Promise.all(['red', 'blue'].map(color => picture(8, 8, color).png().toBuffer()))
  const gif = await sharp(frames, { join: { animated: true } })
    .gif({ delay: [100, 200] })
    .toBuffer()
  const { url } = await serve(t, (_, response) => response.end(gif))
  const bytes = await readBytes(service, ann, await post(service, hook, url))
  const { format, pages, delay } = await sharp(bytes, { animated: true }).metadata()
  assert.deepEqual([format, pages, delay], ['webp', 2, [100, 200]])
})

test('GET /media-proxy 401: without a credential nothing is fetched', async t => {
  const { service, hook } = await setUp(t)
  const { url, requests } = await servePng(t)
  const reply = await service.client().get(await post(service, hook, url))
  assert.deepEqual([reply.status, reply.body.code], [401, 'unauthenticated'])
  assert.deepEqual(requests, [])
})

test('GET /media-proxy 404: the signature covers the URL and who posted it, and is of this service', async t => {
  const { service, ann, hook } = await setUp(t)
  const { url, requests } = await servePng(t)
  const query = new URLSearchParams((await post(service, hook, url)).split('?')[1])
  const secretKey = Buffer.alloc(32, 1).toString('base64')
  const other = await setUp(t, { env: { ...allowLoopback, SECRET_KEY: secretKey } })
  const foreign = new URLSearchParams((await post(other.service, other.hook, url)).split('?')[1])
  for (const [name, value] of [
    ['url', Buffer.from(`${url}/other`).toString('base64url')],
    ['poster', ann.id],
    ['signature', 'x'],
    ['signature', foreign.get('signature') ?? ''],
  ] as const) {
    const changed = new URLSearchParams(query)
    changed.set(name, value)
    const reply = await ann.client.get(`/media-proxy?${changed}`)
    assert.deepEqual([reply.status, reply.body.code], [404, 'not_found'], name)
  }
  const incomplete = await ann.client.get(`/media-proxy?url=${query.get('url')}`)
  assert.deepEqual([incomplete.status, incomplete.body.code], [400, 'validation_failed'])
  assert.deepEqual(requests, [])
  assert.equal((await ann.client.get(`/media-proxy?${query}`)).status, 200)
})

test('GET /media-proxy 404: what is not a picture, whatever its type says (webhooks/media-proxy)', async t => {
  const { service, ann, hook } = await setUp(t)
  const png = await picture(8, 8).png().toBuffer()
  const frame = Buffer.from('21f90400010000002c0000000001000100000202440100', 'hex')
  const header = Buffer.from('47494638396101000100800000000000ffffff', 'hex')
  const bodies: Record<string, Buffer> = {
    html: Buffer.from('<html><script>alert(1)</script></html>'),
    svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>'),
    tiff: await picture(8, 8).tiff().toBuffer(),
    avif: await picture(8, 8).avif().toBuffer(),
    truncated: png.subarray(0, png.length - 20),
    bomb: await picture(4096, 4097).png().toBuffer(),
    frames: Buffer.concat([header, ...Array(1001).fill(frame), Buffer.from(';')]),
    large: Buffer.concat([png, Buffer.alloc(5 * 1024 * 1024)]),
    missing: png,
    compressed: png,
    empty: Buffer.alloc(0),
  }
  const { url } = await serve(t, (request, response) => {
    const name = (request.url ?? '').slice(1)
    const encoding = name === 'compressed' ? { 'content-encoding': 'gzip' } : {}
    response.writeHead(name === 'missing' ? 404 : 200, { 'content-type': 'image/png', ...encoding })
    // Without a Content-Length.
    response.flushHeaders()
    response.end(bodies[name])
  })
  for (const name of Object.keys(bodies)) {
    const reply = await ann.client.get(await post(service, hook, `${url}/${name}`))
    assert.deepEqual([reply.status, reply.body.code], [404, 'not_found'], name)
    service.clock.advance(2000)
  }
})

test('GET /media-proxy 404: an endless and a slow response end (webhooks/media-proxy)', async t => {
  const { service, ann, hook } = await setUp(t)
  const closed = Promise.withResolvers<void>()
  const endless = await serve(t, (_, response) => {
    const more = () => {
      while (response.write(Buffer.alloc(64 * 1024)));
    }
    response.on('drain', more).on('close', closed.resolve)
    more()
  })
  assert.equal((await ann.client.get(await post(service, hook, endless.url))).status, 404)
  await closed.promise
  for (const start of ['', 'HTTP/1.1 200 OK\r\n', 'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nGIF89a']) {
    const slow = await listenTcp(t, socket => void socket.write(start))
    const reply = ann.client.get(await post(service, hook, slow.url))
    assert.equal((await advanceUntilSettled(service.clock, reply, 1000)).status, 404, start)
    service.clock.advance(2000)
  }
})

test('GET /media-proxy 404: private addresses, also by a name or a redirect (webhooks/media-proxy)', async t => {
  // The server of pictures is at an allowed address, the other ones are not.
  const { service, ann, hook } = await setUp(t, { env: { ALLOW_PRIVATE_TARGETS: '127.0.0.2' } })
  const secret = await servePng(t)
  let location = ''
  const server = createHttpServer((_, response) => response.writeHead(302, { location }).end())
  await new Promise<void>(resolve => server.listen(0, '127.0.0.2', resolve))
  t.after(() => server.close())
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  const redirect = `http://127.0.0.2:${address.port}`
  const targets = [
    secret.url,
    `http://localhost:${secret.port}/`,
    `http://[::ffff:127.0.0.1]:${secret.port}/`,
    `http://2130706433:${secret.port}/`,
    'http://169.254.169.254/latest/meta-data',
    'https://10.0.0.1/',
    'http://[fd00::1]/',
  ]
  for (const [n, target] of targets.entries()) {
    assert.equal((await ann.client.get(await post(service, hook, target))).status, 404, target)
    location = target
    assert.equal((await ann.client.get(await post(service, hook, `${redirect}/${n}`))).status, 404, target)
    service.clock.advance(2000)
  }
  for (const [n, target] of ['file:///etc/passwd', 'data:image/png;base64,AA', 'http://', ''].entries()) {
    location = target
    assert.equal((await ann.client.get(await post(service, hook, `${redirect}/x${n}`))).status, 404, target)
  }
  assert.equal(secret.connections(), 0)
})

test('GET /media-proxy: up to three redirects are followed (webhooks/media-proxy)', async t => {
  const { service, ann, hook } = await setUp(t)
  const png = await picture(8, 8).png().toBuffer()
  const { url, requests } = await serve(t, (request, response) => {
    const rest = Number((request.url ?? '').slice(1))
    if (rest === 0) response.end(png)
    else response.writeHead(301, { location: String(rest - 1) }).end()
  })
  assert.equal((await ann.client.get(await post(service, hook, `${url}/3`))).status, 200)
  assert.deepEqual(requests, ['GET /3', 'GET /2', 'GET /1', 'GET /0'])
  assert.equal((await ann.client.get(await post(service, hook, `${url}/4`))).status, 404)
})

test('GET /media-proxy: readers share one fetch, and a result is cached (webhooks/media-proxy)', async t => {
  const { service, ann, hook, channelId } = await setUp(t)
  const bob = await register(service, 'bob')
  const png = await picture(8, 8).png().toBuffer()
  let respond: () => void = () => assert.fail('No request waits.')
  const arrived = Promise.withResolvers<void>()
  const { url, requests } = await serve(t, (request, response) => {
    const status = request.url === '/missing' ? 404 : 200
    respond = () => response.writeHead(status).end(png)
    if (requests.length === 1) arrived.resolve()
    else respond()
  })
  const path = await post(service, hook, url)
  const otherPath = await post(service, await createHook(ann, channelId), url)
  const replies = [ann, bob, ann, bob].map(({ client }, n) => client.get(n < 2 ? path : otherPath))
  await arrived.promise
  respond()
  for (const reply of await Promise.all(replies)) assert.equal(reply.status, 200)
  assert.equal((await bob.client.get(otherPath)).status, 200)
  assert.deepEqual(requests, ['GET /'])

  const missing = await post(service, hook, `${url}/missing`)
  for (const { client } of [ann, bob, ann]) assert.equal((await client.get(missing)).status, 404)
  assert.deepEqual(requests, ['GET /', 'GET /missing'])
  service.clock.advance(10 * 60 * 1000)
  assert.equal((await ann.client.get(missing)).status, 404)
  assert.equal((await ann.client.get(path)).status, 200)
  assert.deepEqual(requests, ['GET /', 'GET /missing', 'GET /missing'])
  service.clock.advance(24 * 60 * 60 * 1000)
  assert.equal((await ann.client.get(path)).status, 200)
  assert.equal(requests.length, 4)
})

test('GET /media-proxy 429: fetches for one webhook and from one host, not of cached pictures', async t => {
  const env = { ...allowLoopback, RATE_LIMITS: 'externalPictures=2/60,externalPictureHosts=3/60' }
  const { service, ann, hook, channelId } = await setUp(t, { env })
  const { url, requests } = await servePng(t)
  const read = async (byHook: string, name: string) =>
    (await ann.client.get(await post(service, byHook, `${url}/${name}`))).status
  const other = await createHook(ann, channelId)
  assert.deepEqual([await read(hook, 'a'), await read(hook, 'b'), await read(hook, 'c')], [200, 200, 429])
  assert.deepEqual([await read(other, 'c'), await read(other, 'd')], [200, 429])
  assert.deepEqual([await read(hook, 'a'), requests.length], [200, 3])
  service.clock.advance(60_000)
  assert.equal(await read(other, 'd'), 200)
})

test('GET /media-proxy 429: a few posters do not use up a host (limits/external-pictures)', async t => {
  const env = { ...allowLoopback, RATE_LIMITS: 'externalPictures=60/60,externalPictureHosts=12/60' }
  const { service, ann, hook, channelId } = await setUp(t, { env })
  const { url } = await servePng(t)
  const redirect = await serve(t, (request, response) =>
    response.writeHead(302, { location: `${url}/redirected${request.url}` }).end(),
  )
  let count = 0
  /** How many of the pictures of a poster are shown. */
  async function readAll(byHook: string, from: string): Promise<number> {
    let shown = 0
    for (let n = 0; n < 12; n++) {
      const { status } = await ann.client.get(await post(service, byHook, `${from}/${count++}`))
      if (status === 200) shown++
      service.clock.advance(400)
    }
    return shown
  }
  // The redirects of a poster count for the other host too.
  assert.equal(await readAll(hook, redirect.url.replace('127.0.0.1', 'localhost')), 5)
  assert.equal(await readAll(hook, url), 0)
  const shown: number[] = []
  for (let n = 0; n < 7; n++) shown.push(await readAll(await createHook(ann, channelId), url))
  // The reserved quarter, of which each gets one.
  assert.deepEqual(shown, [2, 1, 1, 1, 1, 1, 0])
  service.clock.advance(60_000)
  assert.equal(await readAll(hook, url), 5)
})

test('GET /media-proxy: a reader whose pictures are slow does not take the turns of others', async t => {
  const { service, ann, hook } = await setUp(t)
  const bob = await register(service, 'bob')
  const { url } = await servePng(t)
  const slow = await listen(
    t,
    createHttpServer(() => {}),
  )
  const paths: string[] = []
  for (let n = 0; n < 20; n++) {
    paths.push(await post(service, hook, `${slow.url}/${n}`))
    service.clock.advance(2000)
  }
  const waiting = paths.map(path => ann.client.get(path))
  assert.equal((await bob.client.get(await post(service, hook, url))).status, 200)
  for (const reply of await advanceUntilSettled(service.clock, Promise.all(waiting), 1000))
    assert.equal(reply.status, 404)
})
