import assert from 'node:assert/strict'
import test from 'node:test'
import type { Message } from '@gatehouse/protocol/messages'
import { type FakeRequest, fakeApi } from '../api/api-testing.ts'
import { ApiError } from '../api/client.ts'
import { fakeStorage } from './testing.ts'
import { createTimelines } from './timelines.ts'
import { createUnsentStore } from './unsent-store.ts'

const self = '100000000000000001'

function message(number: number, changes: Partial<Message> = {}): Message {
  return {
    id: String(200_000_000_000_000_000n + BigInt(number)),
    channelId: 'c',
    serverId: 's',
    author: { id: self, username: 'ann', displayName: 'Ann', avatar: null, bot: false },
    content: `text ${number}`,
    embeds: [],
    components: [],
    mentions: { users: [], roles: [], everyone: false },
    createdAt: new Date(number * 1000).toISOString(),
    editedAt: null,
    state: 'sent',
    ...changes,
  }
}

/** Records the requests; each gets the next of the given results. */
function setUp(answers: unknown[]) {
  const scheduled = new Set<() => void>()
  const requests: FakeRequest[] = []
  async function next(request: FakeRequest) {
    requests.push(request)
    const answer = answers.shift()
    if (answer instanceof Error) throw answer
    return answer
  }
  const timelines = createTimelines({
    api: fakeApi(next),
    now: () => 0,
    timers: {
      after(_ms, work) {
        scheduled.add(work)
        return () => scheduled.delete(work)
      },
    },
    random: () => 0,
    unsent: createUnsentStore(() => fakeStorage()),
    exclusive: undefined,
  })
  return {
    timelines,
    scheduled,
    requests,
    texts: () => timelines.get('c').messages.map(({ content }) => content),
  }
}

const page = (from: number, count: number) => Array.from({ length: count }, (_, at) => message(from - at))
const offline = () => new ApiError(0, { code: 'network' })

test('requests the newest page once for concurrent calls', async () => {
  const { timelines, requests } = setUp([page(3, 3)])
  await Promise.all([timelines.load('c'), timelines.load('c')])
  await timelines.load('c')
  assert.equal(requests.length, 1)
  assert.equal(timelines.get('c').reachesStart, true)
})

test('loads older pages up to the first message', async () => {
  const { timelines, requests, texts } = setUp([page(100, 50), page(50, 20)])
  await timelines.load('c')
  await timelines.loadOlder('c')
  assert.match(requests[1]?.path ?? '', new RegExp(`before=${message(51).id}$`))
  assert.equal(texts().length, 70)
  await timelines.loadOlder('c')
  assert.equal(requests.length, 2)
})

test('loads older pages while the newest page is loading', async () => {
  const { timelines, requests } = setUp([page(100, 50), page(50, 50)])
  const loading = timelines.load('c')
  timelines.store.subscribe(() => {
    if (requests.length === 1) void timelines.loadOlder('c')
  })
  await loading
  assert.equal(requests.length, 2)
})

test('repeats a request once with the same nonce if its response was lost', async () => {
  const { timelines, requests, texts } = setUp([offline(), message(1)])
  await timelines.send('c', 'text 1')
  assert.equal(requests.length, 2)
  assert.deepEqual(requests[0]?.body, requests[1]?.body)
  assert.deepEqual(texts(), ['text 1'])
  assert.equal(timelines.get('c').pending.length, 0)
})

test('shows the reason after a second failure, and retries with the same nonce', async () => {
  const { timelines, requests, texts } = setUp([offline(), offline(), message(1)])
  await timelines.send('c', 'text 1')
  const [pending] = timelines.get('c').pending
  assert.deepEqual([pending?.state, pending?.problem?.code], ['failed', 'network'])
  await timelines.retry('c', pending?.nonce ?? '')
  assert.deepEqual(requests[2]?.body, requests[0]?.body)
  assert.deepEqual(texts(), ['text 1'])
})

test('sends unsent messages when the service can be reached again, in order and with their nonces', async () => {
  const refused = new ApiError(403, { code: 'missing_permission' })
  const { timelines, requests, texts } = setUp([
    ...[offline(), offline()],
    ...[offline(), offline()],
    ...[offline(), offline()],
    message(1),
    refused,
    message(2),
  ])
  const bodies = () => requests.map(({ body }) => body as { content: string; nonce: string })
  await timelines.send('c', 'first')
  await timelines.send('c', 'never')
  await timelines.send('c', 'second')
  // No message is sent before the first one.
  assert.deepEqual(
    bodies().map(({ content }) => content),
    Array(6).fill('first'),
  )
  assert.deepEqual(
    timelines.get('c').pending.map(({ content, transient }) => [content, transient]),
    [
      ['first', true],
      ['never', true],
      ['second', true],
    ],
  )
  await timelines.retryAll()
  assert.deepEqual(
    bodies()
      .slice(6)
      .map(({ content }) => content),
    ['first', 'never', 'second'],
  )
  assert.equal(bodies()[6]?.nonce, bodies()[0]?.nonce)
  assert.deepEqual(texts(), ['text 1', 'text 2'])
  assert.deepEqual(
    timelines.get('c').pending.map(({ content, transient }) => [content, transient ?? false]),
    [['never', false]],
  )
  await timelines.retryAll()
  assert.equal(requests.length, 9, 'each request once')
})

test('does not repeat a rejected message', async () => {
  const { timelines, requests } = setUp([new ApiError(403, { code: 'missing_permission' })])
  await timelines.send('c', 'x')
  assert.equal(requests.length, 1)
  assert.equal(timelines.get('c').pending[0]?.problem?.code, 'missing_permission')
})

test('after a gap, loads the visible channel again and unloads the others except ephemeral messages', async () => {
  const { timelines, texts } = setUp([page(3, 3), [], page(5, 2)])
  await timelines.load('c')
  await timelines.load('d')
  timelines.messageCreated(message(9, { channelId: 'd', ephemeral: true, content: 'only me' }))
  timelines.setOpenChannel('c')
  timelines.refetchAfterGap()
  assert.equal(timelines.get('d').loaded, false)
  assert.equal(timelines.get('d').messages[0]?.content, 'only me')
  await new Promise(resolve => setImmediate(resolve))
  assert.deepEqual(texts(), ['text 4', 'text 5'])
})

test('after a gap, loads a channel again that was loading, and counts no message of it as arrived', async () => {
  const { timelines, requests, texts } = setUp([page(3, 3), page(4, 4)])
  timelines.setOpenChannel('c')
  const loading = timelines.load('c')
  timelines.refetchAfterGap()
  await loading
  await new Promise(resolve => setImmediate(resolve))
  assert.equal(requests.length, 2)
  assert.deepEqual(texts(), ['text 1', 'text 2', 'text 3', 'text 4'])
  assert.deepEqual(timelines.get('c').arrivedIds, [])
})

test('after a gap, keeps the range to which the user jumps while the newest page is loading', async () => {
  const newest = Promise.withResolvers<Message[]>()
  const around = [page(1000, 100), page(1100, 100)]
  const { timelines, texts } = setUp([page(5000, 50), newest.promise, ...around])
  await timelines.load('c')
  timelines.setOpenChannel('c')
  timelines.refetchAfterGap()
  await timelines.loadAround('c', message(1000).id)
  newest.resolve(page(5001, 50))
  await new Promise(resolve => setImmediate(resolve))
  assert.deepEqual([texts()[0], texts().at(-1), texts().length], ['text 901', 'text 1100', 200])
  assert.equal(timelines.get('c').reachesEnd, false)
})

test('keeps the messages if the service is unreachable again after a gap, and loads them later', async () => {
  const { timelines, scheduled, texts } = setUp([page(3, 3), offline(), offline(), offline(), page(4, 4)])
  await timelines.load('c')
  timelines.setOpenChannel('c')
  timelines.refetchAfterGap()
  await new Promise(resolve => setImmediate(resolve))
  assert.deepEqual(texts(), ['text 1', 'text 2', 'text 3'])
  await timelines.send('c', 'while offline')
  assert.equal(timelines.get('c').loaded, true)
  assert.equal(timelines.get('c').pending[0]?.problem?.code, 'network')
  const [refetch] = scheduled
  scheduled.clear()
  refetch?.()
  await new Promise(resolve => setImmediate(resolve))
  assert.deepEqual(texts(), ['text 1', 'text 2', 'text 3', 'text 4'])
  assert.equal(scheduled.size, 0)
})

test('keeps a channel that was loading at the gap if the service is unreachable again', async () => {
  const first = Promise.withResolvers<Message[]>()
  const second = Promise.withResolvers<Message[]>()
  const { timelines, scheduled, texts } = setUp([
    first.promise,
    second.promise,
    offline(),
    offline(),
    offline(),
    page(4, 4),
  ])
  timelines.setOpenChannel('c')
  const loading = timelines.load('c')
  timelines.refetchAfterGap()
  first.resolve(page(3, 3))
  second.reject(offline())
  await loading
  await timelines.send('c', 'while offline')
  assert.equal(timelines.get('c').loaded, true)
  assert.deepEqual(texts(), ['text 1', 'text 2', 'text 3'])
  const [refetch] = scheduled
  scheduled.clear()
  refetch?.()
  await new Promise(resolve => setImmediate(resolve))
  assert.deepEqual(texts(), ['text 1', 'text 2', 'text 3', 'text 4'])
})

test('an edit is shown if a page that was read before it arrives after it', async () => {
  const again = Promise.withResolvers<Message[]>()
  const { timelines, texts } = setUp([page(3, 3), again.promise, message(2, { content: 'edited' })])
  await timelines.load('c')
  timelines.setOpenChannel('c')
  timelines.refetchAfterGap()
  await timelines.edit(message(2), 'edited')
  again.resolve(page(3, 3))
  await new Promise(resolve => setImmediate(resolve))
  assert.deepEqual(texts(), ['text 1', 'edited', 'text 3'])
})

test('loads the messages when the channel is loaded again, if they could not be loaded after a gap', async () => {
  const { timelines, scheduled, requests, texts } = setUp([page(3, 3), offline(), page(4, 4)])
  await timelines.load('c')
  timelines.setOpenChannel('c')
  timelines.refetchAfterGap()
  await new Promise(resolve => setImmediate(resolve))
  await timelines.load('c')
  assert.deepEqual(texts(), ['text 1', 'text 2', 'text 3', 'text 4'])
  assert.equal(scheduled.size, 0)
  await timelines.load('c')
  assert.equal(requests.length, 3)
})

test('unloads the channel if the service refuses to load it after a gap', async () => {
  const { timelines } = setUp([page(3, 3), new ApiError(404, { code: 'not_found' })])
  await timelines.load('c')
  timelines.setOpenChannel('c')
  timelines.refetchAfterGap()
  await new Promise(resolve => setImmediate(resolve))
  assert.equal(timelines.get('c').loaded, false)
})

test('does not store messages of a channel that was never opened', () => {
  const { timelines } = setUp([])
  timelines.messageCreated(message(1))
  assert.equal(timelines.get('c').messages.length, 0)
  timelines.messageCreated(message(2, { ephemeral: true }))
  assert.equal(timelines.get('c').messages.length, 1)
})

test('loads newer pages of a range that does not reach the end, and the newest page', async () => {
  const around = [page(1000, 100), page(1100, 100)]
  const { timelines, requests, texts } = setUp([page(5000, 50), ...around, page(1200, 100), page(5001, 50)])
  await timelines.load('c')
  await timelines.loadAround('c', message(1000).id)
  assert.deepEqual([texts().length, texts()[0], texts().at(-1)], [200, 'text 901', 'text 1100'])
  await timelines.loadNewer('c')
  assert.match(requests[3]?.path ?? '', new RegExp(`after=${message(1100).id}$`))
  assert.equal(texts().at(-1), 'text 1200')
  timelines.messageCreated(message(5002))
  await Promise.all([timelines.loadNewest('c'), timelines.loadNewest('c')])
  assert.equal(requests.length, 5)
  assert.deepEqual([texts().length, texts().at(-2), texts().at(-1)], [51, 'text 5001', 'text 5002'])
})

test('loads the newest page when the user sends a message', async () => {
  const around = [page(1000, 100), page(1100, 100)]
  const { timelines, texts } = setUp([page(5000, 50), ...around, page(5000, 50), message(5001)])
  await timelines.load('c')
  await timelines.loadAround('c', message(1000).id)
  await timelines.send('c', 'text 5001')
  assert.deepEqual(texts().slice(-2), ['text 5000', 'text 5001'])
  assert.equal(timelines.get('c').pending.length, 0)
})

test('after a gap, loads a range that does not reach the end again', async () => {
  const around = [page(1000, 100), page(1100, 100)]
  // Message 950 was deleted during the gap.
  const again = [page(1001, 101).filter(({ content }) => content !== 'text 950'), page(1101, 100)]
  const { timelines, requests, texts } = setUp([page(5000, 50), ...around, ...again])
  await timelines.load('c')
  await timelines.loadAround('c', message(1000).id)
  timelines.setOpenChannel('c')
  timelines.messageCreated(message(5001))
  timelines.refetchAfterGap()
  await new Promise(resolve => setImmediate(resolve))
  assert.match(requests[3]?.path ?? '', new RegExp(`after=${BigInt(message(901).id) - 1n}$`))
  assert.deepEqual([texts()[0], texts().at(-1), texts().length], ['text 901', 'text 1101', 200])
  assert.equal(texts().includes('text 950'), false)
  assert.equal(timelines.get('c').reachesEnd, false)
})

test('opens a channel at its newest message after it was left elsewhere', async () => {
  const around = [page(1000, 100), page(1100, 100)]
  const { timelines, texts } = setUp([page(5000, 50), ...around, page(5000, 50)])
  timelines.setOpenChannel('c')
  await timelines.load('c')
  await timelines.loadAround('c', message(1000).id)
  timelines.setOpenChannel('d')
  await timelines.load('c')
  assert.equal(texts().at(-1), 'text 5000')
})

test('trims a channel that is not visible to its newest messages', async () => {
  const { timelines, texts } = setUp([page(50, 50)])
  await timelines.load('c')
  for (let number = 51; number <= 1200; number += 1) timelines.messageCreated(message(number))
  assert.ok(texts().length <= 1000, String(texts().length))
  assert.equal(texts().at(-1), 'text 1200')
  assert.equal(timelines.get('c').reachesEnd, true)
})

const renamed = { ...message(1).author, displayName: 'Ann of the Sea', avatar: '' }

test('applies changes of events that arrive before an older page', async () => {
  let respond: (page: Message[]) => void = () => {}
  const { timelines, texts } = setUp([new Promise(resolve => (respond = resolve))])
  const loading = timelines.load('c')
  timelines.messageUpdated(message(2, { content: 'edited', editedAt: new Date(9000).toISOString() }))
  timelines.userUpdated(renamed)
  respond(page(3, 3))
  await loading
  assert.deepEqual(texts(), ['text 1', 'edited', 'text 3'])
  assert.deepEqual(
    timelines.get('c').messages.map(({ author }) => author.displayName),
    ['Ann of the Sea', 'Ann of the Sea', 'Ann of the Sea'],
  )
})

test('applies changes of events that arrive while a channel is loaded again after a gap', async () => {
  let respond: (page: Message[]) => void = () => {}
  const { timelines } = setUp([page(1, 1), new Promise(resolve => (respond = resolve))])
  await timelines.load('c')
  timelines.setOpenChannel('c')
  timelines.refetchAfterGap()
  timelines.userUpdated(renamed)
  respond(page(1, 1))
  await new Promise(resolve => setImmediate(resolve))
  assert.deepEqual(
    timelines.get('c').messages.map(({ author }) => author.displayName),
    ['Ann of the Sea'],
  )
})

test('after a gap, a channel that was loading in the background is loaded again when it is opened', async () => {
  const first = Promise.withResolvers<Message[]>()
  const { timelines, texts } = setUp([first.promise, [], page(4, 4)])
  const loading = timelines.load('c')
  timelines.setOpenChannel('d')
  timelines.refetchAfterGap()
  // The service read the page before message 4, whose event is in the gap.
  first.resolve(page(3, 3))
  await loading
  await timelines.load('c')
  assert.deepEqual(texts(), ['text 1', 'text 2', 'text 3', 'text 4'])
})

test('after a gap, a page that was requested before it does not restore a deleted message', async () => {
  const first = Promise.withResolvers<Message[]>()
  const { timelines, texts } = setUp([first.promise, page(2, 2)])
  timelines.setOpenChannel('c')
  const loading = timelines.load('c')
  timelines.refetchAfterGap()
  await new Promise(resolve => setImmediate(resolve))
  first.resolve(page(3, 3))
  await loading
  assert.deepEqual(texts(), ['text 1', 'text 2'])
})

test('a channel that was removed while it was loading is loaded again when it is visible again', async () => {
  const first = Promise.withResolvers<Message[]>()
  const { timelines, texts } = setUp([first.promise, page(4, 4)])
  const loading = timelines.load('c')
  timelines.removeChannel('c')
  first.resolve(page(3, 3))
  await loading
  await timelines.load('c')
  assert.deepEqual(texts(), ['text 1', 'text 2', 'text 3', 'text 4'])
})

test('a jump to the end that was requested before a gap is followed by the messages of the gap', async () => {
  const newest = Promise.withResolvers<Message[]>()
  const { timelines, texts } = setUp([
    page(5000, 50),
    page(1000, 100),
    page(1100, 100),
    newest.promise,
    page(1100, 100),
    page(5001, 50),
  ])
  await timelines.load('c')
  timelines.setOpenChannel('c')
  await timelines.loadAround('c', message(1000).id)
  const jump = timelines.loadNewest('c')
  timelines.refetchAfterGap()
  newest.resolve(page(5000, 50))
  await jump
  await new Promise(resolve => setImmediate(resolve))
  await timelines.load('c')
  assert.equal(texts().at(-1), 'text 5001')
})
