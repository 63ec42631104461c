import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeStorage } from './testing.ts'
import { createUnsentStore } from './unsent-store.ts'

const message = (nonce: string, content = nonce) => ({
  nonce,
  content,
  channelId: 'c',
  createdAt: '2026-01-01T00:00:00.000Z',
})

function tab(storage: ReturnType<typeof fakeStorage>, userId = 'ann') {
  const unsent = createUnsentStore(() => storage)
  unsent.setOwner(userId)
  return unsent
}

const nonces = (unsent: ReturnType<typeof tab>) => unsent.list().map(({ nonce }) => nonce)

test('lists the messages in order after a reload and in another tab', () => {
  const storage = fakeStorage({ other: 'x' })
  const [one, two] = [tab(storage), tab(storage)]
  one.add(message('z'))
  two.add(message('a'))
  one.add(message('m'))
  assert.deepEqual(nonces(tab(storage)), ['z', 'a', 'm'])
  two.remove('a')
  assert.deepEqual(nonces(one), ['z', 'm'])
})

test('an update keeps the position, and does not restore a removed message', () => {
  const unsent = tab(fakeStorage())
  const first = unsent.add(message('a'))
  unsent.add(message('b'))
  unsent.update({ ...first, rejected: true })
  assert.deepEqual(nonces(unsent), ['a', 'b'])
  assert.equal(unsent.get('a')?.rejected, true)
  unsent.remove('a')
  unsent.update(first)
  assert.deepEqual(nonces(unsent), ['b'])
})

test('does not list the messages of another user, and clear removes them', () => {
  const storage = fakeStorage({ other: 'x' })
  const anns = tab(storage)
  anns.add(message('a'))
  const bobs = tab(storage, 'bob')
  assert.deepEqual(nonces(bobs), [])
  bobs.add(message('b'))
  bobs.clear()
  assert.deepEqual(nonces(bobs), [])
  assert.deepEqual(nonces(tab(storage)), ['a'])
  anns.clear()
  assert.deepEqual([...storage.map.keys()], ['other', 'unsent-of'])
})

test('lists nothing in a tab whose user is no longer signed in', () => {
  const storage = fakeStorage()
  const anns = tab(storage)
  anns.add(message('a'))
  tab(storage, 'bob')
  assert.deepEqual(nonces(anns), [])
  assert.deepEqual(nonces(tab(storage)), ['a'])
})

test('stores messages in memory if the browser denies the storage, and ignores invalid entries', () => {
  const refusing = createUnsentStore(() => {
    throw new Error('SecurityError')
  })
  refusing.setOwner('ann')
  refusing.add(message('a'))
  refusing.add(message('b'))
  assert.deepEqual(nonces(refusing), ['a', 'b'])
  refusing.remove('a')
  assert.equal(refusing.get('a'), undefined)
  refusing.clear()
  assert.deepEqual(nonces(refusing), [])

  const broken = { 'unsent:ann:a': '{', 'unsent:ann:b': 'null', 'unsent:ann:c': '{"nonce":"c"}' }
  assert.deepEqual(nonces(tab(fakeStorage(broken))), [])
})

test('stores a message in memory if the storage is full', () => {
  const storage = fakeStorage()
  const unsent = tab(storage)
  unsent.add(message('a'))
  storage.setItem = () => {
    throw new Error('QuotaExceededError')
  }
  unsent.add(message('b'))
  assert.deepEqual(nonces(unsent), ['a', 'b'])
})

test('isOwnKey accepts the keys of this user only', () => {
  const unsent = tab(fakeStorage())
  assert.deepEqual(
    [null, 'unsent:ann:a', 'unsent:bob:a', 'last-channel:server'].map(key => unsent.isOwnKey(key)),
    [true, true, false, false],
  )
})
