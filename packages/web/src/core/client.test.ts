import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { keys } from './api/keys.ts'
import { createClient } from './client.ts'
import { fakeStorage } from './stores/testing.ts'

const settle = () => new Promise(resolve => setImmediate(resolve))

/**
 * Starts a client in a tab with a draft and an unsent message of the user `1`, while the service is unavailable.
 * `respond` makes the service respond to the request for the user, and resolves to the result of the start.
 */
async function startWithoutService(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const unsent = {
    nonce: 'n',
    channelId: 'c',
    content: 'Unsent',
    createdAt: '2026-01-01T00:00:00.000Z',
    position: 1,
    parentId: null,
    slowMode: 0,
  }
  const browser = fakeStorage({
    'drafts-of': '1',
    'draft:c': '1767225600000 Half a message',
    'unsent-of': '1',
    'unsent:1:n': JSON.stringify(unsent),
  })
  const target = { addEventListener() {}, visibilityState: 'visible' }
  const location = { pathname: '/channels/s/c', search: '', replace() {} }
  const globals = {
    window: target,
    document: target,
    location,
    sessionStorage: fakeStorage(),
    localStorage: browser,
  }
  for (const [name, value] of Object.entries(globals)) {
    Object.defineProperty(globalThis, name, { value, configurable: true })
  }
  let response = () => Response.json({ code: 'unavailable' }, { status: 503 })
  t.mock.method(globalThis, 'fetch', async (path: string) =>
    path === '/api/users/@me' ? response() : Response.json({ code: 'unavailable' }, { status: 503 }),
  )
  const client = createClient({ loadMarkdown: () => new Promise(() => {}) })
  t.after(() => client.queries.clear())
  let started = false
  const starting = client.start().finally(() => {
    started = true
  })
  /** The client repeats the request. */
  const repeat = async () => {
    await settle()
    t.mock.timers.tick(30_000)
    await settle()
  }
  for (let attempt = 0; attempt < 10; attempt += 1) await repeat()
  assert.equal(started, false)
  const respond = async (status: number, body: object) => {
    response = () => Response.json(body, { status })
    while (!started) await repeat()
    return starting
  }
  return { browser, respond, ...client }
}

test('a start without the service keeps drafts, and goes on when the service responds', async t => {
  const { browser, respond, queries, drafts, timelines } = await startWithoutService(t)
  const stored = '1767225600000 Half a message'
  const read = () => [drafts.get('c'), browser.getItem('draft:c'), timelines.get('c').pending.length]
  // Whose draft it is can be told when the user is known.
  assert.deepEqual(read(), ['', stored, 0])
  assert.ok((queries.getQueryState(keys.self)?.fetchFailureCount ?? 0) > 3)
  assert.equal(await respond(200, { id: '1' }), true)
  assert.deepEqual(read(), ['Half a message', stored, 1])
})

test('after a start without the service, the drafts of another user are removed when the user is known', async t => {
  const { browser, respond, drafts, timelines } = await startWithoutService(t)
  assert.equal(await respond(200, { id: '2' }), true)
  assert.deepEqual(
    [drafts.get('c'), browser.getItem('draft:c'), timelines.get('c').pending.length],
    ['', null, 0],
  )
})

test('after a start without the service, a response without a session ends the start', async t => {
  const { respond } = await startWithoutService(t)
  assert.equal(await respond(401, { code: 'unauthorized' }), false)
})
