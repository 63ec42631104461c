import assert from 'node:assert/strict'
import test from 'node:test'
import { parseInviteCode } from './invite-code.ts'

test('parses an invite code and an invite URL', () => {
  assert.equal(parseInviteCode(' aB3_-x '), 'aB3_-x')
  assert.equal(parseInviteCode('https://chat.example/invite/aB3?x=1'), 'aB3')
  assert.equal(parseInviteCode('/invite/aB3/'), 'aB3')
})

test('returns undefined for a text without an invite code', () => {
  for (const text of ['', '  ', 'https://chat.example/', 'a b', '../x'])
    assert.equal(parseInviteCode(text), undefined, text)
})
