import assert from 'node:assert/strict'
import { test } from 'node:test'
import { en } from '../i18n/en.ts'
import { ru } from '../i18n/ru.ts'
import { createTranslate } from '../i18n/translate.ts'
import { ApiError, type Fault, faultText, fieldProblems } from './client.ts'

const t = createTranslate(en, 'en')
const fault = (path: string, code: string): Fault => ({ path, code, message: 'must be otherwise' })
const refused = (...errors: Fault[]) => new ApiError(400, { code: 'validation_failed', errors })

test('what is too long or too short is said with the bound, in the plural of the language', () => {
  assert.equal(faultText(fault('name', 'too_long'), t, { max: 32 }), 'At most 32 characters.')
  assert.equal(faultText(fault('name', 'too_short'), t, { min: 1 }), 'At least 1 character.')
  const russian = createTranslate(ru, 'ru')
  assert.equal(faultText(fault('name', 'too_long'), russian, { max: 32 }), 'Не больше 32 символов.')
  assert.equal(faultText(fault('name', 'too_long'), russian, { max: 1 }), 'Не больше 1 символа.')
})

test('without a bound it is said all the same, and a code that is not known in the service’s words', () => {
  assert.equal(faultText(fault('name', 'too_long'), t), 'This is too long.')
  assert.equal(faultText(fault('name', 'too_round'), t), 'must be otherwise')
})

test('each fault stands at its field, the first of several; others are left to the form', () => {
  const error = refused(
    fault('name', 'too_long'),
    fault('name', 'invalid_text'),
    fault('topic', 'required'),
    fault('other', 'required'),
  )
  const problems = fieldProblems(error, { name: { max: 100 }, topic: {} }, t)
  assert.deepEqual(problems, { name: 'At most 100 characters.', topic: 'Fill this in.' })
  assert.deepEqual(fieldProblems(new Error('x'), { name: {} }, t), {})
  assert.deepEqual(fieldProblems(refused(fault('name', 'required')), undefined, t), {})
})
