import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import { type TestContext, test } from 'node:test'
import { createApi } from './api.ts'
import { systemClock } from './clock.ts'
import { AlreadyAnsweredError, ApiError, refused, UnreachableError } from './errors.ts'
import { createRest } from './rest.ts'
import type { InteractionEvent } from './types.ts'

// Of an event only its address matters here.
const event = { id: '7', token: 'git_x' } as InteractionEvent
const message = { id: '9', content: 'pong' }
const pong = { type: 'message', data: { content: 'pong' } } as const

/** A server that answers in turn, and a client that waits for nothing. */
async function start(t: TestContext, ...answers: RequestListener[]) {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    answers[Math.min(requests.length, answers.length) - 1]?.(request, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  const url = `http://127.0.0.1:${address.port}`
  const waits: number[] = []
  const timers = {
    after(ms: number, work: () => void) {
      if (ms === 15_000) return () => {}
      waits.push(ms)
      queueMicrotask(work)
      return () => {}
    },
  }
  const rest = createRest({ url, fetch, clock: systemClock, timers, refused })
  return { api: createApi(rest, timers), requests, waits }
}

const breaks: RequestListener = request => request.socket.destroy()

function json(status: number, body: unknown): RequestListener {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
}

const taken = json(409, { code: 'interaction_already_answered', message: 'It has its answer.' })
const { signal: due } = new AbortController()

test('a first response that does not get through is tried again while it is due', async t => {
  const { api, requests, waits } = await start(t, breaks, json(502, {}), breaks, json(200, { message }))
  assert.deepEqual(await api.callback(event, pong, { due }), message)
  assert.deepEqual(new Set(requests), new Set(['POST /api/interactions/7/git_x/callback']))
  assert.ok(waits.every(ms => ms <= 200))
})

test('when it is due no more, the break is the error; without a due time once is all', async t => {
  const over = await start(t, breaks)
  await assert.rejects(over.api.callback(event, pong, { due: AbortSignal.abort() }), UnreachableError)
  await assert.rejects(over.api.callback(event, pong), UnreachableError)
  assert.equal(over.requests.length, 2)

  const ending = new AbortController()
  const ends = await start(t, (request, response) => {
    ending.abort()
    breaks(request, response)
  })
  await assert.rejects(ends.api.callback(event, pong, { due: ending.signal }), UnreachableError)
  assert.equal(ends.requests.length, 1)
})

test('a try that broke off and got through after all is the answer', async t => {
  const { api, requests } = await start(t, breaks, taken, json(200, message))
  assert.deepEqual(await api.callback(event, pong, { due }), message)
  assert.equal(requests.at(-1), 'GET /api/interactions/7/git_x/original')

  const press = await start(t, breaks, taken)
  assert.equal(await press.api.callback(event, { type: 'deferred_update' }, { due }), null)

  const gone = await start(t, breaks, taken, json(404, { code: 'not_found', message: 'Not found.' }))
  await assert.rejects(gone.api.callback(event, pong, { due }), AlreadyAnsweredError)
})

test('what is refused is refused at once', async t => {
  const { api, requests } = await start(t, taken)
  await assert.rejects(api.callback(event, pong, { due }), AlreadyAnsweredError)
  const wrong = await start(t, json(500, { code: 'internal_error', message: 'Oh.' }))
  await assert.rejects(wrong.api.callback(event, pong, { due }), ApiError)
  assert.deepEqual([requests.length, wrong.requests.length], [1, 1])
})

test('an edit that does not get through is tried again: twice the same is one change', async t => {
  const { api, requests } = await start(t, breaks, json(200, message))
  assert.deepEqual(await api.edit(event, 'original', { content: 'pong' }), message)
  assert.equal(requests.at(-1), 'PATCH /api/interactions/7/git_x/original')
})
