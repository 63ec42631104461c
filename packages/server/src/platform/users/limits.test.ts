import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '@gatehouse/testkit/clock'
import { AppError } from '../../kit/app-error.ts'
import { createRateLimiter } from '../../kit/rate-limiter.ts'
import { type AccountLimits, createAccountLimits } from './limits.ts'

const minute = 60_000
const enabled = (clock = createTestClock().now) => createRateLimiter({ clock, enabled: true })

function ipOf(n: number): string {
  return `198.51.${n >> 8}.${n & 255}`
}

function countWrong(limits: AccountLimits, account: string, ip: string, isKnownDevice = false): void {
  limits.countWrongPassword({ account, ip, isKnownDevice })
}

function isLimitedFor(seconds: number): (error: unknown) => boolean {
  return error => {
    assert.ok(error instanceof AppError)
    assert.equal(error.code, 'rate_limited')
    assert.equal(error.retryAfter, seconds)
    return true
  }
}

test('allows ten wrong passwords in ten minutes per account and IP address, then returns the time to wait', () => {
  const clock = createTestClock()
  const limits = createAccountLimits(enabled(clock.now))
  for (let i = 0; i < 10; i++) countWrong(limits, '1', '192.0.2.1')
  clock.advance(minute)
  assert.throws(() => countWrong(limits, '1', '192.0.2.1'), isLimitedFor(540))
  countWrong(limits, '2', '192.0.2.1')
  countWrong(limits, '1', '192.0.2.2')
  clock.advance(9 * minute)
  countWrong(limits, '1', '192.0.2.1')
})

test('a correct password does not count', () => {
  const limits = createAccountLimits(enabled())
  for (let i = 0; i < 200; i++)
    limits.countWrongPassword({ account: '1', ip: '192.0.2.1', isKnownDevice: false }).undo()
})

test('concurrent attempts count before the result is known', () => {
  const limits = createAccountLimits(enabled())
  const attempts = Array.from({ length: 10 }, () =>
    limits.countWrongPassword({ account: '1', ip: '192.0.2.1', isKnownDevice: true }),
  )
  assert.throws(() => countWrong(limits, '1', '192.0.2.1'), isLimitedFor(600))
  attempts[0]?.undo()
  countWrong(limits, '1', '192.0.2.1')
})

test('allows 100 wrong passwords per IP address over all accounts, and counts an IPv6 address by its /64', () => {
  const limits = createAccountLimits(enabled())
  for (let i = 0; i < 100; i++) countWrong(limits, `${i}`, `2001:db8::${i.toString(16)}`)
  assert.throws(() => countWrong(limits, '100', '2001:db8::ffff'), isLimitedFor(600))
  countWrong(limits, '100', '2001:db8:0:1::1')
})

test('allows 1000 wrong passwords per account over all IP addresses, except for a known device', () => {
  const limits = createAccountLimits(enabled())
  for (let i = 0; i < 1000; i++) countWrong(limits, '1', ipOf(i))
  assert.throws(() => countWrong(limits, '1', ipOf(1000)), isLimitedFor(600))
  countWrong(limits, '1', ipOf(1000), true)
  countWrong(limits, '2', ipOf(1000))
})

test('resetWrongPasswords allows further attempts', () => {
  const limits = createAccountLimits(enabled())
  for (let i = 0; i < 10; i++) countWrong(limits, '1', '192.0.2.1')
  limits.resetWrongPasswords('1', '192.0.2.1')
  countWrong(limits, '1', '192.0.2.1')
})

test('allows 20 registrations per IP address and hour', () => {
  const clock = createTestClock()
  const limits = createAccountLimits(enabled(clock.now))
  for (let i = 0; i < 20; i++) limits.countRegistration('192.0.2.1')
  assert.throws(() => limits.countRegistration('192.0.2.1'), isLimitedFor(3600))
  limits.countRegistration('192.0.2.2')
  clock.advance(60 * minute)
  limits.countRegistration('192.0.2.1')
})

test('allows five mails per account and hour', () => {
  const clock = createTestClock()
  const limits = createAccountLimits(enabled(clock.now))
  const sent = Array.from({ length: 6 }, () => limits.countMail('1'))
  assert.deepEqual(sent, [true, true, true, true, true, false])
  assert.equal(limits.countMail('2'), true)
  clock.advance(60 * minute)
  assert.equal(limits.countMail('1'), true)
})

test('allows everything if rate limits are disabled', () => {
  const limits = createAccountLimits(createRateLimiter({ clock: createTestClock().now, enabled: false }))
  for (let i = 0; i < 2000; i++) {
    countWrong(limits, '1', '192.0.2.1')
    limits.countRegistration('192.0.2.1')
    assert.equal(limits.countMail('1'), true)
  }
})
