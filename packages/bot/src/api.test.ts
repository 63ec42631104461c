import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { type TestContext, test } from 'node:test'
import { listenHttp } from '@gatehouse/testkit/listen'
import { createApi } from './api.ts'
import { systemClock } from './clock.ts'
import { AlreadyAnsweredError, ApiError, createApiError, UnreachableError } from './errors.ts'
import { createRest } from './rest.ts'
import type { InteractionEvent } from './types.ts'

// Only the id and the token of the event are used.
const event = { id: '7', token: 'git_x' } as InteractionEvent
const message = { id: '9', content: 'pong' }
const pong = { type: 'message', data: { content: 'pong' } } as const

/** A server that uses the given listeners in order, and a client with immediate timers. */
async function start(t: TestContext, ...listeners: RequestListener[]) {
  const requests: string[] = []
  const { url } = await listenHttp(t, (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    listeners[Math.min(requests.length, listeners.length) - 1]?.(request, response)
  })
  const delays: number[] = []
  const timers = {
    after(ms: number, work: () => void) {
      if (ms === 15_000) return () => {}
      delays.push(ms)
      queueMicrotask(work)
      return () => {}
    },
  }
  const rest = createRest({ url, fetch, clock: systemClock, timers, createError: createApiError })
  return { api: createApi(rest, timers), requests, delays }
}

const drop: RequestListener = request => request.socket.destroy()

function json(status: number, body: unknown): RequestListener {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
}

const conflict = json(409, { code: 'interaction_already_answered', message: 'Already answered.' })
const { signal: retry } = new AbortController()

test('retries a first response until its deadline if the service is unreachable', async t => {
  const { api, requests, delays } = await start(t, drop, json(502, {}), drop, json(200, { message }))
  assert.deepEqual(await api.callback(event, pong, { retry }), message)
  assert.deepEqual(new Set(requests), new Set(['POST /api/interactions/7/git_x/callback']))
  assert.ok(delays.every(ms => ms <= 200))
})

test('throws UnreachableError after the deadline, and does not retry without a deadline', async t => {
  const unreachable = await start(t, drop)
  await assert.rejects(
    unreachable.api.callback(event, pong, { retry: AbortSignal.abort() }),
    UnreachableError,
  )
  await assert.rejects(unreachable.api.callback(event, pong), UnreachableError)
  assert.equal(unreachable.requests.length, 2)

  const ending = new AbortController()
  const ended = await start(t, (request, response) => {
    ending.abort()
    drop(request, response)
  })
  await assert.rejects(ended.api.callback(event, pong, { retry: ending.signal }), UnreachableError)
  assert.equal(ended.requests.length, 1)
})

test('returns the first response if the service had processed an attempt whose connection broke', async t => {
  const { api, requests } = await start(t, drop, conflict, json(200, message))
  assert.deepEqual(await api.callback(event, pong, { retry }), message)
  assert.equal(requests.at(-1), 'GET /api/interactions/7/git_x/original')

  const press = await start(t, drop, conflict)
  assert.equal(await press.api.callback(event, { type: 'deferred_update' }, { retry }), null)

  const deleted = await start(t, drop, conflict, json(404, { code: 'not_found', message: 'Not found.' }))
  await assert.rejects(deleted.api.callback(event, pong, { retry }), AlreadyAnsweredError)
})

test('does not retry an error response', async t => {
  const { api, requests } = await start(t, conflict)
  await assert.rejects(api.callback(event, pong, { retry }), AlreadyAnsweredError)
  const failing = await start(t, json(500, { code: 'internal_error', message: 'Oh.' }))
  await assert.rejects(failing.api.callback(event, pong, { retry }), ApiError)
  assert.deepEqual([requests.length, failing.requests.length], [1, 1])
})

test('retries an edit if the service is unreachable', async t => {
  const { api, requests } = await start(t, drop, json(200, message))
  assert.deepEqual(await api.edit(event, 'original', { content: 'pong' }), message)
  assert.equal(requests.at(-1), 'PATCH /api/interactions/7/git_x/original')
})

test('sends the reason of an act, URL-encoded', async t => {
  const reasons: unknown[] = []
  const { api, requests } = await start(t, (request, response) => {
    reasons.push(request.headers['x-audit-log-reason'])
    response.writeHead(204).end()
  })
  await api.withReason('Спам').members.remove('1', '2')
  await api.members.remove('1', '2')
  assert.deepEqual(reasons, [encodeURIComponent('Спам'), undefined])
  assert.deepEqual(new Set(requests), new Set(['DELETE /api/servers/1/members/2']))
})
