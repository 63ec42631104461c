import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEndOfRound } from './end-of-round.ts'

test('what is given in one round runs at its end, all in one go and in order', async () => {
  const endOfRound = createEndOfRound()
  const ran: string[] = []
  endOfRound(() => ran.push('a'))
  await Promise.resolve()
  endOfRound(() => ran.push('b'))
  assert.deepEqual(ran, [])
  // Asked for after the first two, it comes after both.
  await new Promise(resolve => setImmediate(resolve))
  assert.deepEqual(ran, ['a', 'b'])
})

test('what is given while the end runs has the next round', async () => {
  const endOfRound = createEndOfRound()
  const ran: string[] = []
  endOfRound(() => {
    ran.push('a')
    endOfRound(() => ran.push('b'))
  })
  await new Promise(resolve => setImmediate(resolve))
  assert.deepEqual(ran, ['a'])
  await new Promise(resolve => setImmediate(resolve))
  assert.deepEqual(ran, ['a', 'b'])
})
