import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { test } from 'node:test'
import { lowerThreadPoolPriority, threadPoolPriority } from './thread-pool.ts'

test('lowers the priority of the thread pool on Linux, and of no other thread', async () => {
  await lowerThreadPoolPriority()
  if (process.platform !== 'linux') return
  const threads = readdirSync('/proc/self/task').map(id => ({
    isPool: readFileSync(`/proc/self/task/${id}/comm`, 'utf8') === 'libuv-worker\n',
    priority: getPriority(Number(id)),
  }))
  const priorities = (isPool: boolean) =>
    new Set(threads.filter(thread => thread.isPool === isPool).map(({ priority }) => priority))
  const [libuvMajor = 0, libuvMinor = 0] = (process.versions.uv ?? '').split('.').map(Number)
  const hasNames = libuvMajor > 1 || libuvMinor >= 50
  assert.deepEqual([...priorities(true)], hasNames ? [threadPoolPriority] : [])
  assert.deepEqual([...priorities(false)], [getPriority()])
})
