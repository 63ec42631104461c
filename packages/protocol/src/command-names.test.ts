import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readCommandName, readLocalizedName } from './command-names.ts'

/** Whether `name` is valid and in NFC. */
function isCommandName(name: string): boolean {
  const read = readCommandName(name)
  return 'name' in read && read.name === name
}

function codeOf(value: unknown): string | undefined {
  const read = readCommandName(value)
  return 'violation' in read ? read.violation.code : undefined
}

test('bots/command-names: names of small Latin or Cyrillic letters, digits, - and _ are accepted', () => {
  for (const name of [
    'статус',
    'straße',
    'їжак',
    'roll-20',
    'ping',
    'a',
    '_',
    '8-ball',
    'ñandú',
    'x'.repeat(32),
  ]) {
    assert.deepEqual(readCommandName(name), { name })
    assert.equal(isCommandName(name), true)
  }
})

test('bots/command-names: other names are rejected', () => {
  const bad = [
    'Статус',
    'Ping',
    'คำสั่ง',
    'हिन्दी',
    'Ⅳ',
    '\u212a',
    'İ',
    'ǅ',
    'a b',
    ' ping',
    'ping ',
    'a.b',
    '/a',
    '😀',
    'a\u200d',
    'a\u202e',
    'a\ufe0f',
    'αβγ',
    '٣',
    'a\u0301\u0323x\u0489',
    'ª',
    'ping\n',
  ]
  for (const name of bad) {
    assert.equal(codeOf(name), 'invalid_format', JSON.stringify(name))
    assert.equal(isCommandName(name), false)
  }
  assert.equal(codeOf('x'.repeat(33)), 'too_long')
  assert.equal(codeOf('ж'.repeat(33)), 'too_long')
  assert.equal(codeOf('x'.repeat(1_000_000)), 'too_long')
  assert.equal(codeOf(''), 'required')
  assert.equal(codeOf(undefined), 'required')
  assert.equal(codeOf(null), 'required')
  assert.equal(codeOf(5), 'invalid_type')
  assert.equal(codeOf('a\u0000'), 'invalid_text')
  assert.equal(codeOf('a\ud800'), 'invalid_text')
})

test('bots/command-names: a name is normalised to NFC before it is validated and counted', () => {
  assert.deepEqual(readCommandName('cafe\u0301'), { name: 'caf\u00e9' })
  assert.deepEqual(readCommandName('e\u0301'.repeat(32)), { name: '\u00e9'.repeat(32) })
  assert.equal(isCommandName('cafe\u0301'), false)
})

test('bots/command-names: a name that NFKC would change is rejected', () => {
  for (const name of ['ｐｉｎｇ', 'x²', '𝐩𝐢𝐧𝐠', 'ﬁnd', 'ŉ'])
    assert.equal(codeOf(name), 'invalid_format', name)
})

test('bots/command-homoglyphs: homoglyphs of two scripts are both accepted', () => {
  assert.equal(isCommandName('ping'), true)
  assert.equal(isCommandName('p\u0456ng'), true)
})

test('a field error suggests a similar valid name if there is one', () => {
  const messages = ['Ping', 'Roll Dice', '😀'].map(name => {
    const read = readCommandName(name)
    return 'violation' in read ? read.violation.message : undefined
  })
  assert.deepEqual(messages, [
    'must be small Latin or Cyrillic letters, digits, - and _: ping',
    'must be small Latin or Cyrillic letters, digits, - and _: roll-dice',
    'must be small Latin or Cyrillic letters, digits, - and _',
  ])
})

test('an accepted name is already normalized and has 1 to 32 characters', () => {
  const letter = fc.constantFrom(...'abcßéїж-_09AЖ .ａ²\u0301\u200d')
  let accepted = 0
  fc.assert(
    fc.property(fc.array(letter, { maxLength: 36 }), letters => {
      const read = readCommandName(letters.join(''))
      if (!('name' in read)) return
      accepted++
      const { name } = read
      assert.equal(name, name.normalize('NFKC'))
      assert.equal(name, name.toLowerCase())
      assert.ok([...name].length >= 1 && [...name].length <= 32)
      assert.deepEqual(readCommandName(name), { name })
    }),
  )
  assert.ok(accepted > 0)
})

test('a name in another language may have letters and marks of every script (bots/localizations)', () => {
  const names = [
    '주사위',
    'サイコロ',
    'らーめん',
    '掷骰子',
    'ζάρι',
    'קוביה',
    'पासा',
    'ทอยลูกเต๋า',
    'คำสั่ง',
    'نرد',
    'می\u200cخواهم',
  ]
  for (const name of [...names, 'ශ්\u200dරී', 'զառ', 'კამათელი', 'ຄຳ', 'แต้ม-20', 'लॉग_२', 'ñandú', 'бросок']) {
    assert.deepEqual(readLocalizedName(name), { name: name.normalize('NFC') })
  }
  assert.deepEqual(readLocalizedName('주'.normalize('NFD')), { name: '주' })
})

test('a name in another language has no capital letters, spaces or invisible characters (bots/localizations)', () => {
  const names = [
    'Ζάρι',
    'Զառ',
    'ǅ',
    'サイ コロ',
    '주사위!',
    '😀',
    'ｄａｉｓ',
    'ﾀﾞｲｽ',
    '\u0301a',
    '\u3164',
    '\u115f주',
  ]
  for (const name of [...names, 'a\u200db', 'نرد\u200c', '\u200cنرد', 'ทอ\ufe0f', '骰.子', '骰\u202e子']) {
    const read = readLocalizedName(name)
    assert.equal('violation' in read && read.violation.code, 'invalid_format', JSON.stringify(name))
  }
  const read = readLocalizedName('주'.repeat(33))
  assert.equal('violation' in read && read.violation.code, 'too_long')
})
