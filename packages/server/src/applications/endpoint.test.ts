import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { test } from 'node:test'
import { createSealer } from '../kit/seal.ts'
import { serve } from '../outgoing/testing.ts'
import { register } from '../platform/testing.ts'
import { type Client, eachService, type Reply, startService, type TestService } from '../testing.ts'
import { createRequestSigner, keyContext, makeKeys } from './signature.ts'
import { isSigned, serveEndpoint } from './testing.ts'

const local = { env: { ALLOW_PRIVATE_TARGETS: '127.0.0.0/8' } }

async function setUp(service: TestService) {
  const { client } = await register(service, 'ana')
  const made = await client.json('POST', '/api/applications', { name: 'Dice', type: 'confidential' })
  assert.equal(made.status, 201, made.text)
  const path = `/api/applications/${made.body.id}`
  const publicKey: string = made.body.publicKey
  const put = (interactionsEndpointUrl: unknown, more: object = {}) =>
    client.json('PATCH', path, { interactionsEndpointUrl, ...more })
  const kept = async () => (await client.json('GET', path)).body.interactionsEndpointUrl
  return { client, path, publicKey, put, kept }
}

/** What is wrong, as its code; it is at the one place where it can be. */
function faultOf(reply: Reply): { code: string; message: string } {
  assert.equal(reply.status, 400, reply.text)
  assert.equal(reply.body.code, 'validation_failed')
  assert.equal(reply.body.errors.length, 1)
  const [{ path, code, message }] = reply.body.errors
  assert.equal(path, 'interactionsEndpointUrl')
  return { code, message }
}

eachService(
  'checks 25, 83: an endpoint that answers one ping and refuses the other is kept',
  async (t, service) => {
    const { publicKey, put, kept } = await setUp(service)
    const endpoint = await serveEndpoint(t)
    endpoint.publicKey = publicKey
    const reply = await put(endpoint.url, { name: 'Dice 2' })
    assert.equal(reply.status, 200, reply.text)
    assert.equal(reply.body.interactionsEndpointUrl, endpoint.url)
    assert.equal(reply.body.name, 'Dice 2')
    assert.equal(await kept(), endpoint.url)
    assert.deepEqual(endpoint.received, ['{"type":"ping"}'])
    assert.equal(endpoint.refused, 1)
    // What does not name it leaves it, and asks nothing.
    const other = await put(undefined, { description: 'Rolls' })
    assert.equal(other.body.interactionsEndpointUrl, endpoint.url)
    assert.equal(endpoint.received.length, 1)
  },
  local,
)

eachService(
  'D57: "" and null remove the endpoint, without a request',
  async (t, service) => {
    const { publicKey, put, kept } = await setUp(service)
    const endpoint = await serveEndpoint(t)
    endpoint.publicKey = publicKey
    for (const nothing of ['', null]) {
      assert.equal((await put(endpoint.url)).status, 200)
      const pings = endpoint.received.length
      const reply = await put(nothing)
      assert.equal(reply.status, 200, reply.text)
      assert.equal(reply.body.interactionsEndpointUrl, null)
      assert.equal(await kept(), null)
      assert.equal(endpoint.received.length, pings)
    }
  },
  local,
)

eachService(
  'D57: what cannot be an endpoint is invalid_url',
  async (_t, service) => {
    const { put, kept } = await setUp(service)
    for (const url of [
      'nonsense',
      '/interactions',
      'ftp://bot.example/',
      'javascript:alert(1)',
      'https:bot.example',
      'https://user:password@bot.example/',
      'https://bot.example/#here',
      'https://',
      // D50
      'http://1.1.1.1/',
      'http://10.0.0.1/',
      'http://[::1]/',
    ]) {
      assert.equal(faultOf(await put(url)).code, 'invalid_url', url)
    }
    assert.equal(faultOf(await put(`https://bot.example/${'x'.repeat(2048)}`)).code, 'too_long')
    assert.equal(await kept(), null)
  },
  local,
)

test('checks 18 to 20, 24: an internal address is refused, however it is written, with one error', async t => {
  const service = await startService(t)
  const { put, kept } = await setUp(service)
  const { port, connections } = await serve(t, (_, response) => response.end('{"type":"pong"}'))
  const messages = new Set<string>()
  for (const host of [
    ...['127.0.0.1', '10.0.0.1', '172.16.0.1', '192.168.0.1', '169.254.169.254', '100.64.0.1', '0.0.0.0'],
    ...['[::1]', '[fc00::1]', '[fe80::1]', '2130706433', '0x7f.1', '0177.0.0.1', '127.1', '１２７.0.0.1'],
    ...['[::ffff:127.0.0.1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[::127.0.0.1]', 'localhost'],
  ]) {
    const { code, message } = faultOf(await put(`https://${host}:${port}/`))
    assert.equal(code, 'endpoint_unreachable', host)
    messages.add(message)
    assert.equal(faultOf(await put(`http://${host}:${port}/`)).code, 'invalid_url', host)
  }
  assert.deepEqual(
    [...messages],
    [
      'could not be reached: it is at an address that this service does not reach; ALLOW_PRIVATE_TARGETS opens private ones',
    ],
  )
  assert.equal(connections(), 0)
  assert.equal(await kept(), null)
})

eachService(
  'check 83: an endpoint that does not answer the ping as it must is refused with what it did',
  async (t, service) => {
    const { put, kept } = await setUp(service)
    let answer: (response: ServerResponse) => void = () => undefined
    const { port } = await serve(t, (_, response) => answer(response))
    const url = `http://127.0.0.1:${port}/`
    for (const [code, message, doThis] of [
      ['endpoint_ping_failed', /with the status 401 instead of 200/, r => r.writeHead(401).end()],
      ['endpoint_ping_failed', /with the status 500 instead of 200/, r => r.writeHead(500).end()],
      ['endpoint_ping_failed', /with the status 204 instead of 200/, r => r.writeHead(204).end()],
      ['endpoint_ping_failed', /something else than {"type":"pong"}/, r => r.end()],
      ['endpoint_ping_failed', /something else than {"type":"pong"}/, r => r.end('pong')],
      ['endpoint_ping_failed', /something else than {"type":"pong"}/, r => r.end('{"type":1}')],
      [
        'endpoint_ping_failed',
        /redirect, which is not followed \(307\)/,
        r => r.writeHead(307, { location: '/' }).end(),
      ],
      ['endpoint_ping_failed', /too large/, r => r.end('x'.repeat(256 * 1024 + 1))],
      ['endpoint_ping_failed', /compressed/, r => r.setHeader('content-encoding', 'gzip').end('x')],
      ['endpoint_signature_unchecked', /with the status 200 instead of 401/, r => r.end('{"type":"pong"}')],
      ['endpoint_unreachable', /the connection broke off/, r => r.destroy()],
      ['endpoint_unreachable', /did not answer in time/, () => service.clock.advance(3000)],
    ] as [string, RegExp, (response: ServerResponse) => void][]) {
      answer = doThis
      const fault = faultOf(await put(url))
      assert.equal(fault.code, code, fault.message)
      assert.match(fault.message, message)
    }
    assert.equal(faultOf(await put('http://127.0.0.1:1/')).code, 'endpoint_unreachable')
    assert.equal(await kept(), null)
  },
  local,
)

eachService(
  'the wrongly signed ping may fail too',
  async (t, service) => {
    const { put } = await setUp(service)
    let turn = 0
    const { port } = await serve(t, (_, response) => {
      if (++turn % 2 === 1) response.end('{"type":"pong"}')
      else response.destroy()
    })
    assert.equal(faultOf(await put(`http://127.0.0.1:${port}/`)).code, 'endpoint_unreachable')
    assert.equal(turn, 2)
  },
  local,
)

eachService(
  'nobody has pings sent for what is not theirs, or what is refused without them',
  async (t, service) => {
    const { client, path, put } = await setUp(service)
    const { port, connections } = await serve(t, (_, response) => response.end())
    const body = { interactionsEndpointUrl: `http://127.0.0.1:${port}/` }
    const other: Client = (await register(service, 'boris')).client
    assert.equal((await other.json('PATCH', path, body)).status, 404)
    assert.equal((await service.client().json('PATCH', path, body)).status, 401)
    assert.equal((await client.json('PATCH', '/api/applications/1', body)).status, 404)
    assert.equal((await put(body.interactionsEndpointUrl, { redirectUris: ['nonsense'] })).status, 400)
    assert.equal((await put(body.interactionsEndpointUrl, { allowLoopbackPort: true })).status, 400)
    assert.equal(connections(), 0)
  },
  local,
)

eachService(
  'an application that is deleted while its endpoint is tried is gone',
  async (t, service) => {
    const { client, path, publicKey, put } = await setUp(service)
    let turn = 0
    const { port } = await serve(t, async (request: IncomingMessage, response) => {
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

test('D51: the signature covers the seconds and the body, by the key of the application alone', () => {
  const sealer = createSealer(Buffer.alloc(32, 7))
  const sign = createRequestSigner({ sealer, clock: () => 1_768_478_400_999 })
  const make = (id: string) => {
    const { publicKey, privateKey } = makeKeys()
    return { id, publicKey, privateKeySealed: sealer.seal(privateKey, keyContext(id)) }
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
  assert.throws(() => sign({ ...one, id: '2' }, '{}'), { name: 'SealBroken' })
})
