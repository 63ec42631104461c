import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Member } from '@gatehouse/protocol/servers'
import { foundMembers } from './found-members.ts'

function member(username: string, displayName: string, nick: string | null = null): Member {
  const user = { id: username, username, displayName, avatar: '/images/x', bot: false }
  return { user, nick, roles: [], joinedAt: '2026-01-01T00:00:00.000Z' }
}

const members = [member('zed', 'Zoë'), member('ann', 'Ann'), member('boris', 'Борис', 'Captain')]
const found = (typed: string) => foundMembers(members, typed).map(({ user }) => user.username)

test('all by name where nothing is typed', () => assert.deepEqual(found(' '), ['ann', 'boris', 'zed']))

test('by any of the names, whatever the case, with or without the sign', () => {
  assert.deepEqual(found('@AN'), ['ann'])
  assert.deepEqual(found('борис'), ['boris'])
  assert.deepEqual(found('capt'), ['boris'])
  assert.deepEqual(found('nobody'), [])
})
