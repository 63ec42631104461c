import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { test } from 'node:test'
import { createApplication } from '@gatehouse/testkit/applications'
import { register } from '@gatehouse/testkit/community'
import { listenHttp } from '@gatehouse/testkit/listen'
import {
  eachService,
  startService,
  type TestClient,
  type TestResponse,
  type TestService,
} from '@gatehouse/testkit/service'
import { createSealer } from '../kit/seal.ts'
import { isSigned, serveEndpoint } from './applications-testing.ts'
import { createRequestSigner, generateSigningKeys, signingKeyContext } from './request-signature.ts'

const local = { env: { ALLOW_PRIVATE_TARGETS: '127.0.0.0/8' } }

async function setUp(service: TestService) {
  const { client } = await register(service, 'ana')
  const { id, publicKey } = await createApplication(client)
  const path = `/api/applications/${id}`
  const put = (interactionsEndpointUrl: unknown, more: object = {}) =>
    client.json('PATCH', path, { interactionsEndpointUrl, ...more })
  const storedUrl = async () => (await client.json('GET', path)).body.interactionsEndpointUrl
  return { client, path, publicKey, put, storedUrl }
}

/** The only field error, of `interactionsEndpointUrl`. */
function fieldErrorOf(reply: TestResponse): { code: string; message: string } {
  assert.equal(reply.status, 400, reply.text)
  assert.equal(reply.body.code, 'validation_failed')
  assert.equal(reply.body.errors.length, 1)
  const [{ path, code, message }] = reply.body.errors
  assert.equal(path, 'interactionsEndpointUrl')
  return { code, message }
}

eachService(
  'stores an endpoint that responds to the signed ping and rejects the other ' +
    '(bots/outgoing-requests, bots/endpoint-failures)',
  async (t, service) => {
    const { publicKey, put, storedUrl } = await setUp(service)
    const endpoint = await serveEndpoint(t)
    endpoint.publicKey = publicKey
    const reply = await put(endpoint.url, { name: 'Dice 2' })
    assert.equal(reply.status, 200, reply.text)
    assert.equal(reply.body.interactionsEndpointUrl, endpoint.url)
    assert.equal(reply.body.name, 'Dice 2')
    assert.equal(await storedUrl(), endpoint.url)
    assert.deepEqual(endpoint.received, ['{"type":"ping"}'])
    assert.equal(endpoint.rejected, 1)
    // A change of another field sends no ping.
    const other = await put(undefined, { description: 'Rolls' })
    assert.equal(other.body.interactionsEndpointUrl, endpoint.url)
    assert.equal(endpoint.received.length, 1)
  },
  local,
)

eachService(
  '"" and null remove the endpoint without a request (community/validation)',
  async (t, service) => {
    const { publicKey, put, storedUrl } = await setUp(service)
    const endpoint = await serveEndpoint(t)
    endpoint.publicKey = publicKey
    for (const empty of ['', null]) {
      assert.equal((await put(endpoint.url)).status, 200)
      const pings = endpoint.received.length
      const reply = await put(empty)
      assert.equal(reply.status, 200, reply.text)
      assert.equal(reply.body.interactionsEndpointUrl, null)
      assert.equal(await storedUrl(), null)
      assert.equal(endpoint.received.length, pings)
    }
  },
  local,
)

eachService(
  'the rate of endpoint checks counts those of an account with all its applications (limits/rates)',
  async (t, service) => {
    const { client, publicKey, put } = await setUp(service)
    const endpoint = await serveEndpoint(t)
    endpoint.publicKey = publicKey
    const other = await createApplication(client)
    const putOther = () =>
      client.json('PATCH', `/api/applications/${other.id}`, { interactionsEndpointUrl: endpoint.url })
    for (let i = 0; i < 10; i++) {
      assert.equal((await put(endpoint.url)).status, 200)
      // The key of the first application does not verify its signature.
      assert.equal((await putOther()).status, 400)
    }
    for (const reply of [await put(endpoint.url), await putOther()]) {
      assert.deepEqual([reply.status, reply.headers.get('retry-after')], [429, '600'])
    }
    assert.equal(endpoint.received.length, 10)
    assert.equal(endpoint.rejected, 20)
    assert.equal((await put('nonsense')).status, 400)
    assert.equal((await put(null, { name: 'Dice 3' })).status, 200)
    service.clock.advance(600_000)
    assert.equal((await put(endpoint.url)).status, 200)
  },
  { env: { ...local.env, RATE_LIMITS: 'requests=1000/1,endpointChecks=20/600' } },
)

eachService(
  'rejects invalid URLs with invalid_url (community/validation)',
  async (_t, service) => {
    const { put, storedUrl } = await setUp(service)
    for (const url of [
      'nonsense',
      '/interactions',
      'ftp://bot.example/',
      'javascript:alert(1)',
      'https:bot.example',
      'https://user:password@bot.example/',
      'https://bot.example/#here',
      'https://',
      'https://x;sandbox;y.example/',
      'https://a_b.example/',
      // (bots/endpoint-url)
      'http://1.1.1.1/',
      'http://10.0.0.1/',
      'http://[::1]/',
    ]) {
      assert.equal(fieldErrorOf(await put(url)).code, 'invalid_url', url)
    }
    assert.equal(fieldErrorOf(await put(`https://bot.example/${'x'.repeat(2048)}`)).code, 'too_long')
    assert.equal(await storedUrl(), null)
  },
  local,
)

test('rejects private addresses and unknown names with the same error (bots/outgoing-address-forms)', async t => {
  const service = await startService(t)
  const { put, storedUrl } = await setUp(service)
  const { port, connections } = await listenHttp(t, (_, response) => response.end('{"type":"pong"}'))
  const messages = new Set<string>()
  for (const host of [
    ...['127.0.0.1', '10.0.0.1', '172.16.0.1', '192.168.0.1', '169.254.169.254', '100.64.0.1', '0.0.0.0'],
    ...['[::1]', '[fc00::1]', '[fe80::1]', '2130706433', '0x7f.1', '0177.0.0.1', '127.1', '１２７.0.0.1'],
    ...['[::ffff:127.0.0.1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[::127.0.0.1]', 'localhost'],
    // A name that does not exist (RFC 6761 §6.4).
    'nowhere.invalid',
  ]) {
    const { code, message } = fieldErrorOf(await put(`https://${host}:${port}/`))
    assert.equal(code, 'endpoint_unreachable', host)
    messages.add(message)
    assert.equal(fieldErrorOf(await put(`http://${host}:${port}/`)).code, 'invalid_url', host)
  }
  assert.deepEqual(
    [...messages],
    [
      'could not be reached: its host name does not exist or its IP address is not allowed; ' +
        'ALLOW_PRIVATE_TARGETS permits private IP addresses',
    ],
  )
  assert.equal(connections(), 0)
  assert.equal(await storedUrl(), null)
})

eachService(
  'rejects an endpoint that responds incorrectly to a ping, with the reason (bots/endpoint-failures)',
  async (t, service) => {
    const { put, storedUrl } = await setUp(service)
    let answer: (response: ServerResponse) => void = () => undefined
    const { port } = await listenHttp(t, (_, response) => answer(response))
    const url = `http://127.0.0.1:${port}/`
    for (const [code, message, respond] of [
      ['endpoint_ping_failed', /with status 200, not 401/, r => r.writeHead(401).end()],
      ['endpoint_ping_failed', /with status 200, not 500/, r => r.writeHead(500).end()],
      ['endpoint_ping_failed', /with status 200, not 204/, r => r.writeHead(204).end()],
      ['endpoint_ping_failed', /must respond to a signed ping with {"type":"pong"}/, r => r.end()],
      ['endpoint_ping_failed', /must respond to a signed ping with {"type":"pong"}/, r => r.end('pong')],
      [
        'endpoint_ping_failed',
        /must respond to a signed ping with {"type":"pong"}/,
        r => r.end('{"type":1}'),
      ],
      [
        'endpoint_ping_failed',
        /redirect, which is not followed \(307\)/,
        r => r.writeHead(307, { location: '/' }).end(),
      ],
      ['endpoint_ping_failed', /too large/, r => r.end('x'.repeat(256 * 1024 + 1))],
      ['endpoint_ping_failed', /compressed/, r => r.setHeader('content-encoding', 'gzip').end('x')],
      ['endpoint_signature_unchecked', /with status 401, not 200/, r => r.end('{"type":"pong"}')],
      [
        'endpoint_unreachable',
        /the connection was closed before the response was complete/,
        r => r.destroy(),
      ],
      ['endpoint_unreachable', /did not respond in time/, () => service.clock.advance(3000)],
    ] as [string, RegExp, (response: ServerResponse) => void][]) {
      answer = respond
      const fieldError = fieldErrorOf(await put(url))
      assert.equal(fieldError.code, code, fieldError.message)
      assert.match(fieldError.message, message)
    }
    assert.equal(fieldErrorOf(await put('http://127.0.0.1:1/')).code, 'endpoint_unreachable')
    assert.equal(await storedUrl(), null)
  },
  local,
)

eachService(
  'rejects an endpoint that fails on the second ping',
  async (t, service) => {
    const { put } = await setUp(service)
    let turn = 0
    const { port } = await listenHttp(t, (_, response) => {
      if (++turn % 2 === 1) response.end('{"type":"pong"}')
      else response.destroy()
    })
    assert.equal(fieldErrorOf(await put(`http://127.0.0.1:${port}/`)).code, 'endpoint_unreachable')
    assert.equal(turn, 2)
  },
  local,
)

eachService(
  'sends no ping for the application of another user and for an invalid request',
  async (t, service) => {
    const { client, path, put } = await setUp(service)
    const { port, connections } = await listenHttp(t, (_, response) => response.end())
    const body = { interactionsEndpointUrl: `http://127.0.0.1:${port}/` }
    const other: TestClient = (await register(service, 'boris')).client
    assert.equal((await other.json('PATCH', path, body)).status, 404)
    assert.equal((await client.json('PATCH', '/api/applications/1', body)).status, 404)
    assert.equal((await put(body.interactionsEndpointUrl, { redirectUris: ['nonsense'] })).status, 400)
    assert.equal((await put(body.interactionsEndpointUrl, { allowLoopbackPort: true })).status, 400)
    assert.equal(connections(), 0)
  },
  local,
)

eachService(
  '404 if the application is deleted while its endpoint is verified',
  async (t, service) => {
    const { client, path, publicKey, put } = await setUp(service)
    let turn = 0
    const { port } = await listenHttp(t, async (request: IncomingMessage, response) => {
      let body = ''
      for await (const chunk of request.setEncoding('utf8')) body += chunk
      if (++turn === 1) assert.equal((await client.json('DELETE', path)).status, 204)
      if (isSigned(publicKey, request.headers, body)) response.end('{"type":"pong"}')
      else response.writeHead(401).end()
    })
    assert.equal((await put(`http://127.0.0.1:${port}/`)).status, 404)
    assert.equal(turn, 2)
  },
  local,
)

test('the signature covers timestamp and body, by the key of its application (bots/endpoint-signature)', () => {
  const sealer = createSealer(Buffer.alloc(32, 7))
  const sign = createRequestSigner({ sealer, clock: () => 1_768_478_400_999 })
  const make = (id: string) => {
    const { publicKey, privateKey } = generateSigningKeys()
    return { id, publicKey, privateKeySealed: sealer.seal(privateKey, signingKeyContext(id)) }
  }
  const [one, two] = [make('1'), make('2')]
  for (let turn = 0; turn < 2; turn++) {
    const signed = sign(one, '{"a":"é"}')
    assert.equal(signed['X-Signature-Timestamp'], '1768478400')
    const headers = {
      'x-signature-ed25519': signed['X-Signature-Ed25519'],
      'x-signature-timestamp': signed['X-Signature-Timestamp'],
    }
    assert.equal(isSigned(one.publicKey, headers, '{"a":"é"}'), true)
    assert.equal(isSigned(one.publicKey, headers, '{"a":"e"}'), false)
    assert.equal(
      isSigned(one.publicKey, { ...headers, 'x-signature-timestamp': '1768478401' }, '{"a":"é"}'),
      false,
    )
    assert.equal(isSigned(two.publicKey, headers, '{"a":"é"}'), false)
  }
  assert.throws(() => sign({ ...one, id: '2' }, '{}'), { name: 'DecryptionError' })
})
