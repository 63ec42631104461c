import assert from 'node:assert/strict'
import { eachService, type TestService } from '../../../testing.ts'
import { faultsOf, mailsTo, password, register } from '../testing.ts'

const path = '/api/auth/register'

function body(username: string, more: object = {}) {
  return { username, email: `${username}@example.org`, password, ...more }
}

/** A server of somebody's, and a code that lets one person in. */
async function inviteFor(service: TestService): Promise<{ serverId: string; code: string }> {
  const owner = service.client()
  await owner.json('POST', '/api/auth/login', { login: 'owner', password })
  const server = await owner.json('POST', '/api/servers', { name: 'Garden' })
  const invite = await owner.json('POST', `/api/servers/${server.body.id}/invites`, { maxUses: 1 })
  assert.equal(invite.status, 201, invite.text)
  return { serverId: server.body.id, code: invite.body.code }
}

eachService(
  'POST register 201: oneself, a session, and a mail to confirm the address',
  async (_t, service) => {
    const client = service.client()
    const reply = await client.json('POST', path, body('ada.l_1', { displayName: '  Ada Lovelace  ' }))
    assert.equal(reply.status, 201)
    const { id, ...rest } = reply.body
    assert.match(id, /^[1-9][0-9]{18}$/)
    assert.deepEqual(rest, {
      username: 'ada.l_1',
      displayName: 'Ada Lovelace',
      avatar: `/images/users/${id}/default`,
      bot: false,
      email: 'ada.l_1@example.org',
      emailVerified: false,
    })
    const cookie = reply.headers.getSetCookie().find(line => line.startsWith('session='))
    assert.match(
      cookie ?? '',
      /^session=gst_[0-9A-Za-z]{49}; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Lax$/,
    )
    assert.deepEqual((await client.get('/api/users/@me')).body, reply.body)
    const [mail] = await mailsTo(service, 'ada.l_1@example.org', 1)
    assert.match(
      mail?.text ?? '',
      new RegExp(`^${service.url}/verify-email\\?token=gmt_[0-9A-Za-z]{49}$`, 'm'),
    )
    assert.equal(mail?.userId, id)
  },
)

eachService(
  'POST register 201: the cookie is bound to the host where the service is reached by https',
  async (_t, service) => {
    const reply = await service.client().json('POST', path, body('ada'))
    const cookie = reply.headers.getSetCookie().find(line => line.startsWith('__Host-session='))
    assert.match(cookie ?? '', /; Path=\/; .*; Secure$/)
  },
  { env: { BASE_URL: 'https://chat.example.org' } },
)

eachService('POST register 201: without a display name the username is shown', async (_t, service) => {
  assert.equal((await register(service.client(), 'ada')).body.displayName, 'ada')
})

eachService(
  'POST register 201: lengths at their limits, counted in characters that people see',
  async (_t, service) => {
    const longest = { displayName: '😀'.repeat(32), password: ' 😀'.repeat(128) }
    assert.equal((await service.client().json('POST', path, body('a'.repeat(32), longest))).status, 201)
    assert.equal(
      (await service.client().json('POST', path, body('ab', { password: '12345678' }))).status,
      201,
    )
  },
)

eachService('POST register 400: each field that is wrong is named', async (_t, service) => {
  const cases: [object, string[]][] = [
    [{ username: 'a' }, ['username too_short']],
    [{ username: 'a'.repeat(33) }, ['username too_long']],
    [{ username: 'Ada' }, ['username invalid_format']],
    [{ username: 'ada lovelace' }, ['username invalid_format']],
    [{ username: 'ad\u0430' }, ['username invalid_format']],
    [{ username: 'ada\n' + 'x' }, ['username invalid_format']],
    [{ username: 5 }, ['username invalid_type']],
    [{ email: 'nonsense' }, ['email invalid_format']],
    [{ email: 'a@b@c' }, ['email invalid_format']],
    [{ email: 'a b@example.org' }, ['email invalid_format']],
    [{ email: `${'a'.repeat(250)}@b.org` }, ['email too_long']],
    [{ password: '1234567' }, ['password too_short']],
    [{ password: 'a'.repeat(257) }, ['password too_long']],
    [{ password: 'correct\u0000horse' }, ['password invalid_text']],
    [{ password: 'correct\ud800horse' }, ['password invalid_text']],
    [{ displayName: '   ' }, ['displayName too_short']],
    [{ displayName: '\u200b\u200b' }, ['displayName too_short']],
    [{ displayName: 'a'.repeat(33) }, ['displayName too_long']],
    [{ displayName: 'a\u0000' }, ['displayName invalid_text']],
    [{ admin: true }, ['admin unknown_member']],
    [{ username: undefined }, ['username required']],
  ]
  for (const [change, expected] of cases) {
    const reply = await service.client().json('POST', path, { ...body('ada'), ...change })
    assert.equal(reply.status, 400, JSON.stringify(change))
    assert.equal(reply.body.code, 'validation_failed')
    assert.deepEqual(faultsOf(reply), expected, JSON.stringify(change))
  }
  assert.equal((await service.client().json('POST', path, body('ada'))).status, 201)
})

eachService('POST register 400: what is no JSON', async (_t, service) => {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"username":' }
  const reply = await service.client().send(path, init)
  assert.equal(reply.status, 400)
  assert.equal(reply.body.code, 'malformed_json')
})

eachService(
  'POST register 400: with REGISTRATION=invite no code, or one that does not hold',
  async (_t, service) => {
    const without = await service.client().json('POST', path, body('ada'))
    assert.equal(without.status, 400)
    assert.deepEqual(faultsOf(without), ['invite required'])
    const unknown = await service.client().json('POST', path, body('ada', { invite: 'nonsense' }))
    assert.equal(unknown.status, 400)
    assert.deepEqual(faultsOf(unknown), ['invite unknown_invite'])
    assert.equal(
      (await service.client().json('POST', '/api/auth/login', { login: 'ada', password })).status,
      401,
    )
  },
  { env: { REGISTRATION: 'invite' } },
)

eachService(
  'POST register 201: an invite is used with the account, once, and leads to its server',
  async (_t, service) => {
    await register(service.client(), 'owner')
    const { serverId, code } = await inviteFor(service)
    const clients = Array.from({ length: 5 }, () => service.client())
    const replies = await Promise.all(
      clients.map((client, i) => client.json('POST', path, body(`person${i}`, { invite: code }))),
    )
    const made = replies.filter(reply => reply.status === 201)
    assert.equal(made.length, 1)
    for (const reply of replies) {
      if (reply.status !== 201) assert.deepEqual(faultsOf(reply), ['invite unknown_invite'])
    }
    const client = clients[replies.findIndex(reply => reply.status === 201)]
    const servers = await client?.get('/api/users/@me/servers')
    assert.deepEqual(
      servers?.body.map((server: { id: string }) => server.id),
      [serverId],
    )
    const people = await service.db.all`SELECT id FROM users`
    assert.equal(people.length, 2)
  },
)

eachService(
  'POST register 403: with REGISTRATION=closed',
  async (_t, service) => {
    const reply = await service.client().json('POST', path, body('ada'))
    assert.equal(reply.status, 403)
    assert.equal(reply.body.code, 'registration_closed')
  },
  { env: { REGISTRATION: 'closed' } },
)

eachService('POST register 403: from another site', async (_t, service) => {
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'https://elsewhere.example' },
    { origin: 'null' },
  ]) {
    const reply = await service.client().json('POST', path, body('ada'), headers)
    assert.equal(reply.status, 403)
    assert.equal(reply.body.code, 'cross_site')
  }
})

eachService('POST register 409: username or address taken, the address in any case', async (_t, service) => {
  await register(service.client(), 'ada')
  const username = await service.client().json('POST', path, body('ada', { email: 'other@example.org' }))
  const email = await service.client().json('POST', path, body('other', { email: 'ADA@Example.Org' }))
  const reserved = await service.client().json('POST', path, body('deleted.1'))
  for (const reply of [username, email, reserved]) {
    assert.equal(reply.status, 409)
    assert.equal(reply.body.code, 'conflict')
    assert.deepEqual(reply.headers.getSetCookie(), [])
  }
  assert.match(username.body.message, /username/)
  assert.match(email.body.message, /address/)
})

eachService('POST register 409: of several with one name at once one gets it', async (_t, service) => {
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      service.client().json('POST', path, body('ada', { email: `ada${i}@example.org` })),
    ),
  )
  const statuses = replies.map(reply => reply.status).sort()
  assert.deepEqual(statuses, [201, ...new Array<number>(7).fill(409)])
})

eachService('POST register 429: the 21st within an hour from one address', async (_t, service) => {
  for (let i = 0; i < 20; i++) {
    assert.equal((await service.client().json('POST', path, body('ada'))).status, i === 0 ? 201 : 409)
  }
  const reply = await service.client().json('POST', path, body('bob'))
  assert.equal(reply.status, 429)
  assert.equal(reply.body.code, 'rate_limited')
  assert.equal(reply.headers.get('retry-after'), '3600')
  assert.equal(reply.body.retryAfter, 3600)
  service.clock.advance(60 * 60 * 1000)
  assert.equal((await service.client().json('POST', path, body('bob'))).status, 201)
})

eachService(
  'POST register 201: RATE_LIMITS=off lifts the limit',
  async (_t, service) => {
    await register(service.client(), 'ada')
    for (let i = 0; i < 25; i++) {
      assert.equal((await service.client().json('POST', path, body('ada'))).status, 409)
    }
  },
  { env: { RATE_LIMITS: 'off' } },
)
