import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDrafts } from './drafts.ts'

function createTabStorage(entries: Record<string, string> = {}) {
  const map = new Map(Object.entries(entries))
  return {
    map,
    get length() {
      return map.size
    },
    key: (at: number) => [...map.keys()][at] ?? null,
    getItem: (key: string) => map.get(key) ?? null,
    setItem: (key: string, value: string) => void map.set(key, value),
    removeItem: (key: string) => void map.delete(key),
  }
}

test('restores drafts after a reload, until they are sent', () => {
  const storage = createTabStorage({ other: 'x' })
  const drafts = createDrafts(() => storage)
  drafts.setOwner('ann')
  drafts.set('1', 'Hello')
  drafts.set('2', 'there')
  drafts.set('2', '')
  const again = createDrafts(() => storage)
  again.setOwner('ann')
  assert.deepEqual([again.get('1'), again.get('2'), again.get('3')], ['Hello', '', ''])
})

test('clears all drafts, and those of another user', () => {
  const storage = createTabStorage({ other: 'x' })
  const drafts = createDrafts(() => storage)
  drafts.setOwner('ann')
  drafts.set('1', 'Hello')
  const bobs = createDrafts(() => storage)
  bobs.setOwner('bob')
  assert.equal(bobs.get('1'), '')
  bobs.set('1', 'Mine')
  bobs.clear()
  assert.equal(bobs.get('1'), '')
  assert.deepEqual([...storage.map.keys()], ['other', 'drafts-of'])
})

test('stores drafts in memory if the browser denies the storage', () => {
  const drafts = createDrafts(() => {
    throw new Error('SecurityError')
  })
  drafts.setOwner('ann')
  drafts.set('1', 'Hello')
  assert.equal(drafts.get('1'), 'Hello')
  drafts.clear()
  assert.equal(drafts.get('1'), '')
})
