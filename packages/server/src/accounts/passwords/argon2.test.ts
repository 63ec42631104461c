import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createArgon2 } from './argon2.ts'
import { startWorker } from './argon2-worker.ts'

const input = {
  message: Buffer.from('correct horse'),
  nonce: Buffer.from('sixteen bytes ..'),
  tagLength: 32,
  memory: 64,
  passes: 2,
}

test('the worker and Node.js compute the same tags, in the order of the calls', async () => {
  const argon2 = createArgon2()
  const inWorker = startWorker()
  const inputs = [input, { ...input, memory: 4096 }, { ...input, message: Buffer.from('battery staple') }]
  const tags = await Promise.all(inputs.map(inWorker))
  for (const [index, tag] of tags.entries()) {
    const expected = await argon2(inputs[index] ?? input)
    assert.equal(Buffer.from(tag).toString('hex'), Buffer.from(expected).toString('hex'))
  }
})

test('the worker rejects invalid parameters and continues', async () => {
  const inWorker = startWorker()
  await assert.rejects(inWorker({ ...input, memory: 1 }), /[Mm]emory/)
  assert.equal((await inWorker(input)).length, 32)
  assert.equal((await inWorker({ ...input, message: new Uint8Array() })).length, 32)
})

test('a worker that fails is replaced', async () => {
  const inWorker = startWorker()
  // The worker has no handler for an input that is no object, so that it ends.
  await assert.rejects(inWorker(null as never), /the worker for Argon2 ended/)
  assert.equal((await inWorker(input)).length, 32)
})
