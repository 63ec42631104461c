import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createTestClock } from '@gatehouse/testkit/clock'
import { createPictureCache } from './index.ts'

const block = 4096
const picture = (byte: number, bytes = block) => new Uint8Array(Buffer.alloc(bytes, byte))

async function setUp(t: TestContext, blocks: number) {
  const parent = await mkdtemp(join(tmpdir(), 'gatehouse-test-'))
  t.after(() => rm(parent, { recursive: true }))
  const clock = createTestClock()
  const errors: unknown[] = []
  const folder = join(parent, 'pictures')
  const open = () =>
    createPictureCache({
      clock: clock.now,
      folder,
      maxBytes: blocks * block,
      onError: error => errors.push(error),
    })
  return { parent, folder, clock, errors, open }
}

test('the picture that was used least recently is deleted if the cache is full (limits/external-pictures)', async t => {
  const { folder, errors, open } = await setUp(t, 3)
  const cache = open()
  await cache.set('a', picture(1, 100))
  await cache.set('b', picture(2))
  await cache.set('c', null)
  assert.equal((await cache.get('a'))?.[0], 1)
  // Two blocks: those of b and c.
  await cache.set('d', picture(4, block + 1))
  assert.deepEqual((await readdir(folder)).sort(), ['a', 'd'])
  assert.deepEqual(await Promise.all(['a', 'b', 'c', 'd'].map(async key => (await cache.get(key))?.length)), [
    100,
    undefined,
    undefined,
    block + 1,
  ])
  // Replacing a picture frees its blocks.
  await cache.set('d', picture(5, 2 * block))
  assert.deepEqual([(await cache.get('a'))?.length, (await cache.get('d'))?.[0]], [100, 5])
  // It does not fit.
  await cache.set('e', picture(6, 4 * block))
  assert.deepEqual(await readdir(folder), [])
  assert.deepEqual(errors, [])
})

test('a failure replaces a picture, and its file is deleted', async t => {
  const { folder, open } = await setUp(t, 3)
  const cache = open()
  await cache.set('a', picture(1))
  await cache.set('a', null)
  assert.equal(await cache.get('a'), null)
  assert.deepEqual(await readdir(folder), [])
})

test('the files of an earlier process are deleted, but not what is beside the folder', async t => {
  const { parent, folder, open } = await setUp(t, 3)
  await mkdir(folder)
  await writeFile(join(folder, 'old'), 'old')
  await writeFile(join(parent, 'other'), 'other')
  const cache = open()
  assert.equal(await cache.get('old'), undefined)
  await cache.set('a', picture(1))
  assert.deepEqual([await readdir(folder), (await readdir(parent)).sort()], [['a'], ['other', 'pictures']])
})

test('a file that something else deleted is not in the cache; a read-only folder is an error', async t => {
  const { parent, folder, errors, open } = await setUp(t, 3)
  const cache = open()
  await cache.set('a', picture(1))
  await rm(folder, { recursive: true })
  assert.equal(await cache.get('a'), undefined)
  await cache.set('a', picture(1))
  assert.equal((await cache.get('a'))?.length, block)
  await rm(parent, { recursive: true })
  await writeFile(parent, 'a file')
  await cache.set('b', picture(2))
  assert.deepEqual([await cache.get('b'), errors.length], [undefined, 1])
})
