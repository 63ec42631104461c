import assert from 'node:assert/strict'
import { fieldErrorsOf } from '@gatehouse/testkit/field-errors'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import { createSnowflakes } from '../../kit/snowflake.ts'
import { createPasswords } from '../passwords/password-hash.ts'
import { createUserByOperator } from './operator.ts'
import { mailsTo, mailToken, malformedAddresses, password, register } from './users-testing.ts'

const path = '/api/auth/register'

function body(username: string, more: object = {}) {
  return { username, email: `${username}@example.org`, password, ...more }
}

/** A server of the user `owner`, and the code of an invite with one use. */
async function inviteFor(service: TestService): Promise<{ serverId: string; code: string }> {
  const owner = service.client()
  await owner.json('POST', '/api/auth/login', { login: 'owner', password })
  const server = await owner.json('POST', '/api/servers', { name: 'Garden' })
  const invite = await owner.json('POST', `/api/servers/${server.body.id}/invites`, { maxUses: 1 })
  assert.equal(invite.status, 201, invite.text)
  return { serverId: server.body.id, code: invite.body.code }
}

eachService(
  'POST register returns 201 with the user and a session, and sends a verification mail',
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
      directMessages: 'members',
    })
    const cookie = reply.headers.getSetCookie().find(line => line.startsWith('gatehouse_session='))
    assert.match(
      cookie ?? '',
      /^gatehouse_session=gst_[0-9A-Za-z]{49}; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Lax$/,
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
  'POST register sets __Host- cookies if the base URL is https',
  async (_t, service) => {
    const reply = await service.client().json('POST', path, body('ada'))
    const cookies = reply.headers.getSetCookie()
    assert.deepEqual(
      cookies.map(line => line.slice(0, line.indexOf('='))),
      ['__Host-gatehouse_session', '__Host-gatehouse_browser'],
    )
    for (const cookie of cookies) assert.match(cookie, /; Path=\/; .*; Secure$/)
  },
  { env: { BASE_URL: 'https://chat.example.org' } },
)

eachService('POST register uses the username as the default display name', async (_t, service) => {
  assert.equal((await register(service.client(), 'ada')).body.displayName, 'ada')
})

eachService(
  'POST register accepts fields at their maximum length, counted in graphemes',
  async (_t, service) => {
    const longest = { displayName: '😀'.repeat(32), password: ' 😀'.repeat(128) }
    assert.equal((await service.client().json('POST', path, body('a'.repeat(32), longest))).status, 201)
    assert.equal(
      (await service.client().json('POST', path, body('ab', { password: '8 signs!' }))).status,
      201,
    )
  },
)

eachService(
  'sign-in/session-lifetime: POST register ends the session of another user in the browser if it succeeds',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    const cookie = client.cookieHeader()
    const asAda = () => service.client().get('/api/users/@me', { cookie })
    assert.equal((await client.json('POST', path, body('ada'))).status, 409)
    assert.equal((await asAda()).body.username, 'ada')
    assert.equal((await client.json('POST', path, body('bob'))).status, 201)
    assert.equal((await client.get('/api/users/@me')).body.username, 'bob')
    assert.equal((await asAda()).status, 401)
  },
)

eachService('POST register accepts every email address that HTML and RFC 6531 allow', async (_t, service) => {
  const addresses = [
    "o'brien+tag=1@sub.example-1.org",
    "a.!#$%&'*+/=?^_`{|}~-@x.y",
    'root@localhost',
    'ада@пример.рф',
    'jose\u0301@xn--exmple-cua.org',
  ]
  for (const [index, email] of addresses.entries()) {
    const reply = await service.client().json('POST', path, body(`user${index}`, { email }))
    assert.equal(reply.status, 201, email)
    assert.equal(reply.body.email, email)
  }
})

eachService('POST register returns 400 with an error for each invalid field', async (_t, service) => {
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
    ...malformedAddresses.map((email): [object, string[]] => [{ email }, ['email invalid_format']]),
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
    assert.deepEqual(fieldErrorsOf(reply), expected, JSON.stringify(change))
  }
  assert.equal((await service.client().json('POST', path, body('ada'))).status, 201)
})

eachService(
  'POST register, PATCH @me and POST password/reset return 400 for a common password (sign-in/common-passwords)',
  async (_t, service) => {
    const client = service.client()
    const names = { username: 'ada.lovelace', displayName: 'Countess Ada', email: 'Analyst.42@example.org' }
    const common = ['password', 'PassW0rd', '12345678', 'ada.Lovelace', 'countess ada', 'Gatehouse']
    const words = [...common, 'analyst.42@example.org', 'ANALYST.42']
    for (const password of words) {
      const reply = await client.json('POST', path, { ...names, password })
      assert.equal(reply.status, 400, password)
      assert.deepEqual(fieldErrorsOf(reply), ['password too_common'])
    }
    const password = 'ada.lovelace 1815'
    assert.equal((await client.json('POST', path, { ...names, password })).status, 201)
    for (const next of words) {
      const change = { password: next, currentPassword: password }
      assert.deepEqual(fieldErrorsOf(await client.json('PATCH', '/api/users/@me', change)), [
        'password too_common',
      ])
    }
    const renamed = { username: 'babbage.1791', password: 'Babbage.1791', currentPassword: password }
    assert.deepEqual(fieldErrorsOf(await client.json('PATCH', '/api/users/@me', renamed)), [
      'password too_common',
    ])
    await client.json('POST', '/api/auth/password/forgot', { email: names.email })
    const token = await mailToken(service, names.email, 2)
    for (const next of words) {
      const reply = await client.json('POST', '/api/auth/password/reset', { token, password: next })
      assert.deepEqual(fieldErrorsOf(reply), ['password too_common'])
    }
    const reset = { token, password: 'a better one' }
    assert.equal((await client.json('POST', '/api/auth/password/reset', reset)).status, 204)
  },
)

eachService('POST register returns 400 for malformed JSON', async (_t, service) => {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"username":' }
  const reply = await service.client().send(path, init)
  assert.equal(reply.status, 400)
  assert.equal(reply.body.code, 'malformed_json')
})

eachService(
  'POST register returns 400 without a valid invite if REGISTRATION=invite',
  async (_t, service) => {
    const without = await service.client().json('POST', path, body('ada'))
    assert.equal(without.status, 400)
    assert.deepEqual(fieldErrorsOf(without), ['invite required'])
    const unknown = await service.client().json('POST', path, body('ada', { invite: 'nonsense' }))
    assert.equal(unknown.status, 400)
    assert.deepEqual(fieldErrorsOf(unknown), ['invite unknown_invite'])
    assert.equal(
      (await service.client().json('POST', '/api/auth/login', { login: 'ada', password })).status,
      401,
    )
  },
  { env: { REGISTRATION: 'invite' } },
)

eachService(
  'POST register with an invalid invite does not tell which names and addresses exist (community/invite-first)',
  async (_t, service) => {
    const ids = createSnowflakes({ clock: service.clock.now, node: 5 })
    const passwords = createPasswords({ memory: 64, passes: 1 })
    await createUserByOperator({ db: service.db, clock: service.clock.now, ids, passwords }, body('owner'))
    const taken = [
      body('owner'),
      body('other', { email: 'OWNER@example.org' }),
      body('deleted.1'),
      body('free'),
    ]
    for (const fields of taken) {
      const without = await service.client().json('POST', path, fields)
      assert.deepEqual(fieldErrorsOf(without), ['invite required'])
      const unknown = await service.client().json('POST', path, { ...fields, invite: 'nonsense' })
      assert.equal(unknown.status, 400)
      assert.deepEqual(fieldErrorsOf(unknown), ['invite unknown_invite'])
    }
    const { code } = await inviteFor(service)
    const conflict = await service.client().json('POST', path, { ...body('owner'), invite: code })
    assert.equal(conflict.status, 409)
    // The conflict has not used the invite up.
    const reply = await service.client().json('POST', path, body('free', { invite: code }))
    assert.equal(reply.status, 201)
    const used = await service.client().json('POST', path, body('owner', { invite: code }))
    assert.deepEqual(fieldErrorsOf(used), ['invite unknown_invite'])
  },
  { env: { REGISTRATION: 'invite' } },
)

eachService('POST register uses the invite once and adds the user to its server', async (_t, service) => {
  await register(service.client(), 'owner')
  const { serverId, code } = await inviteFor(service)
  const clients = Array.from({ length: 5 }, () => service.client())
  const replies = await Promise.all(
    clients.map((client, i) => client.json('POST', path, body(`user${i}`, { invite: code }))),
  )
  const accepted = replies.filter(reply => reply.status === 201)
  assert.equal(accepted.length, 1)
  for (const reply of replies) {
    if (reply.status !== 201) assert.deepEqual(fieldErrorsOf(reply), ['invite unknown_invite'])
  }
  const client = clients[replies.findIndex(reply => reply.status === 201)]
  const servers = await client?.get('/api/users/@me/servers')
  assert.deepEqual(
    servers?.body.map((server: { id: string }) => server.id),
    [serverId],
  )
  const rows = await service.db.all`SELECT id FROM users`
  assert.equal(rows.length, 2)
})

eachService(
  'POST register returns 403 if REGISTRATION=closed',
  async (_t, service) => {
    const reply = await service.client().json('POST', path, body('ada'))
    assert.equal(reply.status, 403)
    assert.equal(reply.body.code, 'registration_closed')
  },
  { env: { REGISTRATION: 'closed' } },
)

eachService(
  'POST register returns 409 if the username, or the email address in any case, is taken',
  async (_t, service) => {
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
  },
)

eachService(
  'of concurrent POST register requests with one username exactly one returns 201',
  async (_t, service) => {
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        service.client().json('POST', path, body('ada', { email: `ada${i}@example.org` })),
      ),
    )
    const statuses = replies.map(reply => reply.status).sort()
    assert.deepEqual(statuses, [201, ...new Array<number>(7).fill(409)])
  },
)

eachService('POST register returns 429 for the 21st account per IP address and hour', async (_t, service) => {
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
  'POST register has no limit if RATE_LIMITS=off',
  async (_t, service) => {
    await register(service.client(), 'ada')
    for (let i = 0; i < 25; i++) {
      assert.equal((await service.client().json('POST', path, body('ada'))).status, 409)
    }
  },
  { env: { RATE_LIMITS: 'off' } },
)
