import assert from 'node:assert/strict'
import test from 'node:test'
import type { Message } from '@gatehouse/protocol/messages'
import { addNewer, addOlder, addPage, edges, reaches, refreshRun, replaceRun, runSize, trim } from './run.ts'
import { arrived, emptyTimeline, lastOwn, remove, type Timeline, update } from './timeline.ts'

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

/** Newest first, both ends within. */
const page = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => message(to - at))
const numbers = ({ messages }: Pick<Timeline, 'messages'>) =>
  messages.map(other => Number(BigInt(other.id) - base))
const span = (timeline: Timeline) => {
  const all = numbers(timeline)
  return { from: all[0], to: all.at(-1), count: all.length }
}

const whole = addPage(emptyTimeline, page(1, 2000), false)
/** 801 to 1500 of 2000. */
const run = trim(whole, id(1151))

test('too much is let go of at both sides of where one reads', () => {
  assert.deepEqual(span(run), { from: 801, to: 1500, count: runSize.left })
  assert.deepEqual([run.complete, run.present], [false, false])
  const start = trim(whole, id(3))
  assert.deepEqual([span(start).from, start.complete, start.present], [1, true, false])
  const end = trim(whole, id(1999))
  assert.deepEqual([span(end).to, end.complete, end.present], [2000, false, true])
  assert.equal(trim(run, id(1151)), run)
})

test('what was let go of comes back by pages, up to both ends, each message once', () => {
  let timeline = addOlder(run, page(701, 800), true, id(801))
  timeline = addNewer(timeline, page(1501, 1600), true, id(1500))
  assert.deepEqual(span(timeline), { from: 701, to: 1600, count: 900 })
  timeline = addNewer(timeline, page(1601, 2000), false, id(1600))
  assert.deepEqual([span(timeline).to, timeline.present], [2000, true])
  timeline = addOlder(timeline, page(1, 700), false, id(701))
  assert.deepEqual([span(timeline), timeline.complete], [{ from: 1, to: 2000, count: 2000 }, true])
})

test('a page that was asked for before its end of the run was let go of makes no gap', () => {
  const moved = trim(run, id(801), 100)
  assert.equal(addNewer(moved, page(1501, 1600), true, id(1500)), moved)
  const down = trim(run, id(1500), 100)
  assert.equal(addOlder(down, page(701, 800), true, id(801)), down)
  const jumped = replaceRun(run, page(1951, 2000), { complete: false, present: true })
  assert.equal(addNewer(jumped, page(1501, 1600), true, id(1500)), jumped)
  assert.equal(addOlder(jumped, page(701, 800), true, id(801)), jumped)
})

test('what arrives while one reads further up joins the run when it reaches the present', () => {
  let timeline = arrived(run, message(2001), undefined)
  timeline = arrived(timeline, message(2002), undefined)
  timeline = arrived(timeline, message(2003), undefined)
  assert.deepEqual(span(timeline), span(run))
  timeline = update(timeline, message(2002, { content: 'edited', editedAt: '2026-01-01T00:00:00.000Z' }))
  timeline = remove(timeline, id(2001))
  assert.deepEqual(timeline.arrivals, [id(2002), id(2003)])
  // The page was read before the last one was said.
  timeline = addNewer(timeline, [message(2002), ...page(1501, 2001)], false, id(1500))
  assert.deepEqual(numbers(timeline).slice(-3), [2000, 2002, 2003])
  assert.equal(timeline.messages.at(-2)?.content, 'edited')
  assert.deepEqual(timeline.ahead, [])
})

test('a jump to the present has what arrived while its page was read', () => {
  const timeline = arrived(run, message(2001), undefined)
  const jumped = replaceRun(timeline, page(1951, 2000), { complete: false, present: true })
  assert.deepEqual(span(jumped), { from: 1951, to: 2001, count: 51 })
})

test('an edit of what is not loaded adds nothing, at either side', () => {
  assert.equal(update(run, message(800)), run)
  assert.equal(update(run, message(1501)), run)
  assert.equal(update(run, message(900, { content: 'x' })).messages.length, runSize.left)
})

test('ephemeral messages are in no history: they come back when the run is where they are', () => {
  const own = arrived(whole, message(1900, { id: `${id(1900)}`, ephemeral: true }), undefined)
  const at = (timeline: Timeline) => timeline.messages.some(({ ephemeral }) => ephemeral)
  const away = trim(own, id(500))
  assert.deepEqual([at(away), away.aside.length], [false, 1])
  const back = replaceRun(away, page(1850, 2000), { complete: false, present: true })
  assert.deepEqual([at(back), back.aside.length], [true, 0])
  const elsewhere = arrived(away, message(2001, { ephemeral: true }), undefined)
  assert.equal(elsewhere.aside.length, 2)
  assert.equal(at(replaceRun(elsewhere, page(1951, 2000), { complete: false, present: true })), true)
})

test('events were missed while one read further up: the run is what the service has now', () => {
  const now = page(801, 1500).filter(({ id: other }) => other !== id(900))
  const timeline = refreshRun(run, now, false, run)
  assert.deepEqual(span(timeline), { from: 801, to: 1500, count: 699 })
  assert.equal(timeline.present, false)
  const jumped = replaceRun(run, page(1951, 2000), { complete: false, present: true })
  assert.equal(refreshRun(jumped, now, false, run), jumped, 'one is elsewhere by now')
})

test('whether what follows a message is loaded', () => {
  assert.equal(reaches(run, id(801)), true)
  assert.equal(reaches(run, id(800)), false)
  assert.equal(reaches(run, id(1500)), false)
  assert.equal(reaches(whole, id(2000)), true)
  assert.deepEqual(edges(run), { oldest: id(801), newest: id(1500) })
})

test('the last own message is not looked for in the midst of the history', () => {
  assert.equal(lastOwn(whole, '7')?.id, id(2000))
  assert.equal(lastOwn(run, '7'), undefined)
})
