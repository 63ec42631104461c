import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDrafts, maxDraftLength, maxDrafts } from './drafts.ts'

function createLocalStorage(entries: Record<string, string> = {}) {
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

function openTab(storage: ReturnType<typeof createLocalStorage>, userId: string, now = () => 0) {
  const drafts = createDrafts(() => storage, now)
  drafts.setOwner(userId)
  return drafts
}

test('drafts survive their tab until they are sent', () => {
  const storage = createLocalStorage({ other: 'x' })
  const drafts = openTab(storage, 'ann')
  drafts.set('1', 'Hello  there\n2 lines')
  drafts.set('2', 'there')
  drafts.set('2', '')
  const again = openTab(storage, 'ann')
  assert.deepEqual([again.get('1'), again.get('2'), again.get('3')], ['Hello  there\n2 lines', '', ''])
})

test('another user gets no drafts, and signing out leaves none', () => {
  const storage = createLocalStorage({ other: 'x' })
  openTab(storage, 'ann').set('1', 'Hello')
  const bobs = openTab(storage, 'bob')
  assert.equal(bobs.get('1'), '')
  assert.deepEqual([...storage.map.keys()], ['other', 'drafts-of'])
  bobs.set('1', 'Mine')
  bobs.clear()
  assert.equal(bobs.get('1'), '')
  assert.deepEqual([...storage.map.keys()], ['other'])
})

test('a tab that is still open when its user signs out stores nothing and reads nothing of the next user', () => {
  const storage = createLocalStorage()
  const open = openTab(storage, 'ann')
  open.set('1', 'Hello')
  openTab(storage, 'ann').clear()
  open.set('1', 'Hello again')
  assert.deepEqual([...storage.map.keys()], [])
  const bobs = openTab(storage, 'bob')
  bobs.set('2', 'Mine')
  open.set('1', 'Hello once more')
  assert.deepEqual([open.get('1'), open.get('2')], ['Hello once more', ''])
  assert.deepEqual([bobs.get('1'), bobs.get('2')], ['', 'Mine'])
})

test('the oldest drafts go, and a long one is only in memory', () => {
  const storage = createLocalStorage()
  let time = 0
  const drafts = openTab(storage, 'ann', () => time)
  for (; time <= maxDrafts; time += 1) drafts.set(`c${time}`, 'Hello')
  assert.equal(storage.map.size, maxDrafts + 1)
  assert.deepEqual([drafts.get('c0'), drafts.get('c1')], ['', 'Hello'])
  const long = 'x'.repeat(maxDraftLength + 1)
  drafts.set('c1', long)
  assert.equal(drafts.get('c1'), long)
  assert.ok([...storage.map.values()].every(({ length }) => length < 100))
})

test('drafts stay in memory if the browser denies the storage', () => {
  const drafts = createDrafts(
    () => {
      throw new Error('SecurityError')
    },
    () => 0,
  )
  drafts.setOwner('ann')
  drafts.set('1', 'Hello')
  assert.equal(drafts.get('1'), 'Hello')
  drafts.clear()
  assert.equal(drafts.get('1'), '')
})
