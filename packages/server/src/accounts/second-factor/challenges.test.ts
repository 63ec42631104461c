import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createTestClock } from '@gatehouse/testkit/clock'
import { eachEngine } from '@gatehouse/testkit/databases'
import { challengePurposes, createChallenges } from './challenges.ts'

const minute = 60_000
const { passwordless, registration, secondFactor } = challengePurposes

function build() {
  const clock = createTestClock()
  const secretKey = randomBytes(32)
  return { clock, challenges: createChallenges({ clock: clock.now, secretKey }) }
}

test('a challenge is valid for its purpose and holder, for five minutes', () => {
  const { clock, challenges } = build()
  const challenge = challenges.createChallenge(passwordless, 'browser')
  assert.match(challenge, /^[A-Za-z0-9_-]{72}$/)
  assert.notEqual(challenges.createChallenge(passwordless, 'browser'), challenge)
  assert.ok(challenges.verifyChallenge(challenge, passwordless, 'browser'))
  assert.equal(challenges.verifyChallenge(challenge, registration, 'browser'), undefined)
  assert.equal(challenges.verifyChallenge(challenge, passwordless, 'another'), undefined)
  assert.equal(build().challenges.verifyChallenge(challenge, passwordless, 'browser'), undefined)
  clock.advance(5 * minute - 1)
  assert.ok(challenges.verifyChallenge(challenge, passwordless, 'browser'))
  clock.advance(1)
  assert.equal(challenges.verifyChallenge(challenge, passwordless, 'browser'), undefined)
})

test('a challenge with one changed character is invalid', () => {
  const { challenges } = build()
  const challenge = challenges.createChallenge(passwordless, 'browser')
  for (let i = 0; i < challenge.length; i++) {
    const other = challenge[i] === 'x' ? 'y' : 'x'
    const changed = challenge.slice(0, i) + other + challenge.slice(i + 1)
    assert.equal(challenges.verifyChallenge(changed, passwordless, 'browser'), undefined)
  }
  for (const text of ['', 'x', `${challenge}AA`]) {
    assert.equal(challenges.verifyChallenge(text, passwordless, 'browser'), undefined)
  }
})

eachEngine('of 5 concurrent uses of a challenge exactly one succeeds', async (_t, db) => {
  const { challenges } = build()
  const challenge = challenges.createChallenge(secondFactor, 'ticket')
  const uses = Array.from({ length: 5 }, () =>
    db.transaction(async tx => challenges.verifyChallenge(challenge, secondFactor, 'ticket')?.consume(tx)),
  )
  assert.deepEqual((await Promise.all(uses)).filter(Boolean), [true])
})
