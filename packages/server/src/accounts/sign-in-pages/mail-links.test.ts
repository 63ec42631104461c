import assert from 'node:assert/strict'
import { eachService } from '@gatehouse/testkit/service'
import { addTotp, totpCode } from '../second-factor/second-factor-testing.ts'
import {
  hiddenFields,
  mailsTo,
  mailToken,
  password,
  register,
  registerVerified,
  submit,
} from '../users/users-testing.ts'

const address = 'ada@example.org'
const newPassword = 'another horse battery'
const hour = 60 * 60 * 1000

eachService(
  'a user resets the password from the login page with the mail, without JavaScript',
  async (_t, service) => {
    await register(service.client(), 'ada')
    const client = service.client()
    const sent = await submit(client, '/forgot-password?return_to=%2Fa', { email: address })
    assert.equal(sent.status, 303)
    const location = sent.headers.get('location') ?? ''
    assert.equal(location, '/forgot-password?return_to=%2Fa&notice=sent')
    assert.match(
      (await client.get(location)).text,
      /role="status">If an account with this email address exists/,
    )

    const page = `/reset-password?token=${await mailToken(service, address, 2)}`
    const form = await client.get(page)
    assert.equal(form.status, 200)
    assert.equal(form.headers.get('referrer-policy'), 'no-referrer')
    assert.equal(form.headers.get('cache-control'), 'no-store')
    assert.match(form.text, /name="password" type="password" value="" autocomplete="new-password"/)

    const short = await submit(client, page, { password: 'short!!' })
    assert.equal(short.status, 400)
    assert.match(short.text, /id="password-error">Use at least 8 characters\./)
    assert.doesNotMatch(short.text, /short!!/)

    const done = await submit(client, page, { password: newPassword })
    assert.equal(done.status, 303)
    assert.equal(done.headers.get('location'), '/login?notice=password-changed')
    assert.match((await client.get('/login?notice=password-changed')).text, /Your password was changed/)
    assert.equal((await submit(client, '/login', { login: 'ada', password: newPassword })).status, 303)

    const used = await client.get(page)
    assert.equal(used.status, 400)
    assert.match(used.text, /This link is invalid/)
    assert.doesNotMatch(used.text, /<form/)
  },
)

eachService(
  'POST /forgot-password returns the same 303 for an unknown email address',
  async (_t, service) => {
    const reply = await submit(service.client(), '/forgot-password', { email: 'nobody@example.org' })
    assert.equal(reply.status, 303)
    assert.equal(reply.headers.get('location'), '/forgot-password?notice=sent')
    assert.equal(service.mails.length, 0)
  },
)

eachService(
  'POST /forgot-password returns 400 for a malformed email address and retains it',
  async (_t, service) => {
    const reply = await submit(service.client(), '/forgot-password', { email: 'nonsense' })
    assert.equal(reply.status, 400)
    assert.match(reply.text, /value="nonsense"/)
    assert.match(reply.text, /id="email-error">/)
  },
)

eachService('POST /forgot-password returns 403 without a form token', async (_t, service) => {
  await register(service.client(), 'ada')
  assert.equal((await service.client().form('/forgot-password', { email: address })).status, 403)
  assert.equal(service.mails.length, 1)
})

eachService('GET /reset-password returns 400 for an expired and a missing token', async (_t, service) => {
  await register(service.client(), 'ada')
  await service.client().json('POST', '/api/auth/password/forgot', { email: address })
  const token = await mailToken(service, address, 2)
  service.clock.advance(hour)
  for (const query of [`?token=${token}`, '?token=nonsense', '', '?token=a&token=b']) {
    const reply = await service.client().get(`/reset-password${query}`)
    assert.equal(reply.status, 400)
    assert.match(reply.text, /This link is invalid/)
  }
})

eachService(
  'POST /reset-password returns 400 if the token was used after the page was rendered',
  async (_t, service) => {
    await register(service.client(), 'ada')
    const client = service.client()
    await client.json('POST', '/api/auth/password/forgot', { email: address })
    const token = await mailToken(service, address, 2)
    const { text } = await client.get(`/reset-password?token=${token}`)
    await client.json('POST', '/api/auth/password/reset', { token, password: newPassword })
    const reply = await client.form('/reset-password', { ...hiddenFields(text), password })
    assert.equal(reply.status, 400)
    assert.match(reply.text, /This link is invalid/)
  },
)

eachService('POST /reset-password returns 403 without a form token', async (_t, service) => {
  await register(service.client(), 'ada')
  const client = service.client()
  await client.json('POST', '/api/auth/password/forgot', { email: address })
  const token = await mailToken(service, address, 2)
  assert.equal((await client.form('/reset-password', { token, password: newPassword })).status, 403)
  assert.equal((await client.get(`/reset-password?token=${token}`)).status, 200)
})

eachService(
  'the form of GET /verify-email verifies the email address, the GET itself does not',
  async (_t, service) => {
    const owner = service.client()
    await register(owner, 'ada')
    const page = `/verify-email?token=${await mailToken(service, address, 1)}`
    const client = service.client()
    for (let i = 0; i < 3; i++) assert.equal((await client.get(page)).status, 200)
    const { text } = await client.get(page)
    assert.match(text, /<dd class="strong">@ada<\/dd>/)
    assert.match(text, /<dd class="strong">ada@example\.org<\/dd>/)
    assert.equal((await owner.get('/api/users/@me')).body.emailVerified, false)
    const reply = await submit(client, page, {})
    assert.equal(reply.status, 303)
    assert.equal(reply.headers.get('location'), '/verify-email?notice=confirmed')
    assert.match((await client.get('/verify-email?notice=confirmed')).text, /Your email address is verified/)
    assert.equal((await owner.get('/api/users/@me')).body.emailVerified, true)
    assert.equal((await client.get(page)).status, 400)
  },
)

eachService(
  'GET /verify-email shows the new address, and POST returns 409 if it is taken (community/email-change)',
  async (_t, service) => {
    const owner = service.client()
    await register(owner, 'ada')
    const change = { email: 'new@example.org', currentPassword: password }
    await owner.json('PATCH', '/api/users/@me', change)
    const page = `/verify-email?token=${await mailToken(service, 'new@example.org', 1)}`
    assert.match((await owner.get(page)).text, /<dd class="strong">new@example\.org<\/dd>/)
    await register(service.client(), 'bob', { email: 'new@example.org' })
    const reply = await submit(owner, page, {})
    assert.equal(reply.status, 409)
    assert.match(reply.text, /An account with this email address already exists\./)
  },
)

eachService(
  'GET /verify-email of a changed address asks a stranger to sign in, and continues after ' +
    'the sign-in (community/email-change)',
  async (_t, service) => {
    const owner = service.client()
    await registerVerified(service, owner, 'ada')
    const { secret } = await addTotp(service, owner)
    await owner.json('PATCH', '/api/users/@me', { email: 'new@example.org', currentPassword: password })
    const token = await mailToken(service, 'new@example.org', 1)
    const client = service.client()
    await register(client, 'eve')
    for (let i = 0; i < 2; i++) {
      const page = await client.get(`/verify-email?token=${token}`)
      assert.equal(page.status, 200)
      assert.match(page.text, /<dd class="strong">@ada<\/dd>/)
      assert.match(page.text, /Sign in to this account/)
      assert.doesNotMatch(page.text, /<form/)
    }
    const link = '/login?return_to=%2Fverify-email&login_hint=ada'
    const signedIn = await submit(client, link, { login: 'ada', password })
    const next = signedIn.headers.get('location') ?? ''
    service.clock.advance(30_000)
    const done = await submit(client, next, { code: await totpCode(service, secret) })
    assert.equal(done.headers.get('location'), '/verify-email')
    const verified = await submit(client, '/verify-email', {})
    assert.equal(verified.headers.get('location'), '/verify-email?notice=confirmed')
    assert.equal((await owner.get('/api/users/@me')).body.email, 'new@example.org')
    assert.equal(client.cookies.has('gatehouse_verification'), false)
    for (const url of [link, next]) assert.ok(!url.includes(token))
  },
)

eachService('GET and POST /verify-email return 400 for an invalid token', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  const token = await mailToken(service, address, 1)
  const { text } = await client.get(`/verify-email?token=${token}`)
  service.clock.advance(24 * hour)
  assert.equal((await client.get(`/verify-email?token=${token}`)).status, 400)
  const reply = await client.form('/verify-email', hiddenFields(text))
  assert.equal(reply.status, 400)
  assert.match(reply.text, /This link is invalid/)
})

eachService('POST /verify-email returns 403 without a form token', async (_t, service) => {
  await register(service.client(), 'ada')
  const token = await mailToken(service, address, 1)
  assert.equal((await service.client().form('/verify-email', { token })).status, 403)
})

eachService('the log contains no password, mail token or session secret', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  const secrets = [password, newPassword, 'wrong horse', client.cookies.get('gatehouse_session') ?? 'none']
  await submit(client, '/login', { login: 'ada', password: 'wrong horse' })
  await client.json('POST', '/api/auth/login', { login: 'ada', password: 'wrong horse' })
  const verify = await mailToken(service, address, 1)
  await submit(client, `/verify-email?token=${verify}`, {})
  await submit(client, '/forgot-password', { email: address })
  const reset = await mailToken(service, address, 2)
  await submit(client, `/reset-password?token=${reset}`, { password: newPassword })
  await client.json('POST', '/api/auth/password/reset', { token: reset, password: newPassword })
  await client.send('/api/auth/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"login":"ada","password":"${newPassword}"`,
  })
  await client.get(`/no/such/page?token=${reset}`)
  await mailsTo(service, address, 3)
  const log = service.log.join('')
  assert.match(log, /"route":"\/reset-password"/)
  for (const secret of [...secrets, verify, reset]) assert.equal(log.includes(secret), false, secret)
})
