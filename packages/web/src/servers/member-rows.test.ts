import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Member } from '@gatehouse/protocol/servers'
import { memberRows } from './member-rows.ts'

function member(id: string, displayName: string, more: { bot?: boolean; nick?: string } = {}): Member {
  const { bot = false, nick = null } = more
  const user = { id, username: `user${id}`, displayName, avatar: '/images/x', bot }
  return { user, nick, roles: [], joinedAt: '2026-01-01T00:00:00.000Z' }
}

const told = (members: Member[]) =>
  memberRows(members).map(row => (row.kind === 'head' ? `${row.group} ${row.count}` : row.member.user.id))

test('people before bots, each by the name that is shown', () => {
  const members = [
    member('1', 'zoe'),
    member('2', 'Dice', { bot: true }),
    member('3', 'Ann'),
    member('4', 'Xenia', { nick: 'bella' }),
  ]
  assert.deepEqual(told(members), ['people 3', '3', '4', '1', 'bots 1', '2'])
})

test('a group with nobody in it has no head', () => {
  assert.deepEqual(told([]), [])
  assert.deepEqual(told([member('1', 'Ann')]), ['people 1', '1'])
})
