import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Shared } from './shared.ts'

function create() {
  const opened: string[] = []
  const closed: string[] = []
  const shared = new Shared(async (key: string, fails: boolean) => {
    opened.push(key)
    if (fails) throw new Error('does not open')
    return { key, close: () => closed.push(key) }
  })
  return { shared, opened, closed }
}

test('what many use is opened once, and closed with the last of them', async () => {
  const { shared, opened, closed } = create()
  const [one, two] = await Promise.all([shared.acquire('a', false), shared.acquire('a', false)])
  assert.equal(one, two)
  assert.deepEqual(opened, ['a'])
  shared.release('a')
  await Promise.resolve()
  assert.deepEqual(closed, [])
  shared.release('a')
  await Promise.resolve()
  assert.deepEqual(closed, ['a'])
  await shared.acquire('a', false)
  assert.deepEqual(opened, ['a', 'a'])
})

test('one that does not open fails for all who wait, and is tried anew', async () => {
  const { shared, opened, closed } = create()
  const failed = await Promise.allSettled([shared.acquire('a', true), shared.acquire('a', true)])
  assert.deepEqual(
    failed.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.equal(opened.length, 1)
  assert.equal((await shared.acquire('a', false)).key, 'a')
  assert.deepEqual(closed, [])
})
