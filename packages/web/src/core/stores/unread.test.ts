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
  muted: false,
  ...changes,
})

/** Records the saved read states, with a clock that the test advances. */
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
  unread.reset(states, [{ id: 's', roles: ['pilots'] }])
  return {
    unread,
    saved,
    waits: (channelId = 'c') => unread.store.get().get(channelId)?.mentions,
    line: () => unread.dividers.get().get('c'),
    pass: () => {
      for (const work of due.splice(0)) work()
    },
    fail: (value: boolean) => {
      failing = value
    },
  }
}

test('a message of a blocked user makes no channel unread and mentions nobody (community/blocks)', () => {
  const { unread, waits } = setUp(state())
  unread.messageCreated(message(6, mentioning({ users: [self] })), self, false)
  assert.equal(waits(), undefined)
  unread.messageCreated(message(7, mentioning({ users: [self] })), self)
  assert.equal(waits(), 1)
})

test('READY sets the unread channels with their mentions', () => {
  const { unread, waits } = setUp(
    state({ lastReadId: id(3), mentionCount: 2 }),
    state({ channelId: 'd' }),
    state({ channelId: 'e', lastMessageId: null, lastReadId: id(0) }),
    state({ channelId: 'f', lastMessageId: id(3), lastReadId: id(4) }),
  )
  assert.deepEqual([...unread.store.get().keys()], ['c'])
  assert.equal(waits(), 2)
})

test('counts mentions of the user, their roles and everyone, and all direct messages', () => {
  const { unread, waits } = setUp(state(), state({ channelId: 'd', serverId: null }))
  unread.messageCreated(message(6), self)
  assert.equal(waits(), 0)
  const mentions = [{ users: [self] }, { roles: ['pilots'] }, { roles: ['s'] }, { everyone: true }]
  for (const [at, mention] of mentions.entries())
    unread.messageCreated(message(7 + at, mentioning(mention)), self)
  unread.messageCreated(message(20, mentioning({ users: [other], roles: ['guests'] })), self)
  assert.equal(waits(), 4)
  unread.setRoles('s', ['guests'])
  unread.messageCreated(message(21, mentioning({ roles: ['guests'] })), self)
  unread.messageCreated(message(22, mentioning({ roles: ['pilots'] })), self)
  assert.equal(waits(), 5)
  unread.messageCreated(message(23, { channelId: 'd', serverId: null }), self)
  assert.equal(waits('d'), 1)
})

test('does not count messages again that READY included', () => {
  const { unread, waits } = setUp(state({ lastReadId: id(3), mentionCount: 1 }))
  unread.messageCreated(message(5, mentioning({ users: [self] })), self)
  assert.equal(waits(), 1)
  unread.messageCreated(message(6, mentioning({ users: [self] })), self)
  assert.equal(waits(), 2)
})

test('marks messages as read while the end is followed, and saves immediately and then once per interval', () => {
  const { unread, waits, saved, line, pass } = setUp(state({ lastReadId: id(3), mentionCount: 1 }))
  unread.follow('c', id(5))
  assert.equal(waits(), undefined)
  assert.equal(line(), id(3), 'the divider stays while the channel is visible')
  for (const number of [6, 7, 8]) {
    unread.messageCreated(message(number), self)
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

test('messages that arrive after unfollow are unread, below a new divider', () => {
  const { unread, waits, line } = setUp(state())
  unread.follow('c', id(5))
  unread.unfollow('c')
  unread.messageCreated(message(6), self)
  unread.messageCreated(message(7), self)
  assert.deepEqual([waits(), line()], [0, id(5)])
  unread.leave('c')
  assert.equal(line(), id(5), 'the message is still unread')
})

test('own messages are not unread, and remove the divider', () => {
  const { unread, waits, line } = setUp(state(), state({ channelId: 'd' }))
  unread.messageCreated(message(6, { by: self }), self)
  assert.equal(waits(), undefined)
  unread.messageCreated(message(7), self)
  assert.equal(line(), id(6))
  unread.messageCreated(message(8, { by: self }), self)
  assert.deepEqual([waits(), line()], [0, undefined])
})

test('CHANNEL_READ of another window marks messages as read', () => {
  const { unread, waits, saved } = setUp(state())
  unread.messageCreated(message(6, mentioning({ users: [self] })), self)
  unread.messageCreated(message(7, mentioning({ users: [self] })), self)
  unread.channelRead('c', id(6))
  assert.equal(waits(), 1)
  unread.channelRead('c', id(7))
  unread.channelRead('c', id(6))
  assert.equal(waits(), undefined)
  unread.follow('c', id(7))
  assert.deepEqual(saved, [], 'the service has the read state')
})

test('deleted messages are not unread, and updated ones may mention the user', () => {
  const { unread, waits } = setUp(state())
  unread.messageCreated(message(6), self)
  unread.messageUpdated(message(6, mentioning({ everyone: true })), self)
  unread.messageUpdated(message(4, mentioning({ everyone: true })), self)
  assert.equal(waits(), 1)
  unread.messageDeleted('c', id(6))
  assert.equal(waits(), undefined)
})

test('saves a read state again that the service does not have, and immediately on flush', async () => {
  const { unread, waits, saved, fail, pass } = setUp(state())
  unread.messageCreated(message(6), self)
  fail(true)
  unread.follow('c', id(6))
  await new Promise(resolve => setImmediate(resolve))
  fail(false)
  pass()
  unread.reset([state({ lastMessageId: id(7), mentionCount: 1 })], [{ id: 's' }])
  assert.deepEqual(saved, ['c 6'])
  assert.equal(waits(), 1)
  unread.follow('c', id(7))
  assert.deepEqual(saved, ['c 6'])
  unread.flush()
  assert.deepEqual(saved, ['c 6', 'c 7'])
  pass()
  assert.deepEqual(saved, ['c 6', 'c 7'])
})

test('ephemeral messages are unread until they are seen, and are not saved', () => {
  const { unread, waits, saved } = setUp(state())
  unread.messageCreated(message(9, { ephemeral: true }), self)
  assert.equal(waits(), 0)
  unread.follow('c', id(5))
  assert.equal(waits(), undefined)
  assert.deepEqual(saved, [])
})

test('a new channel starts with its first message, and a removed one is not unread', () => {
  const { unread, waits, line } = setUp(state({ channelId: 'd' }))
  unread.messageCreated(message(9), self)
  assert.equal(waits(), 0)
  assert.equal(line(), id(8))
  unread.removeChannel('c')
  assert.deepEqual([waits(), line()], [undefined, undefined])
  unread.messageCreated(message(10, { channelId: 'd' }), self)
  unread.removeServer('s')
  assert.equal(unread.store.get().size, 0)
})

test('a muted direct message is not unread, also after it was closed', () => {
  const direct = { serverId: null, lastReadId: id(4), mentionCount: 1 }
  const { unread, waits } = setUp(state({ ...direct, muted: true }))
  assert.equal(waits(), undefined)
  unread.messageCreated(message(6, { serverId: null }), self)
  assert.equal(waits(), undefined)
  unread.setMuted('c', false)
  assert.equal(waits(), 2)
  unread.setMuted('c', true)
  unread.removeChannel('c')
  unread.messageCreated(message(7, { serverId: null }), self)
  assert.equal(waits(), undefined)
})
