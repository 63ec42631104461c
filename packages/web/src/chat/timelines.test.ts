import assert from 'node:assert/strict'
import test from 'node:test'
import type { Message } from '@gatehouse/protocol/messages'
import { ApiError } from '../api/client.ts'
import { createTimelines } from './timelines.ts'

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

/** A service in hand: what it was asked, and what each request gets, in turn. */
function setUp(answers: unknown[]) {
  const requests: { method: string; path: string; body?: unknown }[] = []
  async function next<Answer>(request: (typeof requests)[number]): Promise<Answer> {
    requests.push(request)
    const answer = answers.shift()
    if (answer instanceof Error) throw answer
    return answer as Answer
  }
  const timelines = createTimelines({
    api: {
      get: path => next({ method: 'GET', path }),
      send: (method, path, body) => next({ method, path, body }),
      upload: () => Promise.reject(new Error('not used')),
    },
    now: () => 0,
  })
  return { timelines, requests, texts: () => timelines.of('c').messages.map(({ content }) => content) }
}

const page = (from: number, count: number) => Array.from({ length: count }, (_, at) => message(from - at))
const describe = (error: unknown) => (error instanceof ApiError ? error.code : 'unknown')
const offline = () => new ApiError(0, { code: 'network' })

test('the newest page is asked for once, however many ask', async () => {
  const { timelines, requests } = setUp([page(3, 3)])
  await Promise.all([timelines.load('c'), timelines.load('c')])
  await timelines.load('c')
  assert.equal(requests.length, 1)
  assert.equal(timelines.of('c').complete, true)
})

test('older pages follow by the oldest message, up to the first one', async () => {
  const { timelines, requests, texts } = setUp([page(100, 50), page(50, 20)])
  await timelines.load('c')
  await timelines.loadOlder('c')
  assert.match(requests[1]?.path ?? '', new RegExp(`before=${message(51).id}$`))
  assert.equal(texts().length, 70)
  await timelines.loadOlder('c')
  assert.equal(requests.length, 2)
})

test('older pages are loaded also while the newest is still under way', async () => {
  const { timelines, requests } = setUp([page(100, 50), page(50, 50)])
  const loading = timelines.load('c')
  timelines.store.subscribe(() => {
    if (requests.length === 1) void timelines.loadOlder('c')
  })
  await loading
  assert.equal(requests.length, 2)
})

test('a message whose answer was lost is repeated once with the same nonce', async () => {
  const { timelines, requests, texts } = setUp([offline(), message(1)])
  await timelines.send('c', 'text 1', describe)
  assert.equal(requests.length, 2)
  assert.deepEqual(requests[0]?.body, requests[1]?.body)
  assert.deepEqual(texts(), ['text 1'])
  assert.equal(timelines.of('c').pending.length, 0)
})

test('a message that fails twice stays with its reason, and goes by a retry with its nonce', async () => {
  const { timelines, requests, texts } = setUp([offline(), offline(), message(1)])
  await timelines.send('c', 'text 1', describe)
  const [pending] = timelines.of('c').pending
  assert.deepEqual([pending?.state, pending?.problem], ['failed', 'network'])
  await timelines.retry('c', pending?.nonce ?? '', describe)
  assert.deepEqual(requests[2]?.body, requests[0]?.body)
  assert.deepEqual(texts(), ['text 1'])
})

test('what could not be delivered goes out when the service is reached again, in order and with its nonce', async () => {
  const refused = new ApiError(403, { code: 'missing_permission' })
  const { timelines, requests, texts } = setUp([
    ...[offline(), offline()],
    refused,
    ...[offline(), offline()],
    message(1),
    message(2),
  ])
  await timelines.send('c', 'first', describe)
  await timelines.send('c', 'never', describe)
  await timelines.send('c', 'second', describe)
  assert.deepEqual(
    timelines.of('c').pending.map(({ passing }) => passing ?? false),
    [true, false, true],
  )
  await timelines.sendWhatWaits()
  assert.deepEqual(
    requests.slice(5).map(({ body }) => body),
    [requests[0]?.body, requests[3]?.body],
  )
  assert.deepEqual(texts(), ['text 1', 'text 2'])
  assert.deepEqual(
    timelines.of('c').pending.map(({ content }) => content),
    ['never'],
  )
  await timelines.sendWhatWaits()
  assert.equal(requests.length, 7, 'and once')
})

test('a refused message is not repeated', async () => {
  const { timelines, requests } = setUp([new ApiError(403, { code: 'missing_permission' })])
  await timelines.send('c', 'x', describe)
  assert.equal(requests.length, 1)
  assert.equal(timelines.of('c').pending[0]?.problem, 'missing_permission')
})

test('after a gap the open channel is read again and others are forgotten, but for what no history gives', async () => {
  const { timelines, texts } = setUp([page(3, 3), [], page(5, 2)])
  await timelines.load('c')
  await timelines.load('d')
  timelines.arrived(message(9, { channelId: 'd', ephemeral: true, content: 'only me' }))
  timelines.show('c')
  timelines.catchUp()
  assert.equal(timelines.of('d').loaded, false)
  assert.equal(timelines.of('d').messages[0]?.content, 'only me')
  await new Promise(resolve => setImmediate(resolve))
  assert.deepEqual(texts(), ['text 4', 'text 5'])
})

test('a gap whose reading fails is read when there is another chance', async () => {
  const { timelines } = setUp([page(3, 3), offline()])
  await timelines.load('c')
  timelines.show('c')
  timelines.catchUp()
  await new Promise(resolve => setImmediate(resolve))
  assert.equal(timelines.of('c').loaded, false)
})

test('messages of a channel that was never opened wait for its history', () => {
  const { timelines } = setUp([])
  timelines.arrived(message(1))
  assert.equal(timelines.of('c').messages.length, 0)
  timelines.arrived(message(2, { ephemeral: true }))
  assert.equal(timelines.of('c').messages.length, 1)
})

test('far from the present: newer pages follow by the newest message, and a jump leads to the end', async () => {
  const around = [page(1000, 100), page(1100, 100)]
  const { timelines, requests, texts } = setUp([page(5000, 50), ...around, page(1200, 100), page(5001, 50)])
  await timelines.load('c')
  await timelines.loadFrom('c', message(1000).id)
  assert.deepEqual([texts().length, texts()[0], texts().at(-1)], [200, 'text 901', 'text 1100'])
  await timelines.loadNewer('c')
  assert.match(requests[3]?.path ?? '', new RegExp(`after=${message(1100).id}$`))
  assert.equal(texts().at(-1), 'text 1200')
  timelines.arrived(message(5002))
  await Promise.all([timelines.loadPresent('c'), timelines.loadPresent('c')])
  assert.equal(requests.length, 5)
  assert.deepEqual([texts().length, texts().at(-2), texts().at(-1)], [51, 'text 5001', 'text 5002'])
})

test('what one says far from the present leads there', async () => {
  const around = [page(1000, 100), page(1100, 100)]
  const { timelines, texts } = setUp([page(5000, 50), ...around, page(5000, 50), message(5001)])
  await timelines.load('c')
  await timelines.loadFrom('c', message(1000).id)
  await timelines.send('c', 'text 5001', describe)
  assert.deepEqual(texts().slice(-2), ['text 5000', 'text 5001'])
  assert.equal(timelines.of('c').pending.length, 0)
})

test('after a gap far from the present one stays where one is, and what was loaded is read again', async () => {
  const around = [page(1000, 100), page(1100, 100)]
  // Message 950 was deleted meanwhile.
  const again = [page(1001, 101).filter(({ content }) => content !== 'text 950'), page(1101, 100)]
  const { timelines, requests, texts } = setUp([page(5000, 50), ...around, ...again])
  await timelines.load('c')
  await timelines.loadFrom('c', message(1000).id)
  timelines.show('c')
  timelines.arrived(message(5001))
  timelines.catchUp()
  await new Promise(resolve => setImmediate(resolve))
  assert.match(requests[3]?.path ?? '', new RegExp(`after=${BigInt(message(901).id) - 1n}$`))
  assert.deepEqual([texts()[0], texts().at(-1), texts().length], ['text 901', 'text 1101', 200])
  assert.equal(texts().includes('text 950'), false)
  assert.equal(timelines.of('c').present, false)
})

test('a channel that is left far from its present is opened at its newest message', async () => {
  const around = [page(1000, 100), page(1100, 100)]
  const { timelines, texts } = setUp([page(5000, 50), ...around, page(5000, 50)])
  timelines.show('c')
  await timelines.load('c')
  await timelines.loadFrom('c', message(1000).id)
  timelines.show('d')
  await timelines.load('c')
  assert.equal(texts().at(-1), 'text 5000')
})

test('a channel that nobody looks at keeps the newest of what arrives', async () => {
  const { timelines, texts } = setUp([page(50, 50)])
  await timelines.load('c')
  for (let number = 51; number <= 1200; number += 1) timelines.arrived(message(number))
  assert.ok(texts().length <= 1000, String(texts().length))
  assert.equal(texts().at(-1), 'text 1200')
  assert.equal(timelines.of('c').present, true)
})
