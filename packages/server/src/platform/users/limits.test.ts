import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../kit/app-error.ts'
import { createTestClock } from '../../kit/testing.ts'
import { createNoLimits, createPeopleLimits, type PeopleLimits } from './limits.ts'

const minute = 60_000

function addressOf(n: number): string {
  return `198.51.${n >> 8}.${n & 255}`
}

function wrong(limits: PeopleLimits, account: string, ip: string, known = false): void {
  limits.beginPassword({ account, ip, known })
}

function refusedFor(seconds: number): (error: unknown) => boolean {
  return error => {
    assert.ok(error instanceof AppError)
    assert.equal(error.code, 'rate_limited')
    assert.equal(error.retryAfter, seconds)
    return true
  }
}

test('ten wrong passwords in ten minutes for one account from one address, then it says when to come back', () => {
  const clock = createTestClock()
  const limits = createPeopleLimits(clock.now)
  for (let i = 0; i < 10; i++) wrong(limits, '1', '192.0.2.1')
  clock.advance(minute)
  assert.throws(() => wrong(limits, '1', '192.0.2.1'), refusedFor(540))
  wrong(limits, '2', '192.0.2.1')
  wrong(limits, '1', '192.0.2.2')
  clock.advance(9 * minute)
  wrong(limits, '1', '192.0.2.1')
})

test('a right password does not count', () => {
  const limits = createPeopleLimits(createTestClock().now)
  for (let i = 0; i < 200; i++)
    limits.beginPassword({ account: '1', ip: '192.0.2.1', known: false }).wasRight()
})

test('tries at the same moment count before it is known that they are wrong', () => {
  const limits = createPeopleLimits(createTestClock().now)
  const tries = Array.from({ length: 10 }, () =>
    limits.beginPassword({ account: '1', ip: '192.0.2.1', known: true }),
  )
  assert.throws(() => wrong(limits, '1', '192.0.2.1'), refusedFor(600))
  tries[0]?.wasRight()
  wrong(limits, '1', '192.0.2.1')
})

test('a hundred wrong passwords from one address, whichever the accounts; an IPv6 address counts by its /64', () => {
  const limits = createPeopleLimits(createTestClock().now)
  for (let i = 0; i < 100; i++) wrong(limits, `${i}`, `2001:db8::${i.toString(16)}`)
  assert.throws(() => wrong(limits, '100', '2001:db8::ffff'), refusedFor(600))
  wrong(limits, '100', '2001:db8:0:1::1')
})

test('a thousand wrong passwords for one account over all addresses, but not for a browser the person has used', () => {
  const limits = createPeopleLimits(createTestClock().now)
  for (let i = 0; i < 1000; i++) wrong(limits, '1', addressOf(i))
  assert.throws(() => wrong(limits, '1', addressOf(1000)), refusedFor(600))
  wrong(limits, '1', addressOf(1000), true)
  wrong(limits, '2', addressOf(1000))
})

test('who has shown otherwise who they are may try again from there', () => {
  const limits = createPeopleLimits(createTestClock().now)
  for (let i = 0; i < 10; i++) wrong(limits, '1', '192.0.2.1')
  limits.forgivePasswords('1', '192.0.2.1')
  wrong(limits, '1', '192.0.2.1')
})

test('twenty registrations an hour for one address', () => {
  const clock = createTestClock()
  const limits = createPeopleLimits(clock.now)
  for (let i = 0; i < 20; i++) limits.countRegistration('192.0.2.1')
  assert.throws(() => limits.countRegistration('192.0.2.1'), refusedFor(3600))
  limits.countRegistration('192.0.2.2')
  clock.advance(60 * minute)
  limits.countRegistration('192.0.2.1')
})

test('five mails an hour for one account', () => {
  const clock = createTestClock()
  const limits = createPeopleLimits(clock.now)
  const sent = Array.from({ length: 6 }, () => limits.countMail('1'))
  assert.deepEqual(sent, [true, true, true, true, true, false])
  assert.equal(limits.countMail('2'), true)
  clock.advance(60 * minute)
  assert.equal(limits.countMail('1'), true)
})

test('without limits nothing is refused', () => {
  const limits = createNoLimits()
  for (let i = 0; i < 2000; i++) {
    wrong(limits, '1', '192.0.2.1')
    limits.countRegistration('192.0.2.1')
    assert.equal(limits.countMail('1'), true)
  }
})
