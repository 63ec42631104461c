import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { keys } from './api/keys.ts'
import { createClient } from './client.ts'
import { fakeStorage } from './stores/testing.ts'

const settle = () => new Promise(resolve => setImmediate(resolve))

/** Starts a client in a tab with a draft and an unsent message of the user `1`, while the service is unavailable. */
async function startWithoutService(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const unsent = {
    nonce: 'n',
    channelId: 'c',
    content: 'Unsent',
    createdAt: '2026-01-01T00:00:00.000Z',
    position: 1,
  }
  const tab = fakeStorage({ 'drafts-of': '1', 'draft:c': 'Half a message' })
  const browser = fakeStorage({ 'unsent-of': '1', 'unsent:1:n': JSON.stringify(unsent) })
  const target = { addEventListener() {}, visibilityState: 'visible' }
  const location = { pathname: '/channels/s/c', search: '', replace() {} }
  const globals = { window: target, document: target, location, sessionStorage: tab, localStorage: browser }
  for (const [name, value] of Object.entries(globals)) {
    Object.defineProperty(globalThis, name, { value, configurable: true })
  }
  t.mock.method(globalThis, 'fetch', async () => Response.json({ code: 'unavailable' }, { status: 503 }))
  const client = createClient({ loadMarkdown: () => new Promise(() => {}) })
  t.after(() => client.queries.clear())
  let started = false
  const starting = client.start().finally(() => {
    started = true
  })
  while (!started) {
    await settle()
    // The client repeats the request.
    t.mock.timers.tick(10_000)
  }
  assert.equal(await starting, true)
  return { tab, ...client }
}

test('a start without the service keeps drafts, and unsent messages are restored when the user is known', async t => {
  const { tab, queries, drafts, timelines } = await startWithoutService(t)
  const read = () => [drafts.get('c'), tab.getItem('draft:c'), timelines.get('c').pending.length]
  assert.deepEqual(read(), ['Half a message', 'Half a message', 0])
  queries.setQueryData(keys.self, { id: '1' })
  await settle()
  assert.deepEqual(read(), ['Half a message', 'Half a message', 1])
})

test('after a start without the service, the drafts of another user are removed when the user is known', async t => {
  const { tab, queries, drafts, timelines } = await startWithoutService(t)
  queries.setQueryData(keys.self, { id: '2' })
  assert.deepEqual(
    [drafts.get('c'), tab.getItem('draft:c'), timelines.get('c').pending.length],
    ['', null, 0],
  )
})
