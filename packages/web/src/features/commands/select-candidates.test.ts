import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EntitySelect, Select } from '@gatehouse/protocol/components'
import { listSelectCandidates, searchCandidates } from './select-candidates.ts'

const user = (id: string, displayName: string) => ({
  id,
  username: displayName.toLowerCase(),
  displayName,
  avatar: `/${id}`,
  bot: false,
})
const [ann, bob] = [user('1', 'Ann'), user('2', 'Bob')]
const channel = {
  id: '5',
  serverId: '6',
  type: 'text' as const,
  name: 'general',
  topic: null,
  position: 0,
  parentId: null,
  slowMode: 0,
  permissionOverwrites: [],
}
const role = {
  id: '6',
  serverId: '6',
  name: '@everyone',
  permissions: '0',
  color: 0,
  position: 0,
  slowMode: 0,
  managed: false,
}
const member = { serverId: '6', user: bob, nick: 'Bobby', roles: [], joinedAt: '', timedOutUntil: null }
const context = {
  channel,
  self: { ...ann, email: '', emailVerified: true },
  members: [member],
  roles: [role],
  channels: [channel],
}
const t = ((key: string) => key) as Parameters<typeof listSelectCandidates>[2]

function listFor(type: EntitySelect['type'], more: object = {}) {
  return listSelectCandidates({ type, customId: 'x' }, { ...context, ...more }, t)
}

test('a menu offers its options, or the users, roles and channels of the server', () => {
  const menu: Select = {
    type: 'string_select',
    customId: 'x',
    options: [
      { label: 'Green', value: 'g', description: 'Mild' },
      { label: 'Black', value: 'b' },
    ],
  }
  assert.deepEqual(listSelectCandidates(menu, context, t), [
    { value: 'g', text: 'Green', detail: 'Mild' },
    { value: 'b', text: 'Black' },
  ])
  assert.deepEqual(listFor('user_select'), [{ value: '2', text: 'Bobby', detail: 'bob', avatar: '/2' }])
  assert.deepEqual(listFor('role_select'), [{ value: '6', text: '@everyone' }])
  assert.deepEqual(listFor('channel_select'), [{ value: '5', text: '#general' }])
  assert.deepEqual(listFor('mentionable_select'), [...listFor('role_select'), ...listFor('user_select')])
})

test('in a direct message, a menu offers its two people, no roles and no channels', () => {
  const direct = { channel: { ...channel, serverId: null, type: 'dm' as const, recipient: bob } }
  assert.deepEqual(
    listFor('user_select', direct).map(({ value }) => value),
    ['1', '2'],
  )
  assert.deepEqual(listFor('mentionable_select', direct), listFor('user_select', direct))
  assert.deepEqual(listFor('role_select', direct), [])
  assert.deepEqual(listFor('channel_select', direct), [])
})

test('a search finds names and usernames, those that begin with it first, without their sign', () => {
  const candidates = [
    { value: '1', text: '#log-general' },
    { value: '2', text: '#general' },
    { value: '3', text: 'Ann', detail: 'general_ann' },
    { value: '4', text: 'Bob' },
  ]
  assert.deepEqual(
    searchCandidates(candidates, ' #GEN').map(({ value }) => value),
    ['2', '3', '1'],
  )
  assert.equal(searchCandidates(candidates, '').length, 4)
  assert.equal(
    searchCandidates(
      Array.from({ length: 60 }, (_, i) => ({ value: `${i}`, text: 'x' })),
      'x',
    ).length,
    50,
  )
})

test('a search for a mention finds only its user', () => {
  const candidates = [
    { value: '1', text: '<@2>' },
    { value: '2', text: 'Bob' },
  ]
  assert.deepEqual(searchCandidates(candidates, '<@2>'), [{ value: '2', text: 'Bob' }])
  assert.deepEqual(searchCandidates(candidates, '<@3>'), [])
})
