import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isId } from '@gatehouse/protocol/ids'
import fc from 'fast-check'
import { createSnowflakes, snowflakeToTimestamp, timestampToSnowflake } from './snowflake.ts'

const day = Date.UTC(2026, 0, 15, 12)

test('an id has 19 digits and contains time, node and sequence number', () => {
  const next = createSnowflakes({ clock: () => day, node: 777 })
  const [first, second] = [next(), next()]
  assert.match(first, /^[1-9][0-9]{18}$/)
  assert.equal(snowflakeToTimestamp(first), day)
  assert.equal((BigInt(first) >> 12n) & 1023n, 777n)
  assert.deepEqual([BigInt(first) & 4095n, BigInt(second) & 4095n], [0n, 1n])
})

test('ids have 19 digits from mid 2022 until 2084', () => {
  for (const ms of [Date.UTC(2022, 6, 23), Date.UTC(2026, 10, 21), Date.UTC(2083, 0, 1)]) {
    assert.equal(timestampToSnowflake(ms).length, 19)
  }
})

test('the ids of a millisecond increase by one, also at a carry of many digits', () => {
  const ends = Array.from({ length: 5000 }, (_, i) => day + i).filter(
    ms => Number(BigInt(timestampToSnowflake(ms)) % 10_000_000n) > 10_000_000 - 4096,
  )
  assert.ok(ends.length > 0, 'no millisecond with a carry beyond the last seven digits')
  for (const ms of [day, ...ends]) {
    const next = createSnowflakes({ clock: () => ms, node: 0 })
    const first = BigInt(timestampToSnowflake(ms))
    for (let i = 0n; i < 4096n; i++) assert.equal(next(), String(first + i))
  }
})

test('5,000 ids of one millisecond are unique and in order', () => {
  const next = createSnowflakes({ clock: () => day, node: 0 })
  const ids = Array.from({ length: 5000 }, next)
  assert.equal(new Set(ids).size, 5000)
  assert.deepEqual(ids, ids.toSorted())
  assert.equal(snowflakeToTimestamp(ids.at(-1) ?? ''), day + 1)
})

test('ids are strictly increasing for any clock', () => {
  const clockReadings = fc.array(fc.integer({ min: day - 10_000, max: day + 10_000 }), { minLength: 2 })
  fc.assert(
    fc.property(clockReadings, fc.integer({ min: 0, max: 1023 }), (readings, node) => {
      const rest = [...readings]
      const next = createSnowflakes({ clock: () => rest.shift() ?? day, node })
      const ids = readings.map(next)
      for (const [i, id] of ids.entries()) assert.ok(i === 0 || id > (ids[i - 1] ?? ''))
    }),
  )
})

test('two nodes never generate the same id', () => {
  const [a, b] = [1, 2].map(node => createSnowflakes({ clock: () => day, node }))
  const ids = Array.from({ length: 2000 }, () => [a?.(), b?.()]).flat()
  assert.equal(new Set(ids).size, 4000)
})

test('timestampToSnowflake is the lowest id of its millisecond', () => {
  const before = createSnowflakes({ clock: () => day - 1, node: 1023 })()
  const then = createSnowflakes({ clock: () => day, node: 0 })()
  assert.equal(timestampToSnowflake(day), then)
  assert.ok(before < timestampToSnowflake(day))
  assert.equal(snowflakeToTimestamp(timestampToSnowflake(day)), day)
})

test('a node number outside 0 to 1023 is rejected', () => {
  for (const node of [-1, 1024, 1.5, Number.NaN]) {
    assert.throws(() => createSnowflakes({ clock: () => day, node }), RangeError)
  }
})

test('an id has 17 to 20 digits without a leading zero', () => {
  for (const text of ['12345678901234567', '1234567890123456789', '12345678901234567890']) {
    assert.equal(isId(text), true, text)
  }
  const others = [
    '',
    '0',
    '1234567890123456',
    '123456789012345678901',
    '0123456789012345678',
    '-234567890123456789',
  ]
  for (const text of [...others, '1234567890123456789 ', '1234567890123456789\n', '١٢٣٤٥٦٧٨٩٠١٢٣٤٥٦٧٨٩']) {
    assert.equal(isId(text), false, text)
    assert.throws(() => snowflakeToTimestamp(text), TypeError)
  }
})
