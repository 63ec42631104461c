import assert from 'node:assert/strict'
import { eachService, type TestClient, type TestResponse, type TestService } from '@gatehouse/testkit/service'
import {
  type Authenticator,
  addPasskey,
  createAuthenticator,
  factorsPath,
  readPasskeyOptions,
} from '../second-factor/second-factor-testing.ts'
import { hiddenFields, register } from '../users/users-testing.ts'

async function withPasskey(
  service: TestService,
  username: string,
): Promise<[Authenticator, TestClient, string]> {
  const client = service.client()
  const { id } = (await register(client, username)).body
  // Without a signature counter, like a synchronized passkey, so that only the challenge detects a replay.
  const authenticator = createAuthenticator(service.url, { counts: false })
  assert.equal((await addPasskey(service, client, authenticator)).status, 201)
  return [authenticator, client, id]
}

/** Posts the form like the script of the page. */
async function post(client: TestClient, page: TestResponse, passkey: object | string): Promise<TestResponse> {
  const text = typeof passkey === 'string' ? passkey : JSON.stringify(passkey)
  return client.form('/login/passkey', { ...hiddenFields(page.text), passkey: text })
}

eachService(
  'POST /login/passkey returns 303 with a session for a passkey with user verification',
  async (_t, service) => {
    const [authenticator, owner, id] = await withPasskey(service, 'ada')
    const client = service.client()
    const page = await client.get('/login?return_to=%2Fa')
    const options = readPasskeyOptions(page)
    assert.deepEqual(options.allowCredentials, [])
    assert.equal(options.userVerification, 'required')
    const reply = await post(client, page, authenticator.get(options))
    assert.equal(reply.status, 303, reply.text)
    assert.equal(reply.headers.get('location'), '/a')
    assert.equal((await client.get('/api/users/@me')).body.username, 'ada')
    const rows = await service.db.all<{ amr: string }>`
      SELECT amr FROM sessions WHERE user_id = ${id} ORDER BY id`
    assert.equal(rows.at(-1)?.amr, '["hwk","user","mfa"]')
    assert.ok((await owner.get(factorsPath)).body.passkeys[0].lastUsedAt)
  },
)

eachService(
  'POST /login/passkey updates the authTime and the secret of the current session',
  async (_t, service) => {
    const [authenticator, client, id] = await withPasskey(service, 'ada')
    const before = client.cookies.get('gatehouse_session')
    service.clock.advance(60_000)
    const page = await client.get('/login?reauthenticate=1')
    const reply = await post(client, page, authenticator.get(readPasskeyOptions(page)))
    assert.equal(reply.status, 303)
    assert.notEqual(client.cookies.get('gatehouse_session'), before)
    const rows = await service.db.all<{ authTime: number }>`
      SELECT auth_time FROM sessions WHERE user_id = ${id}`
    assert.deepEqual(rows, [{ authTime: service.clock.now() }])
  },
)

eachService(
  'POST /login/passkey returns 401 without user verification, a user handle or a challenge of this browser',
  async (_t, service) => {
    const [authenticator] = await withPasskey(service, 'ada')
    const [, , bobId] = await withPasskey(service, 'bob')
    const client = service.client()
    const page = await client.get('/login')
    const options = readPasskeyOptions(page)
    const otherBrowser = readPasskeyOptions(await service.client().get('/login'))
    const rejected = [
      authenticator.get(options, { verified: false }),
      authenticator.get(options, { userHandle: undefined }),
      authenticator.get(options, { userHandle: Buffer.from(bobId).toString('base64url') }),
      authenticator.get(options, { origin: 'https://evil.example' }),
      authenticator.get(otherBrowser),
      createAuthenticator(service.url).get(options),
    ]
    for (const passkey of rejected) {
      const reply = await post(client, page, passkey)
      assert.equal(reply.status, 401)
      assert.match(reply.text, /role="alert">The passkey was not accepted\./)
      assert.match(reply.text, /<script src="\/second-factor.js" defer><\/script>/)
    }
    assert.equal((await client.get('/api/users/@me')).status, 401)
  },
)

eachService(
  'POST /login/passkey returns 401 for a replayed assertion and an expired challenge',
  async (_t, service) => {
    const [authenticator] = await withPasskey(service, 'ada')
    const client = service.client()
    const page = await client.get('/login')
    const passkey = authenticator.get(readPasskeyOptions(page))
    const replies = await Promise.all([1, 2, 3].map(() => post(client, page, passkey)))
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [303, 401, 401])
    const other = service.client()
    const opened = await other.get('/login')
    service.clock.advance(300_000)
    const late = await post(other, opened, authenticator.get(readPasskeyOptions(opened)))
    assert.equal(late.status, 401)
    assert.equal((await post(other, late, authenticator.get(readPasskeyOptions(late)))).status, 303)
  },
)

eachService('POST /login/passkey returns 400 for a malformed assertion', async (_t, service) => {
  const client = service.client()
  const page = await client.get('/login')
  for (const passkey of ['', '{', '{}', '[]']) {
    assert.equal((await post(client, page, passkey)).status, 400, passkey)
  }
})

eachService('POST /login/passkey returns 403 for a form token of another browser', async (_t, service) => {
  const [authenticator] = await withPasskey(service, 'ada')
  const page = await service.client().get('/login')
  const reply = await post(service.client(), page, authenticator.get(readPasskeyOptions(page)))
  assert.equal(reply.status, 403)
})
