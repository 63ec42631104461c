import assert from 'node:assert/strict'
import { fieldErrorsOf } from '@gatehouse/testkit/field-errors'
import { eachService } from '@gatehouse/testkit/service'
import { mailsTo, password, register, registerVerified, verifyEmail } from '../users/users-testing.ts'
import {
  addPasskey,
  addTotp,
  createAuthenticator,
  createTicket,
  factorsPath,
  noFactors,
  totpCode,
} from './second-factor-testing.ts'

const path = '/api/users/@me/second-factors/totp'
const confirmPath = '/api/users/@me/second-factors/totp/confirm'
const minute = 60_000

eachService(
  'POST totp returns 200 with the secret, its URI and a QR code, which have no effect until confirmed',
  async (_t, service) => {
    const client = service.client()
    await registerVerified(service, client, 'ada')
    const reply = await client.json('POST', path)
    assert.equal(reply.status, 200)
    assert.equal(reply.headers.get('cache-control'), 'no-store')
    assert.match(reply.body.secret, /^[A-Z2-7]{32}$/)
    assert.match(reply.body.uri, /^otpauth:\/\/totp\//)
    assert.match(reply.body.qr, /^<svg /)
    assert.equal((await client.get(factorsPath)).body.totp, false)
    const login = await service.client().json('POST', '/api/auth/login', { login: 'ada', password })
    assert.equal(login.status, 200)
    const row = await service.db.get<{ secretSealed: string }>`SELECT secret_sealed FROM authenticator_apps`
    assert.ok(!row?.secretSealed.includes(reply.body.secret))
  },
)

eachService('POST totp replaces an unconfirmed secret', async (_t, service) => {
  const client = service.client()
  await registerVerified(service, client, 'ada')
  const first = (await client.json('POST', path)).body.secret
  const second = (await client.json('POST', path)).body.secret
  const wrong = await client.json('POST', confirmPath, { code: await totpCode(service, first) })
  assert.equal(wrong.status, 400)
  const right = await client.json('POST', confirmPath, { code: await totpCode(service, second) })
  assert.equal(right.status, 200)
})

eachService(
  'POST totp returns 400 without the current password ten minutes after the sign-in',
  async (_t, service) => {
    const client = service.client()
    await registerVerified(service, client, 'ada')
    service.clock.advance(10 * minute - 1)
    assert.equal((await client.json('POST', path)).status, 200)
    service.clock.advance(1)
    for (const body of [undefined, {}]) {
      const reply = await client.json('POST', path, body)
      assert.equal(reply.status, 400)
      assert.deepEqual(fieldErrorsOf(reply), ['currentPassword required'])
    }
    const wrong = await client.json('POST', path, { currentPassword: 'wrong horse battery' })
    assert.equal(wrong.status, 400)
    assert.deepEqual(fieldErrorsOf(wrong), ['currentPassword wrong_password'])
    assert.equal((await client.json('POST', path, { currentPassword: password })).status, 200)
  },
)

eachService('POST totp returns 409 if TOTP is already set up', async (_t, service) => {
  const client = service.client()
  await registerVerified(service, client, 'ada')
  await addTotp(service, client)
  const reply = await client.json('POST', path)
  assert.equal(reply.status, 409)
  assert.equal(reply.body.code, 'conflict')
})

eachService('POST totp returns 429 after too many wrong passwords', async (_t, service) => {
  const client = service.client()
  await registerVerified(service, client, 'ada')
  for (let i = 0; i < 10; i++) await client.json('POST', path, { currentPassword: `wrong horse ${i}` })
  const reply = await client.json('POST', path, { currentPassword: password })
  assert.equal(reply.status, 429)
  assert.ok(Number(reply.headers.get('retry-after')) > 0)
})

eachService('POST totp/confirm returns 200 with ten recovery codes and sends a mail', async (_t, service) => {
  const client = service.client()
  await registerVerified(service, client, 'ada')
  const { recoveryCodes } = await addTotp(service, client)
  assert.equal(recoveryCodes.length, 10)
  assert.deepEqual((await client.get(factorsPath)).body, {
    passkeys: [],
    totp: true,
    recoveryCodesLeft: 10,
  })
  const mails = await mailsTo(service, 'ada@example.org', 2)
  assert.equal(mails.at(-1)?.subject, 'An authenticator app was added')
  for (const code of recoveryCodes) {
    assert.ok(!service.mails.some(mail => mail.text.includes(code)))
    assert.ok(!service.log.some(line => line.includes(code)))
  }
})

eachService('POST totp/confirm returns no codes if the user has recovery codes', async (_t, service) => {
  const client = service.client()
  await registerVerified(service, client, 'ada')
  const added = await addPasskey(service, client, createAuthenticator(service.url))
  assert.equal(added.body.recoveryCodes.length, 10)
  assert.deepEqual((await addTotp(service, client)).recoveryCodes, [])
  assert.equal((await client.get(factorsPath)).body.recoveryCodesLeft, 10)
})

eachService(
  'POST totp/confirm revokes the other sessions if it adds the first factor',
  async (_t, service) => {
    const client = service.client()
    await registerVerified(service, client, 'ada')
    const other = service.client()
    await other.json('POST', '/api/auth/login', { login: 'ada', password })
    await addTotp(service, client)
    assert.equal((await other.get('/api/users/@me')).status, 401)
    assert.equal((await client.get('/api/users/@me')).status, 200)
    await addPasskey(service, client, createAuthenticator(service.url))
    assert.equal((await client.get('/api/users/@me/sessions')).body.length, 1)
  },
)

eachService('POST totp/confirm returns 400 for a wrong code', async (_t, service) => {
  const client = service.client()
  await registerVerified(service, client, 'ada')
  const { secret } = (await client.json('POST', path)).body
  for (const code of ['000000', await totpCode(service, secret, 5), 'abc']) {
    const reply = await client.json('POST', confirmPath, { code })
    assert.equal(reply.status, 400)
    assert.deepEqual(fieldErrorsOf(reply), ['code wrong_code'])
  }
  assert.deepEqual(fieldErrorsOf(await client.json('POST', confirmPath, {})), ['code required'])
})

eachService(
  'POST totp/confirm returns 409 without an unconfirmed secret, when the proof is ten ' +
    'minutes old, and a second time (sign-in/totp-confirmation)',
  async (_t, service) => {
    const client = service.client()
    await registerVerified(service, client, 'ada')
    const confirm = (code: string) => client.json('POST', confirmPath, { code })
    assert.equal((await confirm('123456')).status, 409)
    const { secret } = (await client.json('POST', path)).body
    service.clock.advance(10 * minute)
    assert.equal((await confirm(await totpCode(service, secret))).status, 409)
    const app = await addTotp(service, client)
    assert.equal((await confirm(await totpCode(service, app.secret, 1))).status, 409)
  },
)

eachService(
  'POST totp/confirm returns 409 in another session of the user (sign-in/totp-confirmation)',
  async (_t, service) => {
    const client = service.client()
    await registerVerified(service, client, 'ada')
    const other = service.client()
    await other.json('POST', '/api/auth/login', { login: 'ada', password })
    const { secret } = (await client.json('POST', path)).body
    const code = await totpCode(service, secret)
    const reply = await other.json('POST', confirmPath, { code })
    assert.deepEqual([reply.status, reply.body.code], [409, 'conflict'])
    assert.deepEqual((await client.get(factorsPath)).body, noFactors)
    // The set-up of the other session replaces it.
    const second = (await other.json('POST', path)).body.secret
    assert.equal((await client.json('POST', confirmPath, { code })).status, 409)
    const confirmed = await other.json('POST', confirmPath, { code: await totpCode(service, second) })
    assert.equal(confirmed.status, 200)
  },
)

eachService(
  'POST totp/confirm returns 429 after ten wrong codes, also in a new set-up and for other ' +
    'codes (sign-in/totp-confirmation)',
  async (_t, service) => {
    const client = service.client()
    await registerVerified(service, client, 'ada')
    await client.json('POST', path)
    const replies = await Promise.all(
      Array.from({ length: 11 }, () => client.json('POST', confirmPath, { code: '000000' })),
    )
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [
      ...Array.from({ length: 10 }, () => 400),
      429,
    ])
    const { secret } = (await client.json('POST', path)).body
    const reply = await client.json('POST', confirmPath, { code: await totpCode(service, secret) })
    assert.equal(reply.status, 429)
    assert.equal(reply.body.code, 'rate_limited')
    assert.ok(Number(reply.headers.get('retry-after')) > 0)
  },
)

eachService('right codes and set-ups without one do not count as wrong codes', async (_t, service) => {
  const client = service.client()
  await registerVerified(service, client, 'ada')
  for (let i = 0; i < 20; i++) {
    assert.equal((await client.json('POST', confirmPath, { code: '000000' })).status, 409)
  }
  await addTotp(service, client)
})

eachService(
  'of concurrent POST totp/confirm requests exactly one returns recovery codes',
  async (_t, service) => {
    const client = service.client()
    await registerVerified(service, client, 'ada')
    const { secret } = (await client.json('POST', path)).body
    const code = await totpCode(service, secret)
    const replies = await Promise.all(
      Array.from({ length: 4 }, () => client.json('POST', confirmPath, { code })),
    )
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 409, 409, 409])
    assert.equal((await client.get(factorsPath)).body.recoveryCodesLeft, 10)
  },
)

eachService('DELETE totp returns 204, deletes the recovery codes and sends a mail', async (_t, service) => {
  const client = service.client()
  await registerVerified(service, client, 'ada')
  await addTotp(service, client)
  const reply = await client.json('DELETE', path)
  assert.equal(reply.status, 204)
  assert.deepEqual((await client.get(factorsPath)).body, noFactors)
  const mails = await mailsTo(service, 'ada@example.org', 3)
  assert.equal(mails.at(-1)?.subject, 'The authenticator app was removed')
  const login = await service.client().json('POST', '/api/auth/login', { login: 'ada', password })
  assert.equal(login.status, 200)
})

eachService(
  'DELETE totp returns 400 for the password ten minutes after the sign-in, and 204 for a ' +
    'code (sign-in/factor-change-proof)',
  async (_t, service) => {
    const client = service.client()
    await registerVerified(service, client, 'ada')
    const { secret } = await addTotp(service, client)
    service.clock.advance(10 * minute)
    for (const proof of [undefined, {}, { currentPassword: password }]) {
      assert.deepEqual(fieldErrorsOf(await client.json('DELETE', path, proof)), ['code required'])
    }
    const wrong = await client.json('DELETE', path, { code: await totpCode(service, secret, 5) })
    assert.deepEqual(fieldErrorsOf(wrong), ['code wrong_code'])
    assert.equal((await client.get(factorsPath)).body.totp, true)
    assert.equal((await client.json('DELETE', path, { code: await totpCode(service, secret) })).status, 204)
    assert.deepEqual((await client.get(factorsPath)).body, noFactors)
  },
)

eachService(
  'DELETE totp returns 400 in a session without a second factor, also right after the ' +
    'sign-in (sign-in/factor-change-proof)',
  async (_t, service) => {
    const client = service.client()
    await registerVerified(service, client, 'ada')
    await addTotp(service, client)
    // A session that was started with the password only.
    await service.db.run`UPDATE sessions SET amr = '["pwd"]'`
    const reply = await client.json('DELETE', path, { currentPassword: password })
    assert.deepEqual(fieldErrorsOf(reply), ['code required'])
  },
)

eachService('DELETE totp returns 429 after ten wrong codes', async (_t, service) => {
  const client = service.client()
  await registerVerified(service, client, 'ada')
  const { secret } = await addTotp(service, client)
  service.clock.advance(minute)
  for (let i = 0; i < 10; i++) {
    assert.equal((await client.json('DELETE', path, { code: '000000' })).status, 400)
  }
  const reply = await client.json('DELETE', path, { code: await totpCode(service, secret) })
  assert.equal(reply.status, 429)
})

eachService(
  'POST totp and totp/confirm return 403 without a verified email address (sign-in/factor-needs-verified-email)',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    const started = await client.json('POST', path)
    assert.equal(started.status, 403)
    assert.equal(started.body.code, 'email_not_verified')
    await verifyEmail(service, client)
    const { secret } = (await client.json('POST', path)).body
    await service.db.run`UPDATE users SET email_verified = 0`
    const confirmed = await client.json('POST', confirmPath, { code: await totpCode(service, secret) })
    assert.equal(confirmed.body.code, 'email_not_verified')
    assert.deepEqual((await client.get(factorsPath)).body, noFactors)
  },
)

eachService('DELETE totp retains another factor and the recovery codes', async (_t, service) => {
  const client = service.client()
  await registerVerified(service, client, 'ada')
  await addTotp(service, client)
  await addPasskey(service, client, createAuthenticator(service.url))
  assert.equal((await client.json('DELETE', path)).status, 204)
  assert.equal((await client.get(factorsPath)).body.recoveryCodesLeft, 10)
  await createTicket(service.client(), 'ada')
})

eachService('DELETE totp returns 404 if TOTP is not set up or not confirmed', async (_t, service) => {
  const client = service.client()
  await registerVerified(service, client, 'ada')
  assert.equal((await client.json('DELETE', path)).status, 404)
  await client.json('POST', path)
  assert.equal((await client.json('DELETE', path)).status, 404)
})
