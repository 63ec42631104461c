import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUserQueue } from './user-queue.ts'

const settle = () => new Promise(setImmediate)

test('runs at most the maximum of one user at the same time, in the order of the calls', async () => {
  const queue = createUserQueue(2)
  const started: string[] = []
  const operations = ['a', 'b', 'c', 'd'].map(name => {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const result = queue.run('1', hasWaited => {
      started.push(hasWaited ? `${name} waited` : name)
      return promise
    })
    return { resolve, reject, result }
  })
  await settle()
  assert.deepEqual(started, ['a', 'b'])
  assert.equal(await queue.run('2', async () => 'other'), 'other')
  operations[1]?.resolve('result of b')
  assert.equal(await operations[1]?.result, 'result of b')
  assert.deepEqual(started, ['a', 'b', 'c waited'])
  operations[0]?.reject(new Error('a failed'))
  await assert.rejects(async () => operations[0]?.result, /a failed/)
  await settle()
  assert.deepEqual(started, ['a', 'b', 'c waited', 'd waited'])
  for (const operation of operations) operation.resolve('')
  await operations[3]?.result
  assert.equal(queue.size, 0)
})
