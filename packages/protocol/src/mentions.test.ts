import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatPath } from './field-errors.ts'
import {
  anyMention,
  applyAllowedMentions,
  checkAllowedMentions,
  intersectMentions,
  parseMentions,
  usersOnly,
} from './mentions.ts'

const ann = '1000000000000000001'
const bob = '1000000000000000002'
const crew = '1000000000000000003'
const none = { users: [], roles: [], everyone: false }

function violationsOf(
  value: unknown,
  member: 'allowedMentions' | 'allowed_mentions' = 'allowedMentions',
): string[] {
  return checkAllowedMentions(value, { member }).violations.map(
    violation => `${formatPath(violation.path)} ${violation.code}`,
  )
}

test('finds users, roles and everyone, each once', () => {
  const text = `<@${ann}> <@!${bob}> <@${ann}> <@&${crew}> hey @everyone and @here`
  assert.deepEqual(parseMentions(text), { users: [ann, bob], roles: [crew], everyone: true })
  assert.deepEqual(parseMentions(`\\\\<@${ann}>`), { ...none, users: [ann] })
  assert.deepEqual(parseMentions('(@here)'), { ...none, everyone: true })
})

test('webhooks/mentions-in-code: text in code or with another syntax is not a mention', () => {
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
    `\`\`\`error: disk full\n<@${ann}>\`\`\``,
    `\`\`\`\`\n\`\`\`\n<@${ann}>\n\`\`\`\``,
    '`` ` @everyone ``',
    `\\<@${ann}>`,
    `\\\\\\<@&${crew}>`,
  ]
  for (const text of texts) assert.deepEqual(parseMentions(text), none, text)
})

test('finds a mention next to code', () => {
  assert.deepEqual(parseMentions(`\`code\` <@${ann}> \`\`\`more\`\`\` @here`), {
    users: [ann],
    roles: [],
    everyone: true,
  })
  assert.deepEqual(parseMentions('`open @here'), { ...none, everyone: true })
  assert.deepEqual(parseMentions('\\`@here`'), { ...none, everyone: true })
})

test('parses a long text of delimiters in linear time', () => {
  const text = `${'`'.repeat(3)} ${'` @'.repeat(100_000)}`
  assert.deepEqual(parseMentions(text), none)
})

test('webhooks/mentions: by default a webhook or bot notifies users only', () => {
  const found = parseMentions(`@everyone <@${ann}> <@&${crew}>`)
  assert.deepEqual(applyAllowedMentions(found, undefined, usersOnly), {
    users: [ann],
    roles: [],
    everyone: false,
  })
  assert.deepEqual(applyAllowedMentions(found, undefined, anyMention), found)
})

test('webhooks/mentions: everyone and roles are notified if the request allows it', () => {
  const found = parseMentions(`@everyone <@${ann}> <@&${crew}>`)
  assert.deepEqual(applyAllowedMentions(found, { parse: ['everyone', 'roles'] }, usersOnly), {
    users: [],
    roles: [crew],
    everyone: true,
  })
})

test('webhooks/mentions-none: an empty parse list notifies no users', () => {
  const found = parseMentions(`@everyone <@${ann}> <@&${crew}>`)
  assert.deepEqual(applyAllowedMentions(found, { parse: [] }, anyMention), none)
  assert.deepEqual(applyAllowedMentions(found, {}, anyMention), none)
})

test('webhooks/mentions-users: ids that the text does not mention notify no users', () => {
  const found = parseMentions(`<@${ann}>`)
  assert.deepEqual(applyAllowedMentions(found, { users: [ann, bob], roles: [crew] }, usersOnly), {
    users: [ann],
    roles: [],
    everyone: false,
  })
})

test('webhooks/mentions-exclusive: parse and ids of the same type exclude each other', () => {
  assert.deepEqual(violationsOf({ parse: ['users'], users: [ann] }), ['allowedMentions.users conflict'])
  assert.deepEqual(violationsOf({ parse: ['roles'], roles: [crew] }, 'allowed_mentions'), [
    'allowed_mentions.roles conflict',
  ])
  assert.deepEqual(violationsOf({ parse: ['roles', 'users'], users: [], roles: [] }), [])
  assert.deepEqual(violationsOf({ parse: ['everyone'], users: [ann] }), [])
})

test('accepts up to 100 kinds', () => {
  const kinds = (length: number) => Array.from({ length }, () => 'users')
  assert.deepEqual(checkAllowedMentions({ parse: kinds(100) }).allowed?.parse, ['users'])
  assert.deepEqual(violationsOf({ parse: kinds(101) }), ['allowedMentions.parse too_many'])
})

test('webhooks/mentions-users: accepts up to 100 ids and removes duplicates', () => {
  const ids = (count: number) => Array.from({ length: count }, (_, i) => `${10n ** 18n + BigInt(i)}`)
  assert.equal(checkAllowedMentions({ users: ids(100) }).allowed?.users?.length, 100)
  assert.deepEqual(violationsOf({ users: ids(101), roles: ids(101) }), [
    'allowedMentions.users too_many',
    'allowedMentions.roles too_many',
  ])
  assert.deepEqual(checkAllowedMentions({ users: [ann, bob, ann] }).allowed, {
    parse: [],
    users: [ann, bob],
    roles: [],
  })
})

test('null is the same as absent', () => {
  assert.deepEqual(checkAllowedMentions(undefined), { allowed: undefined, violations: [] })
  assert.deepEqual(checkAllowedMentions(null), { allowed: undefined, violations: [] })
})

test('a value of another shape is rejected', () => {
  assert.deepEqual(violationsOf('users'), ['allowedMentions invalid_type'])
  assert.deepEqual(violationsOf([]), ['allowedMentions invalid_type'])
  assert.deepEqual(violationsOf({ parse: 'users', users: ann, roles: {} }), [
    'allowedMentions.parse invalid_type',
    'allowedMentions.users invalid_type',
    'allowedMentions.roles invalid_type',
  ])
  assert.deepEqual(violationsOf({ parse: ['users', 'here'], roles: [crew, 5, 'x'] }), [
    'allowedMentions.parse[1] invalid_choice',
    'allowedMentions.roles[1] invalid_format',
    'allowedMentions.roles[2] invalid_format',
  ])
})

test('unknown members are rejected, and ignored in webhook requests (webhooks/files-and-unknown-keys)', () => {
  assert.deepEqual(violationsOf({ parse: [], replied_user: true }), [
    'allowedMentions.replied_user unknown_member',
  ])
  assert.deepEqual(violationsOf({ parse: [], replied_user: true }, 'allowed_mentions'), [])
})

test('webhooks/edit-mentions: an edit notifies at most the mentions of the original message', () => {
  const edited = parseMentions(`@everyone <@${ann}> <@${bob}> <@&${crew}>`)
  assert.deepEqual(intersectMentions(edited, { users: [ann], roles: [], everyone: false }), {
    ...none,
    users: [ann],
  })
  assert.deepEqual(intersectMentions(none, edited), none)
})
