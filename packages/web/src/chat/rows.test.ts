import assert from 'node:assert/strict'
import test from 'node:test'
import type { Message } from '@gatehouse/protocol/messages'
import type { Invocation } from '../commands/invocations.ts'
import { buildRows, type Row } from './rows.ts'
import { addPage } from './run.ts'
import { emptyTimeline } from './timeline.ts'

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
  buildRows(addPage(emptyTimeline, messages, full), invocations, 'ann', dates)

const words = (rows: Row[]) =>
  rows.map(row => {
    if (row.kind === 'message') return `${row.message.id.slice(-1)}${row.follows ? '+' : ''}`
    return row.kind
  })

test('messages of one author within minutes stand together, until another day or author', () => {
  const bob = { ...message(0, 0).author, id: 'bob' }
  const rows = rowsOf([
    message(1, 0),
    message(2, 1),
    message(3, 2, { author: bob }),
    message(4, 3),
    message(5, 30),
    message(6, 24 * 60),
  ])
  assert.deepEqual(words(rows), ['start', 'day', '1', '2+', '3', '4', '5', 'day', '6'])
})

test('a webhook that changes its name for a message begins anew', () => {
  const named = (displayName: string) => ({ author: { ...message(0, 0).author, displayName } })
  assert.deepEqual(words(rowsOf([message(1, 0, named('A')), message(2, 1, named('B'))])), [
    'start',
    'day',
    '1',
    '2',
  ])
})

test('answers to commands and what only oneself sees stand alone', () => {
  const user = { id: 'bob', username: 'bob', displayName: 'Bob', avatar: '/b' }
  const interaction = { id: '9', type: 'command' as const, name: 'roll', user }
  const rows = rowsOf([message(1, 0), message(2, 1, { interaction }), message(3, 1, { ephemeral: true })])
  assert.deepEqual(words(rows), ['start', 'day', '1', '2', '3'])
})

test('while there is more above, nothing says where its day begins', () => {
  const rows = rowsOf([message(1, 0), message(2, 24 * 60)], [], true)
  assert.deepEqual(words(rows), ['1', 'day', '2'])
})

test('while there is more below, its loading is the last of the list, but for what is being sent', () => {
  const run = { ...addPage(emptyTimeline, [message(1, 0)], false), present: false }
  const pending = { nonce: 'n', content: 'y', createdAt: message(0, 1).createdAt, state: 'failed' as const }
  const rows = buildRows({ ...run, pending: [pending] }, [], 'ann', dates)
  assert.deepEqual(words(rows), ['start', 'day', '1', 'newer', 'pending'])
})

test('what is awaited stands after the message that was the newest then, else at the end', () => {
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
  assert.deepEqual(words(rows), ['start', 'day', '1', 'invocation', '2', 'invocation'])
})

test('what is being sent stands under one’s own last message', () => {
  const timeline = addPage(emptyTimeline, [message(1, 0)], false)
  const pending = { nonce: 'n', content: 'y', createdAt: message(0, 1).createdAt, state: 'sending' as const }
  const rows = buildRows({ ...timeline, pending: [pending, { ...pending, nonce: 'm' }] }, [], 'ann', dates)
  assert.deepEqual(
    rows.map(row => (row.kind === 'pending' ? row.follows : row.kind)),
    ['start', 'day', 'message', true, true],
  )
})
