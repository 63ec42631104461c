import assert from 'node:assert/strict'
import { test } from 'node:test'
import { natsFault, postgresFault } from './probe.ts'
import { startNats, startPostgres } from './start.ts'

test('a PostgreSQL of its own answers until it is stopped', async t => {
  const started = await startPostgres()
  if (!started) return t.skip('no PostgreSQL is installed')
  try {
    assert.equal(await postgresFault(started.url), undefined)
  } finally {
    await started.stop()
  }
  assert.match((await postgresFault(started.url)) ?? '', /ECONNREFUSED/)
})

test('a NATS of its own answers with JetStream until it is stopped', async t => {
  const started = await startNats()
  if (!started) return t.skip('no NATS is installed')
  try {
    assert.equal(await natsFault(started.url), undefined)
  } finally {
    await started.stop()
  }
  assert.match((await natsFault(started.url)) ?? '', /ECONNREFUSED/)
})
