import assert from 'node:assert/strict'
import { eachService } from '@gatehouse/testkit/service'
import { hiddenFields, mailSubjects, password, register, submit } from '../users/users-testing.ts'

const filled = { username: 'ada', displayName: '', email: 'ada@example.org', password }

eachService(
  'GET /register returns 200 with labelled fields and a link to the login page',
  async (_t, service) => {
    const reply = await service.client().get('/register?return_to=%2Fa')
    assert.equal(reply.status, 200)
    for (const [name, autocomplete] of [
      ['username', 'username'],
      ['displayName', 'nickname'],
      ['email', 'email'],
      ['password', 'new-password'],
    ]) {
      assert.match(reply.text, new RegExp(`<label for="${name}">`))
      assert.match(
        reply.text,
        new RegExp(`name="${name}" type="[a-z]+" value="" autocomplete="${autocomplete}"`),
      )
    }
    assert.match(reply.text, /href="\/login\?return_to=%2Fa"/)
    assert.doesNotMatch(reply.text, /name="invite"/)
  },
)

eachService('GET /register fills in the invite of return_to', async (_t, service) => {
  const reply = await service.client().get('/register?return_to=%2Finvite%2Fabc-_1%3Faccepted%3D1')
  assert.match(reply.text, /name="invite" type="text" value="abc-_1"/)
})

eachService(
  'GET /register returns 403 with a message if REGISTRATION=closed',
  async (_t, service) => {
    const reply = await service.client().get('/register')
    assert.equal(reply.status, 403)
    assert.match(reply.text, /Registration is closed/)
    assert.doesNotMatch(reply.text, /<form/)
    assert.doesNotMatch((await service.client().get('/login')).text, /href="\/register/)
  },
  { env: { REGISTRATION: 'closed' } },
)

eachService('POST /register returns 303 to return_to with a session', async (_t, service) => {
  const client = service.client()
  const reply = await submit(client, '/register?return_to=%2Fchannels%2F1', filled)
  assert.equal(reply.status, 303)
  assert.equal(reply.headers.get('location'), '/channels/1')
  assert.equal((await client.get('/api/users/@me')).body.displayName, 'ada')
  assert.deepEqual(await mailSubjects(service, 'ada@example.org', 1), ['Verify your email address'])
})

eachService('POST /register ends the session of another user in the browser', async (_t, service) => {
  const client = service.client()
  await register(client, 'bob')
  const cookie = client.cookieHeader()
  assert.equal((await submit(client, '/register', filled)).status, 303)
  assert.equal((await client.get('/api/users/@me')).body.username, 'ada')
  assert.equal((await service.client().get('/api/users/@me', { cookie })).status, 401)
})

eachService('POST /register returns 303 to / if it used the invite of return_to', async (_t, service) => {
  const owner = service.client()
  await register(owner, 'owner')
  const server = await owner.json('POST', '/api/servers', { name: 'Garden' })
  const { code } = (await owner.json('POST', `/api/servers/${server.body.id}/invites`, { maxUses: 1 })).body
  const client = service.client()
  const page = `/register?return_to=${encodeURIComponent(`/invite/${code}`)}`
  const reply = await submit(client, page, { ...filled, invite: code })
  assert.equal(reply.status, 303)
  assert.equal(reply.headers.get('location'), '/')
  assert.equal((await client.get('/api/users/@me/servers')).body.length, 1)
})

eachService(
  'POST /register returns 400 with every invalid field and retains every value except the password',
  async (_t, service) => {
    const wrong = { username: 'Ada L', displayName: 'Ada "L"', email: 'nonsense', password: 'secret!' }
    const reply = await submit(service.client(), '/register?return_to=%2Fa', wrong)
    assert.equal(reply.status, 400)
    for (const name of ['username', 'email', 'password']) {
      assert.match(
        reply.text,
        new RegExp(`name="${name}"[^>]* aria-invalid="true" aria-describedby="${name}-error"`),
      )
    }
    assert.match(reply.text, /value="Ada L"/)
    assert.match(reply.text, /value="Ada &quot;L&quot;"/)
    assert.match(reply.text, /value="nonsense"/)
    assert.match(reply.text, /name="password" type="password" value=""/)
    assert.match(reply.text, /Use at least 8 characters\./)
    assert.doesNotMatch(reply.text, /secret!/)
    assert.equal(hiddenFields(reply.text).return_to, '/a')
  },
)

eachService(
  'POST /register returns 400 without an invite if REGISTRATION=invite',
  async (_t, service) => {
    const reply = await submit(service.client(), '/register', filled)
    assert.equal(reply.status, 400)
    assert.match(reply.text, /id="invite-error">An invite is required\./)
  },
  { env: { REGISTRATION: 'invite' } },
)

eachService(
  'POST /register returns 403 without a form token and if REGISTRATION=closed',
  async (_t, service) => {
    const reply = await service.client().form('/register', filled)
    assert.equal(reply.status, 403)
    assert.equal(
      (await service.client().json('POST', '/api/auth/login', { login: 'ada', password })).status,
      401,
    )
  },
)

eachService('POST /register returns 409 with the field that is taken', async (_t, service) => {
  await register(service.client(), 'ada')
  const name = await submit(service.client(), '/register', { ...filled, email: 'other@example.org' })
  assert.equal(name.status, 409)
  assert.match(name.text, /id="username-error">This username is taken\./)
  const email = await submit(service.client(), '/register', { ...filled, username: 'other' })
  assert.equal(email.status, 409)
  assert.match(email.text, /id="email-error">An account with this email address already exists\./)
})

eachService('POST /register returns 429 with a page that says when to try again', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  for (let i = 0; i < 19; i++) await submit(service.client(), '/register', filled)
  const reply = await submit(service.client(), '/register', filled)
  assert.equal(reply.status, 429)
  assert.equal(reply.headers.get('retry-after'), '3600')
  assert.match(reply.text, /Too many new accounts from your IP address\. Try again in 60 minutes\./)
})
