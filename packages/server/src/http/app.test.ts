import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { EmbedsInput } from '@gatehouse/protocol/embeds'
import { maxConcurrentRequests } from '@gatehouse/protocol/limits'
import { LimitQuery } from '@gatehouse/protocol/lists'
import {
  described,
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  openObject,
  optional,
  string,
  text,
} from '@gatehouse/protocol/wire'
import { appWith, createTestApp } from '@gatehouse/testkit/app'
import { createTestClock } from '@gatehouse/testkit/clock'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../errors/app-error.ts'
import { createRateLimiter } from '../rate-limits/rate-limiter.ts'
import { StorageUnavailable } from '../storage/database.ts'
import { noContent, ok, type Route } from './route.ts'
import { testRoute } from './route-testing.ts'

const Note = openObject({ text: string(), by: optional(string()) })
const NoteBody = object({ text: text({ min: 1, max: 5 }) })

const note = testRoute('POST /api/notes', {
  summary: 'Make a note',
  tag: 'Messages',
  caller: { anonymous: true },
  body: NoteBody,
  responses: { 200: Note },
  handle: async ({ body }) => ok({ text: body.text, secret: 'never declared' }),
})

function failing(thrown: () => unknown, more: Partial<Route> = {}): Route {
  const declared = testRoute('GET /api/fail', {
    summary: 'Fails',
    tag: 'Messages',
    caller: { anonymous: true },
    responses: { 204: null },
    handle: async () => {
      await Promise.resolve()
      const error = thrown()
      if (error !== undefined) throw error
      return noContent()
    },
  })
  return { ...declared, ...more }
}

const json = { 'content-type': 'application/json' }

async function post(app: FastifyInstance, payload: string | Buffer, headers: Record<string, string> = json) {
  return app.inject({ method: 'POST', url: '/api/notes', payload, headers })
}

test('200: text is trimmed before its length is checked, a response has only members of its schema', async () => {
  const { app } = await appWith(note)
  const reply = await post(app, JSON.stringify({ text: '  😀😀😀😀😀  ' }))
  assert.equal(reply.statusCode, 200, reply.body)
  assert.deepEqual(reply.json(), { text: '😀😀😀😀😀' })
})

test('a list that takes longer than 5 ms is serialized in slices, by its schema (limits/event-loop)', async () => {
  let turns = 0
  const items = Array.from({ length: 4 }, (_none, i) => ({
    get text() {
      for (const end = performance.now() + 6; performance.now() < end; );
      return `Note ${i}`
    },
    secret: 'never declared',
  }))
  const notes = testRoute('GET /api/notes', {
    summary: 'Lists notes',
    tag: 'Messages',
    caller: { anonymous: true },
    responses: { 200: list(Note) },
    async handle() {
      const countTurns = () => {
        turns++
        if (turns < 10) setImmediate(countTurns)
      }
      setImmediate(countTurns)
      return ok(items)
    },
  })
  const { app } = await appWith(notes)
  let turnsBeforeEnd = 0
  app.addHook('onSend', async () => {
    turnsBeforeEnd = turns
  })
  const reply = await app.inject({ url: '/api/notes' })
  assert.deepEqual(
    reply.json(),
    items.map(({ text }) => ({ text })),
  )
  assert.ok(turnsBeforeEnd >= 3, `${turnsBeforeEnd} turns`)
})

test('400: returns every field error with its path', async () => {
  const { app } = await appWith(note)
  for (const [body, path, code] of [
    [{}, 'text', 'required'],
    [{ text: 'abcdef' }, 'text', 'too_long'],
    [{ text: '   ' }, 'text', 'too_short'],
    [{ text: 1 }, 'text', 'invalid_type'],
    [{ text: 'a', more: 1 }, 'more', 'unknown_member'],
    [{ text: 'a\u0000' }, 'text', 'invalid_text'],
    [{ text: 'a\ud800' }, 'text', 'invalid_text'],
    [[], '', 'invalid_type'],
  ] as const) {
    const reply = await post(app, JSON.stringify(body))
    assert.equal(reply.statusCode, 400, reply.body)
    assert.equal(reply.json().code, 'validation_failed')
    assert.equal(reply.json().errors[0].path, path)
    assert.equal(reply.json().errors[0].code, code)
  }
})

test('webhooks/prototype-keys: a member called __proto__ is rejected as an unknown member', async () => {
  const { app } = await appWith(note)
  const reply = await post(app, '{"text":"a","__proto__":{"x":1}}')
  assert.equal(reply.statusCode, 400)
  assert.equal(reply.json().errors[0].path, '__proto__')
})

test('webhooks/body-depth, webhooks/json-syntax: a body is JSON in UTF-8 with at most 32 levels', async () => {
  const { app } = await appWith(note)
  const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
  for (const body of [
    '{',
    '{"text":NaN}',
    Buffer.from([0x7b, 0xff, 0x7d]),
    Buffer.from('{"text":"a"}', 'utf16le'),
    deep(33),
    deep(30_000),
  ]) {
    const reply = await post(app, body)
    assert.equal(reply.statusCode, 400, String(body).slice(0, 20))
    assert.equal(reply.json().code, 'malformed_json')
  }
  assert.equal((await post(app, deep(32))).json().code, 'validation_failed')
  assert.equal((await post(app, JSON.stringify({ text: '[[[[' }))).statusCode, 200)
  assert.equal((await post(app, '\ufeff{"text":"a"}')).statusCode, 200)
  assert.equal((await post(app, '{"text":"a","text":"b"}')).json().text, 'b')
})

const manyMembers = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_none, i) => [`m${i}`, 1])))

test('50 errors of a body with up to 5,000 values are listed, otherwise the first (limits/invalid-body)', async () => {
  const things = testRoute('POST /api/notes', {
    summary: 'Make notes',
    tag: 'Messages',
    caller: { anonymous: true },
    body: object({ text: text({ min: 1, max: 5 }), tags: optional(list(number())) }),
    responses: { 204: null },
    handle: async () => noContent(),
  })
  const { app } = await appWith(things)
  const errorsOf = async (body: string) => (await post(app, body)).json().errors as { path: string }[]
  const many = await errorsOf(manyMembers(4999))
  assert.equal(many.length, 50)
  assert.deepEqual(await errorsOf(manyMembers(5000)), [many[0]])
  const tags = (count: number) => JSON.stringify({ tags: Array(count).fill({}) })
  assert.equal((await errorsOf(tags(4998))).length, 50)
  assert.deepEqual(
    (await errorsOf(tags(4999))).map(({ path }) => path),
    ['text'],
  )
  // Large and valid.
  const valid = JSON.stringify({ text: ' a ', tags: Array(10_000).fill(1) })
  assert.equal((await post(app, valid)).statusCode, 204)
})

test('a JSON body that anybody may send has up to 64 KiB (limits/anonymous-body)', async () => {
  const { app } = await appWith(note)
  const body = (bytes: number) => Buffer.from('{"text":"a"}'.padEnd(bytes))
  assert.equal((await post(app, body(64 * 1024))).statusCode, 200)
  const tooLarge = body(64 * 1024 + 1)
  const half = [tooLarge.subarray(0, 40_000), tooLarge.subarray(40_000)]
  for (const payload of [tooLarge, Readable.from(half)]) {
    const reply = await app.inject({ method: 'POST', url: '/api/notes', headers: json, payload })
    assert.equal(reply.statusCode, 413)
    assert.deepEqual(reply.json(), { code: 'body_too_large', message: 'The body is larger than 64 KiB.' })
  }
})

test('webhooks/body-size: a body over 1 MiB is 413, also without Content-Length', async () => {
  const { app } = await appWith({ ...note, beforeBody: async () => {} })
  const large = Buffer.alloc(1024 * 1024 + 1, 0x20)
  const reply = await post(app, large)
  assert.equal(reply.statusCode, 413)
  assert.equal(reply.json().code, 'body_too_large')
  const chunked = await app.inject({
    method: 'POST',
    url: '/api/notes',
    headers: json,
    payload: Readable.from([large.subarray(0, 600_000), large.subarray(0, 600_000)]),
  })
  assert.equal(chunked.statusCode, 413)
})

test('415: a media type or content encoding that the route does not accept', async () => {
  const { app } = await appWith(note)
  for (const headers of [
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/x-www-form-urlencoded' },
    { ...json, 'content-encoding': 'gzip' },
  ]) {
    const reply = await post(app, '{"text":"a"}', headers)
    assert.equal(reply.statusCode, 415, reply.body)
    assert.equal(reply.json().code, 'unsupported_media_type')
  }
  assert.equal(
    (await post(app, '{"text":"a"}', { 'content-type': 'application/json; charset=utf-8' })).statusCode,
    200,
  )
})

test('405 on a path that matches the pattern of another route with that method', async () => {
  const { app } = await appWith(
    failing(() => undefined, { method: 'POST', path: '/api/things/options' }),
    failing(() => undefined, { method: 'DELETE', path: '/api/things/:id' }),
  )
  const other = await app.inject({
    method: 'DELETE',
    url: '/api/things/options',
    payload: '{',
    headers: { 'content-type': 'application/json' },
  })
  assert.deepEqual([other.statusCode, other.headers.allow], [405, 'POST'])
  assert.equal((await app.inject({ method: 'DELETE', url: '/api/things/1' })).statusCode, 204)
})

test('a body whose members are all optional may be absent', async () => {
  const bodies: unknown[] = []
  const { app } = await appWith(
    testRoute('POST /api/things', {
      summary: 'Make a thing',
      tag: 'Servers',
      caller: { anonymous: true },
      body: object({ name: optional(string()) }, 'A thing.'),
      responses: { 204: null },
      handle: async ({ body }) => {
        bodies.push(body)
        return noContent()
      },
    }),
  )
  const headers = { 'content-type': 'application/json' }
  for (const [request, status] of [
    [{}, 204],
    [{ headers }, 204],
    [{ headers, payload: '{}' }, 204],
    [{ headers, payload: 'null' }, 400],
  ] as const) {
    const reply = await app.inject({ method: 'POST', url: '/api/things', ...request })
    assert.equal(reply.statusCode, status, JSON.stringify(request))
  }
  assert.deepEqual(bodies, [{}, {}, {}])
})

test('405 with Allow on a path that exists, 404 on one that does not', async () => {
  const { app } = await appWith(note)
  const reply = await app.inject({ method: 'PUT', url: '/api/notes' })
  assert.equal(reply.statusCode, 405)
  assert.equal(reply.headers.allow, 'POST')
  assert.equal(reply.json().code, 'method_not_allowed')
  assert.equal((await app.inject({ method: 'POST', url: '/api/notes/' })).statusCode, 404)
  assert.equal((await app.inject({ method: 'GET', url: '/api/other' })).json().code, 'not_found')
})

test('500 contains only the request id, and the log the cause', async () => {
  for (const thrown of [new TypeError('our own bug'), 'a string', null]) {
    const { app, log } = await appWith(failing(() => thrown))
    const reply = await app.inject('/api/fail')
    assert.equal(reply.statusCode, 500)
    assert.deepEqual(reply.json(), {
      code: 'internal_error',
      message: 'An internal error occurred.',
      requestId: reply.headers['x-request-id'],
    })
    if (thrown instanceof Error) assert.ok(log.join('').includes('our own bug'))
  }
})

test('503 with Retry-After while the database is unavailable', async () => {
  const { app } = await appWith(failing(() => new StorageUnavailable(new Error('gone'))))
  const reply = await app.inject('/api/fail')
  assert.equal(reply.statusCode, 503)
  assert.equal(reply.headers['retry-after'], '1')
  assert.equal(reply.json().code, 'unavailable')
})

test('429 has the retry time in header and body', async () => {
  const { app } = await appWith(
    failing(() => new AppError('rate_limited', 'Slow down.', { retryAfter: 1.2 })),
  )
  const reply = await app.inject('/api/fail')
  assert.equal(reply.statusCode, 429)
  assert.equal(reply.headers['retry-after'], '2')
  assert.equal(reply.json().retryAfter, 1.2)
})

test('an error that the route does not declare is logged', async () => {
  const { app, log } = await appWith(failing(() => new AppError('conflict', 'Taken.')))
  assert.equal((await app.inject('/api/fail')).statusCode, 409)
  assert.ok(log.some(line => line.includes('undeclared error')))
})

test('401 with a challenge without a valid credential; a valid session is accepted', async () => {
  const { app } = await appWith(failing(() => undefined, { caller: { session: true, bearer: ['email'] } }))
  const none = await app.inject('/api/fail')
  assert.equal(none.statusCode, 401)
  assert.equal(none.headers['www-authenticate'], 'Bearer, Session')
  const cookie = { cookie: '__Host-gatehouse_session=good' }
  assert.equal((await app.inject({ url: '/api/fail', headers: cookie })).statusCode, 204)
  const stale = { cookie: '__Host-gatehouse_session=bad' }
  assert.equal((await app.inject({ url: '/api/fail', headers: stale })).statusCode, 401)
  const wrong = { authorization: 'Bearer bad', ...cookie }
  assert.equal((await app.inject({ url: '/api/fail', headers: wrong })).statusCode, 401)
})

test('requests with an access token do not delay those of the session (limits/concurrent-requests)', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const handled: string[] = []
  const slow = testRoute('GET /api/slow', {
    summary: 'Waits with an access token',
    tag: 'Messages',
    caller: { session: true, bearer: ['identify'] },
    responses: { 204: null },
    async handle({ caller }) {
      handled.push(caller.kind)
      if (caller.kind === 'bearer') await released
      return noContent()
    },
  })
  const { app } = await createTestApp([slow], {
    rateLimiter: createRateLimiter({ clock: createTestClock().now, limits: {} }),
    authenticators: {
      session: async () => ({ kind: 'session', userId: '1', sessionId: '2' }),
      bearer: async () => ({ kind: 'bearer', userId: '1', applicationId: '3', scopes: ['identify'] }),
      bot: async () => undefined,
    },
  })
  const replies = Array.from({ length: maxConcurrentRequests + 1 }, () =>
    app.inject({ url: '/api/slow', headers: { authorization: 'Bearer good' } }),
  )
  await waitUntil(() => handled.length === maxConcurrentRequests)
  const session = app.inject({ url: '/api/slow', headers: { cookie: '__Host-gatehouse_session=good' } })
  await waitUntil(() => handled.includes('session'))
  assert.equal((await session).statusCode, 204)
  assert.equal(handled.length, maxConcurrentRequests + 1)
  release()
  for (const reply of await Promise.all(replies)) assert.equal(reply.statusCode, 204)
})

test('a request that waited for others of its user authenticates again (limits/concurrent-requests)', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let authenticated = 0
  let handled = 0
  let hasEnded = false
  const slow = testRoute('GET /api/slow', {
    summary: 'Waits',
    tag: 'Messages',
    caller: { session: true },
    responses: { 204: null },
    async handle() {
      handled++
      await released
      return noContent()
    },
  })
  const { app } = await createTestApp([slow], {
    rateLimiter: createRateLimiter({ clock: createTestClock().now, limits: {} }),
    authenticators: {
      async session() {
        authenticated++
        return hasEnded ? undefined : { kind: 'session', userId: '1', sessionId: '2' }
      },
      bearer: async () => undefined,
      bot: async () => undefined,
    },
  })
  const headers = { cookie: '__Host-gatehouse_session=good' }
  const replies = Array.from({ length: maxConcurrentRequests + 1 }, () =>
    app.inject({ url: '/api/slow', headers }),
  )
  await waitUntil(() => authenticated === maxConcurrentRequests + 1 && handled === maxConcurrentRequests)
  hasEnded = true
  release()
  const statuses = (await Promise.all(replies)).map(reply => reply.statusCode)
  assert.deepEqual(statuses, [...Array(maxConcurrentRequests).fill(204), 401])
  assert.equal(handled, maxConcurrentRequests)
})

test('403 credential_not_accepted for a valid token of another kind, 401 for an invalid one', async () => {
  const { app } = await appWith(failing(() => undefined, { caller: { bot: true } }))
  for (const [headers, status, message] of [
    [{ cookie: '__Host-gatehouse_session=good' }, 401, /^Send a bot token/],
    [{ authorization: 'Bearer good' }, 403, /^An access token is not accepted\. Send a bot token/],
    [{ authorization: 'Bearer bad' }, 401, /^The token is invalid\. Send a bot token/],
    [{ authorization: 'Basic good' }, 401, /^Send a bot token/],
    [{}, 401, /^Send a bot token \(Authorization: Bot\)\.$/],
  ] as const) {
    const reply = await app.inject({ url: '/api/fail', headers })
    assert.equal(reply.statusCode, status, JSON.stringify(headers))
    assert.equal(reply.json().code, status === 403 ? 'credential_not_accepted' : 'unauthenticated')
    assert.match(reply.json().message, message)
    assert.equal(reply.headers['www-authenticate'], status === 401 ? 'Bot' : undefined)
  }
})

test('403 missing_scope for a valid token without the scope', async () => {
  const { app } = await appWith(failing(() => undefined, { caller: { bearer: ['email'] } }))
  const reply = await app.inject({ url: '/api/fail', headers: { authorization: 'bearer good' } })
  assert.equal(reply.statusCode, 403)
  assert.equal(reply.json().code, 'missing_scope')
  assert.equal(reply.headers['www-authenticate'], 'Bearer error="insufficient_scope", scope="email"')
})

test('403 cross_site: an unsafe request of another site is rejected (sign-in/form-token)', async () => {
  const { app } = await appWith(failing(() => undefined, { method: 'POST', caller: { session: true } }))
  const cookie = '__Host-gatehouse_session=good'
  for (const [headers, status] of [
    [{ 'sec-fetch-site': 'same-origin', origin: 'null' }, 204],
    [{ 'sec-fetch-site': 'none' }, 204],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ origin: 'https://chat.example.org' }, 204],
    [{ origin: 'https://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{}, 204],
  ] as const) {
    const reply = await app.inject({ method: 'POST', url: '/api/fail', headers: { ...headers, cookie } })
    assert.equal(reply.statusCode, status, JSON.stringify(headers))
    if (status === 403) assert.equal(reply.json().code, 'cross_site')
  }
})

/** Returns a function that posts an invalid body with many kinds of fields and returns the body of the 400 response. */
async function postInvalid() {
  const smallLetters = text({ pattern: /^[a-z]+$/, description: 'Small letters.' })
  const Body = object(
    {
      name: text({ min: 2, max: 5 }),
      size: optional(integer(undefined, { min: 1, max: 9 })),
      least: optional(number(undefined, { min: 3 })),
      kind: optional(oneOf(['big', 'small'])),
      code: optional(smallLetters),
      other: optional(nullable(described(smallLetters, 'Another code.'))),
      list: optional(list(string(), undefined, { min: 1, max: 2 })),
      note: optional(nullable(string())),
      embeds: optional(EmbedsInput),
    },
    'A thing.',
  )
  const { app } = await appWith(
    testRoute('POST /api/things', {
      summary: 'Make a thing',
      tag: 'Operation',
      caller: { anonymous: true },
      query: LimitQuery,
      body: Body,
      responses: { 204: null },
      handle: async () => noContent(),
    }),
  )
  return async (payload: unknown, query = '') => {
    const reply = await app.inject({
      method: 'POST',
      url: `/api/things${query}`,
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify(payload),
    })
    assert.equal(reply.statusCode, 400, reply.body)
    return reply.json()
  }
}

test('each field error says what is accepted', async () => {
  const send = await postInvalid()
  const messages = async (payload: unknown) =>
    (await send(payload)).errors.map((error: { path: string; message: string }) => [
      error.path,
      error.message,
    ])
  assert.deepEqual(
    await messages({
      name: 'x',
      size: 10,
      least: 2,
      kind: 'odd',
      code: 'A',
      other: 'A',
      list: [],
      note: 1,
      embeds: [{ title: 1, color: -1 }],
    }),
    [
      ['name', 'must have at least 2 characters'],
      ['size', 'must be between 1 and 9'],
      ['least', 'must be at least 3'],
      ['kind', 'must be one of "big", "small"'],
      ['code', 'must have this form: Small letters'],
      ['other', 'must have this form: Small letters'],
      ['list', 'must have at least 1 entry'],
      ['note', 'must be a string or null'],
      ['embeds[0].title', 'must be a string'],
      ['embeds[0].color', 'must be between 0 and 16777215'],
    ],
  )
  assert.deepEqual(await messages({ name: 'abcdef', list: ['a', 'b', 'c'] }), [
    ['name', 'must have at most 5 characters'],
    ['list', 'must have at most 2 entries'],
  ])
  assert.deepEqual(await messages([]), [['', 'must be an object']])
})

test('an error of an unknown member lists the known members', async () => {
  const send = await postInvalid()
  const { accepted, ...unknown } = (await send({ name: 'abc', more: 1 })).errors[0]
  assert.deepEqual([unknown.path, unknown.code, accepted?.length], ['more', 'unknown_member', 9])
})

test('a single field error is also the message of the error', async () => {
  const send = await postInvalid()
  assert.deepEqual(await send({ name: 'abc' }, '?limit=101'), {
    code: 'validation_failed',
    message: '"limit" must be between 1 and 100.',
    errors: [{ path: 'limit', code: 'out_of_range', message: 'must be between 1 and 100', min: 1, max: 100 }],
  })
  assert.equal((await send({})).message, '"name" is required.')
})

test('the log never contains a path with a token', async () => {
  const secret = 'x'.repeat(68)
  const { app, log } = await appWith(note)
  await app.inject(`/api/webhooks/1234567890123456789/${secret}`)
  await app.inject({ method: 'PUT', url: `/api/notes?token=${secret}` })
  assert.ok(log.length > 0)
  assert.equal(log.join('').includes(secret), false)
})

test('every response has the security headers', async () => {
  const { app } = await appWith(note)
  for (const reply of [await post(app, '{"text":"a"}'), await app.inject('/api/none')]) {
    assert.equal(reply.headers['content-security-policy'], "default-src 'none'; frame-ancestors 'none'")
    assert.equal(reply.headers['x-content-type-options'], 'nosniff')
    assert.equal(reply.headers['cache-control'], 'no-store')
    assert.match(String(reply.headers['strict-transport-security']), /max-age=31536000/)
  }
})

test("the web client's page may load its own resources and must not be framed", async () => {
  const { app } = await appWith(note)
  const reply = await app.inject('/channels/1')
  assert.match(
    String(reply.headers['content-security-policy']),
    /^default-src 'none'; script-src 'self';.*frame-ancestors 'none'$/,
  )
  assert.equal(reply.headers['x-content-type-options'], 'nosniff')
  assert.equal(reply.headers['x-frame-options'], 'DENY')
  assert.equal(reply.headers['referrer-policy'], 'no-referrer')
  assert.equal(reply.headers['cache-control'], 'no-cache')
})

test('CORS for routes that declare it: every origin, no credentials, and a preflight response', async () => {
  const { app } = await appWith(
    failing(() => undefined, { cors: true }),
    note,
  )
  const reply = await app.inject({ url: '/api/fail', headers: { origin: 'https://app.example' } })
  assert.equal(reply.headers['access-control-allow-origin'], '*')
  assert.equal(reply.headers['access-control-allow-credentials'], undefined)
  const preflight = await app.inject({ method: 'OPTIONS', url: '/api/fail' })
  assert.equal(preflight.statusCode, 204)
  assert.equal(preflight.headers['access-control-allow-methods'], 'GET')
  assert.equal((await app.inject({ method: 'OPTIONS', url: '/api/notes' })).statusCode, 405)
  const errorHeaders = async (url: string) => (await app.inject({ method: 'PUT', url })).headers
  assert.equal((await errorHeaders('/api/fail'))['access-control-allow-origin'], '*')
  assert.equal((await errorHeaders('/api/notes'))['access-control-allow-origin'], undefined)
  assert.equal((await errorHeaders('/api/none'))['access-control-allow-origin'], undefined)
})
