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
  createdAt: 0,
}

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

test('selfView has the email address if requested and present', () => {
  assert.deepEqual(selfView(ada, { email: true }), {
    ...userView(ada),
    email: 'Ada@Example.org',
    emailVerified: true,
  })
  assert.deepEqual(selfView(ada, { email: false }), userView(ada))
  assert.deepEqual(selfView({ ...ada, email: null }, { email: true }), userView(ada))
})

test('emailKey ignores case and Unicode composition', () => {
  assert.equal(emailKey('Jos\u00e9@Example.ORG'), emailKey('jose\u0301@example.org'))
})
