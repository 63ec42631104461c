import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rates } from '@gatehouse/protocol/limits'
import { createTestClock } from '@gatehouse/testkit/clock'
import { AppError } from '../../errors/app-error.ts'
import { createRateLimiter } from '../../rate-limits/rate-limiter.ts'
import { type AccountLimits, createAccountLimits, loginAccount, userAccount } from './user-limits.ts'

const minute = 60_000
const enabled = (clock = createTestClock().now) => createRateLimiter({ clock, limits: {} })

function ipOf(n: number): string {
  return `198.51.${n >> 8}.${n & 255}`
}

async function countWrong(
  limits: AccountLimits,
  account: string,
  ip: string,
  isKnownDevice = false,
): Promise<void> {
  await limits.countWrongPassword({ account, ip, isKnownDevice })
}

function isLimitedFor(seconds: number): (error: unknown) => boolean {
  return error => {
    assert.ok(error instanceof AppError)
    assert.equal(error.code, 'rate_limited')
    assert.equal(error.retryAfter, seconds)
    return true
  }
}

test('allows ten wrong passwords in ten minutes per account and address, then returns the time to wait', async () => {
  const clock = createTestClock()
  const limits = createAccountLimits(enabled(clock.now))
  for (let i = 0; i < 10; i++) await countWrong(limits, '1', '192.0.2.1')
  clock.advance(minute)
  await assert.rejects(() => countWrong(limits, '1', '192.0.2.1'), isLimitedFor(540))
  await countWrong(limits, '2', '192.0.2.1')
  await countWrong(limits, '1', '192.0.2.2')
  clock.advance(9 * minute)
  await countWrong(limits, '1', '192.0.2.1')
})

test('a correct password does not count', async () => {
  const limits = createAccountLimits(enabled())
  for (let i = 0; i < 200; i++)
    await (await limits.countWrongPassword({ account: '1', ip: '192.0.2.1', isKnownDevice: false })).undo()
})

test('concurrent attempts count before the result is known', async () => {
  const limits = createAccountLimits(enabled())
  const attempts = Array.from({ length: 10 }, () =>
    limits.countWrongPassword({ account: '1', ip: '192.0.2.1', isKnownDevice: true }),
  )
  await assert.rejects(() => countWrong(limits, '1', '192.0.2.1'), isLimitedFor(600))
  await (await attempts[0])?.undo()
  await countWrong(limits, '1', '192.0.2.1')
})

test('allows 100 wrong passwords per IP address over all accounts, and counts an IPv6 address by its /64', async () => {
  const limits = createAccountLimits(enabled())
  for (let i = 0; i < 100; i++) await countWrong(limits, `${i}`, `2001:db8::${i.toString(16)}`)
  await assert.rejects(() => countWrong(limits, '100', '2001:db8::ffff'), isLimitedFor(600))
  await countWrong(limits, '100', '2001:db8:0:1::1')
})

test('allows 1000 wrong passwords per account over all IP addresses, except for a known device', async () => {
  const limits = createAccountLimits(enabled())
  for (let i = 0; i < 1000; i++) await countWrong(limits, '1', ipOf(i))
  await assert.rejects(() => countWrong(limits, '1', ipOf(1000)), isLimitedFor(600))
  await countWrong(limits, '1', ipOf(1000), true)
  await countWrong(limits, '2', ipOf(1000))
})

test('resetWrongPasswords allows further attempts with username, email address and session', async () => {
  const limits = createAccountLimits(enabled())
  const accounts = [loginAccount('Ada'), loginAccount('ADA@example.org'), userAccount('1')]
  for (const account of accounts) {
    for (let i = 0; i < 10; i++) await countWrong(limits, account, '192.0.2.1')
  }
  await limits.resetWrongPasswords({ id: '1', username: 'ada', email: 'ada@example.org' }, '192.0.2.1')
  for (const account of accounts) await countWrong(limits, account, '192.0.2.1')
})

test('allows 20 registrations per IP address and hour', async () => {
  const clock = createTestClock()
  const limits = createAccountLimits(enabled(clock.now))
  for (let i = 0; i < 20; i++) await limits.countRegistration('192.0.2.1')
  await assert.rejects(() => limits.countRegistration('192.0.2.1'), isLimitedFor(3600))
  await limits.countRegistration('192.0.2.2')
  clock.advance(60 * minute)
  await limits.countRegistration('192.0.2.1')
})

test('allows five mails per account and hour', async () => {
  const clock = createTestClock()
  const limits = createAccountLimits(enabled(clock.now))
  const sent = await Promise.all(Array.from({ length: 6 }, () => limits.countMail('1')))
  assert.deepEqual(sent, [true, true, true, true, true, false])
  assert.equal(await limits.countMail('2'), true)
  clock.advance(60 * minute)
  assert.equal(await limits.countMail('1'), true)
})

test('passwords of a session do not use up those of a link in an email (limits/password-confirmations)', async () => {
  const limits = createAccountLimits(enabled(createTestClock().now))
  for (let i = 0; i < rates.passwordConfirmations.count; i++) await limits.countConfirmation('1', 'session')
  await assert.rejects(() => limits.countConfirmation('1', 'session'), isLimitedFor(600))
  await limits.countConfirmation('1', 'mail')
})

test('allows everything if rate limits are disabled', async () => {
  const limits = createAccountLimits(createRateLimiter({ clock: createTestClock().now, limits: 'off' }))
  for (let i = 0; i < 2000; i++) {
    await countWrong(limits, '1', '192.0.2.1')
    await limits.countRegistration('192.0.2.1')
    assert.equal(await limits.countMail('1'), true)
    await limits.countConfirmation('1', 'session')
  }
})
