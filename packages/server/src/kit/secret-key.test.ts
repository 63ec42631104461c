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

test('the first start creates the key file with mode 0600, and the next one reads it', async t => {
  const dataDir = join(await folder(t), 'new')
  const first = await loadSecretKey(undefined, dataDir)
  assert.equal(first.length, 32)
  assert.deepEqual(await loadSecretKey(undefined, dataDir), first)
  assert.equal((await stat(join(dataDir, 'secret.key'))).mode & 0o777, 0o600)
})

test('concurrent first starts use one key', async t => {
  const dataDir = await folder(t)
  const keys = await Promise.all(Array.from({ length: 8 }, () => loadSecretKey(undefined, dataDir)))
  assert.equal(new Set(keys.map(key => Buffer.from(key).toString('hex'))).size, 1)
})

test('uses the configured key and writes no file', async t => {
  const dataDir = join(await folder(t), 'none')
  const configured = new Uint8Array(32).fill(7)
  assert.equal(await loadSecretKey(configured, dataDir), configured)
  await assert.rejects(stat(dataDir))
})

test('throws for an invalid key file without showing its content', async t => {
  const dataDir = await folder(t)
  await writeFile(join(dataDir, 'secret.key'), 'not a key')
  await assert.rejects(loadSecretKey(undefined, dataDir), (error: Error) => {
    assert.match(error.message, /secret\.key: expected 32 bytes/)
    assert.equal(error.message.includes('not a key'), false)
    return true
  })
})
