import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDrafts } from './drafts.ts'

/** The storage of a tab. */
function tab(entries: Record<string, string> = {}) {
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

test('what was written is there after a reload, until it is sent', () => {
  const storage = tab({ other: 'x' })
  const drafts = createDrafts(() => storage)
  drafts.belongTo('ann')
  drafts.keep('1', 'Hello')
  drafts.keep('2', 'there')
  drafts.keep('2', '')
  const again = createDrafts(() => storage)
  again.belongTo('ann')
  assert.deepEqual([again.of('1'), again.of('2'), again.of('3')], ['Hello', '', ''])
})

test('signing out forgets all of it, and nobody else sees it', () => {
  const storage = tab({ other: 'x' })
  const drafts = createDrafts(() => storage)
  drafts.belongTo('ann')
  drafts.keep('1', 'Hello')
  const bobs = createDrafts(() => storage)
  bobs.belongTo('bob')
  assert.equal(bobs.of('1'), '')
  bobs.keep('1', 'Mine')
  bobs.clear()
  assert.equal(bobs.of('1'), '')
  assert.deepEqual([...storage.map.keys()], ['other', 'drafts-of'])
})

test('a browser that refuses keeps drafts until the reload', () => {
  const drafts = createDrafts(() => {
    throw new Error('SecurityError')
  })
  drafts.belongTo('ann')
  drafts.keep('1', 'Hello')
  assert.equal(drafts.of('1'), 'Hello')
  drafts.clear()
  assert.equal(drafts.of('1'), '')
})
