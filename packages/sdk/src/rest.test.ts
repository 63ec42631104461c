import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { type TestContext, test } from 'node:test'
import { inspect } from 'node:util'
import { listenHttp } from '@gatehouse/testkit/listen'
import { systemClock } from './clock.ts'
import {
  ApiError,
  createApiError,
  GatehouseError,
  InvalidError,
  LateError,
  UnreachableError,
} from './errors.ts'
import { createRest } from './rest.ts'
import { createTestClock } from './test-clock.ts'

/** A server that uses the given listeners in order, and a client that records delays instead of waiting. */
async function start(t: TestContext, ...listeners: RequestListener[]) {
  const retries: string[] = []
  const requests: { method: string; url: string; body: string; authorization: string }[] = []
  const { url } = await listenHttp(t, async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { method = '', url = '', headers } = request
    requests.push({ method, url, body, authorization: headers.authorization ?? '' })
    listeners[Math.min(requests.length, listeners.length) - 1]?.(request, response)
  })
  const delays: number[] = []
  const rest = createRest({
    url: `${url}/`,
    authorization: 'Bot gbt_x',
    fetch,
    clock: systemClock,
    timers: {
      after(ms, work) {
        // The timeout of a request is not tested here.
        if (ms === 15_000) return () => {}
        delays.push(ms)
        queueMicrotask(work)
        return () => {}
      },
    },
    onRetry: (name, reason, delayMs) => retries.push(`${name}: ${reason}, ${delayMs}`),
    createError: createApiError,
  })
  return { rest, requests, delays, retries }
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): RequestListener {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }
}

test('sends the credential and JSON, and parses the response', async t => {
  const { rest, requests } = await start(t, json(200, { id: '1' }))
  const response = await rest({ method: 'POST', path: '/api/x', name: 'POST x', body: { a: 1 } })
  assert.deepEqual(response, { status: 200, body: { id: '1' } })
  assert.deepEqual(requests, [{ method: 'POST', url: '/api/x', body: '{"a":1}', authorization: 'Bot gbt_x' }])
})

test('returns no body for 204', async t => {
  const { rest } = await start(t, (_, response) => response.writeHead(204).end())
  assert.deepEqual(await rest({ method: 'DELETE', path: '/api/x', name: 'DELETE x' }), {
    status: 204,
    body: undefined,
  })
})

test('400 throws InvalidError with field errors', async t => {
  const errors = [
    { path: 'data.embeds[0].title', code: 'too_long', message: 'must have at most 256 characters' },
  ]
  const { rest } = await start(t, json(400, { code: 'validation_failed', message: 'Invalid.', errors }))
  await assert.rejects(rest({ method: 'POST', path: '/api/x', name: 'POST callback' }), error => {
    assert.ok(error instanceof InvalidError)
    assert.deepEqual(error.fieldErrors, errors)
    assert.match(
      error.message,
      /POST callback: Invalid\.\n {2}data\.embeds\[0\]\.title: must have at most 256/,
    )
    return true
  })
})

test('410 throws LateError', async t => {
  const { rest } = await start(t, json(410, { code: 'interaction_timed_out', message: 'Late.' }))
  await assert.rejects(rest({ method: 'POST', path: '/api/x', name: 'POST callback' }), LateError)
})

test('calls onRetry with the reason and the delay', async t => {
  const busy = json(503, { code: 'unavailable', message: 'Starting.' }, { 'retry-after': '2' })
  const broken: RequestListener = request => request.socket.destroy()
  const { rest, retries } = await start(t, busy, busy, json(200, {}))
  await rest({ method: 'GET', path: '/api/x', name: 'GET x' })
  const retry = 'GET x: the service returned 503, 2000'
  assert.deepEqual(retries, [retry, retry])
  const other = await start(t, broken)
  await assert.rejects(other.rest({ method: 'GET', path: '/api/x', name: 'GET x' }), UnreachableError)
  for (const [index, retry] of other.retries.entries()) {
    const delay = 1000 * 2 ** index
    assert.match(
      retry,
      new RegExp(`^GET x: http://127\\.0\\.0\\.1:\\d+ could not be reached \\(\\w+\\), ${delay}$`),
    )
  }
  assert.equal(other.retries.length, 4)
})

test('throws UnreachableError without the path after 30 seconds without a response', async () => {
  const clock = createTestClock()
  const startedAt = clock.now()
  const secret = 'git_secret'
  const retries: string[] = []
  const rest = createRest({
    url: 'https://chat.example.org',
    // Some runtimes repeat the URL in their errors.
    fetch: (address, init) =>
      new Promise((_, reject) => {
        init?.signal?.addEventListener('abort', () =>
          reject(Object.assign(init.signal?.reason, { url: `${address}` })),
        )
      }),
    clock: clock.now,
    timers: clock.timers,
    onRetry: (name, reason, delayMs) => retries.push(`${name}: ${reason}, ${delayMs}`),
    createError: createApiError,
  })
  let endedAt = 0
  const result = rest({ method: 'GET', path: `/api/${secret}`, name: 'GET x' }).catch((error: unknown) => {
    endedAt = clock.now()
    return error
  })
  await clock.advance(60_000)
  const error = await result
  assert.ok(error instanceof UnreachableError)
  assert.equal(endedAt - startedAt, 30_000)
  assert.equal(
    error.message,
    'GET x: https://chat.example.org could not be reached (no response within 14 s)',
  )
  assert.deepEqual(retries, [
    'GET x: https://chat.example.org could not be reached (no response within 15 s), 1000',
  ])
  assert.doesNotMatch(inspect(error, { depth: Number.POSITIVE_INFINITY }), /secret/)
})

test('reports the cause of a network error without the URL', async () => {
  const address = 'http://localhost:1/api/webhooks/1/secret'
  const text = `error sending request for url (${address}): client error (Connect)`
  const causes: [string, unknown][] = [
    [
      'ECONNREFUSED',
      new TypeError('x', { cause: Object.assign(new Error(address), { code: 'ECONNREFUSED' }) }),
    ],
    ['ENOTFOUND', Object.assign(new Error(address), { code: 'ENOTFOUND' })],
    [
      'Connection refused',
      new TypeError('x', {
        cause: new Error(`${text}: tcp connect error: Connection refused (os error 111)`),
      }),
    ],
    ['dns error', new TypeError('x', { cause: new Error(`${text}: dns error: failed to look it up`) })],
    ['TypeError', new TypeError(text)],
    ['no response', address],
  ]
  for (const [cause, thrown] of causes) {
    const { now: clock, timers } = createTestClock()
    const failingFetch = async () => {
      throw thrown
    }
    const rest = createRest({
      url: 'http://localhost:1',
      fetch: failingFetch,
      clock,
      timers,
      createError: createApiError,
    })
    await assert.rejects(rest({ method: 'POST', path: '/api/webhooks/1/secret', name: 'POST x' }), error => {
      assert.ok(error instanceof UnreachableError)
      assert.equal(error.message, `POST x: http://localhost:1 could not be reached (${cause})`)
      assert.doesNotMatch(inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true }), /secret/)
      return true
    })
  }
})

test('throws on a redirect and does not follow it', async t => {
  const { rest, requests } = await start(t, (_, response) =>
    response.writeHead(301, { location: '/elsewhere' }).end(),
  )
  await assert.rejects(rest({ method: 'GET', path: '/api/x', name: 'GET x' }), /redirect \(301\)/)
  assert.equal(requests.length, 1)
})

test('retries 429 after Retry-After, also for POST', async t => {
  const limited = json(
    429,
    { code: 'rate_limited', message: 'Slow down.', retryAfter: 3 },
    { 'retry-after': '3' },
  )
  const { rest, requests, delays } = await start(t, limited, json(200, {}))
  await rest({ method: 'POST', path: '/api/x', name: 'POST x', body: {} })
  assert.deepEqual(delays, [3000])
  assert.equal(requests.length, 2)
})

test('throws after five responses with 429', async t => {
  const limited = json(429, { code: 'rate_limited', message: 'Slow down.' }, { 'retry-after': '1' })
  const { rest, requests } = await start(t, limited)
  await assert.rejects(rest({ method: 'POST', path: '/api/x', name: 'POST x' }), (error: ApiError) => {
    assert.equal(error.status, 429)
    assert.equal(error.code, 'rate_limited')
    return true
  })
  assert.equal(requests.length, 5)
})

test('500 throws ApiError with the request id, without a retry', async t => {
  const { rest, requests } = await start(
    t,
    json(500, { code: 'internal_error', message: 'Oh.', requestId: 'r1' }),
  )
  await assert.rejects(rest({ method: 'GET', path: '/api/x', name: 'GET x' }), (error: ApiError) => {
    assert.ok(error instanceof ApiError)
    assert.equal(error.requestId, 'r1')
    return true
  })
  assert.equal(requests.length, 1)
})

test('an error response that is not JSON throws ApiError with its status', async t => {
  const { rest } = await start(t, (_, response) => response.writeHead(502).end('<h1>Bad gateway</h1>'))
  await assert.rejects(rest({ method: 'GET', path: '/api/x', name: 'GET x' }), (error: ApiError) => {
    assert.deepEqual([error.status, error.code], [502, 'http_502'])
    return true
  })
})

test('retries a broken connection for GET and not for POST', async t => {
  const { rest, requests } = await start(t, request => request.socket.destroy())
  await assert.rejects(rest({ method: 'POST', path: '/api/x', name: 'POST x', body: {} }), (error: Error) => {
    assert.ok(error instanceof GatehouseError)
    assert.match(error.message, /^POST x: http:\/\/127\.0\.0\.1:\d+ could not be reached \(\w+\)$/)
    return true
  })
  assert.equal(requests.length, 1)
  await assert.rejects(rest({ method: 'GET', path: '/api/x', name: 'GET x' }), GatehouseError)
  assert.ok(requests.length >= 1 + 5, `${requests.length} requests`)
})

test('a signal aborts the delay before a retry', async t => {
  const limited = json(429, { code: 'rate_limited', message: 'Slow down.' }, { 'retry-after': '60' })
  const { rest } = await start(t, limited)
  const reason = new Error('aborted')
  const signal = AbortSignal.abort(reason)
  await assert.rejects(rest({ method: 'POST', path: '/api/x', name: 'POST x', signal }), reason)
})
