import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatPath } from './faults.ts'
import { allow, anyMention, checkAllowedMentions, noMoreThan, parseMentions, usersOnly } from './mentions.ts'

const ann = '1000000000000000001'
const bob = '1000000000000000002'
const crew = '1000000000000000003'
const none = { users: [], roles: [], everyone: false }

function faultsOf(
  value: unknown,
  member: 'allowedMentions' | 'allowed_mentions' = 'allowedMentions',
): string[] {
  return checkAllowedMentions(value, { member }).faults.map(
    fault => `${formatPath(fault.path)} ${fault.rule}`,
  )
}

test('a text mentions users, roles and everyone, each once', () => {
  const text = `<@${ann}> <@!${bob}> <@${ann}> <@&${crew}> hey @everyone and @here`
  assert.deepEqual(parseMentions(text), { users: [ann, bob], roles: [crew], everyone: true })
  assert.deepEqual(parseMentions('(@here)'), { ...none, everyone: true })
})

test('check 7: what only looks like a mention is none', () => {
  const texts = [
    '',
    'no one',
    '@\u200beveryone',
    '@everyones',
    'me@here.example'.replace('here', 'hereafter'),
    'mail@everyone',
    'ж@here',
    '@Everyone',
    '<@1>',
    '<@ 1000000000000000001>',
    `<@&&${crew}>`,
    '<@01000000000000000001>',
    `\`<@${ann}>\``,
    '`@everyone`',
    `\`\`\`\n@everyone\n<@${ann}>\n\`\`\``,
  ]
  for (const text of texts) assert.deepEqual(parseMentions(text), none, text)
})

test('a mention beside code is one', () => {
  assert.deepEqual(parseMentions(`\`code\` <@${ann}> \`\`\`more\`\`\` @here`), {
    users: [ann],
    roles: [],
    everyone: true,
  })
  assert.deepEqual(parseMentions('`open @here'), { ...none, everyone: true })
})

test('a long text of marks is read in no time', () => {
  const text = `${'`'.repeat(3)} ${'` @'.repeat(100_000)}`
  assert.deepEqual(parseMentions(text), none)
})

test('check 1: by default a webhook or bot notifies users only', () => {
  const found = parseMentions(`@everyone <@${ann}> <@&${crew}>`)
  assert.deepEqual(allow(found, undefined, usersOnly), { users: [ann], roles: [], everyone: false })
  assert.deepEqual(allow(found, undefined, anyMention), found)
})

test('check 2: everyone and roles are notified where the request asks for it', () => {
  const found = parseMentions(`@everyone <@${ann}> <@&${crew}>`)
  assert.deepEqual(allow(found, { parse: ['everyone', 'roles'] }, usersOnly), {
    users: [],
    roles: [crew],
    everyone: true,
  })
})

test('check 3: an empty parse notifies nobody', () => {
  const found = parseMentions(`@everyone <@${ann}> <@&${crew}>`)
  assert.deepEqual(allow(found, { parse: [] }, anyMention), none)
  assert.deepEqual(allow(found, {}, anyMention), none)
})

test('check 5: ids that the text does not mention notify nobody', () => {
  const found = parseMentions(`<@${ann}>`)
  assert.deepEqual(allow(found, { users: [ann, bob], roles: [crew] }, usersOnly), {
    users: [ann],
    roles: [],
    everyone: false,
  })
})

test('check 4: parse and ids of one kind exclude each other', () => {
  assert.deepEqual(faultsOf({ parse: ['users'], users: [ann] }), ['allowedMentions.users conflict'])
  assert.deepEqual(faultsOf({ parse: ['roles'], roles: [crew] }, 'allowed_mentions'), [
    'allowed_mentions.roles conflict',
  ])
  assert.deepEqual(faultsOf({ parse: ['roles', 'users'], users: [], roles: [] }), [])
  assert.deepEqual(faultsOf({ parse: ['everyone'], users: [ann] }), [])
})

test('check 5: up to 100 ids, each kept once', () => {
  const ids = (count: number) => Array.from({ length: count }, (_, i) => `${10n ** 18n + BigInt(i)}`)
  assert.equal(checkAllowedMentions({ users: ids(100) }).allowed?.users?.length, 100)
  assert.deepEqual(faultsOf({ users: ids(101), roles: ids(101) }), [
    'allowedMentions.users too_many',
    'allowedMentions.roles too_many',
  ])
  assert.deepEqual(checkAllowedMentions({ users: [ann, bob, ann] }).allowed, {
    parse: [],
    users: [ann, bob],
    roles: [],
  })
})

test('absent and null are absent', () => {
  assert.deepEqual(checkAllowedMentions(undefined), { allowed: undefined, faults: [] })
  assert.deepEqual(checkAllowedMentions(null), { allowed: undefined, faults: [] })
})

test('what has another shape is refused', () => {
  assert.deepEqual(faultsOf('users'), ['allowedMentions invalid_type'])
  assert.deepEqual(faultsOf([]), ['allowedMentions invalid_type'])
  assert.deepEqual(faultsOf({ parse: 'users', users: ann, roles: {} }), [
    'allowedMentions.parse invalid_type',
    'allowedMentions.users invalid_type',
    'allowedMentions.roles invalid_type',
  ])
  assert.deepEqual(faultsOf({ parse: ['users', 'here'], roles: [crew, 5, 'x'] }), [
    'allowedMentions.parse[1] invalid_choice',
    'allowedMentions.roles[1] invalid_format',
    'allowedMentions.roles[2] invalid_format',
  ])
})

test('unknown members are refused natively and ignored in the webhook dialect (D35)', () => {
  assert.deepEqual(faultsOf({ parse: [], replied_user: true }), [
    'allowedMentions.replied_user unknown_member',
  ])
  assert.deepEqual(faultsOf({ parse: [], replied_user: true }, 'allowed_mentions'), [])
})

test('check 8: an edit notifies no more than the original did', () => {
  const edited = parseMentions(`@everyone <@${ann}> <@${bob}> <@&${crew}>`)
  assert.deepEqual(noMoreThan(edited, { users: [ann], roles: [], everyone: false }), {
    ...none,
    users: [ann],
  })
  assert.deepEqual(noMoreThan(none, edited), none)
})
