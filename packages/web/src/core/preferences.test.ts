import assert from 'node:assert/strict'
import test from 'node:test'
import { preferenceCookie } from '@gatehouse/protocol/preference-cookies'
import { readPreference } from './preferences.ts'

test('reads the cookie that the pages of the server set', () => {
  for (const secure of [false, true]) {
    const [pair = ''] = preferenceCookie('locale', 'ru', secure).split(';')
    assert.equal(readPreference('locale', pair, secure), 'ru')
    assert.equal(readPreference('locale', `a=b; ${pair}; c=d`, secure), 'ru')
    assert.equal(readPreference('locale', pair, !secure), undefined)
    assert.equal(readPreference('locale', `x${pair}`, secure), undefined)
    assert.equal(readPreference('theme', pair, secure), undefined)
  }
  assert.equal(readPreference('locale', '', false), undefined)
})
