import assert from 'node:assert/strict'
import { fieldErrorsOf } from '@gatehouse/testkit/field-errors'
import { eachService } from '@gatehouse/testkit/service'
import {
  addPasskey,
  addTotp,
  createAuthenticator,
  factorsPath,
  noFactors,
  readPasskeyOptions,
  totpCode,
} from '../second-factor/second-factor-testing.ts'
import {
  hiddenFields,
  mailSubjects,
  mailsTo,
  mailToken,
  malformedAddresses,
  password,
  register,
  registerVerified,
} from '../users/users-testing.ts'

const hour = 60 * 60 * 1000
const address = 'ada@example.org'
const forgot = '/api/auth/password/forgot'
const reset = '/api/auth/password/reset'
const newPassword = 'another horse battery'

eachService(
  'POST password/forgot returns 202 for known and unknown addresses, and sends a mail to the known one',
  async (_t, service) => {
    await register(service.client(), 'ada')
    const known = await service.client().json('POST', forgot, { email: 'ADA@example.org' })
    const unknown = await service.client().json('POST', forgot, { email: 'nobody@example.org' })
    assert.deepEqual([known.status, known.text], [202, ''])
    assert.deepEqual([unknown.status, unknown.text], [202, ''])
    const [, mail] = await mailsTo(service, address, 2)
    assert.match(
      mail?.text ?? '',
      new RegExp(`^${service.url}/reset-password\\?token=gmt_[0-9A-Za-z]{49}$`, 'm'),
    )
    assert.equal(
      service.mails.some(sent => sent.to.startsWith('nobody')),
      false,
    )
  },
)

eachService('POST password/forgot returns 400 for a malformed email address', async (_t, service) => {
  for (const email of ['nonsense', ...malformedAddresses]) {
    const reply = await service.client().json('POST', forgot, { email })
    assert.equal(reply.status, 400, JSON.stringify(email))
    assert.deepEqual(fieldErrorsOf(reply), ['email invalid_format'])
  }
})

eachService(
  'POST password/reset returns 204, sets the password, revokes every session and sends a mail',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    await service.client().json('POST', forgot, { email: address })
    const token = await mailToken(service, address, 2)
    const reply = await service.client().json('POST', reset, { token, password: newPassword })
    assert.equal(reply.status, 204)
    assert.equal((await client.get('/api/users/@me')).status, 401)
    const login = (given: string) =>
      service.client().json('POST', '/api/auth/login', { login: 'ada', password: given })
    assert.equal((await login(password)).status, 401)
    const signedIn = await login(newPassword)
    assert.equal(signedIn.status, 200)
    assert.equal(signedIn.body.emailVerified, true)
    const mails = await mailsTo(service, address, 3)
    assert.equal(mails[2]?.subject, 'Your password was changed')
  },
)

eachService('of 6 concurrent POST password/reset requests exactly one returns 204', async (_t, service) => {
  await register(service.client(), 'ada')
  await service.client().json('POST', forgot, { email: address })
  const token = await mailToken(service, address, 2)
  const replies = await Promise.all(
    Array.from({ length: 6 }, (_, i) =>
      service.client().json('POST', reset, { token, password: `${newPassword} ${i}` }),
    ),
  )
  assert.equal(replies.filter(reply => reply.status === 204).length, 1)
  assert.equal(replies.filter(reply => reply.status === 400).length, 5)
  const winner = replies.findIndex(reply => reply.status === 204)
  const login = { login: 'ada', password: `${newPassword} ${winner}` }
  assert.equal((await service.client().json('POST', '/api/auth/login', login)).status, 200)
})

eachService('POST password/reset resets the count of wrong passwords', async (_t, service) => {
  await register(service.client(), 'ada')
  for (let i = 0; i < 10; i++) {
    await service.client().json('POST', '/api/auth/login', { login: 'ada', password: 'wrong horse' })
  }
  await service.client().json('POST', forgot, { email: address })
  const token = await mailToken(service, address, 2)
  assert.equal((await service.client().json('POST', reset, { token, password: newPassword })).status, 204)
  const login = { login: 'ada', password: newPassword }
  assert.equal((await service.client().json('POST', '/api/auth/login', login)).status, 200)
})

eachService(
  'POST password/reset returns 400 for a used, expired or malformed token and a verification token',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    const verify = await mailToken(service, address, 1)
    await client.json('POST', forgot, { email: address })
    const old = await mailToken(service, address, 2)
    service.clock.advance(hour)
    for (const token of [verify, old, 'nonsense', `gmt_${'A'.repeat(49)}`]) {
      const reply = await client.json('POST', reset, { token, password: newPassword })
      assert.equal(reply.status, 400)
      assert.deepEqual(fieldErrorsOf(reply), ['token invalid_token'])
    }
    assert.equal((await client.get('/api/users/@me')).status, 200)
    await client.json('POST', forgot, { email: address })
    const token = await mailToken(service, address, 3)
    const short = await client.json('POST', reset, { token, password: 'short' })
    assert.deepEqual(fieldErrorsOf(short), ['password too_short'])
    assert.equal((await client.json('POST', reset, { token, password: newPassword })).status, 204)
    assert.equal((await client.json('POST', reset, { token, password: newPassword })).status, 400)
  },
)

eachService(
  'POST password/reset returns 400 for a token from before a change of the password or email address',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    await client.json('POST', forgot, { email: address })
    const first = await mailToken(service, address, 2)
    await client.json('PATCH', '/api/users/@me', { password: newPassword, currentPassword: password })
    assert.equal((await client.json('POST', reset, { token: first, password })).status, 400)
    await client.json('POST', forgot, { email: address })
    const second = await mailToken(service, address, 4)
    await client.json('PATCH', '/api/users/@me', { email: 'new@example.org', currentPassword: newPassword })
    const change = await mailToken(service, 'new@example.org', 1)
    assert.equal((await client.json('POST', '/api/auth/email/verify', { token: change })).status, 204)
    assert.equal((await client.json('POST', reset, { token: second, password })).status, 400)
  },
)

eachService(
  'POST password/reset returns 400 for a token that was sent to the previous email address',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    await client.json('POST', forgot, { email: address })
    const token = await mailToken(service, address, 2)
    // As if a change of the address were committed between the search for the account and the creation of the token.
    await service.db.run`UPDATE users SET email = 'new@example.org', email_key = 'new@example.org'`
    const reply = await client.json('POST', reset, { token, password: newPassword })
    assert.equal(reply.status, 400)
    assert.deepEqual(fieldErrorsOf(reply), ['token invalid_token'])
    assert.equal((await client.get('/api/users/@me')).status, 200)
    const login = { login: 'ada', password }
    assert.equal((await service.client().json('POST', '/api/auth/login', login)).status, 200)
  },
)

eachService(
  'POST password/reset removes the second factors if it verifies the email address first ' +
    '(sign-in/reset-verifies-first)',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    const authenticator = createAuthenticator(service.url)
    await addPasskey(service, client, authenticator)
    await addTotp(service, client)
    // As if a person had registered with the address of another one.
    await service.db.run`UPDATE users SET email_verified = 0`
    await service.client().json('POST', forgot, { email: address })
    const token = await mailToken(service, address, 4)
    assert.equal((await service.client().json('POST', reset, { token, password: newPassword })).status, 204)
    assert.equal((await client.get('/api/users/@me')).status, 401)
    const owner = service.client()
    const login = await owner.json('POST', '/api/auth/login', { login: 'ada', password: newPassword })
    assert.equal(login.status, 200)
    assert.deepEqual((await owner.get(factorsPath)).body, noFactors)
    const page = await service.client().get('/login')
    const passkey = JSON.stringify(authenticator.get(readPasskeyOptions(page)))
    const signIn = await client.form('/login/passkey', { ...hiddenFields(page.text), passkey })
    assert.notEqual(signIn.status, 303)
    const subjects = await mailSubjects(service, address, 6)
    assert.deepEqual(subjects.slice(4).toSorted(), [
      'The second factor was removed',
      'Your password was changed',
    ])
  },
)

eachService('POST password/reset keeps the second factors of a verified user', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  await addTotp(service, client)
  await service.client().json('POST', forgot, { email: address })
  const token = await mailToken(service, address, 3)
  await service.client().json('POST', reset, { token, password: newPassword })
  const login = { login: 'ada', password: newPassword }
  const reply = await service.client().json('POST', '/api/auth/login', login)
  assert.equal(reply.body.code, 'second_factor_required')
})

eachService(
  'a second factor that is added during a POST password/reset that verifies the address first does not remain',
  async (_t, service) => {
    for (const name of ['ada', 'bob', 'cleo', 'dan', 'eve']) {
      const email = `${name}@example.org`
      const client = service.client()
      await registerVerified(service, client, name)
      const { secret } = (await client.json('POST', `${factorsPath}/totp`)).body
      await service.db.run`UPDATE users SET email_verified = 0`
      await service.client().json('POST', forgot, { email })
      const token = await mailToken(service, email, 2)
      const code = await totpCode(service, secret)
      const [, replaced] = await Promise.all([
        client.json('POST', `${factorsPath}/totp/confirm`, { code }),
        service.client().json('POST', reset, { token, password: newPassword }),
      ])
      assert.equal(replaced.status, 204)
      const login = await client.json('POST', '/api/auth/login', { login: name, password: newPassword })
      assert.equal(login.status, 200)
      assert.deepEqual((await client.get(factorsPath)).body, noFactors)
    }
  },
)
