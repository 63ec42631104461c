import assert from 'node:assert/strict'
import test from 'node:test'
import type { Message } from '@gatehouse/protocol/messages'
import {
  addNewerPage,
  addNewestPage,
  addOlderPage,
  includesNext,
  rangeEnds,
  rangeSize,
  refreshNewestPage,
  refreshRange,
  replaceRange,
  trimRange,
} from './message-range.ts'
import {
  addArrived,
  emptyTimeline,
  findLastOwnMessage,
  removeMessage,
  type Timeline,
  updateMessage,
} from './timeline.ts'

const base = 100_000_000_000_000_000n
const id = (number: number) => String(base + BigInt(number))

function message(number: number, changes: Partial<Message> = {}): Message {
  return {
    id: id(number),
    channelId: '1',
    serverId: '2',
    author: { id: '7', username: 'ann', displayName: 'Ann', avatar: null, bot: false },
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

/** Newest first, with both ends. */
const page = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => message(to - at))
const numbers = ({ messages }: Pick<Timeline, 'messages'>) =>
  messages.map(other => Number(BigInt(other.id) - base))
const span = (timeline: Timeline) => {
  const all = numbers(timeline)
  return { from: all[0], to: all.at(-1), count: all.length }
}

const whole = addNewestPage(emptyTimeline, page(1, 2000), false)
/** 801 to 1500 of 2000. */
const run = trimRange(whole, id(1151))

test('a message that arrived before the first page is added only if none is missing between them', () => {
  const early = addArrived(emptyTimeline, message(10), undefined)
  const timeline = addNewestPage(early, page(61, 110), true)
  assert.deepEqual(span(timeline), { from: 61, to: 110, count: 50 })
  assert.deepEqual(numbers(addNewestPage(early, page(12, 14), false)), [10, 12, 13, 14])
  const late = addArrived(emptyTimeline, message(111), undefined)
  assert.deepEqual(span(addNewestPage(late, page(61, 110), true)), { from: 61, to: 111, count: 51 })
})

test('after a gap, an older page that arrived during the request leaves no hole', () => {
  const stale = addNewestPage(emptyTimeline, page(101, 200), true)
  const older = addOlderPage(stale, page(1, 100), false, id(101))
  const timeline = refreshNewestPage(older, page(151, 200), true, stale)
  assert.deepEqual(span(timeline), { from: 151, to: 200, count: 50 })
  assert.equal(timeline.reachesStart, false)
})

test('trims both sides of the visible message', () => {
  assert.deepEqual(span(run), { from: 801, to: 1500, count: rangeSize.trimmed })
  assert.deepEqual([run.reachesStart, run.reachesEnd], [false, false])
  const start = trimRange(whole, id(3))
  assert.deepEqual([span(start).from, start.reachesStart, start.reachesEnd], [1, true, false])
  const end = trimRange(whole, id(1999))
  assert.deepEqual([span(end).to, end.reachesStart, end.reachesEnd], [2000, false, true])
  assert.equal(trimRange(run, id(1151)), run)
})

test('adds pages at both ends, each message once', () => {
  let timeline = addOlderPage(run, page(701, 800), true, id(801))
  timeline = addNewerPage(timeline, page(1501, 1600), true, id(1500))
  assert.deepEqual(span(timeline), { from: 701, to: 1600, count: 900 })
  timeline = addNewerPage(timeline, page(1601, 2000), false, id(1600))
  assert.deepEqual([span(timeline).to, timeline.reachesEnd], [2000, true])
  timeline = addOlderPage(timeline, page(1, 700), false, id(701))
  assert.deepEqual([span(timeline), timeline.reachesStart], [{ from: 1, to: 2000, count: 2000 }, true])
})

test('ignores a page that was requested before the range was trimmed or replaced', () => {
  const moved = trimRange(run, id(801), 100)
  assert.equal(addNewerPage(moved, page(1501, 1600), true, id(1500)), moved)
  const down = trimRange(run, id(1500), 100)
  assert.equal(addOlderPage(down, page(701, 800), true, id(801)), down)
  const jumped = replaceRange(run, page(1951, 2000), { reachesStart: false, reachesEnd: true })
  assert.equal(addNewerPage(jumped, page(1501, 1600), true, id(1500)), jumped)
  assert.equal(addOlderPage(jumped, page(701, 800), true, id(801)), jumped)
})

test('adds buffered messages when the range reaches the end', () => {
  let timeline = addArrived(run, message(2001), undefined)
  timeline = addArrived(timeline, message(2002), undefined)
  timeline = addArrived(timeline, message(2003), undefined)
  assert.deepEqual(span(timeline), span(run))
  timeline = updateMessage(
    timeline,
    message(2002, { content: 'edited', editedAt: '2026-01-01T00:00:00.000Z' }),
  )
  timeline = removeMessage(timeline, id(2001))
  assert.deepEqual(timeline.arrivedIds, [id(2002), id(2003)])
  // The page was read before the last message was created.
  timeline = addNewerPage(timeline, [message(2002), ...page(1501, 2001)], false, id(1500))
  assert.deepEqual(numbers(timeline).slice(-3), [2000, 2002, 2003])
  assert.equal(timeline.messages.at(-2)?.content, 'edited')
  assert.deepEqual(timeline.buffered, [])
})

test('adds messages that arrived while the newest page was read', () => {
  const timeline = addArrived(run, message(2001), undefined)
  const jumped = replaceRange(timeline, page(1951, 2000), { reachesStart: false, reachesEnd: true })
  assert.deepEqual(span(jumped), { from: 1951, to: 2001, count: 51 })
})

test('does not add a message on an update, before or after the range', () => {
  assert.equal(updateMessage(run, message(800)), run)
  assert.equal(updateMessage(run, message(1501)), run)
  assert.equal(updateMessage(run, message(900, { content: 'x' })).messages.length, rangeSize.trimmed)
})

test('detaches ephemeral messages outside of the range, and adds them when the range includes them', () => {
  const own = addArrived(whole, message(1900, { id: `${id(1900)}`, ephemeral: true }), undefined)
  const at = (timeline: Timeline) => timeline.messages.some(({ ephemeral }) => ephemeral)
  const away = trimRange(own, id(500))
  assert.deepEqual([at(away), away.detached.length], [false, 1])
  const back = replaceRange(away, page(1850, 2000), { reachesStart: false, reachesEnd: true })
  assert.deepEqual([at(back), back.detached.length], [true, 0])
  const elsewhere = addArrived(away, message(2001, { ephemeral: true }), undefined)
  assert.equal(elsewhere.detached.length, 2)
  assert.equal(at(replaceRange(elsewhere, page(1951, 2000), { reachesStart: false, reachesEnd: true })), true)
})

test('refreshes a range that does not reach the end after a gap', () => {
  const now = page(801, 1500).filter(({ id: other }) => other !== id(900))
  const timeline = refreshRange(run, now, false, run)
  assert.deepEqual(span(timeline), { from: 801, to: 1500, count: 699 })
  assert.equal(timeline.reachesEnd, false)
  const jumped = replaceRange(run, page(1951, 2000), { reachesStart: false, reachesEnd: true })
  assert.equal(refreshRange(jumped, now, false, run), jumped, 'the user has moved to another range')
})

test('includesNext returns whether the message after another is loaded', () => {
  assert.equal(includesNext(run, id(801)), true)
  assert.equal(includesNext(run, id(800)), false)
  assert.equal(includesNext(run, id(1500)), false)
  assert.equal(includesNext(whole, id(2000)), true)
  assert.deepEqual(rangeEnds(run), { oldest: id(801), newest: id(1500) })
})

test('has no last own message if the range does not reach the end', () => {
  assert.equal(findLastOwnMessage(whole, '7')?.id, id(2000))
  assert.equal(findLastOwnMessage(run, '7'), undefined)
})
