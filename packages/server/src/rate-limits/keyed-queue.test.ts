import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { AppError } from '../errors/app-error.ts'
import { createKeyedQueue } from './keyed-queue.ts'

const clock = () => 0
const options = { name: 'waitingImages', limitPerKey: 1, maxWaitingKeys: 10, maxWaitingPerKey: 10 } as const

/** A task that records its start and ends when the test says so. */
function createTasks(queue: ReturnType<typeof createKeyedQueue>) {
  const started: string[] = []
  const ends = new Map<string, () => void>()
  return {
    started,
    run: (key: string, name: string) =>
      queue.run(clock, key, () => {
        started.push(name)
        return new Promise<string>(resolve => ends.set(name, () => resolve(name)))
      }),
    end: (name: string) => ends.get(name)?.(),
  }
}

test('runs a number of tasks at a time, one of each key, the others in order', async () => {
  const { started, run, end } = createTasks(createKeyedQueue({ ...options, limit: 2 }))
  const tasks = [run('a', 'a1'), run('a', 'a2'), run('b', 'b1'), run('c', 'c1'), run('a', 'a3')]
  await Promise.resolve()
  assert.deepEqual(started, ['a1', 'b1'])
  end('b1')
  await tasks[2]
  await Promise.resolve()
  assert.deepEqual(started, ['a1', 'b1', 'c1'])
  end('a1')
  assert.equal(await tasks[0], 'a1')
  await Promise.resolve()
  assert.deepEqual(started, ['a1', 'b1', 'c1', 'a2'])
  for (const name of ['c1', 'a2']) end(name)
  await Promise.all([tasks[1], tasks[3]])
  await Promise.resolve()
  end('a3')
  assert.equal(await tasks[4], 'a3')
})

test('a failed task does not stop the others', async () => {
  const queue = createKeyedQueue({ ...options, limit: 1 })
  const failed = queue.run(clock, 'a', () => Promise.reject(new Error('broken')))
  const other = queue.run(clock, 'a', async () => 'done')
  await assert.rejects(failed, /broken/)
  assert.equal(await other, 'done')
})

test('the keys take turns, and a key may run several tasks at a time', async () => {
  const { started, run, end } = createTasks(createKeyedQueue({ ...options, limit: 3, limitPerKey: 2 }))
  const names = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']
  const tasks = Promise.all(names.map(name => run(name.charAt(0), name)))
  await setImmediate()
  assert.deepEqual(started, ['a1', 'a2', 'b1'])
  for (let n = 0; n < names.length; n++) {
    end(started[n] ?? '')
    await setImmediate()
  }
  assert.deepEqual(started, ['a1', 'a2', 'b1', 'a3', 'b2', 'c1', 'a4'])
  assert.deepEqual(await tasks, names)
})

test('rejects a task if too many keys wait, however many tasks they have', async () => {
  const { started, run, end } = createTasks(createKeyedQueue({ ...options, limit: 1, maxWaitingKeys: 2 }))
  const names = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1']
  const tasks = Promise.all(names.map(name => run(name.charAt(0), name)))
  await assert.rejects(run('c', 'c1'), error => error instanceof AppError && error.code === 'unavailable')
  for (let n = 0; n < names.length; n++) {
    end(started[n] ?? '')
    await setImmediate()
  }
  assert.deepEqual(await tasks, names)
})

test('rejects a task if too many of its key wait', async () => {
  const { run, end } = createTasks(createKeyedQueue({ ...options, limit: 1, maxWaitingPerKey: 1 }))
  const tasks = [run('a', 'a1'), run('a', 'a2'), run('b', 'b1')]
  await assert.rejects(run('a', 'a3'), error => error instanceof AppError && error.code === 'rate_limited')
  for (const name of ['a1', 'a2', 'b1']) {
    end(name)
    await setImmediate()
  }
  assert.deepEqual(await Promise.all(tasks), ['a1', 'a2', 'b1'])
})
