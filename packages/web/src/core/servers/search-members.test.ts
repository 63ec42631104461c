import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Member } from '@gatehouse/protocol/servers'
import { searchMembers } from './search-members.ts'

function member(username: string, displayName: string, nick: string | null = null): Member {
  const user = { id: username, username, displayName, avatar: '/images/x', bot: false }
  return { user, nick, roles: [], joinedAt: '2026-01-01T00:00:00.000Z', timedOutUntil: null }
}

const members = [member('zed', 'Zoë'), member('ann', 'Ann'), member('boris', 'Борис', 'Captain')]
const search = (query: string) => searchMembers(members, query).map(({ user }) => user.username)

test('returns all members sorted by name if the query is blank', () =>
  assert.deepEqual(search(' '), ['ann', 'boris', 'zed']))

test('searches all names, ignoring case and a leading @', () => {
  assert.deepEqual(search('@AN'), ['ann'])
  assert.deepEqual(search('борис'), ['boris'])
  assert.deepEqual(search('capt'), ['boris'])
  assert.deepEqual(search('nobody'), [])
})
