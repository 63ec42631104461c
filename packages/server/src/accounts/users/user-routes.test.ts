import assert from 'node:assert/strict'
import { fieldErrorsOf } from '@gatehouse/testkit/field-errors'
import { assertRoundTrips } from '@gatehouse/testkit/round-trips'
import { eachService, type TestClient } from '@gatehouse/testkit/service'
import {
  mailSubjects,
  mailsTo,
  mailToken,
  malformedAddresses,
  password,
  register,
  registerVerified,
} from './users-testing.ts'

const path = '/api/users/@me'
const newPassword = 'another horse battery'

eachService('GET @me returns 200 with the current user and the email address', async (_t, service) => {
  const client = service.client()
  const { body } = await register(client, 'ada')
  const reply = await client.get(path)
  assert.equal(reply.status, 200)
  assert.deepEqual(reply.body, body)
  const members = [
    'avatar',
    'bot',
    'directMessages',
    'displayName',
    'email',
    'emailVerified',
    'id',
    'username',
  ]
  assert.deepEqual(Object.keys(reply.body).sort(), members)
})

eachService('GET @me waits twice for PostgreSQL: session, user', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  await assertRoundTrips(service, 2, async () => assert.equal((await client.get(path)).status, 200))
})

eachService('PATCH @me changes the names without the current password', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  const reply = await client.json('PATCH', path, { username: 'ada2', displayName: ' Ada\u202e L. ' })
  assert.equal(reply.status, 200)
  assert.equal(reply.body.username, 'ada2')
  assert.equal(reply.body.displayName, 'Ada L.')
  assert.deepEqual((await client.get(path)).body, reply.body)
})

eachService('PATCH @me returns 200 for an empty body and for equal values', async (_t, service) => {
  const client = service.client()
  const { body } = await register(client, 'ada')
  for (const same of [{}, { username: 'ada', email: 'ada@example.org' }]) {
    const reply = await client.json('PATCH', path, same)
    assert.equal(reply.status, 200)
    assert.deepEqual(reply.body, body)
  }
  assert.equal(service.mails.length, 1)
})

eachService(
  'sign-in/session-secret: PATCH @me with a new password renews the cookie, revokes the ' +
    'other sessions and sends a mail',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    const other = service.client()
    await other.json('POST', '/api/auth/login', { login: 'ada', password })
    const before = client.cookieHeader()
    const reply = await client.json('PATCH', path, { password: newPassword, currentPassword: password })
    assert.equal(reply.status, 200)
    assert.equal((await client.get(path)).status, 200)
    assert.equal((await other.get(path)).status, 401)
    assert.equal((await service.client().get(path, { cookie: before })).status, 401)
    const login = { login: 'ada', password: newPassword }
    assert.equal((await service.client().json('POST', '/api/auth/login', login)).status, 200)
    const [, notice] = await mailSubjects(service, 'ada@example.org', 2)
    assert.equal(notice, 'Your password was changed')
  },
)

eachService(
  'PATCH @me with a new email address sends a verification mail to it, which completes the ' +
    'change (community/email-change)',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    const first = await mailToken(service, 'ada@example.org', 1)
    await client.json('POST', '/api/auth/email/verify', { token: first })
    const reply = await client.json('PATCH', path, { email: 'New@example.org', currentPassword: password })
    assert.equal(reply.status, 200)
    const { email, emailVerified } = reply.body
    assert.deepEqual([email, emailVerified], ['ada@example.org', true])
    assert.deepEqual((await client.get(path)).body, reply.body)
    const token = await mailToken(service, 'New@example.org', 1)
    assert.deepEqual(await mailSubjects(service, 'ada@example.org', 1), ['Verify your email address'])
    assert.equal((await client.json('POST', '/api/auth/email/verify', { token })).status, 204)
    const after = (await client.get(path)).body
    assert.deepEqual([after.email, after.emailVerified], ['New@example.org', true])
    const [, notice] = await mailSubjects(service, 'ada@example.org', 2)
    assert.equal(notice, 'Your email address was changed')
    const login = { login: 'new@example.org', password }
    assert.equal((await service.client().json('POST', '/api/auth/login', login)).status, 200)
  },
)

eachService(
  'PATCH @me responds alike for an email address of another account, whose owner gets a mail (community/email-change)',
  async (_t, service) => {
    await register(service.client(), 'bob')
    const responses = []
    for (const [name, email] of [
      ['ada', 'BOB@example.org'],
      ['eve', 'free@example.org'],
    ] as const) {
      const client = service.client()
      await register(client, name)
      const reply = await client.json('PATCH', path, { email, currentPassword: password })
      const headers = [...reply.headers.keys()].toSorted()
      const normalize = (body: object) =>
        JSON.stringify(body)
          .replaceAll(name, 'NAME')
          .replaceAll(/\d{19}/g, 'ID')
      const reread = (await client.get(path)).body
      responses.push([reply.status, normalize(reply.body), normalize(reread), headers])
    }
    assert.deepEqual(responses[0], responses[1])
    await mailToken(service, 'free@example.org', 1)
    const [, notice] = await mailsTo(service, 'bob@example.org', 2)
    assert.equal(notice?.subject, 'Your email address was entered for another account')
    assert.match(notice?.text ?? '', /account bob/)
    assert.doesNotMatch(notice?.text ?? '', /ada|token=/)
    assert.deepEqual(await mailSubjects(service, 'BOB@example.org', 0), [])
  },
)

eachService('at most five notices an hour go to the owner of an address', async (_t, service) => {
  await register(service.client(), 'bob')
  for (const name of ['ada', 'cleo']) {
    const client = service.client()
    await register(client, name)
    for (let i = 0; i < 4; i++) {
      const change = { email: 'bob@example.org', currentPassword: password }
      assert.equal((await client.json('PATCH', path, change)).status, 200)
    }
  }
  await service.client().json('POST', '/api/auth/password/forgot', { email: 'bob@example.org' })
  const subjects = await mailSubjects(service, 'bob@example.org', 7)
  const notices = subjects.filter(subject => subject.includes('another account'))
  assert.equal(notices.length, 5, `notices in ${subjects}`)
  assert.ok(subjects.includes('Set a new password'), `the mail with the link in ${subjects}`)
})

eachService(
  'POST email/verify returns 409 if another account has the new address in the meantime (community/email-change)',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    await client.json('PATCH', path, { email: 'new@example.org', currentPassword: password })
    const token = await mailToken(service, 'new@example.org', 1)
    await register(service.client(), 'bob', { email: 'NEW@example.org' })
    const reply = await client.json('POST', '/api/auth/email/verify', { token })
    assert.equal(reply.status, 409)
    assert.equal(reply.body.code, 'conflict')
    assert.equal((await client.get(path)).body.email, 'ada@example.org')
  },
)

eachService(
  'POST email/verify returns 401 for a changed address without a session of its account, and ' +
    'the link remains (community/email-change)',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    await client.json('PATCH', path, { email: 'stranger@example.org', currentPassword: password })
    const token = await mailToken(service, 'stranger@example.org', 1)
    const stranger = service.client()
    await register(stranger, 'eve')
    for (const other of [service.client(), stranger]) {
      const reply = await other.json('POST', '/api/auth/email/verify', { token })
      assert.deepEqual([reply.status, reply.body.code], [401, 'unauthenticated'])
    }
    const { email, emailVerified } = (await client.get(path)).body
    assert.deepEqual([email, emailVerified], ['ada@example.org', false])
    const signedIn = service.client()
    await signedIn.json('POST', '/api/auth/login', { login: 'ada', password })
    assert.equal((await signedIn.json('POST', '/api/auth/email/verify', { token })).status, 204)
    assert.equal((await client.get(path)).body.email, 'stranger@example.org')
  },
)

eachService('of two concurrent changes to one email address exactly one is verified', async (_t, service) => {
  const email = 'new@example.org'
  const changes: { client: TestClient; token: string }[] = []
  for (const [i, name] of ['ada', 'bob'].entries()) {
    const client = service.client()
    await register(client, name)
    await client.json('PATCH', path, { email, currentPassword: password })
    changes.push({ client, token: await mailToken(service, email, i + 1) })
  }
  const replies = await Promise.all(
    changes.map(({ client, token }) => client.json('POST', '/api/auth/email/verify', { token })),
  )
  assert.deepEqual(replies.map(({ status }) => status).toSorted(), [204, 409])
})

eachService(
  'a newer change of the email address, a new password and a password reset invalidate the token of a change',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    const change = async (email: string, currentPassword: string) => {
      assert.equal((await client.json('PATCH', path, { email, currentPassword })).status, 200)
      return mailToken(service, email, 1)
    }
    const isValid = async (token: string) =>
      (await service.client().get(`/verify-email?token=${token}`)).status === 200
    const first = await change('first@example.org', password)
    const second = await change('second@example.org', password)
    assert.deepEqual([await isValid(first), await isValid(second)], [false, true])
    await client.json('PATCH', path, { password: newPassword, currentPassword: password })
    assert.equal(await isValid(second), false)
    const third = await change('third@example.org', newPassword)
    assert.equal(await isValid(third), true)
    await client.json('POST', '/api/auth/password/forgot', { email: 'ada@example.org' })
    const token = await mailToken(service, 'ada@example.org', 3)
    const reset = await client.json('POST', '/api/auth/password/reset', { token, password })
    assert.equal(reset.status, 204)
    assert.equal(await isValid(third), false)
  },
)

eachService(
  'limits/password-confirmations: correct and wrong passwords of an account count, on all routes together',
  async (_t, service) => {
    const client = service.client()
    await registerVerified(service, client, 'ada')
    const setUpApp = (client: TestClient, currentPassword: string) =>
      client.json('POST', '/api/users/@me/second-factors/totp', { currentPassword })
    for (let i = 0; i < 10; i++) assert.equal((await setUpApp(client, password)).status, 200)
    for (let i = 0; i < 5; i++) assert.equal((await setUpApp(client, 'wrong horse')).status, 400)
    const change = { password: newPassword, currentPassword: 'wrong horse' }
    for (let i = 0; i < 4; i++) assert.equal((await client.json('PATCH', path, change)).status, 400)
    const changed = await client.json('PATCH', path, { password: newPassword, currentPassword: password })
    assert.equal(changed.status, 200)
    for (const reply of [
      await setUpApp(client, newPassword),
      await client.json('PATCH', path, { password, currentPassword: newPassword }),
    ]) {
      assert.deepEqual([reply.status, reply.body.code], [429, 'rate_limited'])
      assert.equal(reply.headers.get('retry-after'), '600')
    }
    const other = service.client()
    await registerVerified(service, other, 'ben')
    assert.equal((await setUpApp(other, password)).status, 200)
    service.clock.advance(600_000)
    assert.equal((await setUpApp(client, newPassword)).status, 200)
  },
  { env: { RATE_LIMITS: 'requests=1000/1,passwordConfirmations=20/600' } },
)

eachService('PATCH @me returns 400 with the invalid field and changes nothing', async (_t, service) => {
  const client = service.client()
  const { body } = await register(client, 'ada')
  const cases: [object, string[]][] = [
    [{ password: newPassword }, ['currentPassword required']],
    [{ email: 'new@example.org' }, ['currentPassword required']],
    [{ password: newPassword, currentPassword: 'wrong horse' }, ['currentPassword wrong_password']],
    [
      { displayName: 'Other', email: 'new@example.org', currentPassword: '' },
      ['currentPassword wrong_password'],
    ],
    [{ username: 'Ada' }, ['username invalid_format']],
    [{ displayName: '\u2060' }, ['displayName too_short']],
    [{ displayName: null }, ['displayName invalid_type']],
    [{ email: 'nonsense', currentPassword: password }, ['email invalid_format']],
    ...malformedAddresses.map((email): [object, string[]] => [
      { email, currentPassword: password },
      ['email invalid_format'],
    ]),
    [{ password: 'short', currentPassword: password }, ['password too_short']],
    [{ id: '1' }, ['id unknown_member']],
    [{ emailVerified: true }, ['emailVerified unknown_member']],
  ]
  for (const [change, expected] of cases) {
    const reply = await client.json('PATCH', path, change)
    assert.equal(reply.status, 400, JSON.stringify(change))
    assert.deepEqual(fieldErrorsOf(reply), expected)
  }
  assert.deepEqual((await client.get(path)).body, body)
})

eachService('PATCH @me returns 409 if the username is taken', async (_t, service) => {
  await register(service.client(), 'bob')
  const client = service.client()
  const { body } = await register(client, 'ada')
  const taken = [{ username: 'bob' }, { username: 'deleted.2' }]
  for (const change of taken) {
    const reply = await client.json('PATCH', path, { displayName: 'Other', ...change })
    assert.equal(reply.status, 409)
    assert.equal(reply.body.code, 'conflict')
  }
  assert.deepEqual((await client.get(path)).body, body)
})

eachService(
  'of concurrent PATCH @me requests with one username exactly one returns 200',
  async (_t, service) => {
    const clients = await Promise.all(
      Array.from({ length: 6 }, async (_, i) => {
        const client = service.client()
        await register(client, `user${i}`)
        return client
      }),
    )
    const replies = await Promise.all(
      clients.map(client => client.json('PATCH', path, { username: 'wanted' })),
    )
    const statuses = replies.map(reply => reply.status).sort()
    assert.deepEqual(statuses, [200, 409, 409, 409, 409, 409])
  },
)

eachService('of two concurrent password changes exactly one returns 200', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  const replies = await Promise.all(
    [`${newPassword} 0`, `${newPassword} 1`].map(next =>
      client.json('PATCH', path, { password: next, currentPassword: password }),
    ),
  )
  const done = replies.filter(reply => reply.status === 200)
  assert.equal(done.length, 1)
  const accepted = `${newPassword} ${replies.findIndex(reply => reply.status === 200)}`
  const login = { login: 'ada', password: accepted }
  assert.equal((await service.client().json('POST', '/api/auth/login', login)).status, 200)
})

eachService('PATCH @me returns 429 after ten wrong current passwords', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  for (let i = 0; i < 10; i++) {
    await client.json('PATCH', path, { password: newPassword, currentPassword: `wrong horse ${i}` })
  }
  const rejected = await client.json('PATCH', path, { password: newPassword, currentPassword: password })
  assert.equal(rejected.status, 429)
  assert.equal(rejected.headers.get('retry-after'), '600')
})

eachService(
  'PATCH @me returns 429 after five mails in an hour and does not change the email address',
  async (_t, service) => {
    const client = service.client()
    await register(client, 'ada')
    for (let i = 0; i < 4; i++) {
      const change = { email: `ada${i}@example.org`, currentPassword: password }
      assert.equal((await client.json('PATCH', path, change)).status, 200)
    }
    const rejected = await client.json('PATCH', path, {
      email: 'last@example.org',
      currentPassword: password,
    })
    assert.equal(rejected.status, 429)
    await mailToken(service, 'ada3@example.org', 1)
    assert.equal(service.mails.filter(mail => mail.to === 'last@example.org').length, 0)
  },
)
