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

test('others see id, names, picture and whether it is a bot', () => {
  assert.deepEqual(userView(ada), {
    id: ada.id,
    username: 'ada',
    displayName: 'Ada',
    avatar: `/images/users/${ada.id}/ab`,
    bot: false,
  })
  assert.equal(userView({ ...ada, avatar: null }).avatar, `/images/users/${ada.id}/default`)
})

test('oneself sees the address too, where it may be shown and there is one', () => {
  assert.deepEqual(selfView(ada, { email: true }), {
    ...userView(ada),
    email: 'Ada@Example.org',
    emailVerified: true,
  })
  assert.deepEqual(selfView(ada, { email: false }), userView(ada))
  assert.deepEqual(selfView({ ...ada, email: null }, { email: true }), userView(ada))
})

test('an address is the same whatever its case and however its letters are composed', () => {
  assert.equal(emailKey('Jos\u00e9@Example.ORG'), emailKey('jose\u0301@example.org'))
})
