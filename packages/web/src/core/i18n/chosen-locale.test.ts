import assert from 'node:assert/strict'
import test from 'node:test'
import { localeCookie } from '@gatehouse/protocol/locales'
import { readChosenLocale } from './chosen-locale.ts'

test('reads the locale cookie that the pages of the server set', () => {
  for (const secure of [false, true]) {
    const [pair = ''] = localeCookie('ru', secure).split(';')
    assert.equal(readChosenLocale(pair, secure), 'ru')
    assert.equal(readChosenLocale(`a=b; ${pair}; c=d`, secure), 'ru')
    assert.equal(readChosenLocale(pair, !secure), undefined)
    assert.equal(readChosenLocale(`x${pair}`, secure), undefined)
  }
  assert.equal(readChosenLocale('gatehouse_locale=de', false), undefined)
  assert.equal(readChosenLocale('', false), undefined)
})
