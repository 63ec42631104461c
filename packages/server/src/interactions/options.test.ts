import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Option } from '@gatehouse/protocol/commands'
import { AppError } from '../kit/app-error.ts'
import { checkOptions } from './options.ts'

const [ann, bob, here, hidden, crew] = [1, 2, 3, 4, 5].map(n => `100000000000000000${n}`)
const candidates = {
  users: async (ids: readonly string[]) => ids.filter(id => id === ann),
  channels: async (ids: readonly string[]) => ids.filter(id => id === here),
  roles: async (ids: readonly string[]) => ids.filter(id => id === crew),
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
]
const text = { name: 'text', value: 'x' }

async function faultsOf(given: { name: string; value: unknown }[]): Promise<string[]> {
  try {
    await checkOptions(options, given, candidates)
    return []
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === 'validation_failed')
    return (error.errors ?? []).map(({ path, code }) => `${path} ${code}`)
  }
}

test('values come out in the order of the definition, with their types', async () => {
  const given = [
    { name: 'as', value: crew },
    { name: 'where', value: here },
    { name: 'who', value: ann },
    { name: 'size', value: 1 },
    { name: 'colour', value: ' red' },
    { name: 'flag', value: false },
    { name: 'real', value: 0.5 },
    { name: 'whole', value: -5 },
    { name: 'text', value: '  x ' },
  ]
  assert.deepEqual(await checkOptions(options, given, candidates), [
    { name: 'text', type: 'string', value: 'x' },
    { name: 'whole', type: 'integer', value: -5 },
    { name: 'real', type: 'number', value: 0.5 },
    { name: 'flag', type: 'boolean', value: false },
    { name: 'colour', type: 'string', value: ' red' },
    { name: 'size', type: 'integer', value: 1 },
    { name: 'who', type: 'user', value: ann },
    { name: 'where', type: 'channel', value: here },
    { name: 'as', type: 'role', value: crew },
  ])
})

test('a name is the same however its letters are composed', async () => {
  const cafe = [option('string', 'café')]
  const found = await checkOptions(cafe, [{ name: 'cafe\u0301', value: 'x' }], candidates)
  assert.deepEqual(found, [{ name: 'café', type: 'string', value: 'x' }])
})

const refused: [string, { name: string; value: unknown }[], string[]][] = [
  ['a required option that is missing', [], ['options required']],
  [
    'an option that the command does not have',
    [text, { name: 'other', value: 1 }],
    ['options[1].name unknown_member'],
  ],
  ['an option given twice', [text, text], ['options[1].name duplicate']],
  ['text that is none', [{ name: 'text', value: 5 }], ['options[0].value invalid_type']],
  ['text that is null', [{ name: 'text', value: null }], ['options[0].value invalid_type']],
  ['text that is empty', [{ name: 'text', value: '  ' }], ['options[0].value too_short']],
  ['text of 6001 characters', [{ name: 'text', value: 'x'.repeat(6001) }], ['options[0].value too_long']],
  ['half of a surrogate pair', [{ name: 'text', value: '\ud800' }], ['options[0].value invalid_text']],
  [
    'a whole number with a fraction',
    [text, { name: 'whole', value: 1.5 }],
    ['options[1].value invalid_type'],
  ],
  ['a whole number as text', [text, { name: 'whole', value: '5' }], ['options[1].value invalid_type']],
  ['a whole number of 2^53', [text, { name: 'whole', value: 2 ** 53 }], ['options[1].value invalid_type']],
  ['a number below its minimum', [text, { name: 'whole', value: -6 }], ['options[1].value out_of_range']],
  ['a number above its maximum', [text, { name: 'whole', value: 11 }], ['options[1].value out_of_range']],
  [
    'a number without end',
    [text, { name: 'real', value: Number.POSITIVE_INFINITY }],
    ['options[1].value invalid_type'],
  ],
  ['a fraction below its minimum', [text, { name: 'real', value: 0.49 }], ['options[1].value out_of_range']],
  ['a truth as text', [text, { name: 'flag', value: 'true' }], ['options[1].value invalid_type']],
  ['text that is no choice', [text, { name: 'colour', value: 'red' }], ['options[1].value invalid_choice']],
  ['a number that is no choice', [text, { name: 'size', value: 2 }], ['options[1].value invalid_choice']],
  ['somebody of another server', [text, { name: 'who', value: bob }], ['options[1].value unknown_user']],
  [
    'a channel that is hidden',
    [text, { name: 'where', value: hidden }],
    ['options[1].value unknown_channel'],
  ],
  ['a role of another server', [text, { name: 'as', value: bob }], ['options[1].value unknown_role']],
  ['an id that can be none', [text, { name: 'who', value: 'ann' }], ['options[1].value invalid_format']],
  [
    'all faults at once',
    [
      { name: 'whole', value: 'x' },
      { name: 'who', value: bob },
    ],
    ['options[0].value invalid_type', 'options required', 'options[1].value unknown_user'],
  ],
]

for (const [name, given, faults] of refused) {
  test(`check 55, D28: is refused: ${name}`, async () => {
    assert.deepEqual(await faultsOf(given), faults)
  })
}

test('D52: text of 6000 characters passes, counted in code points', async () => {
  assert.deepEqual(await faultsOf([{ name: 'text', value: '😀'.repeat(6000) }]), [])
})

test('what lacks is named in words', async () => {
  const refusal = checkOptions(options, [], candidates)
  await assert.rejects(refusal, (error: unknown) => {
    assert.ok(error instanceof AppError)
    assert.equal(error.errors?.[0]?.message, 'text is required')
    return true
  })
})
