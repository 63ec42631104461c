import assert from 'node:assert/strict'
import { fieldErrorsOf } from '@gatehouse/testkit/field-errors'
import { eachService, type TestClient, type TestService } from '@gatehouse/testkit/service'
import { addPasskey, addTotp, createAuthenticator, totpCode } from '../second-factor/second-factor-testing.ts'
import { mailSubjects, mailToken, password, registerVerified } from './users-testing.ts'

const path = '/api/users/@me'
const minute = 60_000
const address = 'ada@example.org'
const changes = [{ password: 'another horse battery' }, { email: 'new@example.org' }]

/** A user with an authenticator app. The sign-in is not recent any more. */
async function setUp(service: TestService) {
  const client = service.client()
  await registerVerified(service, client, 'ada')
  const app = await addTotp(service, client)
  service.clock.advance(10 * minute)
  const change = (fields: object) => client.json('PATCH', path, { currentPassword: password, ...fields })
  return { client, ...app, change }
}

async function assertUnchanged(service: TestService, client: TestClient): Promise<void> {
  assert.equal((await client.get(path)).body.email, address)
  const login = await service.client().json('POST', '/api/auth/login', { login: 'ada', password })
  assert.equal(login.body.code, 'second_factor_required')
  assert.deepEqual(
    service.mails.filter(mail => mail.to !== address),
    [],
  )
}

eachService(
  'PATCH @me with a new password or email address returns 400 without the second factor ' +
    '(sign-in/credential-change-proof)',
  async (_t, service) => {
    const { client, secret, change } = await setUp(service)
    const wrong = { code: await totpCode(service, secret, 5) }
    for (const fields of [...changes, { ...changes[0], ...changes[1] }]) {
      assert.deepEqual(fieldErrorsOf(await change(fields)), ['code required'])
      assert.deepEqual(fieldErrorsOf(await change({ ...fields, ...wrong })), ['code wrong_code'])
      const withoutPassword = await client.json('PATCH', path, {
        ...fields,
        code: await totpCode(service, secret),
      })
      assert.deepEqual(fieldErrorsOf(withoutPassword), ['currentPassword required'])
    }
    await assertUnchanged(service, client)
    // A refused change has not used up the code, and names need no proof.
    assert.equal((await client.json('PATCH', path, { displayName: 'Ada L.' })).status, 200)
    assert.equal((await change({ ...changes[0], code: await totpCode(service, secret) })).status, 200)
  },
)

eachService(
  'PATCH @me accepts a code once, for the password and the email address (sign-in/credential-change-proof)',
  async (_t, service) => {
    const { secret, recoveryCodes, change } = await setUp(service)
    const proof = { code: await totpCode(service, secret) }
    const replies = await Promise.all([
      change({ ...changes[1], ...proof }),
      change({ ...changes[1], ...proof }),
    ])
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 400])
    assert.ok(await mailToken(service, 'new@example.org', 1))
    assert.equal((await change({ ...changes[0], code: recoveryCodes[0] })).status, 200)
  },
)

eachService(
  'PATCH @me accepts a passkey for a new password (sign-in/credential-change-proof)',
  async (_t, service) => {
    const client = service.client()
    await registerVerified(service, client, 'ada')
    const authenticator = createAuthenticator(service.url)
    await addPasskey(service, client, authenticator)
    service.clock.advance(10 * minute)
    const change = (proof: object) =>
      client.json('PATCH', path, { currentPassword: password, ...changes[0], ...proof })
    assert.deepEqual(fieldErrorsOf(await change({})), ['code required'])
    const options = (await client.json('POST', `${path}/second-factors/passkeys/request-options`)).body
    assert.equal((await change({ passkey: authenticator.get(options) })).status, 200)
  },
)

eachService(
  'PATCH @me needs no second factor within ten minutes after a sign-in with it, but the ' +
    'password (sign-in/credential-change-proof)',
  async (_t, service) => {
    const client = service.client()
    await registerVerified(service, client, 'ada')
    await addTotp(service, client)
    service.clock.advance(10 * minute - 1)
    const withoutPassword = await client.json('PATCH', path, changes[0])
    assert.deepEqual(fieldErrorsOf(withoutPassword), ['currentPassword required'])
    const reply = await client.json('PATCH', path, { currentPassword: password, ...changes[0] })
    assert.equal(reply.status, 200)
  },
)

eachService(
  'PATCH @me returns 400 in a session without the second factor, also right after the ' +
    'sign-in (sign-in/credential-change-proof)',
  async (_t, service) => {
    const client = service.client()
    await registerVerified(service, client, 'ada')
    await addTotp(service, client)
    // A session that was started with the password only.
    await service.db.run`UPDATE sessions SET amr = '["pwd"]'`
    for (const fields of changes) {
      const reply = await client.json('PATCH', path, { currentPassword: password, ...fields })
      assert.deepEqual(fieldErrorsOf(reply), ['code required'])
    }
    await assertUnchanged(service, client)
  },
)

eachService(
  'PATCH @me without the second factor uses up none of the mails of an hour (sign-in/credential-change-proof)',
  async (_t, service) => {
    const { secret, change } = await setUp(service)
    for (let i = 0; i < 6; i++) assert.equal((await change({ ...changes[1] })).status, 400)
    assert.equal((await change({ ...changes[1], code: await totpCode(service, secret) })).status, 200)
    assert.deepEqual(await mailSubjects(service, 'new@example.org', 1), ['Verify your email address'])
  },
)

eachService(
  'PATCH @me returns 429 after ten wrong codes (sign-in/credential-change-proof)',
  async (_t, service) => {
    const { secret, change } = await setUp(service)
    for (let i = 0; i < 10; i++) {
      assert.equal((await change({ ...changes[0], code: '000000' })).status, 400)
    }
    assert.equal((await change({ ...changes[0], code: await totpCode(service, secret) })).status, 429)
  },
)
