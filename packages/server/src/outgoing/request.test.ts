import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { type TestContext, test } from 'node:test'
import { maxEndpointAnswerBytes } from '@gatehouse/protocol/limits'
import { createTestClock } from '../kit/testing.ts'
import { createOutgoing, type Outgoing, OutgoingError } from './index.ts'
import { makeCertificate, serve, serveSocket } from './testing.ts'

const loopback = '127.0.0.0/8'
const noNames = () => assert.fail('no name is to be resolved')

function setUp(t: TestContext, deps: Partial<Parameters<typeof createOutgoing>[0]> = {}) {
  const clock = createTestClock()
  const outgoing = createOutgoing({
    allowPrivateTargets: [loopback],
    resolve: noNames,
    timers: clock.timers,
    ...deps,
  })
  t.after(() => outgoing.close())
  return { clock, outgoing }
}

function post(outgoing: Outgoing, url: string, body = 'hello') {
  return outgoing.post(new URL(url), { headers: { 'x-test': '1' }, body, timeoutMs: 3000 })
}

async function failure(promise: Promise<unknown>): Promise<OutgoingError> {
  const error = await promise.then(
    () => assert.fail('it was answered'),
    (error: unknown) => error,
  )
  assert.ok(error instanceof OutgoingError, String(error))
  return error
}

async function reasonOf(promise: Promise<unknown>): Promise<string> {
  return (await failure(promise)).reason
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}

test('D31, check 25: a local address that is named is asked, and its answer comes back whole', async t => {
  const { outgoing } = setUp(t)
  const { port } = await serve(t, async (request, response) => {
    const { method, url, headers } = request
    const { host } = headers
    const encoding = headers['accept-encoding']
    const said = { method, url, host, encoding, test: headers['x-test'], body: await textOf(request) }
    response.writeHead(418).end(JSON.stringify(said))
  })
  const answer = await post(outgoing, `http://127.0.0.1:${port}/a?b=c`)
  assert.equal(answer.status, 418)
  assert.deepEqual(JSON.parse(answer.body.toString()), {
    method: 'POST',
    url: '/a?b=c',
    host: `127.0.0.1:${port}`,
    encoding: 'identity',
    test: '1',
    body: 'hello',
  })
})

test('D31, D67, checks 18 to 20: what is refused is refused with one error, before any connection', async t => {
  const { port, connections } = await serve(t, (_, response) => response.end())
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
    const error = await failure(post(outgoing, url))
    assert.equal(error.reason, 'refused_address', url)
    messages.add(error.message)
  }
  assert.equal(messages.size, 1)
  assert.equal(connections(), 0)
})

test('D31, check 21: a name is resolved once, and the address that was checked is the one connected to', async t => {
  const asked: string[] = []
  const { outgoing } = setUp(t, {
    resolve: async name => {
      asked.push(name)
      return asked.length === 1 ? ['127.0.0.1'] : ['10.0.0.1']
    },
  })
  const { port } = await serve(t, (request, response) => response.end(request.headers.host))
  const answer = await post(outgoing, `http://bot.example:${port}/`)
  assert.equal(answer.body.toString(), `bot.example:${port}`)
  assert.deepEqual(asked, ['bot.example'])
})

test('check 21: a name whose addresses are all refused is refused like an address', async t => {
  const { port, connections } = await serve(t, (_, response) => response.end())
  let found = ['127.0.0.1', '::1', '10.0.0.1']
  const { outgoing } = setUp(t, { allowPrivateTargets: ['192.168.7.0/24'], resolve: async () => found })
  assert.equal(await reasonOf(post(outgoing, `https://bot.example:${port}/`)), 'refused_address')
  assert.equal(await reasonOf(post(outgoing, `http://bot.example:${port}/`)), 'refused_address')
  found = ['1.1.1.1']
  assert.equal(await reasonOf(post(outgoing, `http://bot.example:${port}/`)), 'refused_address')
  assert.equal(connections(), 0)
})

test('check 21: of several addresses none is connected to that is refused', async t => {
  const { port, connections } = await serve(t, (_, response) => response.end('here'))
  const { outgoing } = setUp(t, {
    allowPrivateTargets: ['127.0.0.1'],
    resolve: async () => ['127.0.0.2', '::1', '127.0.0.1'],
  })
  assert.equal((await post(outgoing, `http://bot.example:${port}/`)).body.toString(), 'here')
  assert.equal(connections(), 1)
})

test('a name without addresses, or that cannot be resolved, is said to be so', async t => {
  const none = setUp(t, { resolve: async () => [] })
  assert.equal(await reasonOf(post(none.outgoing, 'https://bot.example/')), 'dns')
  const broken = setUp(t, { resolve: () => Promise.reject(new Error('SERVFAIL')) })
  assert.equal(await reasonOf(post(broken.outgoing, 'https://bot.example/')), 'dns')
})

test('D31, check 22: no redirect is followed, wherever it points to', async t => {
  const { outgoing } = setUp(t)
  const other = await serve(t, (_, response) => response.end())
  for (const status of [301, 302, 303, 307, 308]) {
    for (const location of [
      `http://127.0.0.1:${other.port}/`,
      'file:///etc/passwd',
      'gopher://127.0.0.1:6379/',
    ]) {
      const { port } = await serve(t, (_, response) => response.writeHead(status, { location }).end())
      assert.equal(await reasonOf(post(outgoing, `http://127.0.0.1:${port}/`)), 'redirect')
    }
  }
  assert.equal(other.connections(), 0)
})

test('D31, check 23: 256 KiB are read, one byte more is not', async t => {
  const { outgoing } = setUp(t)
  let size = maxEndpointAnswerBytes
  const { port } = await serve(t, (_, response) => {
    response.flushHeaders()
    response.end(Buffer.alloc(size))
  })
  const answer = await post(outgoing, `http://127.0.0.1:${port}/`)
  assert.equal(answer.body.length, maxEndpointAnswerBytes)
  size++
  assert.equal(await reasonOf(post(outgoing, `http://127.0.0.1:${port}/`)), 'too_large')
})

test('check 23: an endless body is cut, and its connection closed', async t => {
  const { outgoing } = setUp(t)
  let sent = 0
  const closed = Promise.withResolvers<void>()
  const { port } = await serve(t, (_, response) => {
    const chunk = Buffer.alloc(16 * 1024)
    const more = () => {
      do sent += chunk.length
      while (response.write(chunk))
    }
    response.on('drain', more)
    response.on('close', closed.resolve)
    more()
  })
  assert.equal(await reasonOf(post(outgoing, `http://127.0.0.1:${port}/`)), 'too_large')
  await closed.promise
  // What stood in the buffers of the sockets in between is all that was sent for nothing.
  assert.ok(sent < 32 * 1024 * 1024, `${sent} bytes`)
})

test('check 23: a body of 2 GB and a head without an end are refused by what is seen of them', async t => {
  const { outgoing } = setUp(t)
  const big = await serveSocket(t, socket => {
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2147483648\r\n\r\nx'))
  })
  assert.equal(await reasonOf(post(outgoing, `http://127.0.0.1:${big.port}/`)), 'too_large')
  const head = await serveSocket(t, socket => {
    socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(64 * 1024)}`))
  })
  assert.equal(await reasonOf(post(outgoing, `http://127.0.0.1:${head.port}/`)), 'too_large')
})

test('check 23: nothing is unpacked', async t => {
  const { outgoing } = setUp(t)
  const { port } = await serve(t, (_, response) => response.setHeader('content-encoding', 'gzip').end('bomb'))
  assert.equal(await reasonOf(post(outgoing, `http://127.0.0.1:${port}/`)), 'encoded')
})

test('D31, check 23: at the deadline it ends, whatever the other side does', async t => {
  for (const say of ['', 'HTTP/1.1 2', 'HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 200 OK\r\n\r\n{']) {
    const { outgoing, clock } = setUp(t)
    const said = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<void>()
    const { port } = await serveSocket(t, socket => {
      socket.on('close', closed.resolve)
      socket.once('data', () => {
        socket.write(say, () => said.resolve())
      })
    })
    const reason = reasonOf(post(outgoing, `http://127.0.0.1:${port}/`))
    await said.promise
    clock.advance(3000)
    assert.equal(await reason, 'timeout', say)
    await closed.promise
  }
})

test('check 23: bytes that come one by one put the deadline off by nothing', async t => {
  const { outgoing, clock } = setUp(t)
  const { port } = await serve(t, (_, response) => {
    const drip = () => {
      if (response.destroyed) return
      response.write('x')
      clock.advance(100)
      setImmediate(drip)
    }
    drip()
  })
  assert.equal(await reasonOf(post(outgoing, `http://127.0.0.1:${port}/`)), 'timeout')
})

test('a name that takes too long to resolve ends at the deadline too', async t => {
  const asked = Promise.withResolvers<void>()
  const { outgoing, clock } = setUp(t, {
    resolve: () => {
      asked.resolve()
      return new Promise(() => undefined)
    },
  })
  const reason = reasonOf(post(outgoing, 'https://bot.example/'))
  await asked.promise
  clock.advance(3000)
  assert.equal(await reason, 'timeout')
})

test('the deadline holds by the clock of the machine too', async t => {
  const outgoing = createOutgoing({ allowPrivateTargets: [loopback], resolve: noNames })
  t.after(() => outgoing.close())
  const { port } = await serve(t, () => undefined)
  const url = new URL(`http://127.0.0.1:${port}/`)
  assert.equal(await reasonOf(outgoing.post(url, { headers: {}, body: '', timeoutMs: 50 })), 'timeout')
})

test('connections that break off, and what is no HTTP, are said to be so', async t => {
  const { outgoing } = setUp(t)
  for (const say of [
    '',
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    'SSH-2.0-OpenSSH_9.9\r\n',
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  ]) {
    const { port } = await serveSocket(t, socket => {
      socket.once('data', () => socket.end(say))
    })
    assert.equal(await reasonOf(post(outgoing, `http://127.0.0.1:${port}/`)), 'broken', say)
  }
})

test('a port where nobody listens is said to be so, without its address', async t => {
  const { outgoing } = setUp(t)
  // TCP port 1 is a service that nobody runs any more (tcpmux).
  const error = await failure(post(outgoing, 'http://127.0.0.1:1/'))
  assert.equal(error.reason, 'connect')
  assert.equal(error.message, 'no connection could be made (ECONNREFUSED)')
})

test('a connection is used again while it is fresh', async t => {
  const { outgoing } = setUp(t)
  const { port, connections } = await serve(t, (_, response) => response.end('ok'))
  for (let turn = 0; turn < 3; turn++) await post(outgoing, `http://127.0.0.1:${port}/`)
  assert.equal(connections(), 1)
})

test('https asks for the name, and holds the certificate against it', async t => {
  const certificate = makeCertificate('bot.example')
  const names: unknown[] = []
  const { port } = await serve(
    t,
    (request, response) => {
      names.push('servername' in request.socket ? request.socket.servername : undefined, request.headers.host)
      response.end('ok')
    },
    certificate,
  )
  const resolve = async () => ['127.0.0.1']
  const trusting = setUp(t, { resolve, ca: certificate.cert })
  const answer = await post(trusting.outgoing, `https://bot.example:${port}/`)
  assert.equal(answer.body.toString(), 'ok')
  assert.deepEqual(names, ['bot.example', `bot.example:${port}`])

  const other = await failure(post(trusting.outgoing, `https://other.example:${port}/`))
  assert.equal(other.reason, 'tls')
  assert.match(other.message, /ERR_TLS_CERT_ALTNAME_INVALID/)
  const byAddress = await failure(post(trusting.outgoing, `https://127.0.0.1:${port}/`))
  assert.equal(byAddress.reason, 'tls')

  const { outgoing } = setUp(t, { resolve })
  const unknown = await failure(post(outgoing, `https://bot.example:${port}/`))
  assert.equal(unknown.reason, 'tls')
  assert.match(unknown.message, /DEPTH_ZERO_SELF_SIGNED_CERT/)
})

test('what does not speak TLS is no secure connection', async t => {
  const { outgoing } = setUp(t)
  const { port } = await serveSocket(t, socket => {
    socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  })
  assert.equal(await reasonOf(post(outgoing, `https://127.0.0.1:${port}/`)), 'tls')
})
