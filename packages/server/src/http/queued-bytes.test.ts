import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueuedBytes, type QueuedConnection } from './queued-bytes.ts'

interface TestQueue extends QueuedConnection {
  queuedBytes: number
  limitKey: string | undefined
  terminated: boolean
}

function createQueue(limitKey?: string): TestQueue {
  return {
    queuedBytes: 0,
    limitKey,
    terminated: false,
    terminate() {
      this.terminated = true
      this.queuedBytes = 0
    },
  }
}

/** Sets the bytes of a queue, and reports them. */
function set(queued: QueuedBytes, queue: TestQueue, bytes: number): void {
  queue.queuedBytes = bytes
  queued.update(queue)
}

const limits = { ofUser: 100, ofProcess: 250 }

test('above the limit of the process, the largest queues are discarded first (gateway/queued-bytes)', () => {
  const queued = new QueuedBytes(limits)
  const queues = ['ada', 'bob', 'eve', undefined].map(createQueue)
  const [ada, bob, eve, unidentified] = queues
  assert.ok(ada && bob && eve && unidentified)
  set(queued, ada, 60)
  set(queued, bob, 90)
  set(queued, eve, 80)
  set(queued, unidentified, 20)
  assert.ok(queues.every(({ terminated }) => !terminated))
  set(queued, ada, 61)
  assert.deepEqual(
    queues.map(({ terminated }) => terminated),
    [false, true, false, false],
  )
  assert.equal(queued.read(), 161)
})

test('bytes that a client has read in the meantime do not count (gateway/queued-bytes)', () => {
  const queued = new QueuedBytes(limits)
  const queues = ['ada', 'ada', 'ada'].map(createQueue)
  const [first, second, third] = queues
  assert.ok(first && second && third)
  set(queued, first, 50)
  set(queued, second, 50)
  first.queuedBytes = 10
  set(queued, third, 40)
  assert.ok(queues.every(({ terminated }) => !terminated))
  set(queued, third, 41)
  assert.deepEqual(
    queues.map(({ terminated }) => terminated),
    [false, true, false],
  )
  assert.equal(queued.read(), 51)
})

test('a closed connection counts for its user until its socket is closed (gateway/queued-bytes)', () => {
  const queued = new QueuedBytes(limits)
  const closing = createQueue('ada')
  const open = createQueue('ada')
  set(queued, closing, 70)
  closing.limitKey = undefined
  set(queued, open, 31)
  assert.equal(closing.terminated, true)
  assert.equal(open.terminated, false)
  set(queued, open, 100)
  queued.delete(open)
  assert.equal(queued.read(), 0)
})

test('a connection counts for its user from its identify (gateway/queued-bytes)', () => {
  const queued = new QueuedBytes(limits)
  const queue = createQueue()
  set(queued, queue, 90)
  queue.limitKey = 'ada'
  set(queued, queue, 91)
  set(queued, createQueue('ada'), 10)
  assert.equal(queue.terminated, true)
})
