import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Member } from '@gatehouse/protocol/servers'
import { buildMemberRows } from './member-rows.ts'

function member(id: string, displayName: string, options: { bot?: boolean; nick?: string } = {}): Member {
  const { bot = false, nick = null } = options
  const user = { id, username: `user${id}`, displayName, avatar: '/images/x', bot }
  return { user, nick, roles: [], joinedAt: '2026-01-01T00:00:00.000Z', timedOutUntil: null }
}

const describeRows = (members: Member[]) =>
  buildMemberRows(members).map(row =>
    row.kind === 'heading' ? `${row.group} ${row.count}` : row.member.user.id,
  )

test('lists users before bots, both sorted by the shown name', () => {
  const members = [
    member('1', 'zoe'),
    member('2', 'Dice', { bot: true }),
    member('3', 'Ann'),
    member('4', 'Xenia', { nick: 'bella' }),
  ]
  assert.deepEqual(describeRows(members), ['users 3', '3', '4', '1', 'bots 1', '2'])
})

test('the names of which there are several are ambiguous, nicknames and bots included', () => {
  const members = [
    member('1', 'Greta'),
    member('2', 'greta'),
    member('3', 'Ann', { nick: 'Greta' }),
    member('4', 'Dice', { bot: true }),
  ]
  const ambiguous = buildMemberRows(members).filter(row => row.kind === 'member' && row.isAmbiguous)
  assert.deepEqual(ambiguous.map(({ key }) => key).toSorted(), ['1', '2', '3'])
})

test('omits the heading of an empty group', () => {
  assert.deepEqual(describeRows([]), [])
  assert.deepEqual(describeRows([member('1', 'Ann')]), ['users 1', '1'])
})
