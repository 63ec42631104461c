import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EncodedEvent } from '../sessions/encoded-event.ts'
import {
  createChannelDiff,
  type Subscriber,
  sendVisibilityChanges,
  VisibilityGroups,
} from './visibility-groups.ts'

function createSubscriber(userId: string): Subscriber {
  return { userId, isBot: false, send() {}, onRemovedFromServer() {}, endSessions() {} }
}

function viewersOf(groups: VisibilityGroups, channelId: string | undefined): string[] {
  const userIds: string[] = []
  groups.forEach(channelId, ({ userId }) => userIds.push(userId))
  return userIds.sort()
}

test('forEach selects the viewers of a channel, or all subscribers without a channel', () => {
  const groups = new VisibilityGroups()
  const [a, b, c] = [createSubscriber('a'), createSubscriber('b'), createSubscriber('c')]
  const both = new Set(['x', 'y'])
  groups.assign([
    { subscriber: a, channelIds: both },
    { subscriber: b, channelIds: new Set(['y', 'x']) },
    { subscriber: c, channelIds: new Set(['x']) },
  ])
  assert.deepEqual(viewersOf(groups, 'x'), ['a', 'b', 'c'])
  assert.deepEqual(viewersOf(groups, 'y'), ['a', 'b'])
  assert.deepEqual(viewersOf(groups, 'z'), [])
  assert.deepEqual(viewersOf(groups, undefined), ['a', 'b', 'c'])
  groups.remove(a)
  assert.deepEqual(viewersOf(groups, undefined), ['b', 'c'])
})

test('assign returns the subscribers whose channels changed, with both sets', () => {
  const groups = new VisibilityGroups()
  const [a, b] = [createSubscriber('a'), createSubscriber('b')]
  assert.deepEqual(
    groups.assign([
      { subscriber: a, channelIds: new Set(['x']) },
      { subscriber: b, channelIds: new Set(['x']) },
    ]),
    [],
  )
  const changes = groups.assign([
    { subscriber: a, channelIds: new Set(['y']) },
    { subscriber: b, channelIds: new Set(['x']) },
  ])
  assert.deepEqual(changes, [{ subscriber: a, from: new Set(['x']), to: new Set(['y']) }])
  assert.deepEqual(viewersOf(groups, 'x'), ['b'])
  // An empty group was deleted and is created again.
  groups.assign([{ subscriber: b, channelIds: new Set(['y']) }])
  groups.assign([{ subscriber: a, channelIds: new Set(['x']) }])
  assert.deepEqual(viewersOf(groups, 'x'), ['a'])
  assert.deepEqual(viewersOf(groups, 'y'), ['b'])
})

test('the diff contains the hidden and revealed channels, and is computed once', () => {
  const diff = createChannelDiff()
  const [from, to] = [new Set(['a', 'b']), new Set(['b', 'c'])]
  assert.deepEqual(diff(from, to), { hidden: ['a'], revealed: ['c'] })
  assert.equal(diff(from, to), diff(from, to))
  assert.deepEqual(diff(to, from), { hidden: ['c'], revealed: ['a'] })
})

test('changes of many subscribers are sent in slices, not to those who have left (limits/event-loop)', async () => {
  const sent: string[] = []
  const [a, b, c] = ['a', 'b', 'c'].map(userId => ({
    ...createSubscriber(userId),
    send: () => sent.push(userId),
  }))
  assert.ok(a && b && c)
  const from = new Set(Array.from({ length: 300 }, (_, n) => `${n}`))
  const left = new Set<Subscriber>()
  let sentBefore = 0
  setImmediate(() => {
    sentBefore = sent.length
    left.add(b)
  })
  await sendVisibilityChanges({
    serverId: 's',
    changes: [a, b, c].map(subscriber => ({ subscriber, from, to: new Set<string>() })),
    isSubscribed: subscriber => !left.has(subscriber),
    diff: createChannelDiff(),
    findChannel: () => undefined,
    findHidden: () => undefined,
    encode: event => new EncodedEvent(event, 0),
  })
  assert.equal(sentBefore, 300)
  assert.deepEqual([...new Set(sent)], ['a', 'c'])
  assert.equal(sent.length, 600)
})
