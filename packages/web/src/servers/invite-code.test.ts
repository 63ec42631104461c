import assert from 'node:assert/strict'
import test from 'node:test'
import { inviteCode } from './invite-code.ts'

test('a code is taken from a link or as it is', () => {
  assert.equal(inviteCode(' aB3_-x '), 'aB3_-x')
  assert.equal(inviteCode('https://chat.example/invite/aB3?x=1'), 'aB3')
  assert.equal(inviteCode('/invite/aB3/'), 'aB3')
})

test('what holds no code gives none', () => {
  for (const text of ['', '  ', 'https://chat.example/', 'a b', '../x'])
    assert.equal(inviteCode(text), undefined, text)
})
