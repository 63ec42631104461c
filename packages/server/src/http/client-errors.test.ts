import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { appWith } from '@gatehouse/testkit/app'
import type { ErrorFormat } from './error-formats.ts'
import { noContent, type Route } from './route.ts'
import { testRoute } from './route-testing.ts'

const token = 't'.repeat(68)
const path = `/api/webhooks/1/${token}`

const errorFormat: ErrorFormat = ({ status, message }) => ({ status, body: { code: 0, message } })

const webhook = testRoute('POST /api/webhooks/:id/:token', {
  summary: 'Posts',
  tag: 'Operation',
  caller: { anonymous: true },
  bodyTypes: ['any'],
  responses: { 204: null },
  errorFormat,
  handle: async () => noContent(),
})

/** Sends the parts one after another, and resolves to the received data when the connection is closed. */
async function exchange(port: number, ...parts: string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.setEncoding('latin1').on('data', chunk => {
    answer += chunk
  })
  const closed = new Promise<void>((resolve, reject) => {
    socket.once('close', () => resolve()).once('error', reject)
  })
  for (const part of parts) await new Promise(resolve => socket.write(part, resolve))
  await closed
  return answer
}

async function listen(t: TestContext, ...routes: Route[]) {
  const { app, log } = await appWith(...routes)
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.after(() => app.close())
  const address = app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { app, log, port }
}

/** Parses a response into its status, its headers in lower case, and its body. */
function parse(answer: string): { status: number; headers: Map<string, string>; body: string } {
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  const [line = '', ...fields] = head.split('\r\n')
  const headers = new Map(
    fields.map(field => [
      field.slice(0, field.indexOf(':')).toLowerCase(),
      field.slice(field.indexOf(':') + 1).trim(),
    ]),
  )
  assert.equal(Number(headers.get('content-length')), body.length, answer)
  return { status: Number(line.split(' ')[1]), headers, body }
}

const long = 'x'.repeat(50_000)

for (const [what, request, status, body] of [
  [
    'no request line',
    'hello\r\n\r\n',
    400,
    { code: 'malformed_request', message: 'The request is malformed.' },
  ],
  [
    'header fields that are too large',
    `GET /api/x HTTP/1.1\r\nHost: x\r\nX-Long: ${long}\r\n\r\n`,
    431,
    { code: 'headers_too_large', message: 'The URL and the header fields are too large.' },
  ],
  [
    'a URL that is too long',
    `GET /api/x?${long} HTTP/1.1\r\nHost: x\r\n\r\n`,
    431,
    { code: 'headers_too_large', message: 'The URL and the header fields are too large.' },
  ],
  [
    'header fields that are too large, for a webhook',
    `POST ${path} HTTP/1.1\r\nHost: x\r\nX-Long: ${long}\r\n\r\n`,
    431,
    { code: 0, message: 'The URL and the header fields are too large.' },
  ],
  [
    'two lengths',
    'POST /api/x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    400,
    { code: 'malformed_request', message: 'The request is malformed.' },
  ],
  [
    'CONNECT',
    'CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n',
    405,
    { code: 'method_not_allowed', message: 'CONNECT is not supported here.' },
  ],
] as const) {
  test(`${what}: ${status} with a body, then the connection is closed`, async t => {
    const { log, port } = await listen(t, webhook)
    const reply = parse(await exchange(port, request))
    assert.equal(reply.status, status)
    assert.deepEqual(JSON.parse(reply.body), body)
    assert.equal(reply.headers.get('content-type'), 'application/json')
    assert.equal(reply.headers.get('connection'), 'close')
    assert.equal(reply.headers.get('x-content-type-options'), 'nosniff')
    assert.equal(log.join('').includes('"level":50'), false)
    assert.equal(log.join('').includes(token), false)
  })
}

test('a header that is not complete in time is 408', async t => {
  const { app, port } = await listen(t)
  app.server.headersTimeout = 1
  const reply = parse(await exchange(port, 'GET /api/x HTTP/1.1\r\nHost:'))
  assert.equal(reply.status, 408)
  assert.equal(reply.headers.get('content-type'), 'application/json')
  assert.equal(JSON.parse(reply.body).code, 'request_timeout')
})

for (const [what, target, expected] of [
  ['of a webhook', path, { code: 0, message: 'The request is malformed.' }],
  ['of a native route', '/api/notes', { code: 'malformed_request', message: 'The request is malformed.' }],
] as const) {
  test(`a malformed chunk in the body ${what} is 400 in its format`, async t => {
    const native = testRoute('POST /api/notes', {
      summary: 'Notes',
      tag: 'Operation',
      caller: { anonymous: true },
      responses: { 204: null },
      handle: async () => noContent(),
    })
    const { port } = await listen(t, webhook, native)
    const head =
      `POST ${target} HTTP/1.1\r\nHost: x\r\nContent-Type: ` +
      'application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
    // In one packet the error occurs before the body is read, in two after it.
    for (const parts of [[`${head}2\r\n{}\r\nZZ\r\n`], [`${head}2\r\n{}\r\n`, 'ZZ\r\n']]) {
      const reply = parse(await exchange(port, ...parts))
      assert.equal(reply.status, 400)
      assert.deepEqual(JSON.parse(reply.body), expected)
      assert.equal(reply.headers.get('connection'), 'close')
    }
  })
}

test('an error in the data after a request does not replace its response', async t => {
  const slow = Promise.withResolvers<void>()
  const waits = testRoute('GET /api/slow', {
    summary: 'Waits',
    tag: 'Operation',
    caller: { anonymous: true },
    responses: { 204: null },
    handle: async () => {
      await slow.promise
      return noContent()
    },
  })
  const { app, port } = await listen(t, waits)
  app.server.once('clientError', () => setImmediate(slow.resolve))
  const answers = await exchange(port, 'GET /api/slow HTTP/1.1\r\nHost: x\r\n\r\n', 'hello\r\n\r\n')
  const [first = '', second = ''] = answers.split(/(?<=\r\n\r\n)(?=HTTP)/)
  assert.match(first, /^HTTP\/1\.1 204 /)
  assert.equal(parse(second).status, 400)
})

test('an HTTP/1.1 request without Host is 400 in the error format of its route; HTTP/1.0 requires no Host', async t => {
  const { port } = await listen(t, webhook)
  const missing = parse(
    await exchange(port, `POST ${path} HTTP/1.1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`),
  )
  assert.equal(missing.status, 400)
  assert.deepEqual(JSON.parse(missing.body), { code: 0, message: 'The Host header field is missing.' })
  assert.match(await exchange(port, `POST ${path} HTTP/1.0\r\nContent-Length: 0\r\n\r\n`), /^HTTP\/1\.1 204 /)
})

test('an unknown expectation is ignored (RFC 9110 §10.1.1)', async t => {
  const { port } = await listen(t, webhook)
  const request = `POST ${path} HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`
  assert.match(await exchange(port, request), /^HTTP\/1\.1 204 /)
})

test('a request that arrives while the service stops is 503 in the error format of its route', async t => {
  const { app, port } = await listen(t, webhook)
  const socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  let answers = ''
  socket.setEncoding('latin1').on('data', chunk => {
    answers += chunk
  })
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()))
  // The header is read before the service stops, so that the connection is not idle.
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n`
  const first = new Promise(resolve => app.server.once('request', resolve))
  socket.write(head)
  await first
  const stopped = app.close()
  socket.write(`{}${head}{}`)
  await Promise.all([closed, stopped])
  const second = answers.split(/(?<=\r\n\r\n)(?=HTTP)/).at(-1) ?? ''
  assert.match(second, /^HTTP\/1\.1 503 /)
  assert.deepEqual(JSON.parse(parse(second).body), { code: 0, message: 'The service is stopping.' })
})
