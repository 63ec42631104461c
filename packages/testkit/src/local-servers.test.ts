import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { probeNats, probePostgres, startNats, startPostgres } from './local-servers.ts'

test('starts and stops PostgreSQL', async t => {
  const started = await startPostgres()
  if (!started) return t.skip('PostgreSQL is not installed')
  try {
    await probePostgres(started.url)
  } finally {
    await started.remove()
  }
  await assert.rejects(probePostgres(started.url), /ECONNREFUSED/)
})

test('starts and stops NATS with JetStream', async t => {
  const started = await startNats()
  if (!started) return t.skip('NATS is not installed')
  try {
    await probeNats(started.url)
  } finally {
    await started.remove()
  }
  await assert.rejects(probeNats(started.url), error => /ECONNREFUSED/.test(inspect(error)))
})
