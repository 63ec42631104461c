import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createDevices } from './devices.ts'

test('a mark is known for the person it was made for and for nobody else', () => {
  const devices = createDevices(randomBytes(32))
  const mark = devices.mark('1')
  assert.equal(devices.knows(mark, '1'), true)
  assert.equal(devices.knows(mark, '2'), false)
  assert.notEqual(mark, devices.mark('1'))
})

test('a mark of another key, a changed one, and none are not known', () => {
  const devices = createDevices(randomBytes(32))
  const [nonce = '', seal = ''] = devices.mark('1').split('.')
  assert.equal(devices.knows(createDevices(randomBytes(32)).mark('1'), '1'), false)
  assert.equal(devices.knows(`${nonce}x.${seal}`, '1'), false)
  assert.equal(devices.knows(`${nonce}.`, '1'), false)
  assert.equal(devices.knows('', '1'), false)
  assert.equal(devices.knows(undefined, '1'), false)
})
