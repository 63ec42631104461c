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
} from './second-factor-testing.ts'

const path = '/api/users/@me/second-factors/passkeys'
const optionsPath = '/api/users/@me/second-factors/passkeys/options'
const requestOptionsPath = '/api/users/@me/second-factors/passkeys/request-options'
const minute = 60_000

eachService(
  'POST passkeys/options returns 200 with the options for this user and excludes existing passkeys',
  async (_t, service) => {
    const client = service.client()
    const { id } = (await registerVerified(service, client, 'ada', { displayName: 'Ada Lovelace' })).body
    const { status, body } = await client.json('POST', optionsPath)
    assert.equal(status, 200)
    assert.equal(body.rp.id, 'localhost')
    assert.deepEqual(body.user, {
      id: Buffer.from(id).toString('base64url'),
      name: 'ada',
      displayName: 'Ada Lovelace',
    })
    assert.equal(body.attestation, 'none')
    assert.equal(body.timeout, 300_000)
    assert.deepEqual(body.excludeCredentials, [])
    const authenticator = createAuthenticator(service.url)
    await addPasskey(service, client, authenticator)
    const again = (await client.json('POST', optionsPath)).body
    assert.notEqual(again.challenge, body.challenge)
    assert.deepEqual(again.excludeCredentials, [
      { id: authenticator.credentialId, type: 'public-key', transports: ['internal'] },
    ])
  },
)

eachService('POST passkeys/options returns 400 without recent authentication', async (_t, service) => {
  const client = service.client()
  await registerVerified(service, client, 'ada')
  service.clock.advance(10 * minute)
  const reply = await client.json('POST', optionsPath)
  assert.equal(reply.status, 400)
  assert.deepEqual(fieldErrorsOf(reply), ['currentPassword required'])
  const given = await client.json('POST', optionsPath, { currentPassword: password })
  assert.equal(given.status, 200)
})

eachService(
  'POST passkeys returns 201, adds recovery codes with the first passkey and sends a mail',
  async (_t, service) => {
    const client = service.client()
    await registerVerified(service, client, 'ada')
    const reply = await addPasskey(service, client, createAuthenticator(service.url), '  My phone  ')
    assert.equal(reply.status, 201, reply.text)
    const { recoveryCodes, ...passkey } = reply.body
    assert.equal(recoveryCodes.length, 10)
    assert.deepEqual(passkey, {
      id: passkey.id,
      name: 'My phone',
      createdAt: new Date(service.clock.now()).toISOString(),
      lastUsedAt: null,
    })
    assert.deepEqual((await client.get(factorsPath)).body.passkeys, [passkey])
    const login = await service.client().json('POST', '/api/auth/login', { login: 'ada', password })
    assert.equal(login.status, 401)
    assert.deepEqual(login.body.methods, ['passkey', 'recovery_code'])
    const mails = await mailsTo(service, 'ada@example.org', 2)
    assert.equal(mails.at(-1)?.subject, 'A passkey was added')
    const second = await addPasskey(service, client, createAuthenticator(service.url))
    assert.deepEqual(second.body.recoveryCodes, [])
  },
)

eachService(
  'POST passkeys returns 400 for an expired or used challenge, one of another session and another origin',
  async (_t, service) => {
    const client = service.client()
    await registerVerified(service, client, 'ada')
    const other = service.client()
    await registerVerified(service, other, 'bob')
    const optionsFor = async (user: typeof client) =>
      (await user.json('POST', optionsPath, { currentPassword: password })).body
    const add = (response: object) => client.json('POST', path, { response, name: 'Key' })
    const assertRejected = async (response: object) => {
      const reply = await add(response)
      assert.equal(reply.status, 400)
      assert.deepEqual(fieldErrorsOf(reply), ['response invalid_passkey'])
    }
    await assertRejected(createAuthenticator(service.url).create(await optionsFor(other)))
    await assertRejected(createAuthenticator('https://evil.example').create(await optionsFor(client)))
    const options = await optionsFor(client)
    await assertRejected(
      createAuthenticator(service.url).create({ ...options, rp: { id: 'evil.example', name: '' } }),
    )
    await assertRejected(createAuthenticator(service.url).create({ ...options, challenge: 'AAAA' }))
    service.clock.advance(5 * minute)
    await assertRejected(createAuthenticator(service.url).create(options))
    const unused = await optionsFor(client)
    assert.equal((await add(createAuthenticator(service.url).create(unused))).status, 201)
    await assertRejected(createAuthenticator(service.url).create(unused))
    assert.equal((await client.get(factorsPath)).body.passkeys.length, 1)
  },
)

eachService(
  'POST passkeys returns 400 for a malformed registration response or name',
  async (_t, service) => {
    const client = service.client()
    await registerVerified(service, client, 'ada')
    const { body: options } = await client.json('POST', optionsPath)
    const response = createAuthenticator(service.url).create(options)
    const malformed = { ...response, response: { ...response.response, attestationObject: 'AAAA' } }
    const replies = [
      await client.json('POST', path, { response: malformed, name: 'Key' }),
      await client.json('POST', path, { response: { id: 'x' }, name: 'Key' }),
      await client.json('POST', path, { response, name: '' }),
      await client.json('POST', path, { response, name: 'x'.repeat(65) }),
      await client.json('POST', path, { response, name: 'Key', more: 1 }),
    ]
    for (const reply of replies) assert.equal(reply.status, 400, reply.text)
    assert.deepEqual(replies.slice(2).map(fieldErrorsOf), [
      ['name too_short'],
      ['name too_long'],
      ['more unknown_member'],
    ])
  },
)

eachService(
  'POST passkeys returns 409 if another user registered the same credential',
  async (_t, service) => {
    const ada = service.client()
    await registerVerified(service, ada, 'ada')
    const authenticator = createAuthenticator(service.url)
    assert.equal((await addPasskey(service, ada, authenticator)).status, 201)
    const bob = service.client()
    await registerVerified(service, bob, 'bob')
    const reply = await addPasskey(service, bob, authenticator)
    assert.equal(reply.status, 409)
    assert.equal(reply.body.code, 'conflict')
    assert.deepEqual((await bob.get(factorsPath)).body, noFactors)
  },
)

eachService('POST passkeys returns 409 for the 21st passkey', async (_t, service) => {
  const client = service.client()
  await registerVerified(service, client, 'ada')
  const { body: options } = await client.json('POST', optionsPath)
  for (let i = 0; i < 20; i++) {
    assert.equal((await addPasskey(service, client, createAuthenticator(service.url))).status, 201)
  }
  assert.equal((await client.json('POST', optionsPath)).status, 409)
  const response = createAuthenticator(service.url).create(options)
  assert.equal((await client.json('POST', path, { response, name: 'One more' })).status, 409)
})

eachService(
  'DELETE passkeys/:id returns 204, disables the second factor and sends a mail',
  async (_t, service) => {
    const client = service.client()
    await registerVerified(service, client, 'ada')
    const { id } = (await addPasskey(service, client, createAuthenticator(service.url))).body
    assert.equal((await client.json('DELETE', `${path}/${id}`)).status, 204)
    assert.deepEqual((await client.get(factorsPath)).body, noFactors)
    const login = await service.client().json('POST', '/api/auth/login', { login: 'ada', password })
    assert.equal(login.status, 200)
    const mails = await mailsTo(service, 'ada@example.org', 3)
    assert.equal(mails[2]?.subject, 'A passkey was removed')
  },
)

eachService(
  'POST passkeys and passkeys/options return 403 without a verified email address ' +
    '(sign-in/factor-needs-verified-email)',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    const rejected = await client.json('POST', optionsPath, { currentPassword: password })
    assert.equal(rejected.status, 403)
    assert.equal(rejected.body.code, 'email_not_verified')
    await verifyEmail(service, client)
    const { body: options } = await client.json('POST', optionsPath)
    await service.db.run`UPDATE users SET email_verified = 0`
    const response = createAuthenticator(service.url).create(options)
    const added = await client.json('POST', path, { response, name: 'Key' })
    assert.equal(added.body.code, 'email_not_verified')
    assert.deepEqual((await client.get(factorsPath)).body, noFactors)
  },
)

eachService(
  'DELETE passkeys/:id returns 404 for a passkey of another user and for unknown ids',
  async (_t, service) => {
    const ada = service.client()
    await registerVerified(service, ada, 'ada')
    const { id } = (await addPasskey(service, ada, createAuthenticator(service.url))).body
    const bob = service.client()
    await registerVerified(service, bob, 'bob')
    await addTotp(service, bob)
    assert.equal((await bob.json('DELETE', `${path}/${id}`)).status, 404)
    assert.equal((await ada.json('DELETE', `${path}/1000000000000000001`)).status, 404)
    assert.equal((await ada.json('DELETE', `${path}/x`)).status, 404)
    await createTicket(service.client(), 'ada')
  },
)

eachService(
  'POST passkeys/request-options returns 200 with the passkeys of the user, and DELETE ' +
    'passkeys/:id accepts one (sign-in/factor-change-proof)',
  async (_t, service) => {
    const client = service.client()
    await registerVerified(service, client, 'ada')
    const authenticator = createAuthenticator(service.url)
    const { id } = (await addPasskey(service, client, authenticator)).body
    service.clock.advance(10 * minute)
    const remove = (proof?: object) => client.json('DELETE', `${path}/${id}`, proof)
    assert.deepEqual(fieldErrorsOf(await remove({ currentPassword: password })), ['code required'])
    const { status, body: options } = await client.json('POST', requestOptionsPath)
    assert.equal(status, 200)
    assert.deepEqual(options.allowCredentials, [
      { id: authenticator.credentialId, type: 'public-key', transports: ['internal'] },
    ])
    assert.equal((await remove({ passkey: authenticator.get(options) })).status, 204)
    assert.deepEqual((await client.get(factorsPath)).body, noFactors)
  },
)

eachService(
  'a change of the second factors returns 400 for a used passkey, one of another session and one of a sign-in',
  async (_t, service) => {
    const client = service.client()
    await registerVerified(service, client, 'ada')
    const authenticator = createAuthenticator(service.url, { counts: false })
    await addPasskey(service, client, authenticator)
    const renew = (passkey: object) => client.json('POST', `${factorsPath}/recovery-codes`, { passkey })
    const first = authenticator.get((await client.json('POST', requestOptionsPath)).body)
    assert.equal((await renew(first)).status, 200)

    const other = service.client()
    const login = '/api/auth/login'
    const { ticket } = (await other.json('POST', login, { login: 'ada', password })).body
    const forLogin = await other.json('POST', `${login}/second-factor/options`, { ticket })
    const passkey = authenticator.get(
      (await other.json('POST', `${login}/second-factor/options`, { ticket })).body,
    )
    assert.equal((await other.json('POST', `${login}/second-factor`, { ticket, passkey })).status, 200)
    const ofOther = (await other.json('POST', requestOptionsPath)).body
    for (const wrong of [first, authenticator.get(forLogin.body), authenticator.get(ofOther)]) {
      const reply = await renew(wrong)
      assert.equal(reply.status, 400)
      assert.deepEqual(fieldErrorsOf(reply), ['passkey invalid_passkey'])
    }
  },
)
