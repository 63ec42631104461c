import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Channel } from '@gatehouse/protocol/channels'
import { groupChannels, listMoves, moveRow, toRows } from './channel-order.ts'

function channel(
  id: string,
  position: number,
  parentId: string | null,
  type: Channel['type'] = 'text',
): Channel {
  return {
    ...{ id, serverId: '1', type, name: id, topic: null, position, parentId },
    ...{ slowMode: 0, permissionOverwrites: [] },
  }
}

const channels = [
  channel('A', 1, null, 'category'),
  channel('a2', 5, 'A'),
  channel('a1', 2, 'A'),
  channel('B', 3, null, 'category'),
  channel('b1', 4, 'B'),
  channel('top', 9, null),
  channel('other', 6, 'a category that the user cannot view'),
]
const rows = toRows(channels)
const idsOf = (list: readonly Channel[]) => list.map(({ id }) => id).join(' ')

test('channels without a visible category are first, then each category with its channels by position', () => {
  assert.deepEqual(
    groupChannels(channels).map(({ category, channels }) => [category?.id, idsOf(channels)]),
    [
      [undefined, 'other top'],
      ['A', 'a1 a2'],
      ['B', 'b1'],
    ],
  )
  assert.equal(idsOf(rows), 'other top A a1 a2 B b1')
})

test('a channel moves to any place, and a category with its channels between two categories', () => {
  const move = (id: string, position: 'before' | 'after', target: string) =>
    idsOf(moveRow(rows, id, { id: target, position }))
  assert.equal(move('top', 'after', 'A'), 'other A top a1 a2 B b1')
  assert.equal(move('b1', 'before', 'other'), 'b1 other top A a1 a2 B')
  assert.equal(move('A', 'after', 'b1'), 'other top B b1 A a1 a2')
  assert.equal(move('B', 'before', 'A'), 'other top B b1 A a1 a2')
  assert.equal(move('B', 'before', 'other'), 'other top B b1 A a1 a2')
  assert.equal(move('A', 'after', 'a1'), idsOf(rows))
})

test('only channels whose position or category differs move, and none leaves a category that is not visible', () => {
  const moved = moveRow(rows, 'top', { id: 'A', position: 'after' })
  assert.deepEqual(listMoves(moved), [
    { id: 'other', position: 0 },
    { id: 'top', position: 2, parentId: 'A' },
    { id: 'a1', position: 3 },
    { id: 'a2', position: 4 },
    { id: 'B', position: 5 },
    { id: 'b1', position: 6 },
  ])
  assert.deepEqual(listMoves(moveRow(rows, 'b1', { id: 'top', position: 'before' })).slice(0, 2), [
    { id: 'other', position: 0 },
    { id: 'b1', position: 1, parentId: null },
  ])
})
