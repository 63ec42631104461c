import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePort, startService } from './testing.ts'

test('a service whose port was taken before it listened has another', async t => {
  const first = await startService(t)
  const free = await freePort()
  const tries = [first.config.port, first.config.port, free]
  const second = await startService(t, { pickPort: async () => tries.shift() ?? 0 })
  assert.equal(second.config.port, free)
  assert.deepEqual(tries, [])
  for (const { client } of [first, second]) assert.equal((await client().get('/healthz')).status, 200)
})
