import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { test } from 'node:test'
import { createEndpoint } from './endpoint.ts'
import type { InteractionEvent } from './types.ts'

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
// The raw key is the end of its SPKI encoding (RFC 8410 §4; bots/endpoint-signature).
const publicHex = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex')

function request(
  body: string,
  change: { signed?: string; stamp?: string | null; method?: string } = {},
): Request {
  const stamp = '1768478400'
  const signature = sign(null, Buffer.from(stamp + (change.signed ?? body)), privateKey).toString('hex')
  const headers = new Headers({ 'content-type': 'application/json', 'x-signature-ed25519': signature })
  if (change.stamp !== null) headers.set('x-signature-timestamp', change.stamp ?? stamp)
  return new Request('https://bot.example.org/interactions', {
    method: change.method ?? 'POST',
    headers,
    ...(change.method === 'GET' ? {} : { body }),
  })
}

function start(handle?: (event: InteractionEvent, onFirstResponse: () => void) => Promise<void>) {
  const events: InteractionEvent[] = []
  const endpoint = createEndpoint({
    publicKey: publicHex,
    async handle(event, onFirstResponse) {
      events.push(event)
      await handle?.(event, onFirstResponse)
    },
  })
  return { endpoint, events }
}

test('returns 200 and pong for a ping', async () => {
  const { endpoint, events } = start()
  const response = await endpoint(request('{"type":"ping"}'))
  assert.equal(response.status, 200)
  assert.deepEqual(await response.json(), { type: 'pong' })
  assert.deepEqual(events, [])
})

test('returns 401 for a changed body or timestamp, and for a missing or invalid signature', async () => {
  const { endpoint, events } = start()
  const unsigned = new Request('https://bot.example.org/', { method: 'POST', body: '{"type":"ping"}' })
  const odd = request('{"type":"ping"}')
  odd.headers.set('x-signature-ed25519', 'zz'.repeat(64))
  for (const bad of [
    request('{"type":"command"}', { signed: '{"type":"ping"}' }),
    request('{"type":"ping"}', { stamp: '1768478401' }),
    request('{"type":"ping"}', { stamp: null }),
    unsigned,
    odd,
  ]) {
    assert.equal((await endpoint(bad)).status, 401)
  }
  assert.deepEqual(events, [])
})

test('returns 202 after the first response and passes the running handler to waitUntil', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { endpoint, events } = start((_, onFirstResponse) => {
    onFirstResponse()
    return promise
  })
  const work: Promise<unknown>[] = []
  const response = await endpoint(request('{"type":"command","id":"1"}'), {
    waitUntil: one => work.push(one),
  })
  assert.equal(response.status, 202)
  assert.deepEqual(events, [{ type: 'command', id: '1' }])
  assert.equal(work.length, 1)
  resolve()
  await Promise.all(work)
})

test('returns 202 if the handler ends without a response', async () => {
  const { endpoint } = start()
  assert.equal((await endpoint(request('{"type":"component"}'))).status, 202)
})

test('returns 400 for a signed body that is not JSON', async () => {
  const { endpoint } = start()
  assert.equal((await endpoint(request('ping'))).status, 400)
})

test('returns 405 for other methods', async () => {
  const { endpoint } = start()
  const response = await endpoint(request('', { method: 'GET' }))
  assert.deepEqual([response.status, response.headers.get('allow')], [405, 'POST'])
})

test('throws if the public key is missing or invalid', async () => {
  const handle = async () => {}
  await assert.rejects(createEndpoint({ publicKey: undefined, handle })(request('{}')), /publicKey/)
  await assert.rejects(createEndpoint({ publicKey: 'abc', handle })(request('{}')), /64 hex/)
})
