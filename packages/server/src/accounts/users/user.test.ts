import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emailKey, selfView, userView } from './user.ts'

const ada = {
  id: '1461329068032000000',
  username: 'ada',
  displayName: 'Ada',
  email: 'Ada@Example.org',
  emailVerified: true,
  avatar: 'ab',
  bot: false,
  directMessages: 'members',
  administrator: false,
  disabledAt: null,
  createdAt: 0,
} as const

test('userView has the id, names, avatar and bot flag', () => {
  assert.deepEqual(userView(ada), {
    id: ada.id,
    username: 'ada',
    displayName: 'Ada',
    avatar: `/images/users/${ada.id}/ab`,
    bot: false,
  })
  assert.equal(userView({ ...ada, avatar: null }).avatar, `/images/users/${ada.id}/default`)
})

test('selfView has the email address and the settings unless they are left out, and neither for a bot', () => {
  const email = { email: 'Ada@Example.org', emailVerified: true }
  const settings = { directMessages: 'members' }
  assert.deepEqual(selfView(ada), { ...userView(ada), ...email, ...settings })
  assert.deepEqual(selfView(ada, { email: false }), { ...userView(ada), ...settings })
  assert.deepEqual(selfView(ada, { settings: false }), { ...userView(ada), ...email })
  const bot = { ...ada, bot: true, email: null }
  assert.deepEqual(selfView(bot), userView(bot))
})

test('emailKey ignores case and Unicode composition', () => {
  assert.equal(emailKey('Jos\u00e9@Example.ORG'), emailKey('jose\u0301@example.org'))
})
