import assert from 'node:assert/strict'
import type { Client, TestService } from '../../../testing.ts'
import { eachService } from '../../../testing.ts'
import {
  type Authenticator,
  addApp,
  addPasskey,
  codeOf,
  createAuthenticator,
  factorsPath,
  ticketFor,
} from '../../second-factor/testing.ts'
import { faultsOf, mailsTo, password, register } from '../testing.ts'

const path = '/api/auth/login/second-factor'
const minute = 60_000

/** A person with an app, whose code of this moment is used. */
async function withApp(service: TestService, username = 'ada') {
  const client = service.client()
  const { id } = (await register(client, username)).body
  return { client, id, ...(await addApp(service, client)) }
}

async function amrOf(service: TestService, userId: string): Promise<string[][]> {
  const rows = await service.db.all<{ amr: string }>`
    SELECT amr FROM sessions WHERE user_id = ${userId} ORDER BY id`
  return rows.map(({ amr }) => JSON.parse(amr))
}

async function assertion(client: Client, ticket: string, authenticator: Authenticator, more = {}) {
  const options = await client.json('POST', `${path}/options`, { ticket })
  assert.equal(options.status, 200, options.text)
  return authenticator.get(options.body, more)
}

eachService(
  'POST login 401: with a second factor the password alone gives a ticket and no session',
  async (_t, service) => {
    const ada = await withApp(service)
    const client = service.client()
    const reply = await client.json('POST', '/api/auth/login', { login: 'ada', password })
    assert.equal(reply.status, 401)
    assert.equal(reply.body.code, 'second_factor_required')
    assert.deepEqual(reply.body.methods, ['totp', 'recovery_code'])
    assert.match(reply.body.ticket, /^gsi_[0-9A-Za-z]{49}$/)
    assert.equal(reply.headers.get('www-authenticate'), 'Session')
    assert.equal(client.cookies.has('session'), false)
    assert.equal((await client.get('/api/users/@me')).status, 401)
    assert.equal((await ada.client.get('/api/users/@me/sessions')).body.length, 1)
    const kept = await service.db.get<{ ticket_hash: string }>`SELECT ticket_hash FROM half_sign_ins`
    assert.notEqual(kept?.ticket_hash, reply.body.ticket)
    assert.ok(!service.log.some(line => line.includes(reply.body.ticket)))
    const wrong = await client.json('POST', '/api/auth/login', { login: 'ada', password: 'wrong horse' })
    assert.equal(wrong.body.code, 'invalid_credentials')
    assert.equal(wrong.body.ticket, undefined)
  },
)

eachService('POST second-factor 200: a code of the app makes the session', async (_t, service) => {
  const ada = await withApp(service)
  service.clock.advance(30_000)
  const client = service.client()
  const ticket = await ticketFor(client, 'ada')
  const code = await codeOf(service, ada.secret)
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

eachService('POST second-factor 200: the codes before and after the present one too', async (_t, service) => {
  const ada = await withApp(service)
  for (const steps of [-1, 1]) {
    service.clock.advance(2 * minute)
    const client = service.client()
    const ticket = await ticketFor(client, 'ada')
    const far = await client.json('POST', path, {
      ticket,
      code: await codeOf(service, ada.secret, 2 * steps),
    })
    assert.equal(far.status, 401)
    const near = await client.json('POST', path, { ticket, code: await codeOf(service, ada.secret, steps) })
    assert.equal(near.status, 200)
  }
})

eachService(
  'POST second-factor 401: a code that was used, at the set-up or a sign-in, opens nothing again',
  async (_t, service) => {
    const ada = await withApp(service)
    const finish = async (code: string) => {
      const client = service.client()
      return (await client.json('POST', path, { ticket: await ticketFor(client, 'ada'), code })).status
    }
    assert.equal(await finish(await codeOf(service, ada.secret)), 401)
    service.clock.advance(2 * minute)
    const code = await codeOf(service, ada.secret)
    assert.equal(await finish(code), 200)
    assert.equal(await finish(code), 401)
    assert.equal(await finish(await codeOf(service, ada.secret, -1)), 401)
    assert.equal(await finish(await codeOf(service, ada.secret, 1)), 200)
  },
)

eachService('POST second-factor: of several with one code at once, one comes in', async (_t, service) => {
  const ada = await withApp(service)
  service.clock.advance(minute)
  const code = await codeOf(service, ada.secret)
  const clients = Array.from({ length: 4 }, () => service.client())
  const tickets = await Promise.all(clients.map(client => ticketFor(client, 'ada')))
  const replies = await Promise.all(
    clients.map((client, i) => client.json('POST', path, { ticket: tickets[i], code })),
  )
  assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 401, 401, 401])
})

eachService('POST second-factor: of several with one ticket at once, one comes in', async (_t, service) => {
  const ada = await withApp(service)
  const client = service.client()
  const ticket = await ticketFor(client, 'ada')
  const replies = await Promise.all(
    ada.recoveryCodes.slice(0, 4).map(code => client.json('POST', path, { ticket, code })),
  )
  assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 401, 401, 401])
  // What did not come in was not used up.
  assert.equal((await ada.client.get(factorsPath)).body.recoveryCodesLeft, 9)
})

eachService(
  'POST second-factor 200: a recovery code opens one sign-in, and the person hears of it',
  async (_t, service) => {
    const ada = await withApp(service)
    const [code = ''] = ada.recoveryCodes
    const finish = async (written: string) => {
      const client = service.client()
      return client.json('POST', path, { ticket: await ticketFor(client, 'ada'), code: written })
    }
    assert.equal((await finish(code.toUpperCase().replace('-', ' '))).status, 200)
    assert.equal((await finish(code)).status, 401)
    assert.equal((await ada.client.get(factorsPath)).body.recoveryCodesLeft, 9)
    assert.deepEqual((await amrOf(service, ada.id)).at(-1), ['pwd', 'otp', 'mfa'])
    const mails = await mailsTo(service, 'ada@example.org', 3)
    assert.equal(mails.at(-1)?.subject, 'A recovery code was used')
    assert.match(mails.at(-1)?.text ?? '', /left: 9\./)
  },
)

eachService('POST second-factor 401: a recovery code of somebody else', async (_t, service) => {
  await withApp(service)
  const bob = await withApp(service, 'bob')
  const client = service.client()
  const ticket = await ticketFor(client, 'ada')
  const reply = await client.json('POST', path, { ticket, code: bob.recoveryCodes[0] })
  assert.equal(reply.status, 401)
  assert.equal(reply.body.code, 'invalid_credentials')
})

eachService('POST second-factor 200: a passkey, of a device or synced', async (_t, service) => {
  for (const [username, synced, word] of [
    ['ada', false, 'hwk'],
    ['bob', true, 'swk'],
  ] as const) {
    const owner = service.client()
    const { id } = (await register(owner, username)).body
    const authenticator = createAuthenticator(service.url, { synced })
    await addPasskey(owner, authenticator)
    const client = service.client()
    const ticket = await ticketFor(client, username)
    const passkey = await assertion(client, ticket, authenticator, { verified: false })
    const reply = await client.json('POST', path, { ticket, passkey })
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual((await amrOf(service, id)).at(-1), ['pwd', word, 'mfa'])
    const [kept] = (await owner.get(factorsPath)).body.passkeys
    assert.equal(kept.lastUsedAt, new Date(service.clock.now()).toISOString())
  }
})

eachService(
  'POST second-factor 200: a key that names nobody, and one that never counts',
  async (_t, service) => {
    const owner = service.client()
    await register(owner, 'ada')
    const authenticator = createAuthenticator(service.url, { counts: false })
    await addPasskey(owner, authenticator)
    for (let i = 0; i < 2; i++) {
      const client = service.client()
      const ticket = await ticketFor(client, 'ada')
      const passkey = await assertion(client, ticket, authenticator, { userHandle: undefined })
      assert.equal((await client.json('POST', path, { ticket, passkey })).status, 200)
    }
  },
)

eachService(
  'POST second-factor 401: a passkey of another, copied, replayed, or from another site',
  async (_t, service) => {
    const owner = service.client()
    await register(owner, 'ada')
    const authenticator = createAuthenticator(service.url)
    await addPasskey(owner, authenticator)
    const bob = service.client()
    const { id: bobId } = (await register(bob, 'bob')).body
    const bobs = createAuthenticator(service.url)
    await addPasskey(bob, bobs)
    const client = service.client()
    const ticket = await ticketFor(client, 'ada')
    const isRefused = async (passkey: object) => {
      const reply = await client.json('POST', path, { ticket, passkey })
      assert.equal(reply.status, 401, reply.text)
      assert.equal(reply.body.code, 'invalid_credentials')
    }
    const use = (more: object) => assertion(client, ticket, authenticator, more)
    await isRefused(await assertion(client, ticket, bobs))
    await isRefused(await assertion(client, ticket, bobs, { userHandle: undefined }))
    await isRefused(await assertion(client, ticket, createAuthenticator(service.url)))
    await isRefused(await use({ origin: 'https://evil.example' }))
    await isRefused(await use({ rpId: 'evil.example' }))
    await isRefused(await use({ userHandle: Buffer.from(bobId).toString('base64url') }))
    const good = await use({ counter: 7 })
    const { signature } = (await use({ counter: 8 })).response
    await isRefused({ ...good, response: { ...good.response, signature } })
    // A challenge of another ticket of the same person, in another browser.
    const elsewhere = service.client()
    await isRefused(await assertion(elsewhere, await ticketFor(elsewhere, 'ada'), authenticator))
    assert.equal((await client.json('POST', path, { ticket, passkey: good })).status, 200)
    const next = await ticketFor(client, 'ada')
    const send = (passkey: object) => client.json('POST', path, { ticket: next, passkey })
    assert.equal((await send(good)).status, 401)
    const copied = await assertion(client, next, authenticator, { counter: 7 })
    assert.equal((await send(copied)).status, 401)
    const right = await assertion(client, next, authenticator, { counter: 8 })
    assert.equal((await send(right)).status, 200)
  },
)

eachService('POST second-factor: of several with one answer at once, one comes in', async (_t, service) => {
  const owner = service.client()
  await register(owner, 'ada')
  const authenticator = createAuthenticator(service.url, { counts: false })
  await addPasskey(owner, authenticator)
  const client = service.client()
  const ticket = await ticketFor(client, 'ada')
  const passkey = await assertion(client, ticket, authenticator)
  const replies = await Promise.all(
    Array.from({ length: 4 }, () => client.json('POST', path, { ticket, passkey })),
  )
  assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 401, 401, 401])
})

eachService(
  'POST second-factor 401: a ticket that is over, used, made up, or of another browser',
  async (_t, service) => {
    const ada = await withApp(service)
    const [first, second, third] = ada.recoveryCodes
    const client = service.client()
    const isOver = async (who: Client, ticket: string, code: string | undefined) => {
      const reply = await who.json('POST', path, { ticket, code })
      assert.equal(reply.status, 401)
      assert.equal(reply.body.code, 'unauthenticated')
      assert.equal((await who.json('POST', `${path}/options`, { ticket })).status, 401)
    }
    const ticket = await ticketFor(client, 'ada')
    await isOver(service.client(), ticket, first)
    const other = service.client()
    await other.get('/login')
    await isOver(other, ticket, first)
    service.clock.advance(5 * minute)
    await isOver(client, ticket, first)
    const fresh = await ticketFor(client, 'ada')
    assert.equal((await client.json('POST', path, { ticket: fresh, code: second })).status, 200)
    await isOver(client, fresh, third)
    await isOver(client, 'gsi_made-up', third)
  },
)

eachService(
  'POST second-factor 401: a changed password ends what was begun with the old one',
  async (_t, service) => {
    const ada = await withApp(service)
    const client = service.client()
    const ticket = await ticketFor(client, 'ada')
    const change = { password: 'another horse battery', currentPassword: password }
    assert.equal((await ada.client.json('PATCH', '/api/users/@me', change)).status, 200)
    const reply = await client.json('POST', path, { ticket, code: ada.recoveryCodes[0] })
    assert.equal(reply.body.code, 'unauthenticated')
  },
)

eachService('POST second-factor 401: the factors went while the sign-in waited', async (_t, service) => {
  const ada = await withApp(service)
  const client = service.client()
  const ticket = await ticketFor(client, 'ada')
  assert.equal((await ada.client.json('DELETE', `${factorsPath}/totp`)).status, 204)
  const reply = await client.json('POST', path, { ticket, code: ada.recoveryCodes[0] })
  assert.equal(reply.body.code, 'unauthenticated')
})

eachService('POST second-factor 400: a code or a passkey, one of the two', async (_t, service) => {
  await withApp(service)
  const client = service.client()
  const ticket = await ticketFor(client, 'ada')
  assert.deepEqual(faultsOf(await client.json('POST', path, { ticket })), ['code required'])
  assert.deepEqual(faultsOf(await client.json('POST', path, { code: '123456' })), ['ticket required'])
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
  assert.deepEqual(faultsOf(await client.json('POST', path, { ticket, ...both })), ['code required'])
})

eachService(
  'POST second-factor 429: ten wrong codes in ten minutes, from wherever; a passkey still opens',
  async (_t, service) => {
    const ada = await withApp(service)
    const authenticator = createAuthenticator(service.url)
    await addPasskey(ada.client, authenticator)
    service.clock.advance(minute)
    for (let i = 0; i < 10; i++) {
      const client = service.client()
      const ticket = await ticketFor(client, 'ada')
      assert.equal((await client.json('POST', path, { ticket, code: 'zzzzz-zzzzz' })).status, 401)
    }
    const client = service.client()
    const ticket = await ticketFor(client, 'ada')
    const code = await codeOf(service, ada.secret)
    const refused = await client.json('POST', path, { ticket, code })
    assert.equal(refused.status, 429)
    assert.equal(refused.body.code, 'rate_limited')
    assert.equal(refused.headers.get('retry-after'), '600')
    const passkey = await assertion(client, ticket, authenticator)
    assert.equal((await client.json('POST', path, { ticket, passkey })).status, 200)
    service.clock.advance(10 * minute)
    const later = service.client()
    const again = { ticket: await ticketFor(later, 'ada'), code: await codeOf(service, ada.secret) }
    assert.equal((await later.json('POST', path, again)).status, 200)
  },
)

eachService('POST second-factor 429: guesses at the same moment count each', async (_t, service) => {
  await withApp(service)
  const client = service.client()
  const ticket = await ticketFor(client, 'ada')
  const replies = await Promise.all(
    Array.from({ length: 15 }, () => client.json('POST', path, { ticket, code: '000000' })),
  )
  assert.equal(replies.filter(({ status }) => status === 401).length, 10)
  assert.equal(replies.filter(({ status }) => status === 429).length, 5)
})

eachService('POST second-factor: right codes are not counted', async (_t, service) => {
  const ada = await withApp(service)
  for (let i = 0; i < 12; i++) {
    service.clock.advance(30_000)
    const client = service.client()
    const body = { ticket: await ticketFor(client, 'ada'), code: await codeOf(service, ada.secret) }
    assert.equal((await client.json('POST', path, body)).status, 200)
  }
})

eachService(
  'POST second-factor 200: who signs in again keeps the session, another person’s session ends',
  async (_t, service) => {
    const ada = await withApp(service)
    const [first, second] = ada.recoveryCodes
    const before = ada.client.cookies.get('session')
    const ticket = await ticketFor(ada.client, 'ada')
    assert.equal((await ada.client.json('POST', path, { ticket, code: first })).status, 200)
    assert.equal(ada.client.cookies.get('session'), before)
    const bob = service.client()
    await register(bob, 'bob')
    const bobs = bob.cookies.get('session')
    const next = await ticketFor(bob, 'ada')
    assert.equal((await bob.get('/api/users/@me')).body.username, 'bob')
    assert.equal((await bob.json('POST', path, { ticket: next, code: second })).status, 200)
    assert.equal((await bob.get('/api/users/@me')).body.username, 'ada')
    const old = await service.client().get('/api/users/@me', { cookie: `session=${bobs}` })
    assert.equal(old.status, 401)
  },
)

eachService('POST second-factor 403 cross_site', async (_t, service) => {
  const ada = await withApp(service)
  const client = service.client()
  const ticket = await ticketFor(client, 'ada')
  const body = { ticket, code: ada.recoveryCodes[0] }
  const reply = await client.json('POST', path, body, { 'sec-fetch-site': 'cross-site' })
  assert.equal(reply.status, 403)
})

eachService('POST second-factor/options 200: the passkeys of the person who waits', async (_t, service) => {
  const owner = service.client()
  await register(owner, 'ada')
  const authenticator = createAuthenticator(service.url)
  await addPasskey(owner, authenticator)
  const client = service.client()
  const ticket = await ticketFor(client, 'ada')
  const reply = await client.json('POST', '/api/auth/login/second-factor/options', { ticket })
  assert.equal(reply.status, 200)
  assert.equal(reply.body.rpId, 'localhost')
  assert.equal(reply.body.userVerification, 'preferred')
  assert.deepEqual(reply.body.allowCredentials, [
    { id: authenticator.credentialId, type: 'public-key', transports: ['internal'] },
  ])
})
