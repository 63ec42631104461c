import assert from 'node:assert/strict'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { loadSecretKey } from './secret-key.ts'

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'gatehouse-key-'))
  t.after(() => rm(path, { recursive: true, force: true }))
  return path
}

test('a first start makes the key for its owner alone, the next one reads it', async t => {
  const dataDir = join(await folder(t), 'new')
  const first = await loadSecretKey(undefined, dataDir)
  assert.equal(first.length, 32)
  assert.deepEqual(await loadSecretKey(undefined, dataDir), first)
  assert.equal((await stat(join(dataDir, 'secret.key'))).mode & 0o777, 0o600)
})

test('first starts at once agree on one key', async t => {
  const dataDir = await folder(t)
  const keys = await Promise.all(Array.from({ length: 8 }, () => loadSecretKey(undefined, dataDir)))
  assert.equal(new Set(keys.map(key => Buffer.from(key).toString('hex'))).size, 1)
})

test('a key that is given is used and nothing is written', async t => {
  const dataDir = join(await folder(t), 'none')
  const given = new Uint8Array(32).fill(7)
  assert.equal(await loadSecretKey(given, dataDir), given)
  await assert.rejects(stat(dataDir))
})

test('a file that is no key stops the start without showing what it holds', async t => {
  const dataDir = await folder(t)
  await writeFile(join(dataDir, 'secret.key'), 'not a key')
  await assert.rejects(loadSecretKey(undefined, dataDir), (error: Error) => {
    assert.match(error.message, /secret\.key: expected 32 bytes/)
    assert.equal(error.message.includes('not a key'), false)
    return true
  })
})
