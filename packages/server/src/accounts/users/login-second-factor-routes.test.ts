import assert from 'node:assert/strict'
import { fieldErrorsOf } from '@gatehouse/testkit/field-errors'
import type { TestClient, TestService } from '@gatehouse/testkit/service'
import { eachService } from '@gatehouse/testkit/service'
import {
  type Authenticator,
  addPasskey,
  addTotp,
  createAuthenticator,
  createTicket,
  factorsPath,
  totpCode,
} from '../second-factor/second-factor-testing.ts'
import { mailsTo, password, register } from './users-testing.ts'

const path = '/api/auth/login/second-factor'
const minute = 60_000

/** A user with TOTP. The code of the current time step is already used. */
async function createTotpUser(service: TestService, username = 'ada') {
  const client = service.client()
  const { id } = (await register(client, username)).body
  return { client, id, ...(await addTotp(service, client)) }
}

async function amrOf(service: TestService, userId: string): Promise<string[][]> {
  const rows = await service.db.all<{ amr: string }>`
    SELECT amr FROM sessions WHERE user_id = ${userId} ORDER BY id`
  return rows.map(({ amr }) => JSON.parse(amr))
}

async function assertion(client: TestClient, ticket: string, authenticator: Authenticator, overrides = {}) {
  const options = await client.json('POST', `${path}/options`, { ticket })
  assert.equal(options.status, 200, options.text)
  return authenticator.get(options.body, overrides)
}

eachService(
  'POST login returns 401 with a ticket and creates no session for a user with a second factor',
  async (_t, service) => {
    const ada = await createTotpUser(service)
    const client = service.client()
    const reply = await client.json('POST', '/api/auth/login', { login: 'ada', password })
    assert.equal(reply.status, 401)
    assert.equal(reply.body.code, 'second_factor_required')
    assert.deepEqual(reply.body.methods, ['totp', 'recovery_code'])
    assert.match(reply.body.ticket, /^gsi_[0-9A-Za-z]{49}$/)
    assert.equal(reply.headers.get('www-authenticate'), 'Session')
    assert.equal(client.cookies.has('gatehouse_session'), false)
    assert.equal((await client.get('/api/users/@me')).status, 401)
    assert.equal((await ada.client.get('/api/users/@me/sessions')).body.length, 1)
    const row = await service.db.get<{ ticketHash: string }>`SELECT ticket_hash FROM mfa_tickets`
    assert.notEqual(row?.ticketHash, reply.body.ticket)
    assert.ok(!service.log.some(line => line.includes(reply.body.ticket)))
    const wrong = await client.json('POST', '/api/auth/login', { login: 'ada', password: 'wrong horse' })
    assert.equal(wrong.body.code, 'invalid_credentials')
    assert.equal(wrong.body.ticket, undefined)
  },
)

eachService('POST second-factor returns 200 with a session for a TOTP code', async (_t, service) => {
  const ada = await createTotpUser(service)
  service.clock.advance(30_000)
  const client = service.client()
  const ticket = await createTicket(client, 'ada')
  const code = await totpCode(service, ada.secret)
  const spaced = ` ${code.slice(0, 3)} ${code.slice(3)} `
  const reply = await client.json('POST', path, { ticket, code: spaced })
  assert.equal(reply.status, 200, reply.text)
  assert.equal(reply.body.username, 'ada')
  assert.equal((await client.get('/api/users/@me')).status, 200)
  assert.deepEqual(await amrOf(service, ada.id), [
    ['pwd', 'otp', 'mfa'],
    ['pwd', 'otp', 'mfa'],
  ])
})

eachService(
  'POST second-factor accepts the codes of the previous and the next time step',
  async (_t, service) => {
    const ada = await createTotpUser(service)
    for (const steps of [-1, 1]) {
      service.clock.advance(2 * minute)
      const client = service.client()
      const ticket = await createTicket(client, 'ada')
      const far = await client.json('POST', path, {
        ticket,
        code: await totpCode(service, ada.secret, 2 * steps),
      })
      assert.equal(far.status, 401)
      const near = await client.json('POST', path, {
        ticket,
        code: await totpCode(service, ada.secret, steps),
      })
      assert.equal(near.status, 200)
    }
  },
)

eachService(
  'POST second-factor returns 401 for a code that was used to confirm TOTP or to sign in',
  async (_t, service) => {
    const ada = await createTotpUser(service)
    const finish = async (code: string) => {
      const client = service.client()
      return (await client.json('POST', path, { ticket: await createTicket(client, 'ada'), code })).status
    }
    assert.equal(await finish(await totpCode(service, ada.secret)), 401)
    service.clock.advance(2 * minute)
    const code = await totpCode(service, ada.secret)
    assert.equal(await finish(code), 200)
    assert.equal(await finish(code), 401)
    assert.equal(await finish(await totpCode(service, ada.secret, -1)), 401)
    assert.equal(await finish(await totpCode(service, ada.secret, 1)), 200)
  },
)

eachService(
  'of concurrent POST second-factor requests with one code exactly one returns 200',
  async (_t, service) => {
    const ada = await createTotpUser(service)
    service.clock.advance(minute)
    const code = await totpCode(service, ada.secret)
    const clients = Array.from({ length: 4 }, () => service.client())
    const tickets = await Promise.all(clients.map(client => createTicket(client, 'ada')))
    const replies = await Promise.all(
      clients.map((client, i) => client.json('POST', path, { ticket: tickets[i], code })),
    )
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 401, 401, 401])
  },
)

eachService(
  'of concurrent POST second-factor requests with one ticket exactly one returns 200',
  async (_t, service) => {
    const ada = await createTotpUser(service)
    const client = service.client()
    const ticket = await createTicket(client, 'ada')
    const replies = await Promise.all(
      ada.recoveryCodes.slice(0, 4).map(code => client.json('POST', path, { ticket, code })),
    )
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 401, 401, 401])
    // What did not come in was not used up.
    assert.equal((await ada.client.get(factorsPath)).body.recoveryCodesLeft, 9)
  },
)

eachService(
  'POST second-factor returns 200 for a recovery code once and sends a mail',
  async (_t, service) => {
    const ada = await createTotpUser(service)
    const [code = ''] = ada.recoveryCodes
    const finish = async (written: string) => {
      const client = service.client()
      return client.json('POST', path, { ticket: await createTicket(client, 'ada'), code: written })
    }
    assert.equal((await finish(code.toUpperCase().replace('-', ' '))).status, 200)
    assert.equal((await finish(code)).status, 401)
    assert.equal((await ada.client.get(factorsPath)).body.recoveryCodesLeft, 9)
    assert.deepEqual((await amrOf(service, ada.id)).at(-1), ['pwd', 'otp', 'mfa'])
    const mails = await mailsTo(service, 'ada@example.org', 3)
    assert.equal(mails.at(-1)?.subject, 'A recovery code was used')
    assert.match(mails.at(-1)?.text ?? '', /Remaining codes: 9\./)
  },
)

eachService('POST second-factor returns 401 for a recovery code of another user', async (_t, service) => {
  await createTotpUser(service)
  const bob = await createTotpUser(service, 'bob')
  const client = service.client()
  const ticket = await createTicket(client, 'ada')
  const reply = await client.json('POST', path, { ticket, code: bob.recoveryCodes[0] })
  assert.equal(reply.status, 401)
  assert.equal(reply.body.code, 'invalid_credentials')
})

eachService(
  'POST second-factor returns 200 for a device-bound passkey and a synchronized one',
  async (_t, service) => {
    for (const [username, synced, word] of [
      ['ada', false, 'hwk'],
      ['bob', true, 'swk'],
    ] as const) {
      const owner = service.client()
      const { id } = (await register(owner, username)).body
      const authenticator = createAuthenticator(service.url, { synced })
      await addPasskey(service, owner, authenticator)
      const client = service.client()
      const ticket = await createTicket(client, username)
      const passkey = await assertion(client, ticket, authenticator, { verified: false })
      const reply = await client.json('POST', path, { ticket, passkey })
      assert.equal(reply.status, 200, reply.text)
      assert.deepEqual((await amrOf(service, id)).at(-1), ['pwd', word, 'mfa'])
      const [passkeyInList] = (await owner.get(factorsPath)).body.passkeys
      assert.equal(passkeyInList.lastUsedAt, new Date(service.clock.now()).toISOString())
    }
  },
)

eachService(
  'POST second-factor accepts a passkey without a user handle and without a signature counter',
  async (_t, service) => {
    const owner = service.client()
    await register(owner, 'ada')
    const authenticator = createAuthenticator(service.url, { counts: false })
    await addPasskey(service, owner, authenticator)
    for (let i = 0; i < 2; i++) {
      const client = service.client()
      const ticket = await createTicket(client, 'ada')
      const passkey = await assertion(client, ticket, authenticator, { userHandle: undefined })
      assert.equal((await client.json('POST', path, { ticket, passkey })).status, 200)
    }
  },
)

eachService(
  'POST second-factor returns 401 for a cloned, replayed or foreign passkey and another origin',
  async (_t, service) => {
    const owner = service.client()
    await register(owner, 'ada')
    const authenticator = createAuthenticator(service.url)
    await addPasskey(service, owner, authenticator)
    const bob = service.client()
    const { id: bobId } = (await register(bob, 'bob')).body
    const bobAuthenticator = createAuthenticator(service.url)
    await addPasskey(service, bob, bobAuthenticator)
    const client = service.client()
    const ticket = await createTicket(client, 'ada')
    const assertRejected = async (passkey: object) => {
      const reply = await client.json('POST', path, { ticket, passkey })
      assert.equal(reply.status, 401, reply.text)
      assert.equal(reply.body.code, 'invalid_credentials')
    }
    const assertWith = (overrides: object) => assertion(client, ticket, authenticator, overrides)
    await assertRejected(await assertion(client, ticket, bobAuthenticator))
    await assertRejected(await assertion(client, ticket, bobAuthenticator, { userHandle: undefined }))
    await assertRejected(await assertion(client, ticket, createAuthenticator(service.url)))
    await assertRejected(await assertWith({ origin: 'https://evil.example' }))
    await assertRejected(await assertWith({ rpId: 'evil.example' }))
    await assertRejected(await assertWith({ userHandle: Buffer.from(bobId).toString('base64url') }))
    const valid = await assertWith({ counter: 7 })
    const { signature } = (await assertWith({ counter: 8 })).response
    await assertRejected({ ...valid, response: { ...valid.response, signature } })
    // A challenge of another ticket of the same user, in another browser.
    const other = service.client()
    await assertRejected(await assertion(other, await createTicket(other, 'ada'), authenticator))
    assert.equal((await client.json('POST', path, { ticket, passkey: valid })).status, 200)
    const next = await createTicket(client, 'ada')
    const send = (passkey: object) => client.json('POST', path, { ticket: next, passkey })
    assert.equal((await send(valid)).status, 401)
    const cloned = await assertion(client, next, authenticator, { counter: 7 })
    assert.equal((await send(cloned)).status, 401)
    const correct = await assertion(client, next, authenticator, { counter: 8 })
    assert.equal((await send(correct)).status, 200)
  },
)

eachService(
  'of concurrent POST second-factor requests with one assertion exactly one returns 200',
  async (_t, service) => {
    const owner = service.client()
    await register(owner, 'ada')
    const authenticator = createAuthenticator(service.url, { counts: false })
    await addPasskey(service, owner, authenticator)
    const client = service.client()
    const ticket = await createTicket(client, 'ada')
    const passkey = await assertion(client, ticket, authenticator)
    const replies = await Promise.all(
      Array.from({ length: 4 }, () => client.json('POST', path, { ticket, passkey })),
    )
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 401, 401, 401])
  },
)

eachService(
  'POST second-factor returns 401 for an expired, used or unknown ticket and one of another browser',
  async (_t, service) => {
    const ada = await createTotpUser(service)
    const [first, second, third] = ada.recoveryCodes
    const client = service.client()
    const assertInvalid = async (browser: TestClient, ticket: string, code: string | undefined) => {
      const reply = await browser.json('POST', path, { ticket, code })
      assert.equal(reply.status, 401)
      assert.equal(reply.body.code, 'unauthenticated')
      assert.equal((await browser.json('POST', `${path}/options`, { ticket })).status, 401)
    }
    const ticket = await createTicket(client, 'ada')
    await assertInvalid(service.client(), ticket, first)
    const other = service.client()
    await other.get('/login')
    await assertInvalid(other, ticket, first)
    service.clock.advance(5 * minute)
    await assertInvalid(client, ticket, first)
    const newTicket = await createTicket(client, 'ada')
    assert.equal((await client.json('POST', path, { ticket: newTicket, code: second })).status, 200)
    await assertInvalid(client, newTicket, third)
    await assertInvalid(client, 'gsi_unknown', third)
  },
)

eachService(
  'POST second-factor returns 401 if the password changed after the ticket was created',
  async (_t, service) => {
    const ada = await createTotpUser(service)
    const client = service.client()
    const ticket = await createTicket(client, 'ada')
    const change = { password: 'another horse battery', currentPassword: password }
    assert.equal((await ada.client.json('PATCH', '/api/users/@me', change)).status, 200)
    const reply = await client.json('POST', path, { ticket, code: ada.recoveryCodes[0] })
    assert.equal(reply.body.code, 'unauthenticated')
  },
)

eachService(
  'POST second-factor returns 401 if the second factors were removed after the ticket was created',
  async (_t, service) => {
    const ada = await createTotpUser(service)
    const client = service.client()
    const ticket = await createTicket(client, 'ada')
    assert.equal((await ada.client.json('DELETE', `${factorsPath}/totp`)).status, 204)
    const reply = await client.json('POST', path, { ticket, code: ada.recoveryCodes[0] })
    assert.equal(reply.body.code, 'unauthenticated')
  },
)

eachService(
  'POST second-factor returns 400 unless the body has either a code or a passkey',
  async (_t, service) => {
    await createTotpUser(service)
    const client = service.client()
    const ticket = await createTicket(client, 'ada')
    assert.deepEqual(fieldErrorsOf(await client.json('POST', path, { ticket })), ['code required'])
    assert.deepEqual(fieldErrorsOf(await client.json('POST', path, { code: '123456' })), ['ticket required'])
    const both = {
      code: '123456',
      passkey: createAuthenticator(service.url).get({
        challenge: 'AAAA',
        rpId: 'localhost',
        timeout: 1,
        allowCredentials: [],
        userVerification: 'preferred',
      }),
    }
    assert.deepEqual(fieldErrorsOf(await client.json('POST', path, { ticket, ...both })), ['code required'])
  },
)

eachService(
  'POST second-factor returns 429 after ten wrong codes from any browser, but accepts a passkey',
  async (_t, service) => {
    const ada = await createTotpUser(service)
    const authenticator = createAuthenticator(service.url)
    await addPasskey(service, ada.client, authenticator)
    service.clock.advance(minute)
    for (let i = 0; i < 10; i++) {
      const client = service.client()
      const ticket = await createTicket(client, 'ada')
      assert.equal((await client.json('POST', path, { ticket, code: 'zzzzz-zzzzz' })).status, 401)
    }
    const client = service.client()
    const ticket = await createTicket(client, 'ada')
    const code = await totpCode(service, ada.secret)
    const limited = await client.json('POST', path, { ticket, code })
    assert.equal(limited.status, 429)
    assert.equal(limited.body.code, 'rate_limited')
    assert.equal(limited.headers.get('retry-after'), '600')
    const passkey = await assertion(client, ticket, authenticator)
    assert.equal((await client.json('POST', path, { ticket, passkey })).status, 200)
    service.clock.advance(10 * minute)
    const later = service.client()
    const again = { ticket: await createTicket(later, 'ada'), code: await totpCode(service, ada.secret) }
    assert.equal((await later.json('POST', path, again)).status, 200)
  },
)

eachService('POST second-factor counts concurrent wrong codes', async (_t, service) => {
  await createTotpUser(service)
  const client = service.client()
  const ticket = await createTicket(client, 'ada')
  const replies = await Promise.all(
    Array.from({ length: 15 }, () => client.json('POST', path, { ticket, code: '000000' })),
  )
  assert.equal(replies.filter(({ status }) => status === 401).length, 10)
  assert.equal(replies.filter(({ status }) => status === 429).length, 5)
})

eachService('POST second-factor does not count correct codes', async (_t, service) => {
  const ada = await createTotpUser(service)
  for (let i = 0; i < 12; i++) {
    service.clock.advance(30_000)
    const client = service.client()
    const body = { ticket: await createTicket(client, 'ada'), code: await totpCode(service, ada.secret) }
    assert.equal((await client.json('POST', path, body)).status, 200)
  }
})

eachService(
  'sign-in/session-secret: POST second-factor retains the session of the same user, with a ' +
    'new cookie, and revokes the one of another user',
  async (_t, service) => {
    const ada = await createTotpUser(service)
    const [first, second] = ada.recoveryCodes
    const before = ada.client.cookies.get('gatehouse_session')
    const ticket = await createTicket(ada.client, 'ada')
    assert.equal((await ada.client.json('POST', path, { ticket, code: first })).status, 200)
    const renewed = await service.client().get('/api/users/@me', { cookie: `gatehouse_session=${before}` })
    assert.equal(renewed.status, 401)
    assert.equal((await ada.client.get('/api/users/@me/sessions')).body.length, 1)
    const bob = service.client()
    await register(bob, 'bob')
    const bobs = bob.cookies.get('gatehouse_session')
    const next = await createTicket(bob, 'ada')
    assert.equal((await bob.get('/api/users/@me')).body.username, 'bob')
    assert.equal((await bob.json('POST', path, { ticket: next, code: second })).status, 200)
    assert.equal((await bob.get('/api/users/@me')).body.username, 'ada')
    const old = await service.client().get('/api/users/@me', { cookie: `gatehouse_session=${bobs}` })
    assert.equal(old.status, 401)
  },
)

eachService(
  'POST second-factor/options returns 200 with the passkeys of the user of the ticket',
  async (_t, service) => {
    const owner = service.client()
    await register(owner, 'ada')
    const authenticator = createAuthenticator(service.url)
    await addPasskey(service, owner, authenticator)
    const client = service.client()
    const ticket = await createTicket(client, 'ada')
    const reply = await client.json('POST', '/api/auth/login/second-factor/options', { ticket })
    assert.equal(reply.status, 200)
    assert.equal(reply.body.rpId, 'localhost')
    assert.equal(reply.body.userVerification, 'preferred')
    assert.deepEqual(reply.body.allowCredentials, [
      { id: authenticator.credentialId, type: 'public-key', transports: ['internal'] },
    ])
  },
)
