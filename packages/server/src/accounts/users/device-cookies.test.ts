import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createDeviceCookies } from './device-cookies.ts'

const ada = { id: '1', emailVerified: true }

test('a device cookie is valid only for its user', () => {
  const cookies = createDeviceCookies(randomBytes(32))
  const cookie = cookies.issue(ada)
  assert.equal(cookies.verify(cookie, ada), true)
  assert.equal(cookies.verify(cookie, { ...ada, id: '2' }), false)
  assert.notEqual(cookie, cookies.issue(ada))
})

test('a device cookie of another key, a changed one and a missing one are invalid', () => {
  const cookies = createDeviceCookies(randomBytes(32))
  const [nonce = '', mac = ''] = cookies.issue(ada).split('.')
  assert.equal(cookies.verify(createDeviceCookies(randomBytes(32)).issue(ada), ada), false)
  assert.equal(cookies.verify(`${nonce}x.${mac}`, ada), false)
  assert.equal(cookies.verify(`${nonce}.`, ada), false)
  assert.equal(cookies.verify('', ada), false)
  assert.equal(cookies.verify(undefined, ada), false)
})

test('a device cookie from before the email address was verified is invalid', () => {
  const cookies = createDeviceCookies(randomBytes(32))
  const unverified = { ...ada, emailVerified: false }
  const cookie = cookies.issue(unverified)
  assert.equal(cookies.verify(cookie, unverified), true)
  assert.equal(cookies.verify(cookie, ada), false)
})
