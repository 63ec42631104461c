import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RefCounted } from './ref-counted.ts'

function create() {
  const opened: string[] = []
  const closed: string[] = []
  const values = new RefCounted(async (key: string, fails: boolean) => {
    opened.push(key)
    if (fails) throw new Error('cannot open')
    return { key, close: () => closed.push(key) }
  })
  return { values, opened, closed }
}

test('a value is opened at the first use and closed after the last', async () => {
  const { values, opened, closed } = create()
  const [one, two] = await Promise.all([values.acquire('a', false), values.acquire('a', false)])
  assert.equal(one, two)
  assert.deepEqual(opened, ['a'])
  values.release('a')
  await Promise.resolve()
  assert.deepEqual(closed, [])
  values.release('a')
  await Promise.resolve()
  assert.deepEqual(closed, ['a'])
  await values.acquire('a', false)
  assert.deepEqual(opened, ['a', 'a'])
})

test('a failed open rejects all waiting callers, and the next call tries again', async () => {
  const { values, opened, closed } = create()
  const failed = await Promise.allSettled([values.acquire('a', true), values.acquire('a', true)])
  assert.deepEqual(
    failed.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.equal(opened.length, 1)
  assert.equal((await values.acquire('a', false)).key, 'a')
  assert.deepEqual(closed, [])
})
