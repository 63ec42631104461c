import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { normalizeTimestamp } from './timestamps.ts'

test('returns the time in UTC with milliseconds', () => {
  const moments = {
    '2024-02-29T12:30:45.678Z': '2024-02-29T12:30:45.678Z',
    '2024-02-29T12:30:45Z': '2024-02-29T12:30:45.000Z',
    '2024-02-29t12:30:45.6z': '2024-02-29T12:30:45.600Z',
    '2024-01-01T00:30:00+02:00': '2023-12-31T22:30:00.000Z',
    '2024-12-31T23:30:00-0100': '2025-01-01T00:30:00.000Z',
    '2024-05-06T07:08:09.123456+00:00': '2024-05-06T07:08:09.123Z',
    '2024-05-06T07:08:09': '2024-05-06T07:08:09.000Z',
    '2024-05-06 07:08': '2024-05-06T07:08:00.000Z',
    '2024-05-06': '2024-05-06T00:00:00.000Z',
    '0042-05-06T00:00:00Z': '0042-05-06T00:00:00.000Z',
  }
  for (const [text, moment] of Object.entries(moments)) assert.equal(normalizeTimestamp(text), moment, text)
})

test('webhooks/embed-timestamp: rejects invalid days, hours and years', () => {
  const none = [
    '2024-02-30T00:00:00Z',
    '2023-02-29T00:00:00Z',
    '1900-02-29',
    '2024-04-31',
    '2024-13-01',
    '2024-00-01',
    '2024-01-00',
    '2024-01-01T24:00:00Z',
    '2024-01-01T00:60:00Z',
    '2024-01-01T00:00:61Z',
    '2024-01-01T00:00:00+24:00',
    '275761-01-01T00:00:00Z',
    '+275760-09-13T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '1700000000',
    'yesterday',
    'Mon, 01 Jan 2024 00:00:00 GMT',
    '',
  ]
  for (const text of none) assert.equal(normalizeTimestamp(text), undefined, text)
})

test('a normalized time of the years 1 to 9999 is returned unchanged', () => {
  const span = {
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  }
  fc.assert(
    fc.property(fc.date(span), date => {
      assert.equal(normalizeTimestamp(date.toISOString()), date.toISOString())
    }),
  )
})
