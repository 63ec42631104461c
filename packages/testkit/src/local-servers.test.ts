import assert from 'node:assert/strict'
import { test } from 'node:test'
import { probeNats, probePostgres, startNats, startPostgres } from './local-servers.ts'

test('starts and stops PostgreSQL', async t => {
  const started = await startPostgres()
  if (!started) return t.skip('PostgreSQL is not installed')
  try {
    assert.equal(await probePostgres(started.url), undefined)
  } finally {
    await started.remove()
  }
  assert.match((await probePostgres(started.url)) ?? '', /ECONNREFUSED/)
})

test('starts and stops NATS with JetStream', async t => {
  const started = await startNats()
  if (!started) return t.skip('NATS is not installed')
  try {
    assert.equal(await probeNats(started.url), undefined)
  } finally {
    await started.remove()
  }
  assert.match((await probeNats(started.url)) ?? '', /ECONNREFUSED/)
})
