import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Message } from '@gatehouse/protocol/messages'
import { type FakeRequest, fakeApi } from '../api/api-testing.ts'
import { ApiError } from '../api/client.ts'
import { createOutbox, retryTiming } from './outbox.ts'
import { fakeStorage } from './testing.ts'
import { createTimelineStore } from './timeline-store.ts'
import { createUnsentStore } from './unsent-store.ts'

const offline = () => new ApiError(0, { code: 'network' })
const limited = (seconds: number) => new ApiError(429, { code: 'rate_limited', retryAfter: seconds })

/** Resolves after all pending microtasks. */
const settle = () => new Promise(resolve => setImmediate(resolve))

/** A service that accepts each nonce once. `answer` may return an error for a request. */
function fakeService() {
  const accepted = new Map<string, Message>()
  const requests: string[] = []
  const service = {
    requests,
    contents: () => [...accepted.values()].map(({ content }) => content),
    answer: async (_content: string): Promise<Error | undefined> => undefined,
    /** The message was accepted, but the response is lost. */
    losesAnswer: false,
    async post({ path, body }: FakeRequest) {
      const { content, nonce } = body as { content: string; nonce: string }
      requests.push(content)
      const error = await service.answer(content)
      if (error) throw error
      const id = String(200_000_000_000_000_000n + BigInt(accepted.size))
      const channelId = path.split('/')[3]
      const message = accepted.get(nonce) ?? ({ id, channelId, content } as Message)
      accepted.set(nonce, message)
      if (service.losesAnswer) throw offline()
      return message
    },
  }
  return service
}

interface Timer {
  ms: number
  work(): void
}

/** The Web Locks of a browser, which its tabs share. */
function fakeLocks() {
  const last = new Map<string, Promise<void>>()
  return (name: string, work: () => Promise<void>) => {
    const next = (last.get(name) ?? Promise.resolve()).then(work)
    last.set(name, next)
    return next
  }
}

type Service = ReturnType<typeof fakeService>
type Locks = ReturnType<typeof fakeLocks>

async function openTab(service: Service, storage: ReturnType<typeof fakeStorage>, locks?: Locks) {
  const timelines = createTimelineStore()
  const timers: Timer[] = []
  const outbox = createOutbox({
    api: fakeApi(service.post),
    now: () => 0,
    random: () => 1,
    timers: {
      after(ms, work) {
        const timer = { ms, work }
        timers.push(timer)
        return () => void timers.splice(timers.indexOf(timer), 1)
      },
    },
    timelines,
    unsent: createUnsentStore(() => storage),
    exclusive: locks,
    isLoading: () => false,
    onSend: () => {},
  })
  await outbox.restore('ann')
  return {
    outbox,
    timers,
    async fire() {
      for (const timer of timers.splice(0)) timer.work()
      await settle()
    },
    pending: (channelId = 'c') =>
      timelines.get(channelId).pending.map(({ content, state, transient }) => ({
        content,
        state: transient ? 'waits' : state,
      })),
    nonce: (content: string) =>
      timelines.get('c').pending.find(pending => pending.content === content)?.nonce ?? '',
    messages: () => timelines.get('c').messages.map(({ content }) => content),
  }
}

test('sends messages that were written offline after a reload, once and in order', async () => {
  const [service, storage] = [fakeService(), fakeStorage()]
  service.answer = async () => offline()
  const before = await openTab(service, storage)
  for (const content of ['one', 'two', 'three']) await before.outbox.send('c', content)
  assert.deepEqual(before.pending(), [
    { content: 'one', state: 'waits' },
    { content: 'two', state: 'waits' },
    { content: 'three', state: 'waits' },
  ])

  const still = await openTab(service, storage)
  assert.deepEqual(
    still.pending().map(({ content }) => content),
    ['one', 'two', 'three'],
  )
  service.answer = async () => undefined
  const after = await openTab(service, storage)
  assert.deepEqual(service.contents(), ['one', 'two', 'three'])
  assert.deepEqual(after.pending(), [])
  assert.deepEqual([...storage.map.keys()], ['unsent-of'])
  const sent = service.requests.length
  await after.outbox.retryAll()
  assert.equal(service.requests.length, sent)
})

test('does not duplicate a message whose response was lost before the reload', async () => {
  const [service, storage] = [fakeService(), fakeStorage()]
  service.losesAnswer = true
  await (await openTab(service, storage)).outbox.send('c', 'once')
  service.losesAnswer = false
  const after = await openTab(service, storage)
  assert.deepEqual(service.contents(), ['once'])
  assert.deepEqual(after.pending(), [])
})

test('retries with growing delays, and immediately on retryAll', async () => {
  const service = fakeService()
  service.answer = async () => offline()
  const tab = await openTab(service, fakeStorage())
  await tab.outbox.send('c', 'hello')
  const waits: number[] = []
  for (let round = 0; round < 7; round += 1) {
    waits.push(...tab.timers.map(({ ms }) => ms))
    await tab.fire()
  }
  assert.deepEqual(waits, [1000, 2000, 4000, 8000, 16_000, retryTiming.maxDelayMs, retryTiming.maxDelayMs])
  service.answer = async () => undefined
  await tab.outbox.retryAll()
  assert.deepEqual([service.contents(), tab.pending()], [['hello'], []])
  service.answer = async () => offline()
  await tab.outbox.send('c', 'again')
  assert.equal(tab.timers.at(-1)?.ms, retryTiming.maxDelayMs, 'no second retry is scheduled')
})

test('sends a new message after the queued ones', async () => {
  const service = fakeService()
  service.answer = async () => offline()
  const tab = await openTab(service, fakeStorage())
  await tab.outbox.send('c', 'one')
  service.answer = async () => undefined
  await Promise.all([
    tab.outbox.send('c', 'two'),
    tab.outbox.send('d', 'elsewhere'),
    tab.outbox.send('c', 'three'),
  ])
  const inC = service.contents().filter(content => content !== 'elsewhere')
  assert.deepEqual(inC, ['one', 'two', 'three'])
  assert.equal(service.contents().length, 4)
})

test('waits for Retry-After on 429, also for new messages and retryAll', async () => {
  const service = fakeService()
  service.answer = async () => limited(7)
  const tab = await openTab(service, fakeStorage())
  await tab.outbox.send('c', 'one')
  assert.deepEqual(service.requests, ['one'], 'no immediate repetition')
  assert.deepEqual(
    tab.timers.map(({ ms }) => ms),
    [7000],
  )
  service.answer = async () => undefined
  await tab.outbox.send('c', 'two')
  await tab.outbox.send('d', 'three')
  await tab.outbox.retryAll()
  await tab.outbox.retry('c', tab.nonce('one'))
  assert.deepEqual(service.contents(), [])
  await tab.fire()
  assert.deepEqual(service.contents().toSorted(), ['one', 'three', 'two'])
  assert.ok(service.contents().indexOf('one') < service.contents().indexOf('two'))
})

test('shows a rejected message, also after a reload, and only the user retries it', async () => {
  for (const status of [400, 403, 404, 413]) {
    const [service, storage] = [fakeService(), fakeStorage()]
    service.answer = async content =>
      content === 'bad' ? new ApiError(status, { code: 'validation_failed' }) : undefined
    const before = await openTab(service, storage)
    await before.outbox.send('c', 'bad')
    await before.outbox.send('c', 'good')
    assert.deepEqual(before.pending(), [{ content: 'bad', state: 'failed' }])
    assert.deepEqual(before.timers, [])
    const tab = await openTab(service, storage)
    await tab.outbox.retryAll()
    assert.deepEqual(service.requests, ['bad', 'good'])
    assert.deepEqual(tab.pending(), [{ content: 'bad', state: 'failed' }])
    service.answer = async () => undefined
    await tab.outbox.retry('c', tab.nonce('bad'))
    assert.deepEqual(service.contents(), ['good', 'bad'])
    assert.deepEqual(tab.pending(), [])
  }
})

test('does not send a discarded message, and removes all messages at sign-out', async () => {
  const [service, storage] = [fakeService(), fakeStorage()]
  service.answer = async () => offline()
  const tab = await openTab(service, storage)
  for (const content of ['one', 'two']) await tab.outbox.send('c', content)
  tab.outbox.discard('c', tab.nonce('one'))
  service.answer = async () => undefined
  await tab.outbox.retryAll()
  assert.deepEqual(service.contents(), ['two'])

  service.answer = async () => offline()
  await tab.outbox.send('c', 'three')
  tab.outbox.clearUnsent()
  service.answer = async () => undefined
  await tab.fire()
  await openTab(service, storage)
  assert.deepEqual(service.contents(), ['two'])
})

test('keeps the messages without a retry if the session has ended', async () => {
  const [service, storage] = [fakeService(), fakeStorage()]
  service.answer = async () => new ApiError(401, { code: 'unauthenticated' })
  const tab = await openTab(service, storage)
  await tab.outbox.send('c', 'hello')
  assert.deepEqual([service.requests.length, tab.timers.length], [1, 0])
  service.answer = async () => undefined
  await openTab(service, storage)
  assert.deepEqual(service.contents(), ['hello'])
})

test('does not send a message again after its MESSAGE_CREATE', async () => {
  const [service, storage] = [fakeService(), fakeStorage()]
  service.losesAnswer = true
  const tab = await openTab(service, storage)
  await tab.outbox.send('c', 'once')
  const sent = service.requests.length
  tab.outbox.markAccepted('c', tab.nonce('once'))
  assert.deepEqual(tab.pending(), [])
  await tab.fire()
  await openTab(service, storage)
  assert.equal(service.requests.length, sent)
})

test('with Web Locks, two tabs send each message with one request, in order', async () => {
  const [service, storage, locks] = [fakeService(), fakeStorage(), fakeLocks()]
  service.answer = async () => offline()
  const [one, two] = [await openTab(service, storage, locks), await openTab(service, storage, locks)]
  for (const content of ['a', 'b', 'c', 'd']) await one.outbox.send('c', content)
  two.outbox.handleStorageEvent(null)
  await settle()
  assert.equal(two.pending().length, 4, 'the other tab shows the queued messages')
  service.requests.length = 0
  service.answer = async () => {
    await settle()
    return undefined
  }
  await Promise.all([one.outbox.retryAll(), two.outbox.retryAll(), two.outbox.send('c', 'e')])
  assert.deepEqual(service.requests, ['a', 'b', 'c', 'd', 'e'])
  for (const tab of [one, two]) tab.outbox.handleStorageEvent(null)
  assert.deepEqual([one.pending(), two.pending()], [[], []])
})

test('without Web Locks, two tabs may both send a request for one message', async () => {
  const [service, storage] = [fakeService(), fakeStorage()]
  service.answer = async () => offline()
  const one = await openTab(service, storage)
  await one.outbox.send('c', 'once')
  const two = await openTab(service, storage)
  service.answer = async () => undefined
  await Promise.all([one.outbox.retryAll(), two.outbox.retryAll()])
  assert.deepEqual(service.contents(), ['once'])
})

test('another tab sends the message of a tab that was closed', async () => {
  const [service, storage, locks] = [fakeService(), fakeStorage(), fakeLocks()]
  const closed = Promise.withResolvers<void>()
  // The browser releases the locks of a closed tab.
  const one = await openTab(service, storage, (name, work) => {
    void work()
    return locks(name, () => closed.promise)
  })
  service.answer = () => new Promise(() => {})
  void one.outbox.send('c', 'hello')
  await settle()
  service.answer = async () => undefined
  const two = openTab(service, storage, locks)
  await settle()
  assert.deepEqual(service.contents(), [])
  closed.resolve()
  await two
  assert.deepEqual(service.contents(), ['hello'])
})

test('a message that slow mode refuses is not sent again by itself (community/slow-mode)', async () => {
  const service = fakeService()
  service.answer = async content =>
    content === 'early' ? new ApiError(429, { code: 'slow_mode', retryAfter: 21_600 }) : undefined
  const tab = await openTab(service, fakeStorage())
  await tab.outbox.send('c', 'early')
  await tab.outbox.send('d', 'elsewhere')
  await tab.outbox.retryAll()
  assert.deepEqual(service.requests, ['early', 'elsewhere'])
  service.answer = async () => undefined
  await tab.outbox.retry('c', tab.nonce('early'))
  assert.deepEqual(service.contents(), ['elsewhere', 'early'])
})
