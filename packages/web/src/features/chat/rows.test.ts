import assert from 'node:assert/strict'
import test from 'node:test'
import type { Message } from '@gatehouse/protocol/messages'
import type { Invocation } from '../../core/stores/invocations.ts'
import { addNewestPage } from '../../core/stores/message-range.ts'
import { emptyTimeline } from '../../core/stores/timeline.ts'
import { buildRows, type Row } from './rows.ts'

const dates = { dayKey: (iso: string) => iso.slice(0, 10) }
const start = Date.parse('2026-01-01T10:00:00.000Z')

function message(number: number, minute: number, changes: Partial<Message> = {}): Message {
  return {
    id: `10000000000000000${number}`,
    channelId: '1',
    serverId: '2',
    author: { id: 'ann', username: 'ann', displayName: 'Ann', avatar: '/a', bot: false },
    content: 'x',
    embeds: [],
    components: [],
    mentions: { users: [], roles: [], everyone: false },
    createdAt: new Date(start + minute * 60_000).toISOString(),
    editedAt: null,
    state: 'sent',
    ...changes,
  }
}

const rowsOf = (messages: Message[], invocations: Invocation[] = [], full = false) =>
  buildRows(addNewestPage(emptyTimeline, messages, full), invocations, 'ann', dates)

const summary = (rows: Row[]) =>
  rows.map(row => {
    if (row.kind === 'message') return `${row.message.id.slice(-1)}${row.isGrouped ? '+' : ''}`
    return row.kind
  })

test('groups messages of one author within minutes, until another day or author', () => {
  const bob = { ...message(0, 0).author, id: 'bob' }
  const rows = rowsOf([
    message(1, 0),
    message(2, 1),
    message(3, 2, { author: bob }),
    message(4, 3),
    message(5, 30),
    message(6, 24 * 60),
  ])
  assert.deepEqual(summary(rows), ['start', 'day', '1', '2+', '3', '4', '5', 'day', '6'])
})

test('starts a new group if a webhook changes its name', () => {
  const named = (displayName: string) => ({ author: { ...message(0, 0).author, displayName } })
  assert.deepEqual(summary(rowsOf([message(1, 0, named('A')), message(2, 1, named('B'))])), [
    'start',
    'day',
    '1',
    '2',
  ])
})

test('does not group responses to commands and ephemeral messages', () => {
  const user = { id: 'bob', username: 'bob', displayName: 'Bob', avatar: '/b' }
  const interaction = { id: '9', type: 'command' as const, name: 'roll', user }
  const rows = rowsOf([message(1, 0), message(2, 1, { interaction }), message(3, 1, { ephemeral: true })])
  assert.deepEqual(summary(rows), ['start', 'day', '1', '2', '3'])
})

test('has no day divider above the first loaded message while older ones are not loaded', () => {
  const rows = rowsOf([message(1, 0), message(2, 24 * 60)], [], true)
  assert.deepEqual(summary(rows), ['1', 'day', '2'])
})

test('has the loading row before the pending messages while newer messages are not loaded', () => {
  const run = { ...addNewestPage(emptyTimeline, [message(1, 0)], false), reachesEnd: false }
  const pending = { nonce: 'n', content: 'y', createdAt: message(0, 1).createdAt, state: 'failed' as const }
  const rows = buildRows({ ...run, pending: [pending] }, [], 'ann', dates)
  assert.deepEqual(summary(rows), ['start', 'day', '1', 'loadNewer', 'pending'])
})

test('has an invocation after the message that was the newest at its time, else at the end', () => {
  const invocation = (nonce: string, afterId?: string): Invocation => ({
    nonce,
    type: 'command',
    channelId: '1',
    botName: 'Dice',
    state: 'pending',
    ...(afterId === undefined ? {} : { afterId }),
  })
  const rows = rowsOf(
    [message(1, 0), message(2, 1)],
    [invocation('a', message(1, 0).id), invocation('b', 'gone')],
  )
  assert.deepEqual(summary(rows), ['start', 'day', '1', 'invocation', '2', 'invocation'])
})

test('groups a pending message with the last own message', () => {
  const timeline = addNewestPage(emptyTimeline, [message(1, 0)], false)
  const pending = { nonce: 'n', content: 'y', createdAt: message(0, 1).createdAt, state: 'sending' as const }
  const rows = buildRows({ ...timeline, pending: [pending, { ...pending, nonce: 'm' }] }, [], 'ann', dates)
  assert.deepEqual(
    rows.map(row => (row.kind === 'pending' ? row.isGrouped : row.kind)),
    ['start', 'day', 'message', true, true],
  )
})
