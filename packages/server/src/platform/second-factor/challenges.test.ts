import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createTestClock } from '../../kit/testing.ts'
import { eachEngine } from '../../storage/testing.ts'
import { createChallenges } from './challenges.ts'

const minute = 60_000

function build() {
  const clock = createTestClock()
  const secretKey = randomBytes(32)
  return { clock, challenges: createChallenges({ clock: clock.now, secretKey }) }
}

test('a challenge holds for its purpose, its holder, and five minutes', () => {
  const { clock, challenges } = build()
  const challenge = challenges.make('alone', 'browser')
  assert.match(challenge, /^[A-Za-z0-9_-]{72}$/)
  assert.notEqual(challenges.make('alone', 'browser'), challenge)
  assert.ok(challenges.read(challenge, 'alone', 'browser'))
  assert.equal(challenges.read(challenge, 'register', 'browser'), undefined)
  assert.equal(challenges.read(challenge, 'alone', 'another'), undefined)
  assert.equal(build().challenges.read(challenge, 'alone', 'browser'), undefined)
  clock.advance(5 * minute - 1)
  assert.ok(challenges.read(challenge, 'alone', 'browser'))
  clock.advance(1)
  assert.equal(challenges.read(challenge, 'alone', 'browser'), undefined)
})

test('a challenge with any one character changed does not hold', () => {
  const { challenges } = build()
  const challenge = challenges.make('alone', 'browser')
  for (let i = 0; i < challenge.length; i++) {
    const other = challenge[i] === 'x' ? 'y' : 'x'
    const changed = challenge.slice(0, i) + other + challenge.slice(i + 1)
    assert.equal(challenges.read(changed, 'alone', 'browser'), undefined)
  }
  for (const text of ['', 'x', `${challenge}AA`]) {
    assert.equal(challenges.read(text, 'alone', 'browser'), undefined)
  }
})

eachEngine('of several that use one challenge at once, one does', async (_t, db) => {
  const { challenges } = build()
  const challenge = challenges.make('second factor', 'ticket')
  const uses = Array.from({ length: 5 }, () =>
    db.transaction(async tx => challenges.read(challenge, 'second factor', 'ticket')?.use(tx)),
  )
  assert.deepEqual((await Promise.all(uses)).filter(Boolean), [true])
})
