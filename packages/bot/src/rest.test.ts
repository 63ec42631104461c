import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { type TestContext, test } from 'node:test'
import { inspect } from 'node:util'
import { listenHttp } from '@gatehouse/testkit/listen'
import { wait } from './clock.ts'
import {
  ApiError,
  createApiError,
  GatehouseError,
  InvalidError,
  LateError,
  UnreachableError,
} from './errors.ts'
import { allRequests } from './rate-limits.ts'
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
    // It stands still: the delays are those that the responses name.
    clock: () => 0,
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

/**
 * A client with a test clock, and a service that allows `limit` requests in 10 seconds for each first segment of the
 * path. It holds each request for 5 ms.
 */
function startLimited(limit: number, options: { maxRateLimitWaitMs?: number } = {}) {
  const clock = createTestClock()
  const begin = clock.now()
  const seen: string[] = []
  const used = new Map<string, number[]>()
  let running = 0
  let mostRunning = 0
  const rest = createRest({
    url: 'http://localhost:1',
    async fetch(address) {
      const path = new URL(String(address)).pathname
      const [, key = ''] = path.split('/')
      mostRunning = Math.max(mostRunning, ++running)
      await wait(clock.timers, 5)
      running--
      const hits = (used.get(key) ?? []).filter(at => at > clock.now() - 10_000)
      const isAllowed = hits.length < limit
      if (isAllowed) used.set(key, [...hits, clock.now()])
      seen.push(`${Math.floor((clock.now() - begin) / 1000)} ${path} ${isAllowed ? 200 : 429}`)
      if (isAllowed) return new Response('{}')
      const retryAfter = Math.ceil(((hits[0] ?? 0) + 10_000 - clock.now()) / 1000)
      const body = JSON.stringify({ code: 'rate_limited', message: 'Slow down.' })
      return new Response(body, { status: 429, headers: { 'retry-after': String(retryAfter) } })
    },
    clock: clock.now,
    timers: clock.timers,
    createError: createApiError,
    ...options,
  })
  const send = (path: string, buckets: string[]) => rest({ method: 'POST', path, name: 'POST x', buckets })
  return { clock, seen, send, rest, mostRunning: () => mostRunning }
}

test('the requests of one rate limit are sent in order, and after 429 none is sent before Retry-After', async () => {
  const { clock, seen, send } = startLimited(3)
  const sent = Promise.all(
    [1, 2, 3, 4, 5, 6, 7].map(number => send(`/a/${number}`, ['messages a', allRequests])),
  )
  // Another rate limit is not affected.
  const other = send('/b/1', ['messages b', allRequests])
  await clock.advance(30_000)
  await Promise.all([sent, other])
  assert.deepEqual(
    seen.filter(line => line.includes('/a/')),
    [
      ...['0 /a/1 200', '0 /a/2 200', '0 /a/3 200', '0 /a/4 429'],
      ...['10 /a/4 200', '10 /a/5 200', '10 /a/6 200', '10 /a/7 429', '20 /a/7 200'],
    ],
  )
  assert.equal(seen.filter(line => line.includes('/b/')).join(), '0 /b/1 200')
})

test('after 429 of the limit of all requests, none is sent before Retry-After, and few are in flight', async () => {
  const { clock, seen, send, mostRunning } = startLimited(60)
  const sent = Promise.all(Array.from({ length: 150 }, (_, number) => send(`/a/${number}`, [allRequests])))
  await clock.advance(60_000)
  await sent
  assert.equal(mostRunning(), 20)
  const rejected = seen.filter(line => line.endsWith('429'))
  assert.ok(rejected.length > 0 && rejected.length <= 2 * 20, `${rejected.length} rejected`)
  assert.ok(
    seen.every(line => /^(0|1|10|11|20|21) /.test(line)),
    seen.join(),
  )
  assert.equal(seen.length - rejected.length, 150)
})

test('after 429 of the limit of all requests, those of other limits wait, and none fails early', async () => {
  const { clock, seen, send } = startLimited(10)
  const sent = Promise.all(
    Array.from({ length: 100 }, (_, number) => send(`/a/${number}`, [`messages ${number}`, allRequests])),
  )
  await clock.advance(200_000)
  await sent
  const rejectedAt = seen.filter(line => line.endsWith('429')).map(line => line.split(' ')[0])
  // After the first pause, only requests that are in flight together are rejected.
  for (const second of new Set(rejectedAt.filter(at => at !== '0'))) {
    const count = rejectedAt.filter(at => at === second).length
    assert.ok(count <= 20, `${count} rejected at ${second} s`)
  }
})

test('a second 429 pauses all requests, unless the pause is too long for their limit', async t => {
  // The clock stands still, so a request waits for a pause each time. The other one waits only for that of all
  // requests.
  for (const [seconds, expected] of [
    [3, [3000, 3000, 3000, 3000]],
    [300, [300_000, 300_000]],
  ] as const) {
    const limited = json(429, { code: 'rate_limited' }, { 'retry-after': `${seconds}` })
    const { rest, delays } = await start(t, limited, limited, json(200, {}))
    const request = { method: 'POST', path: '/api/x', name: 'POST x' } as const
    await rest({ ...request, buckets: ['channels', allRequests] })
    await rest({ ...request, buckets: ['messages a', allRequests] })
    assert.deepEqual(delays, expected)
  }
})

test('a request waits for rate limits no longer than allowed', async () => {
  const { clock, seen, send } = startLimited(1, { maxRateLimitWaitMs: 12_000 })
  const sent = Promise.allSettled([1, 2, 3, 4].map(number => send(`/a/${number}`, ['messages a'])))
  await clock.advance(60_000)
  const results = (await sent).map(result => (result.status === 'rejected' ? result.reason : undefined))
  assert.deepEqual(
    results.map(error => error?.status),
    [undefined, undefined, 429, 429],
  )
  assert.match(results[3].message, /^POST x: the rate limit allows no request for \d+ s$/)
  // The last one is not sent, because it is known to be too early.
  assert.deepEqual(seen, ['0 /a/1 200', '0 /a/2 429', '10 /a/2 200', '10 /a/3 429'])
})

test('a request without a rate limit is sent at once, and a signal ends the wait for a turn', async () => {
  const { clock, seen, send, rest } = startLimited(1)
  const first = send('/a/1', ['messages a'])
  const second = send('/a/2', ['messages a'])
  const ended = new AbortController()
  const third = rest({
    ...{ method: 'POST', path: '/a/3', name: 'POST x', buckets: ['messages a'] },
    signal: ended.signal,
  })
  const fourth = send('/a/4', ['messages a'])
  await clock.advance(1000)
  const response = send('/response/1', [])
  const reason = new Error('aborted')
  ended.abort(reason)
  await assert.rejects(third, reason)
  await clock.advance(30_000)
  await Promise.all([first, second, fourth, response])
  assert.deepEqual(
    seen.filter(line => line.endsWith('200')),
    ['0 /a/1 200', '1 /response/1 200', '10 /a/2 200', '20 /a/4 200'],
  )
})

test('a header that says that no request remains prevents the next 429', async t => {
  const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': '1.5' }
  const { rest, delays } = await start(t, json(200, {}, headers), json(200, {}))
  const request = { method: 'POST', path: '/api/x', name: 'POST x', buckets: ['posts'] } as const
  await rest(request)
  await rest(request)
  assert.deepEqual(delays, [1500])
})

test('a lost response is repeated for DELETE, whose 404 then means that it is done, and with `idempotent`', async t => {
  const broken: RequestListener = request => request.socket.destroy()
  const gone = json(404, { code: 'not_found', message: 'Not found.' })
  const deleted = await start(t, broken, gone)
  assert.equal((await deleted.rest({ method: 'DELETE', path: '/api/x', name: 'DELETE x' })).body, undefined)
  const unknown = await start(t, gone)
  await assert.rejects(unknown.rest({ method: 'DELETE', path: '/api/x', name: 'DELETE x' }), ApiError)
  const created = await start(t, broken, json(201, { id: '1' }))
  const response = await created.rest({ method: 'POST', path: '/api/x', name: 'POST x', idempotent: true })
  assert.deepEqual(response.body, { id: '1' })
})
