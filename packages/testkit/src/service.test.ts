import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePort, startService } from './service.ts'

test('starts on another port if the port is in use', async t => {
  const first = await startService(t)
  const free = await freePort()
  const ports = [first.config.port, first.config.port, free]
  const second = await startService(t, { pickPort: async () => ports.shift() ?? 0 })
  assert.equal(second.config.port, free)
  assert.deepEqual(ports, [])
  for (const { client } of [first, second]) assert.equal((await client().get('/healthz')).status, 200)
})
