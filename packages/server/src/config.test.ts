import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, readConfig, variables } from './config.ts'

test('returns the defaults for an empty environment (community/operation)', () => {
  const config = readConfig({})
  assert.equal(config.baseUrl, 'http://localhost:3000')
  assert.equal(config.port, 3000)
  assert.equal(config.host, '127.0.0.1')
  assert.equal(config.databaseUrl, 'sqlite:data/gatehouse.db')
  assert.equal(config.dataDir, 'data')
  assert.equal(config.registration, 'open')
  assert.equal(config.userinfoScope, 'identify')
  assert.equal(config.refreshGraceSeconds, 0)
  assert.deepEqual(config.rateLimits, {})
  assert.equal(config.requireVerifiedEmail, false)
  assert.deepEqual(config.trustProxy, [])
})

test('an empty variable counts as not set', () => {
  assert.equal(readConfig({ PORT: '', NATS_URL: ' ' }).port, 3000)
})

test('parses the values', () => {
  const config = readConfig({
    BASE_URL: 'https://chat.example.org/',
    DATABASE_URL: 'postgres://u:p@db/gatehouse',
    NATS_URL: 'nats://a:4222,nats://b:4222',
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    TRUST_PROXY: '10.0.0.0/8, ::1',
    RATE_LIMITS: 'off',
  })
  assert.equal(config.baseUrl, 'https://chat.example.org')
  assert.equal(config.secretKey?.length, 32)
  assert.deepEqual(config.trustProxy, ['10.0.0.0/8', '::1'])
  assert.equal(config.rateLimits, 'off')
  assert.deepEqual(readConfig({ RATE_LIMITS: 'messages=120/60, servers=20/3600' }).rateLimits, {
    messages: { count: 120, seconds: 60 },
    servers: { count: 20, seconds: 3600 },
  })
  assert.equal(readConfig({ DATABASE_URL: 'sqlite:/var/lib/g/x.db' }).dataDir, '/var/lib/g')
  assert.equal(readConfig({ DATABASE_URL: 'sqlite:x.db' }).dataDir, '.')
})

test('with NATS an exact rate has a maximum period (limits/rates)', () => {
  const NATS_URL = 'nats://a:4222'
  const read = (RATE_LIMITS: string) => readConfig({ NATS_URL, RATE_LIMITS }).rateLimits
  const { wrongPasswords } = Object(read('wrongPasswords=5/900,messages=60/3600'))
  assert.deepEqual(wrongPasswords, { count: 5, seconds: 900 })
  assert.throws(
    () => read('messages=60/3600,wrongCodes=5/901'),
    new ConfigError('RATE_LIMITS', 'with NATS_URL the period of wrongCodes is at most 900 s'),
  )
  assert.ok(readConfig({ RATE_LIMITS: 'wrongCodes=5/901' }))
})

for (const [name, value] of [
  ['BASE_URL', 'chat.example.org'],
  ['BASE_URL', 'https://chat.example.org/app'],
  ['BASE_URL', 'https://user@chat.example.org'],
  ['PORT', '70000'],
  ['PORT', '3000x'],
  ['DATABASE_URL', 'mysql://secret@x'],
  ['NATS_URL', 'http://x'],
  ['SMTP_URL', 'mail.example.org'],
  ['SECRET_KEY', 'dG9vIHNob3J0'],
  ['TRUST_PROXY', 'proxy.example.org'],
  ['TRUST_PROXY', '10.0.0.0/33'],
  ['REGISTRATION', 'maybe'],
  ['USERINFO_SCOPE', 'email'],
  ['REFRESH_GRACE_SECONDS', '-1'],
  ['CONFIRM_UNVERIFIED_APPS', 'yes'],
  ['RATE_LIMITS', 'true'],
  ['RATE_LIMITS', 'messages=0/60'],
  ['RATE_LIMITS', 'toString=1/60'],
  ['RATE_LIMITS', 'messages=1/60,'],
  ['LOG_LEVEL', 'loud'],
  ['ALLOW_PRIVATE_TARGETS', '127.0.0.1/'],
] as const) {
  test(`throws ConfigError with one line for ${name}=${value}`, () => {
    assert.throws(
      () => readConfig({ [name]: value }),
      (error: unknown) => {
        assert.ok(error instanceof ConfigError)
        assert.ok(error.message.startsWith(`${name}: `))
        assert.equal(error.message.includes('\n'), false)
        assert.equal(error.message.includes('secret'), false)
        return true
      },
    )
  })
}

test('every variable has a description', () => {
  for (const { name, description } of variables) {
    assert.match(name, /^[A-Z_]+$/)
    assert.ok(description.length > 10, name)
  }
})
