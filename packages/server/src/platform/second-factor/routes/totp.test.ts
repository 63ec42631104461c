import assert from 'node:assert/strict'
import { eachService } from '../../../testing.ts'
import { faultsOf, mailsTo, password, register } from '../../users/testing.ts'
import {
  addApp,
  addPasskey,
  codeOf,
  createAuthenticator,
  factorsPath,
  noFactors,
  ticketFor,
} from '../testing.ts'

const path = '/api/users/@me/second-factors/totp'
const confirmPath = '/api/users/@me/second-factors/totp/confirm'
const minute = 60_000

eachService(
  'POST totp 200: secret, address and picture; nothing is asked for before it is confirmed',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    const reply = await client.json('POST', path)
    assert.equal(reply.status, 200)
    assert.match(reply.body.secret, /^[A-Z2-7]{32}$/)
    assert.match(reply.body.uri, /^otpauth:\/\/totp\//)
    assert.match(reply.body.qr, /^<svg /)
    assert.equal((await client.get(factorsPath)).body.totp, false)
    const login = await service.client().json('POST', '/api/auth/login', { login: 'ada', password })
    assert.equal(login.status, 200)
    const kept = await service.db.get<{ secret_sealed: string }>`SELECT secret_sealed FROM authenticator_apps`
    assert.ok(!kept?.secret_sealed.includes(reply.body.secret))
  },
)

eachService('POST totp 200: begun again, the first secret is worth nothing', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  const first = (await client.json('POST', path)).body.secret
  const second = (await client.json('POST', path)).body.secret
  const wrong = await client.json('POST', confirmPath, { code: await codeOf(service, first) })
  assert.equal(wrong.status, 400)
  const right = await client.json('POST', confirmPath, { code: await codeOf(service, second) })
  assert.equal(right.status, 200)
})

eachService(
  'POST totp 400: ten minutes after the sign-in the password is asked for, and compared',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    service.clock.advance(10 * minute - 1)
    assert.equal((await client.json('POST', path)).status, 200)
    service.clock.advance(1)
    for (const body of [undefined, {}]) {
      const reply = await client.json('POST', path, body)
      assert.equal(reply.status, 400)
      assert.deepEqual(faultsOf(reply), ['currentPassword required'])
    }
    const wrong = await client.json('POST', path, { currentPassword: 'wrong horse battery' })
    assert.equal(wrong.status, 400)
    assert.deepEqual(faultsOf(wrong), ['currentPassword wrong_password'])
    assert.equal((await client.json('POST', path, { currentPassword: password })).status, 200)
  },
)

eachService('POST totp 409: one is in force already', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  await addApp(service, client)
  const reply = await client.json('POST', path)
  assert.equal(reply.status, 409)
  assert.equal(reply.body.code, 'conflict')
})

eachService('POST totp 429: guesses at the password are counted', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  for (let i = 0; i < 10; i++) await client.json('POST', path, { currentPassword: `wrong horse ${i}` })
  const reply = await client.json('POST', path, { currentPassword: password })
  assert.equal(reply.status, 429)
  assert.ok(Number(reply.headers.get('retry-after')) > 0)
})

eachService('POST totp/confirm 200: ten recovery codes, and a mail to the person', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  const { recoveryCodes } = await addApp(service, client)
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

eachService('POST totp/confirm 200: who has recovery codes keeps them', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  const added = await addPasskey(client, createAuthenticator(service.url))
  assert.equal(added.body.recoveryCodes.length, 10)
  assert.deepEqual((await addApp(service, client)).recoveryCodes, [])
  assert.equal((await client.get(factorsPath)).body.recoveryCodesLeft, 10)
})

eachService(
  'POST totp/confirm 200: with the first factor, other browsers that showed the password alone are signed out',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    const other = service.client()
    await other.json('POST', '/api/auth/login', { login: 'ada', password })
    await addApp(service, client)
    assert.equal((await other.get('/api/users/@me')).status, 401)
    assert.equal((await client.get('/api/users/@me')).status, 200)
    await addPasskey(client, createAuthenticator(service.url))
    assert.equal((await client.get('/api/users/@me/sessions')).body.length, 1)
  },
)

eachService('POST totp/confirm 400: a code that the app does not show', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  const { secret } = (await client.json('POST', path)).body
  for (const code of ['000000', await codeOf(service, secret, 5), 'abc']) {
    const reply = await client.json('POST', confirmPath, { code })
    assert.equal(reply.status, 400)
    assert.deepEqual(faultsOf(reply), ['code wrong_code'])
  }
  assert.deepEqual(faultsOf(await client.json('POST', confirmPath, {})), ['code required'])
})

eachService('POST totp/confirm 409: nothing to confirm, too late, or done already', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  const confirm = (code: string) => client.json('POST', confirmPath, { code })
  assert.equal((await confirm('123456')).status, 409)
  const { secret } = (await client.json('POST', path)).body
  service.clock.advance(15 * minute)
  assert.equal((await confirm(await codeOf(service, secret))).status, 409)
  const app = await addApp(service, client)
  assert.equal((await confirm(await codeOf(service, app.secret, 1))).status, 409)
})

eachService('POST totp/confirm: of several at once one gets the recovery codes', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  const { secret } = (await client.json('POST', path)).body
  const code = await codeOf(service, secret)
  const replies = await Promise.all(
    Array.from({ length: 4 }, () => client.json('POST', confirmPath, { code })),
  )
  assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 409, 409, 409])
  assert.equal((await client.get(factorsPath)).body.recoveryCodesLeft, 10)
})

eachService(
  'DELETE totp 204: the password is enough again, the recovery codes are gone, and a mail says so',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    await addApp(service, client)
    service.clock.advance(10 * minute)
    assert.deepEqual(faultsOf(await client.json('DELETE', path)), ['currentPassword required'])
    const reply = await client.json('DELETE', path, { currentPassword: password })
    assert.equal(reply.status, 204)
    assert.deepEqual((await client.get(factorsPath)).body, noFactors)
    const login = await service.client().json('POST', '/api/auth/login', { login: 'ada', password })
    assert.equal(login.status, 200)
    const mails = await mailsTo(service, 'ada@example.org', 3)
    assert.equal(mails.at(-1)?.subject, 'The authenticator app was removed')
  },
)

eachService('DELETE totp 204: another factor stays in force with the recovery codes', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  await addApp(service, client)
  await addPasskey(client, createAuthenticator(service.url))
  assert.equal((await client.json('DELETE', path)).status, 204)
  assert.equal((await client.get(factorsPath)).body.recoveryCodesLeft, 10)
  await ticketFor(service.client(), 'ada')
})

eachService('DELETE totp 404: there is none, or it was never confirmed', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  assert.equal((await client.json('DELETE', path)).status, 404)
  await client.json('POST', path)
  assert.equal((await client.json('DELETE', path)).status, 404)
})
