import assert from 'node:assert/strict'
import test from 'node:test'
import type { Message } from '@gatehouse/protocol/messages'
import type { ReadState } from '@gatehouse/protocol/read-state'
import { createUnread } from './unread.ts'

const [self, other] = ['100000000000000001', '100000000000000002']
const id = (number: number) => String(200_000_000_000_000_000n + BigInt(number))

interface Said extends Partial<Message> {
  by?: string
}

function message(number: number, { by = other, ...changes }: Said = {}): Message {
  return {
    id: id(number),
    channelId: 'c',
    serverId: 's',
    author: { id: by, username: 'x', displayName: 'X', avatar: null, bot: false },
    content: 'x',
    embeds: [],
    components: [],
    mentions: { users: [], roles: [], everyone: false },
    createdAt: '2026-01-01T00:00:00.000Z',
    editedAt: null,
    state: 'sent',
    ...changes,
  }
}

const mentioning = (changes: Partial<Message['mentions']>): Pick<Message, 'mentions'> => ({
  mentions: { users: [], roles: [], everyone: false, ...changes },
})

const state = (changes: Partial<ReadState> = {}): ReadState => ({
  channelId: 'c',
  serverId: 's',
  lastMessageId: id(5),
  lastReadId: id(5),
  mentionCount: 0,
  ...changes,
})

/** With a clock and a service in hand: what it was told, in turn. */
function setUp(...states: ReadState[]) {
  const saved: string[] = []
  const due: (() => void)[] = []
  let failing = false
  const unread = createUnread({
    async save(channelId, messageId) {
      if (failing) throw new Error('offline')
      saved.push(`${channelId} ${BigInt(messageId) - 200_000_000_000_000_000n}`)
    },
    after(_ms, work) {
      due.push(work)
      return () => due.splice(due.indexOf(work), 1)
    },
  })
  unread.begin(states, [{ id: 's', roles: ['pilots'] }])
  return {
    unread,
    saved,
    waits: (channelId = 'c') => unread.store.get().get(channelId)?.mentions,
    line: () => unread.lines.get().get('c'),
    pass: () => {
      for (const work of due.splice(0)) work()
    },
    fail: (value: boolean) => {
      failing = value
    },
  }
}

test('what the service says is unread waits, with its mentions; what is read does not', () => {
  const { unread, waits } = setUp(
    state({ lastReadId: id(3), mentionCount: 2 }),
    state({ channelId: 'd' }),
    state({ channelId: 'e', lastMessageId: null, lastReadId: id(0) }),
    state({ channelId: 'f', lastMessageId: id(3), lastReadId: id(4) }),
  )
  assert.deepEqual([...unread.store.get().keys()], ['c'])
  assert.equal(waits(), 2)
})

test('what comes waits: mentions of oneself, one’s roles, everyone and in direct messages count', () => {
  const { unread, waits } = setUp(state(), state({ channelId: 'd', serverId: null }))
  unread.arrived(message(6), self)
  assert.equal(waits(), 0)
  const mentions = [{ users: [self] }, { roles: ['pilots'] }, { roles: ['s'] }, { everyone: true }]
  for (const [at, mention] of mentions.entries()) unread.arrived(message(7 + at, mentioning(mention)), self)
  unread.arrived(message(20, mentioning({ users: [other], roles: ['guests'] })), self)
  assert.equal(waits(), 4)
  unread.setRoles('s', ['guests'])
  unread.arrived(message(21, mentioning({ roles: ['guests'] })), self)
  unread.arrived(message(22, mentioning({ roles: ['pilots'] })), self)
  assert.equal(waits(), 5)
  unread.arrived(message(23, { channelId: 'd', serverId: null }), self)
  assert.equal(waits('d'), 1)
})

test('what the service has counted is not counted again', () => {
  const { unread, waits } = setUp(state({ lastReadId: id(3), mentionCount: 1 }))
  unread.arrived(message(5, mentioning({ users: [self] })), self)
  assert.equal(waits(), 1)
  unread.arrived(message(6, mentioning({ users: [self] })), self)
  assert.equal(waits(), 2)
})

test('following the end reads it, and tells the service at once, then no more than once in a while', () => {
  const { unread, waits, saved, line, pass } = setUp(state({ lastReadId: id(3), mentionCount: 1 }))
  unread.follow('c', id(5))
  assert.equal(waits(), undefined)
  assert.equal(line(), id(3), 'the line stays while one looks')
  for (const number of [6, 7, 8]) {
    unread.arrived(message(number), self)
    unread.follow('c', id(number))
    assert.equal(waits(), undefined)
  }
  assert.deepEqual(saved, ['c 5'])
  pass()
  assert.deepEqual(saved, ['c 5', 'c 8'])
  pass()
  pass()
  assert.deepEqual(saved, ['c 5', 'c 8'])
  unread.unfollow('c')
  unread.leave('c')
  assert.equal(line(), undefined)
})

test('what comes behind one’s back waits again, below a line of its own', () => {
  const { unread, waits, line } = setUp(state())
  unread.follow('c', id(5))
  unread.unfollow('c')
  unread.arrived(message(6), self)
  unread.arrived(message(7), self)
  assert.deepEqual([waits(), line()], [0, id(5)])
  unread.leave('c')
  assert.equal(line(), id(5), 'it is still unread')
})

test('one’s own messages are no news, and take the line away', () => {
  const { unread, waits, line } = setUp(state(), state({ channelId: 'd' }))
  unread.arrived(message(6, { by: self }), self)
  assert.equal(waits(), undefined)
  unread.arrived(message(7), self)
  assert.equal(line(), id(6))
  unread.arrived(message(8, { by: self }), self)
  assert.deepEqual([waits(), line()], [0, undefined])
})

test('what was read in another window waits no longer', () => {
  const { unread, waits, saved } = setUp(state())
  unread.arrived(message(6, mentioning({ users: [self] })), self)
  unread.arrived(message(7, mentioning({ users: [self] })), self)
  unread.read('c', id(6))
  assert.equal(waits(), 1)
  unread.read('c', id(7))
  unread.read('c', id(6))
  assert.equal(waits(), undefined)
  unread.follow('c', id(7))
  assert.deepEqual(saved, [], 'the service knows')
})

test('what is deleted or changed waits no longer, or for one', () => {
  const { unread, waits } = setUp(state())
  unread.arrived(message(6), self)
  unread.updated(message(6, mentioning({ everyone: true })), self)
  unread.updated(message(4, mentioning({ everyone: true })), self)
  assert.equal(waits(), 1)
  unread.removed('c', id(6))
  assert.equal(waits(), undefined)
})

test('the service is told again of what it has not heard, and at once where the page may be closed', async () => {
  const { unread, waits, saved, fail, pass } = setUp(state())
  unread.arrived(message(6), self)
  fail(true)
  unread.follow('c', id(6))
  await new Promise(resolve => setImmediate(resolve))
  fail(false)
  pass()
  unread.begin([state({ lastMessageId: id(7), mentionCount: 1 })], [{ id: 's' }])
  assert.deepEqual(saved, ['c 6'])
  assert.equal(waits(), 1)
  unread.follow('c', id(7))
  assert.deepEqual(saved, ['c 6'])
  unread.flush()
  assert.deepEqual(saved, ['c 6', 'c 7'])
  pass()
  assert.deepEqual(saved, ['c 6', 'c 7'])
})

test('what is ephemeral waits until it is seen, and is not told', () => {
  const { unread, waits, saved } = setUp(state())
  unread.arrived(message(9, { ephemeral: true }), self)
  assert.equal(waits(), 0)
  unread.follow('c', id(5))
  assert.equal(waits(), undefined)
  assert.deepEqual(saved, [])
})

test('a channel that has come since begins with its first message; what is gone waits no longer', () => {
  const { unread, waits, line } = setUp(state({ channelId: 'd' }))
  unread.arrived(message(9), self)
  assert.equal(waits(), 0)
  assert.equal(line(), id(8))
  unread.clear('c')
  assert.deepEqual([waits(), line()], [undefined, undefined])
  unread.arrived(message(10, { channelId: 'd' }), self)
  unread.clearServer('s')
  assert.equal(unread.store.get().size, 0)
})
