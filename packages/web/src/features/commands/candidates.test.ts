import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mentionedUser } from './candidates.ts'

test('a whole mention has the id of its user', () => {
  assert.equal(mentionedUser(' <@12> '), '12')
  assert.equal(mentionedUser('<@!12>'), '12')
  for (const text of ['', '12', '<@12', '<@&12>', '<#12>', '<@12> <@13>', '<@12>x']) {
    assert.equal(mentionedUser(text), undefined, text)
  }
})
