import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Option } from '@gatehouse/protocol/commands'
import type { ResolvedChannel } from '@gatehouse/protocol/interactions'
import { AppError } from '../errors/app-error.ts'
import { validateOptions } from './option-values.ts'
import type { EntityLookup } from './resolved-entities.ts'

const [ann = '', bob = '', general = '', hidden = '', crew = ''] = [1, 2, 3, 4, 5].map(
  n => `100000000000000000${n}`,
)
const user = { id: ann, username: 'ann', displayName: 'Ann', avatar: '/ann', bot: false }
const channel: ResolvedChannel = { id: general, name: 'general', type: 'text', permissions: '0' }
const role = {
  id: crew,
  serverId: '1',
  name: 'Crew',
  permissions: '0',
  color: 0,
  position: 1,
  managed: false,
}
const lookup: EntityLookup = {
  users: async ids => ({ users: ids.includes(ann) ? { [ann]: user } : {} }),
  channels: async ids => ({ channels: ids.includes(general) ? { [general]: channel } : {} }),
  roles: async ids => ({ roles: ids.includes(crew) ? { [crew]: role } : {} }),
}

function option(type: Option['type'], name: string, more: Partial<Option> = {}): Option {
  return { type, name, description: 'An option', ...more }
}

const options: Option[] = [
  option('string', 'text', { required: true }),
  option('integer', 'whole', { min: -5, max: 10 }),
  option('number', 'real', { min: 0.5 }),
  option('boolean', 'flag'),
  option('string', 'colour', { choices: [{ name: 'Red', value: ' red' }] }),
  option('integer', 'size', { choices: [{ name: 'Small', value: 1 }] }),
  option('user', 'who'),
  option('channel', 'where'),
  option('role', 'as'),
  option('mentionable', 'whom'),
]
const text = { name: 'text', value: 'x' }

async function fieldErrorsOf(given: { name: string; value: unknown }[]): Promise<string[]> {
  try {
    await validateOptions(options, given, lookup)
    return []
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === 'validation_failed')
    return (error.errors ?? []).map(({ path, code }) => `${path} ${code}`)
  }
}

test('returns the values in the order of the definition, with their types', async () => {
  const given = [
    { name: 'as', value: crew },
    { name: 'where', value: general },
    { name: 'who', value: ann },
    { name: 'size', value: 1 },
    { name: 'colour', value: ' red' },
    { name: 'flag', value: false },
    { name: 'real', value: 0.5 },
    { name: 'whole', value: -5 },
    { name: 'text', value: '  x ' },
  ]
  const { data } = await validateOptions(options, given, lookup)
  assert.deepEqual(data.options, [
    { name: 'text', type: 'string', value: 'x' },
    { name: 'whole', type: 'integer', value: -5 },
    { name: 'real', type: 'number', value: 0.5 },
    { name: 'flag', type: 'boolean', value: false },
    { name: 'colour', type: 'string', value: ' red' },
    { name: 'size', type: 'integer', value: 1 },
    { name: 'who', type: 'user', value: ann },
    { name: 'where', type: 'channel', value: general },
    { name: 'as', type: 'role', value: crew },
  ])
  assert.deepEqual(data.resolved, {
    users: { [ann]: user },
    roles: { [crew]: role },
    channels: { [general]: channel },
  })
})

test('a mentionable is a user or a role, and the other kind is absent (bots/resolved)', async () => {
  const resolvedOf = async (value: string) =>
    (await validateOptions(options, [text, { name: 'whom', value }], lookup)).data.resolved
  assert.deepEqual(await resolvedOf(ann), { users: { [ann]: user } })
  assert.deepEqual(await resolvedOf(crew), { roles: { [crew]: role } })
})

test('without an id there is no `resolved` (bots/resolved)', async () => {
  const { data } = await validateOptions(options, [text], lookup)
  assert.deepEqual(data, { options: [{ name: 'text', type: 'string', value: 'x' }] })
})

test('compares names in NFC', async () => {
  const cafe = [option('string', 'café')]
  const { data } = await validateOptions(cafe, [{ name: 'cafe\u0301', value: 'x' }], lookup)
  assert.deepEqual(data.options, [{ name: 'café', type: 'string', value: 'x' }])
})

const invalidCases: [string, { name: string; value: unknown }[], string[]][] = [
  ['a missing required option', [], ['options required']],
  ['an unknown option', [text, { name: 'other', value: 1 }], ['options[1].name unknown_member']],
  ['an option given twice', [text, text], ['options[1].name duplicate']],
  ['a number for a string', [{ name: 'text', value: 5 }], ['options[0].value invalid_type']],
  ['null for a string', [{ name: 'text', value: null }], ['options[0].value invalid_type']],
  ['an empty string', [{ name: 'text', value: '  ' }], ['options[0].value too_short']],
  ['a string of 6001 characters', [{ name: 'text', value: 'x'.repeat(6001) }], ['options[0].value too_long']],
  ['half of a surrogate pair', [{ name: 'text', value: '\ud800' }], ['options[0].value invalid_text']],
  ['a fraction for an integer', [text, { name: 'whole', value: 1.5 }], ['options[1].value invalid_type']],
  ['a string for an integer', [text, { name: 'whole', value: '5' }], ['options[1].value invalid_type']],
  ['an integer of 2^53', [text, { name: 'whole', value: 2 ** 53 }], ['options[1].value invalid_type']],
  ['a number below its minimum', [text, { name: 'whole', value: -6 }], ['options[1].value out_of_range']],
  ['a number above its maximum', [text, { name: 'whole', value: 11 }], ['options[1].value out_of_range']],
  ['infinity', [text, { name: 'real', value: Number.POSITIVE_INFINITY }], ['options[1].value invalid_type']],
  ['a fraction below its minimum', [text, { name: 'real', value: 0.49 }], ['options[1].value out_of_range']],
  ['a string for a boolean', [text, { name: 'flag', value: 'true' }], ['options[1].value invalid_type']],
  [
    'a string that is not a choice',
    [text, { name: 'colour', value: 'red' }],
    ['options[1].value invalid_choice'],
  ],
  ['a number that is not a choice', [text, { name: 'size', value: 2 }], ['options[1].value invalid_choice']],
  ['a user who is not a member', [text, { name: 'who', value: bob }], ['options[1].value unknown_user']],
  [
    'a channel that the user may not view',
    [text, { name: 'where', value: hidden }],
    ['options[1].value unknown_channel'],
  ],
  ['a role of another server', [text, { name: 'as', value: bob }], ['options[1].value unknown_role']],
  [
    'an id of neither a member nor a role',
    [text, { name: 'whom', value: general }],
    ['options[1].value unknown_mentionable'],
  ],
  ['a malformed id', [text, { name: 'who', value: 'ann' }], ['options[1].value invalid_format']],
  [
    'several errors',
    [
      { name: 'whole', value: 'x' },
      { name: 'who', value: bob },
    ],
    ['options[0].value invalid_type', 'options required', 'options[1].value unknown_user'],
  ],
]

for (const [name, given, errors] of invalidCases) {
  test(`rejects ${name} (bots/option-values, bots/command-names)`, async () => {
    assert.deepEqual(await fieldErrorsOf(given), errors)
  })
}

test('accepts 6000 code points (bots/command-set)', async () => {
  assert.deepEqual(await fieldErrorsOf([{ name: 'text', value: '😀'.repeat(6000) }]), [])
})

test('the message names the missing option', async () => {
  const validation = validateOptions(options, [], lookup)
  await assert.rejects(validation, (error: unknown) => {
    assert.ok(error instanceof AppError)
    assert.equal(error.errors?.[0]?.message, 'must include "text"')
    return true
  })
})

test('a string has the length that the option accepts, in code points (bots/string-length)', async () => {
  for (const autocomplete of [false, true]) {
    const bounded = [option('string', 'code', { minLength: 2, maxLength: 3, autocomplete })]
    const errorOf = async (value: string) => {
      try {
        const { data } = await validateOptions(bounded, [{ name: 'code', value }], lookup)
        return data.options[0]
      } catch (error) {
        assert.ok(error instanceof AppError)
        return error.errors?.map(({ code, message }) => [code, message])[0]
      }
    }
    assert.deepEqual(await errorOf('😀 '), ['too_short', 'must have at least 2 characters (option "code")'])
    assert.deepEqual(await errorOf('😀😀😀😀'), [
      'too_long',
      'must have at most 3 characters (option "code")',
    ])
    assert.deepEqual(await errorOf('   '), ['too_short', 'must not be empty (option "code")'])
    for (const value of ['😀😀', '😀😀😀', ' 😀😀😀 ']) {
      const received = autocomplete ? value : value.trim()
      assert.deepEqual(await errorOf(value), { name: 'code', type: 'string', value: received })
    }
  }
})
