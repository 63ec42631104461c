import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import { type TestContext, test } from 'node:test'
import { maxEndpointResponseBytes } from '@gatehouse/protocol/limits'
import { createCertificate } from '@gatehouse/testkit/certificate'
import { createTestClock } from '@gatehouse/testkit/clock'
import { listen, listenHttp, listenTcp } from '@gatehouse/testkit/listen'
import { createOutgoing, type Outgoing, OutgoingError } from './index.ts'

const loopback = '127.0.0.0/8'
const failOnResolve = () => assert.fail('The test must not resolve a host name.')

function setUp(t: TestContext, deps: Partial<Parameters<typeof createOutgoing>[0]> = {}) {
  const clock = createTestClock()
  const outgoing = createOutgoing({
    allowPrivateTargets: [loopback],
    resolve: failOnResolve,
    timers: clock.timers,
    ...deps,
  })
  t.after(() => outgoing.close())
  return { clock, outgoing }
}

function post(outgoing: Outgoing, url: string, body = 'hello') {
  return outgoing.post(new URL(url), { headers: { 'x-test': '1' }, body, timeoutMs: 3000 })
}

async function catchError(promise: Promise<unknown>): Promise<OutgoingError> {
  const error = await promise.then(
    () => assert.fail('The request succeeded.'),
    (error: unknown) => error,
  )
  assert.ok(error instanceof OutgoingError, String(error))
  return error
}

async function catchReason(promise: Promise<unknown>): Promise<string> {
  return (await catchError(promise)).reason
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}

test('posts to an allowed private address and returns status and body (bots/outgoing-requests)', async t => {
  const { outgoing } = setUp(t)
  const { port } = await listenHttp(t, async (request, response) => {
    const { method, url, headers } = request
    const { host } = headers
    const encoding = headers['accept-encoding']
    const received = { method, url, host, encoding, test: headers['x-test'], body: await readText(request) }
    response.writeHead(418).end(JSON.stringify(received))
  })
  const response = await post(outgoing, `http://127.0.0.1:${port}/a?b=c`)
  assert.equal(response.status, 418)
  assert.deepEqual(JSON.parse(response.body.toString()), {
    method: 'POST',
    url: '/a?b=c',
    host: `127.0.0.1:${port}`,
    encoding: 'identity',
    test: '1',
    body: 'hello',
  })
})

test('rejects forbidden URLs with the same error and without a connection (bots/outgoing-requests)', async t => {
  const { port, connections } = await listenHttp(t, (_, response) => response.end())
  const { outgoing } = setUp(t, { allowPrivateTargets: [] })
  const messages = new Set<string>()
  for (const url of [
    `https://127.0.0.1:${port}/`,
    `https://2130706433:${port}/`,
    `https://[::ffff:127.0.0.1]:${port}/`,
    'https://[64:ff9b::a00:1]/',
    'https://169.254.169.254/latest/meta-data',
    `http://127.0.0.1:${port}/`,
    'http://1.1.1.1/',
    'http://bot.example/',
    'file:///etc/passwd',
  ]) {
    const error = await catchError(post(outgoing, url))
    assert.equal(error.reason, 'host', url)
    messages.add(error.message)
  }
  assert.equal(messages.size, 1)
  assert.equal(connections(), 0)
})

test('resolves a host name once and connects to the address that was checked (bots/outgoing-requests)', async t => {
  const resolved: string[] = []
  const { outgoing } = setUp(t, {
    resolve: async name => {
      resolved.push(name)
      return resolved.length === 1 ? ['127.0.0.1'] : ['10.0.0.1']
    },
  })
  const { port } = await listenHttp(t, (request, response) => response.end(request.headers.host))
  const response = await post(outgoing, `http://bot.example:${port}/`)
  assert.equal(response.body.toString(), `bot.example:${port}`)
  assert.deepEqual(resolved, ['bot.example'])
})

test('rejects a host name if all of its addresses are forbidden (bots/outgoing-requests)', async t => {
  const { port, connections } = await listenHttp(t, (_, response) => response.end())
  let addresses = ['127.0.0.1', '::1', '10.0.0.1']
  const { outgoing } = setUp(t, { allowPrivateTargets: ['192.168.7.0/24'], resolve: async () => addresses })
  assert.equal(await catchReason(post(outgoing, `https://bot.example:${port}/`)), 'host')
  assert.equal(await catchReason(post(outgoing, `http://bot.example:${port}/`)), 'host')
  addresses = ['1.1.1.1']
  assert.equal(await catchReason(post(outgoing, `http://bot.example:${port}/`)), 'host')
  assert.equal(connections(), 0)
})

test('connects only to the allowed addresses of a host name (bots/outgoing-requests)', async t => {
  const { port, connections } = await listenHttp(t, (_, response) => response.end('ok'))
  const { outgoing } = setUp(t, {
    allowPrivateTargets: ['127.0.0.1'],
    resolve: async () => ['127.0.0.2', '::1', '127.0.0.1'],
  })
  assert.equal((await post(outgoing, `http://bot.example:${port}/`)).body.toString(), 'ok')
  assert.equal(connections(), 1)
})

test('a host that does not exist gets the same error as a forbidden one (bots/outgoing-names)', async t => {
  const messages = new Set<string>()
  for (const resolve of [
    async () => [],
    () => Promise.reject(new Error('SERVFAIL')),
    async () => ['10.0.0.1'],
    async () => ['127.0.0.1', '::1'],
  ]) {
    const { outgoing } = setUp(t, { allowPrivateTargets: [], resolve })
    const error = await catchError(post(outgoing, 'https://bot.example/'))
    assert.equal(error.reason, 'host')
    messages.add(error.message)
  }
  assert.deepEqual([...messages], ['its host name does not exist or its IP address is not allowed'])
})

test('follows no redirect, whatever its target (bots/outgoing-requests, bots/outgoing-redirects)', async t => {
  const { outgoing } = setUp(t)
  const target = await listenHttp(t, (_, response) => response.end())
  for (const status of [301, 302, 303, 307, 308]) {
    for (const location of [
      `http://127.0.0.1:${target.port}/`,
      'file:///etc/passwd',
      'gopher://127.0.0.1:6379/',
    ]) {
      const { port } = await listenHttp(t, (_, response) => response.writeHead(status, { location }).end())
      assert.equal(await catchReason(post(outgoing, `http://127.0.0.1:${port}/`)), 'redirect')
    }
  }
  assert.equal(target.connections(), 0)
})

test('accepts a response of 256 KiB and rejects one byte more (bots/outgoing-size)', async t => {
  const { outgoing } = setUp(t)
  let size = maxEndpointResponseBytes
  const { port } = await listenHttp(t, (_, response) => {
    response.flushHeaders()
    response.end(Buffer.alloc(size))
  })
  const response = await post(outgoing, `http://127.0.0.1:${port}/`)
  assert.equal(response.body.length, maxEndpointResponseBytes)
  size++
  assert.equal(await catchReason(post(outgoing, `http://127.0.0.1:${port}/`)), 'too_large')
})

test('closes the connection if the response does not end (bots/outgoing-size)', async t => {
  const { outgoing } = setUp(t)
  let sent = 0
  const closed = Promise.withResolvers<void>()
  const { port } = await listenHttp(t, (_, response) => {
    const chunk = Buffer.alloc(16 * 1024)
    const more = () => {
      do sent += chunk.length
      while (response.write(chunk))
    }
    response.on('drain', more)
    response.on('close', closed.resolve)
    more()
  })
  assert.equal(await catchReason(post(outgoing, `http://127.0.0.1:${port}/`)), 'too_large')
  await closed.promise
  // The server can send more than the limit only into the socket buffers.
  assert.ok(sent < 32 * 1024 * 1024, `${sent} bytes`)
})

test('rejects a Content-Length of 2 GiB and endless headers without reading them (bots/outgoing-size)', async t => {
  const { outgoing } = setUp(t)
  const big = await listenTcp(t, socket => {
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2147483648\r\n\r\nx'))
  })
  assert.equal(await catchReason(post(outgoing, `http://127.0.0.1:${big.port}/`)), 'too_large')
  const head = await listenTcp(t, socket => {
    socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(64 * 1024)}`))
  })
  assert.equal(await catchReason(post(outgoing, `http://127.0.0.1:${head.port}/`)), 'too_large')
})

test('rejects a compressed response (bots/outgoing-size)', async t => {
  const { outgoing } = setUp(t)
  const { port } = await listenHttp(t, (_, response) =>
    response.setHeader('content-encoding', 'gzip').end('bomb'),
  )
  assert.equal(await catchReason(post(outgoing, `http://127.0.0.1:${port}/`)), 'content_encoding')
})

test('closes the connection at the deadline, whatever the server has sent (bots/outgoing-requests)', async t => {
  for (const bytes of ['', 'HTTP/1.1 2', 'HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 200 OK\r\n\r\n{']) {
    const { outgoing, clock } = setUp(t)
    const sent = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<void>()
    const { port } = await listenTcp(t, socket => {
      socket.on('close', closed.resolve)
      socket.once('data', () => {
        socket.write(bytes, () => sent.resolve())
      })
    })
    const reason = catchReason(post(outgoing, `http://127.0.0.1:${port}/`))
    await sent.promise
    clock.advance(3000)
    assert.equal(await reason, 'timeout', bytes)
    await closed.promise
  }
})

test('does not extend the deadline while the response is still arriving (bots/outgoing-size)', async t => {
  const { outgoing, clock } = setUp(t)
  const { port } = await listenHttp(t, (_, response) => {
    const drip = () => {
      if (response.destroyed) return
      response.write('x')
      clock.advance(100)
      setImmediate(drip)
    }
    drip()
  })
  assert.equal(await catchReason(post(outgoing, `http://127.0.0.1:${port}/`)), 'timeout')
})

test('applies the deadline to name resolution', async t => {
  const started = Promise.withResolvers<void>()
  const { outgoing, clock } = setUp(t, {
    resolve: () => {
      started.resolve()
      return new Promise(() => undefined)
    },
  })
  const reason = catchReason(post(outgoing, 'https://bot.example/'))
  await started.promise
  clock.advance(3000)
  assert.equal(await reason, 'timeout')
})

test('applies the deadline with the system timers', async t => {
  const outgoing = createOutgoing({ allowPrivateTargets: [loopback], resolve: failOnResolve })
  t.after(() => outgoing.close())
  const { port } = await listenHttp(t, () => undefined)
  const url = new URL(`http://127.0.0.1:${port}/`)
  assert.equal(await catchReason(outgoing.post(url, { headers: {}, body: '', timeoutMs: 50 })), 'timeout')
})

test('rejects with the reason connection_closed if the response is incomplete or is not HTTP', async t => {
  const { outgoing } = setUp(t)
  for (const bytes of [
    '',
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    'SSH-2.0-OpenSSH_9.9\r\n',
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  ]) {
    const { port } = await listenTcp(t, socket => {
      socket.once('data', () => socket.end(bytes))
    })
    assert.equal(await catchReason(post(outgoing, `http://127.0.0.1:${port}/`)), 'connection_closed', bytes)
  }
})

test('rejects with the reason connect, without the URL in the message, if the connection is refused', async t => {
  const { outgoing } = setUp(t)
  // TCP port 1 (tcpmux) is unused on current systems.
  const error = await catchError(post(outgoing, 'http://127.0.0.1:1/'))
  assert.equal(error.reason, 'connect')
  assert.equal(error.message, 'the connection could not be established (ECONNREFUSED)')
})

test('reuses an idle connection', async t => {
  const { outgoing } = setUp(t)
  const { port, connections } = await listenHttp(t, (_, response) => response.end('ok'))
  for (let i = 0; i < 3; i++) await post(outgoing, `http://127.0.0.1:${port}/`)
  assert.equal(connections(), 1)
})

test('sends the host name as SNI and verifies the certificate against it', async t => {
  const certificate = createCertificate('bot.example')
  const names: unknown[] = []
  const server = createServer(certificate, (request, response) => {
    names.push('servername' in request.socket ? request.socket.servername : undefined, request.headers.host)
    response.end('ok')
  })
  const { port } = await listen(t, server)
  const resolve = async () => ['127.0.0.1']
  const trusting = setUp(t, { resolve, ca: certificate.cert })
  const response = await post(trusting.outgoing, `https://bot.example:${port}/`)
  assert.equal(response.body.toString(), 'ok')
  assert.deepEqual(names, ['bot.example', `bot.example:${port}`])

  const other = await catchError(post(trusting.outgoing, `https://other.example:${port}/`))
  assert.equal(other.reason, 'tls')
  assert.match(other.message, /ERR_TLS_CERT_ALTNAME_INVALID/)
  const byAddress = await catchError(post(trusting.outgoing, `https://127.0.0.1:${port}/`))
  assert.equal(byAddress.reason, 'tls')

  const { outgoing } = setUp(t, { resolve })
  const unknown = await catchError(post(outgoing, `https://bot.example:${port}/`))
  assert.equal(unknown.reason, 'tls')
  assert.match(unknown.message, /DEPTH_ZERO_SELF_SIGNED_CERT/)
})

test('rejects with the reason tls if the server does not support TLS', async t => {
  const { outgoing } = setUp(t)
  const { port } = await listenTcp(t, socket => {
    socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  })
  assert.equal(await catchReason(post(outgoing, `https://127.0.0.1:${port}/`)), 'tls')
})

function get(outgoing: Outgoing, url: string) {
  return outgoing.get(new URL(url), { accept: 'image/png', timeoutMs: 3000, maxBytes: 100 })
}

test('a GET returns a redirect with its target and does not follow it (webhooks/media-proxy)', async t => {
  const { outgoing } = setUp(t)
  const { port, connections } = await listenHttp(t, (request, response) => {
    const { method, headers } = request
    response.writeHead(302, { location: '/other' }).end(`${method} ${headers.accept}`)
  })
  const { status, location, body } = await get(outgoing, `http://127.0.0.1:${port}/`)
  assert.deepEqual([status, location, body.toString()], [302, '/other', 'GET image/png'])
  assert.equal(connections(), 1)
})

test('a GET reaches no private address, also if a name resolves to one (webhooks/media-proxy)', async t => {
  const { port, connections } = await listenHttp(t, (_, response) => response.end())
  const addresses = [
    '127.0.0.1',
    '::1',
    '::ffff:127.0.0.1',
    '10.0.0.1',
    '169.254.169.254',
    'fd00::1',
    '0.0.0.0',
  ]
  const { outgoing } = setUp(t, { allowPrivateTargets: [], resolve: async () => addresses })
  for (const host of [
    'pictures.example',
    '127.0.0.1',
    '[::1]',
    '2130706433',
    '10.0.0.1',
    '169.254.169.254',
  ]) {
    for (const scheme of ['http', 'https']) {
      assert.equal(
        await catchReason(get(outgoing, `${scheme}://${host}:${port}/`)),
        'host',
        `${scheme} ${host}`,
      )
    }
  }
  for (const url of ['file:///etc/passwd', 'ftp://pictures.example/', 'data:image/png;base64,AA']) {
    assert.equal(await catchReason(get(outgoing, url)), 'host', url)
  }
  assert.equal(connections(), 0)
})

test('a GET accepts a body up to its limit (webhooks/media-proxy)', async t => {
  const { outgoing } = setUp(t)
  const { port } = await listenHttp(t, (request, response) => {
    response.flushHeaders()
    response.end(Buffer.alloc(Number((request.url ?? '').slice(1))))
  })
  assert.equal((await get(outgoing, `http://127.0.0.1:${port}/100`)).body.length, 100)
  assert.equal(await catchReason(get(outgoing, `http://127.0.0.1:${port}/101`)), 'too_large')
})
