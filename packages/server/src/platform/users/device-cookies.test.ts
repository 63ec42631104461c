import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createDeviceCookies } from './device-cookies.ts'

test('a device cookie is valid only for its user', () => {
  const cookies = createDeviceCookies(randomBytes(32))
  const cookie = cookies.issue('1')
  assert.equal(cookies.verify(cookie, '1'), true)
  assert.equal(cookies.verify(cookie, '2'), false)
  assert.notEqual(cookie, cookies.issue('1'))
})

test('a device cookie of another key, a changed one and a missing one are invalid', () => {
  const cookies = createDeviceCookies(randomBytes(32))
  const [nonce = '', mac = ''] = cookies.issue('1').split('.')
  assert.equal(cookies.verify(createDeviceCookies(randomBytes(32)).issue('1'), '1'), false)
  assert.equal(cookies.verify(`${nonce}x.${mac}`, '1'), false)
  assert.equal(cookies.verify(`${nonce}.`, '1'), false)
  assert.equal(cookies.verify('', '1'), false)
  assert.equal(cookies.verify(undefined, '1'), false)
})
