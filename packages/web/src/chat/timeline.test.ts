import assert from 'node:assert/strict'
import test from 'node:test'
import type { Message } from '@gatehouse/protocol/messages'
import { addPage, refresh } from './run.ts'
import {
  addPending,
  arrived,
  compareIds,
  emptyTimeline,
  failed,
  lastOwn,
  remove,
  renamed,
  sent,
  type Timeline,
  update,
  upsert,
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

test('pages come newest first and stand oldest first, without doubles', () => {
  let timeline = addPage(emptyTimeline, page(6, 5, 4), true)
  timeline = addPage(timeline, page(4, 3, 2), true)
  assert.deepEqual(numbers(timeline), [2, 3, 4, 5, 6])
  assert.equal(timeline.complete, false)
  assert.equal(addPage(timeline, page(1), false).complete, true)
})

test('a message that arrives late takes its place by id', () => {
  const timeline = upsert(addPage(emptyTimeline, page(5, 3, 1), false), message(4))
  assert.deepEqual(numbers(timeline), [1, 3, 4, 5])
})

test('ids of different length are compared as numbers', () => {
  assert.ok(compareIds('99999999999999999', '100000000000000000') < 0)
  assert.equal(compareIds('100000000000000000', '100000000000000000'), 0)
})

test('a page that was under way does not undo an edit or a deletion', () => {
  let timeline = addPage(emptyTimeline, page(2, 1), false)
  timeline = update(timeline, message(1, { content: 'new', editedAt: '2026-01-01T00:00:00.000Z' }))
  timeline = remove(timeline, message(2).id)
  timeline = addPage(timeline, page(2, 1), false)
  assert.deepEqual(numbers(timeline), [1])
  assert.equal(timeline.messages[0]?.content, 'new')
})

test('a late placeholder does not replace the answer that took its place', () => {
  let timeline = upsert(emptyTimeline, message(1, { content: 'answer' }))
  timeline = upsert(timeline, message(1, { content: '', state: 'deferred' }))
  assert.equal(timeline.messages[0]?.content, 'answer')
})

test('an update of a message older than what is loaded is not shown out of place', () => {
  const timeline = addPage(emptyTimeline, page(9, 8), true)
  assert.equal(update(timeline, message(3)), timeline)
  assert.deepEqual(numbers(update(timeline, message(9, { content: 'x' }))), [8, 9])
})

test('sending: the answer takes the place of the row', () => {
  let timeline = addPending(emptyTimeline, {
    nonce: 'n',
    content: 'text 3',
    createdAt: '2026-01-01T00:00:00.000Z',
    state: 'sending',
  })
  timeline = sent(timeline, 'n', message(3))
  assert.deepEqual(numbers(timeline), [3])
  assert.equal(timeline.pending.length, 0)
})

test('sending: the event before the answer takes the row of its nonce, and the answer adds nothing', () => {
  const row = { content: 'text 3', createdAt: '2026-01-01T00:00:00.000Z', state: 'sending' as const }
  let timeline = addPending(addPending(emptyTimeline, { ...row, nonce: 'a' }), { ...row, nonce: 'b' })
  timeline = arrived(timeline, message(3), 'b')
  assert.deepEqual(
    timeline.pending.map(({ nonce }) => nonce),
    ['a'],
  )
  timeline = sent(timeline, 'b', message(3))
  // One’s own from another window, and one of somebody else.
  timeline = arrived(timeline, message(4, { content: 'text 3' }), 'c')
  timeline = arrived(timeline, message(5, { content: 'text 3' }), undefined)
  assert.deepEqual(numbers(timeline), [3, 4, 5])
  assert.equal(timeline.pending.length, 1)
})

test('a new name shows on what was said under the old one, and not on a webhook’s', () => {
  const { author } = message(1)
  const hook = message(2, { author: { ...author, webhookId: author.id } })
  const timeline = addPage(emptyTimeline, [hook, message(1)], false)
  const user = { ...author, displayName: 'Ahoy', avatar: '/images/1' }
  const after = renamed(timeline, user)
  assert.deepEqual(
    after.messages.map(({ author: { displayName } }) => displayName),
    ['Ahoy', author.displayName],
  )
  assert.equal(renamed(after, user), after)
})

test('sending: a failure shows the row again with its reason, and a retry keeps the nonce', () => {
  const row = { nonce: 'n', content: 'x', createdAt: '2026-01-01T00:00:00.000Z' }
  let timeline = addPending(emptyTimeline, { ...row, state: 'sending' })
  timeline = failed(timeline, 'n', { problem: 'no network' })
  assert.deepEqual(timeline.pending, [{ ...row, state: 'failed', problem: 'no network' }])
  timeline = addPending(timeline, { ...row, state: 'sending' })
  assert.deepEqual(timeline.pending, [{ ...row, state: 'sending' }])
})

test('after a gap: what was deleted meanwhile goes, what is older is read again, ephemeral ones stay', () => {
  let timeline = addPage(emptyTimeline, page(9, 8, 7, 6, 5, 4), true)
  timeline = upsert(timeline, message(10, { ephemeral: true }))
  timeline = refresh(timeline, page(12, 9, 7), true, timeline)
  assert.deepEqual(numbers(timeline), [7, 9, 10, 12])
  assert.equal(timeline.complete, false)
})

test('after a gap: the newest ones may be what was deleted', () => {
  const timeline = addPage(emptyTimeline, page(3, 2, 1), false)
  assert.deepEqual(numbers(refresh(timeline, page(2, 1), false, timeline)), [1, 2])
  assert.deepEqual(numbers(refresh(timeline, [], false, timeline)), [])
})

test('after a gap: what arrives while the page is read is kept', () => {
  const stale = addPage(emptyTimeline, page(3, 2), false)
  const timeline = upsert(stale, message(20))
  assert.deepEqual(numbers(refresh(timeline, page(12, 3, 2), false, stale)), [2, 3, 12, 20])
})

test('the last own message is neither ephemeral nor an answer of a bot', () => {
  let timeline = addPage(emptyTimeline, page(2, 1), false)
  timeline = upsert(timeline, message(3, { ephemeral: true }))
  timeline = upsert(timeline, message(4, { author: { ...message(4).author, id: '9' } }))
  assert.equal(lastOwn(timeline, self)?.id, message(2).id)
})
