import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from './app-error.ts'
import { createKeyedQueue } from './keyed-queue.ts'

/** A task that records its start and ends when the test says so. */
function createTasks(queue: ReturnType<typeof createKeyedQueue>) {
  const started: string[] = []
  const ends = new Map<string, () => void>()
  return {
    started,
    run: (key: string, name: string) =>
      queue.run(key, () => {
        started.push(name)
        return new Promise<string>(resolve => ends.set(name, () => resolve(name)))
      }),
    end: (name: string) => ends.get(name)?.(),
  }
}

test('runs a number of tasks at a time, one of each key, the others in order', async () => {
  const { started, run, end } = createTasks(createKeyedQueue({ limit: 2, maxWaiting: 10 }))
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
  const queue = createKeyedQueue({ limit: 1, maxWaiting: 10 })
  const failed = queue.run('a', () => Promise.reject(new Error('broken')))
  const other = queue.run('a', async () => 'done')
  await assert.rejects(failed, /broken/)
  assert.equal(await other, 'done')
})

test('rejects a task if too many wait', async () => {
  const { run, end } = createTasks(createKeyedQueue({ limit: 1, maxWaiting: 1 }))
  const tasks = [run('a', 'a1'), run('b', 'b1')]
  await assert.rejects(run('c', 'c1'), error => error instanceof AppError && error.code === 'unavailable')
  end('a1')
  await tasks[0]
  await Promise.resolve()
  end('b1')
  assert.equal(await tasks[1], 'b1')
})
