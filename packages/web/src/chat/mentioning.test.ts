import assert from 'node:assert/strict'
import test from 'node:test'
import type { Member } from '@gatehouse/protocol/servers'
import { insertMention, mentionAt, rankMembers, withMentions, withoutMentions } from './mentioning.ts'

const member = (username: string, displayName: string): Member => ({
  user: { id: `id-${username}`, username, displayName, avatar: '', bot: false },
  nick: null,
  roles: [],
  joinedAt: '',
})
const members = [member('ann', 'Ann'), member('bob.b', 'Bob'), member('joanna', 'Jo')]

test('a mention is being typed after an at sign that begins a word', () => {
  assert.deepEqual(mentionAt('hi @An', 6), { start: 3, end: 6, typed: 'an' })
  assert.deepEqual(mentionAt('@', 1), { start: 0, end: 1, typed: '' })
  assert.equal(mentionAt('me@an', 5), undefined)
  assert.equal(mentionAt('@ann x', 6), undefined)
})

test('members whose name begins so come before those who hold it', () => {
  assert.deepEqual(
    rankMembers(members, 'an').map(({ user }) => user.username),
    ['ann', 'joanna'],
  )
})

test('a chosen member takes the place of what was typed', () => {
  assert.deepEqual(insertMention('hi @an there', { start: 3, end: 6, typed: 'an' }, 'ann'), {
    text: 'hi @ann there',
    caret: 8,
  })
})

test('usernames of members are sent as mentions, others and code stay', () => {
  assert.equal(withMentions('@ann and @bob.b. @nobody', members), '<@id-ann> and <@id-bob.b>. @nobody')
  assert.equal(withMentions('`@ann` a@ann ```\n@ann\n```', members), '`@ann` a@ann ```\n@ann\n```')
})

test('a message is edited with usernames and saved with mentions', () => {
  const ann = { ...member('ann', 'Ann'), user: { ...member('ann', 'Ann').user, id: '123456789012345678' } }
  const sent = 'hi <@123456789012345678>, <@999999999999999999>'
  assert.equal(withoutMentions(sent, [ann]), 'hi @ann, <@999999999999999999>')
  assert.equal(withMentions(withoutMentions(sent, [ann]), [ann]), sent)
})
