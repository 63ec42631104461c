import assert from 'node:assert/strict'
import test from 'node:test'
import type { Message } from '@gatehouse/protocol/messages'
import { addNewestPage, refreshNewestPage } from './message-range.ts'
import {
  addArrived,
  addPending,
  compareIds,
  emptyTimeline,
  failPending,
  findLastOwnMessage,
  putMessage,
  removeMessage,
  resolvePending,
  type Timeline,
  updateAuthor,
  updateMessage,
} from './timeline.ts'

const self = '100000000000000001'

function idOf(number: number): string {
  return String(100_000_000_000_000_000n + BigInt(number))
}

function message(number: number, changes: Partial<Message> = {}): Message {
  return {
    id: idOf(number),
    channelId: '1',
    serverId: '2',
    author: { id: self, username: 'ann', displayName: 'Ann', avatar: '/a', bot: false },
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

const numbers = (timeline: Timeline) =>
  timeline.messages.map(({ id }) => Number(BigInt(id) - 100_000_000_000_000_000n))
const page = (...list: number[]) => list.map(number => message(number))

test('sorts pages from the oldest to the newest message, without duplicates', () => {
  let timeline = addNewestPage(emptyTimeline, page(6, 5, 4), true)
  timeline = addNewestPage(timeline, page(4, 3, 2), true)
  assert.deepEqual(numbers(timeline), [2, 3, 4, 5, 6])
  assert.equal(timeline.reachesStart, false)
  assert.equal(addNewestPage(timeline, page(1), false).reachesStart, true)
})

test('inserts a message by its id', () => {
  const timeline = putMessage(addNewestPage(emptyTimeline, page(5, 3, 1), false), message(4))
  assert.deepEqual(numbers(timeline), [1, 3, 4, 5])
})

test('compares ids as numbers', () => {
  assert.ok(compareIds('99999999999999999', '100000000000000000') < 0)
  assert.equal(compareIds('100000000000000000', '100000000000000000'), 0)
})

test('an older page does not undo an edit or a deletion', () => {
  let timeline = addNewestPage(emptyTimeline, page(2, 1), false)
  timeline = updateMessage(timeline, message(1, { content: 'new', editedAt: '2026-01-01T00:00:00.000Z' }))
  timeline = removeMessage(timeline, message(2).id)
  timeline = addNewestPage(timeline, page(2, 1), false)
  assert.deepEqual(numbers(timeline), [1])
  assert.equal(timeline.messages[0]?.content, 'new')
})

test('a late deferred response does not replace the completed one', () => {
  let timeline = putMessage(emptyTimeline, message(1, { content: 'answer' }))
  timeline = putMessage(timeline, message(1, { content: '', state: 'deferred' }))
  assert.equal(timeline.messages[0]?.content, 'answer')
})

test('does not add a message that is older than the range on an update', () => {
  const timeline = addNewestPage(emptyTimeline, page(9, 8), true)
  assert.equal(updateMessage(timeline, message(3)), timeline)
  assert.deepEqual(numbers(updateMessage(timeline, message(9, { content: 'x' }))), [8, 9])
})

test('sending: a response with a message that is older than the range leaves no hole', () => {
  const pending = {
    nonce: 'n',
    content: 'text 3',
    createdAt: '2026-01-01T00:00:00.000Z',
    state: 'sending',
  } as const
  const timeline = resolvePending(
    addPending(addNewestPage(emptyTimeline, page(9, 8), true), pending),
    'n',
    message(3),
  )
  assert.deepEqual([numbers(timeline), timeline.pending], [[8, 9], []])
})

test('sending: the response replaces the pending message', () => {
  let timeline = addPending(emptyTimeline, {
    nonce: 'n',
    content: 'text 3',
    createdAt: '2026-01-01T00:00:00.000Z',
    state: 'sending',
  })
  timeline = resolvePending(timeline, 'n', message(3))
  assert.deepEqual(numbers(timeline), [3])
  assert.equal(timeline.pending.length, 0)
})

test('sending: an event before the response replaces the pending message with its nonce', () => {
  const row = { content: 'text 3', createdAt: '2026-01-01T00:00:00.000Z', state: 'sending' as const }
  let timeline = addPending(addPending(emptyTimeline, { ...row, nonce: 'a' }), { ...row, nonce: 'b' })
  timeline = addArrived(timeline, message(3), 'b')
  assert.deepEqual(
    timeline.pending.map(({ nonce }) => nonce),
    ['a'],
  )
  timeline = resolvePending(timeline, 'b', message(3))
  // An own message from another window, and a message of another user.
  timeline = addArrived(timeline, message(4, { content: 'text 3' }), 'c')
  timeline = addArrived(timeline, message(5, { content: 'text 3' }), undefined)
  assert.deepEqual(numbers(timeline), [3, 4, 5])
  assert.equal(timeline.pending.length, 1)
})

test('updates the name on earlier messages of the user, but not of a webhook', () => {
  const { author } = message(1)
  const hook = message(2, { author: { ...author, webhookId: author.id } })
  const timeline = addNewestPage(emptyTimeline, [hook, message(1)], false)
  const user = { ...author, displayName: 'Ahoy', avatar: '/images/1' }
  const after = updateAuthor(timeline, user)
  assert.deepEqual(
    after.messages.map(({ author: { displayName } }) => displayName),
    ['Ahoy', author.displayName],
  )
  assert.equal(updateAuthor(after, user), after)
})

test('sending: a failure has a reason, and a retry has the same nonce', () => {
  const row = { nonce: 'n', content: 'x', createdAt: '2026-01-01T00:00:00.000Z' }
  let timeline = addPending(emptyTimeline, { ...row, state: 'sending' })
  const problem = { status: 0, code: 'network' } as const
  timeline = failPending(timeline, 'n', { problem })
  assert.deepEqual(timeline.pending, [{ ...row, state: 'failed', problem }])
  timeline = addPending(timeline, { ...row, state: 'sending' })
  assert.deepEqual(timeline.pending, [{ ...row, state: 'sending' }])
})

test('after a gap: removes deleted and older messages, and keeps ephemeral ones', () => {
  let timeline = addNewestPage(emptyTimeline, page(9, 8, 7, 6, 5, 4), true)
  timeline = putMessage(timeline, message(10, { ephemeral: true }))
  timeline = refreshNewestPage(timeline, page(12, 9, 7), true, timeline)
  assert.deepEqual(numbers(timeline), [7, 9, 10, 12])
  assert.equal(timeline.reachesStart, false)
})

test('after a gap: removes the newest messages if they were deleted', () => {
  const timeline = addNewestPage(emptyTimeline, page(3, 2, 1), false)
  assert.deepEqual(numbers(refreshNewestPage(timeline, page(2, 1), false, timeline)), [1, 2])
  assert.deepEqual(numbers(refreshNewestPage(timeline, [], false, timeline)), [])
})

test('after a gap: keeps messages that arrive while the page is read', () => {
  const stale = addNewestPage(emptyTimeline, page(3, 2), false)
  const timeline = putMessage(stale, message(20))
  assert.deepEqual(numbers(refreshNewestPage(timeline, page(12, 3, 2), false, stale)), [2, 3, 12, 20])
})

test('the last own message is neither ephemeral nor an interaction response', () => {
  let timeline = addNewestPage(emptyTimeline, page(2, 1), false)
  timeline = putMessage(timeline, message(3, { ephemeral: true }))
  timeline = putMessage(timeline, message(4, { author: { ...message(4).author, id: '9' } }))
  assert.equal(findLastOwnMessage(timeline, self)?.id, message(2).id)
})
