import assert from 'node:assert/strict'
import test from 'node:test'
import type { Member } from '@gatehouse/protocol/servers'
import fc from 'fast-check'
import {
  decodeMentions,
  encodeMentions,
  findMentionQuery,
  insertMention,
  rankMembers,
} from './composer-mentions.ts'

const member = (username: string, displayName: string): Member => ({
  user: { id: `id-${username}`, username, displayName, avatar: '', bot: false },
  nick: null,
  roles: [],
  joinedAt: '',
  timedOutUntil: null,
})
const withId = (username: string, id: string): Member => {
  const { user, ...rest } = member(username, username)
  return { ...rest, user: { ...user, id } }
}
const annId = '123456789012345678'
const ann = withId('ann', annId)
const members = [member('ann', 'Ann'), member('bob.b', 'Bob'), member('joanna', 'Jo')]

test('finds the mention that is being typed after an @ at the start of a word', () => {
  assert.deepEqual(findMentionQuery('hi @An', 6), { start: 3, end: 6, text: 'an' })
  assert.deepEqual(findMentionQuery('@', 1), { start: 0, end: 1, text: '' })
  assert.equal(findMentionQuery('me@an', 5), undefined)
  assert.equal(findMentionQuery('@ann x', 6), undefined)
})

test('ranks members whose name starts with the text before those whose name contains it', () => {
  assert.deepEqual(
    rankMembers(members, 'an').map(({ user }) => user.username),
    ['ann', 'joanna'],
  )
})

test('replaces the typed text with the username', () => {
  assert.deepEqual(insertMention('hi @an there', { start: 3, end: 6, text: 'an' }, 'ann'), {
    text: 'hi @ann there',
    caret: 8,
  })
})

test('encodes usernames of members as mentions, except in code', () => {
  assert.equal(encodeMentions('@ann and @bob.b. @nobody', members), '<@id-ann> and <@id-bob.b>. @nobody')
  assert.equal(encodeMentions('`@ann` a@ann ```\n@ann\n```', members), '`@ann` a@ann ```\n@ann\n```')
  assert.equal(encodeMentions('``@ann ` @ann``', members), '``@ann ` @ann``')
})

test('decodes mentions to usernames, and encodes them again (community/edit-mentions-in-code)', () => {
  const sent = `hi <@${annId}>, <@999999999999999999>`
  assert.equal(decodeMentions(sent, [ann]), 'hi @ann, <@999999999999999999>')
  assert.equal(encodeMentions('hi @ann, <@999999999999999999>', [ann]), sent)
  assert.equal(decodeMentions(`\`<@${annId}>\` <@${annId}>`, [ann]), `\`<@${annId}>\` @ann`)
  assert.equal(decodeMentions(`\`\`\`\n<@${annId}>\n\`\`\``, [ann]), `\`\`\`\n<@${annId}>\n\`\`\``)
})

test('after a backslash, a username is text', () => {
  assert.equal(encodeMentions('mail \\@ann', [ann]), 'mail @ann')
  assert.equal(decodeMentions('mail @ann', [ann]), 'mail \\@ann')
})

test('an edit that changes nothing keeps every text (community/edit-mentions-in-code)', () => {
  const pieces = [
    ...[
      `<@${annId}>`,
      `<@!${annId}>`,
      `<@&${annId}>`,
      '<@223456789012345678>',
      '<@999999999999999999>',
      '@ann',
      '@bob.b',
      '@bob',
    ],
    ...[
      '`',
      '``',
      '```',
      '```js\n',
      '~~~\n',
      '\n',
      '\\',
      ' ',
      '.',
      '@',
      '<',
      '>',
      'a',
      '_',
      '1',
      'ж',
      '𝒜',
      '/',
      '!',
      '||',
      '**',
    ],
  ]
  const bob = withId('bob.b', '223456789012345678')
  const text = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map(parts => parts.join(''))
  fc.assert(
    fc.property(text, content => {
      assert.equal(encodeMentions(decodeMentions(content, [ann, bob]), [ann, bob]), content)
    }),
    { seed: 35, numRuns: 20_000 },
  )
})
