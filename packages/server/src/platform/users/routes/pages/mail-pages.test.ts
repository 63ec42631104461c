import assert from 'node:assert/strict'
import { eachService } from '../../../../testing.ts'
import { hiddenFields, mailsTo, mailToken, password, register, submit } from '../../testing.ts'

const address = 'ada@example.org'
const fresh = 'another horse battery'
const hour = 60 * 60 * 1000

eachService(
  'a forgotten password: from the sign-in by the mail to a new password, without script',
  async (_t, service) => {
    await register(service.client(), 'ada')
    const client = service.client()
    const asked = await submit(client, '/forgot-password?return_to=%2Fa', { email: address })
    assert.equal(asked.status, 303)
    const location = asked.headers.get('location') ?? ''
    assert.equal(location, '/forgot-password?return_to=%2Fa&notice=sent')
    assert.match((await client.get(location)).text, /role="status">If there is an account with this address/)

    const page = `/reset-password?token=${await mailToken(service, address, 2)}`
    const shown = await client.get(page)
    assert.equal(shown.status, 200)
    assert.equal(shown.headers.get('referrer-policy'), 'no-referrer')
    assert.equal(shown.headers.get('cache-control'), 'no-store')
    assert.match(shown.text, /name="password" type="password" value="" autocomplete="new-password"/)

    const short = await submit(client, page, { password: 'short!!' })
    assert.equal(short.status, 400)
    assert.match(short.text, /id="password-error">Use at least 8 characters\./)
    assert.doesNotMatch(short.text, /short!!/)

    const done = await submit(client, page, { password: fresh })
    assert.equal(done.status, 303)
    assert.equal(done.headers.get('location'), '/login?notice=password-changed')
    assert.match((await client.get('/login?notice=password-changed')).text, /Your password is changed/)
    assert.equal((await submit(client, '/login', { login: 'ada', password: fresh })).status, 303)

    const spent = await client.get(page)
    assert.equal(spent.status, 400)
    assert.match(spent.text, /This link no longer holds/)
    assert.doesNotMatch(spent.text, /<form/)
  },
)

eachService('POST /forgot-password 303: the same for an address that is not known', async (_t, service) => {
  const reply = await submit(service.client(), '/forgot-password', { email: 'nobody@example.org' })
  assert.equal(reply.status, 303)
  assert.equal(reply.headers.get('location'), '/forgot-password?notice=sent')
  assert.equal(service.mails.length, 0)
})

eachService('POST /forgot-password 400: what is no address is named and stays', async (_t, service) => {
  const reply = await submit(service.client(), '/forgot-password', { email: 'nonsense' })
  assert.equal(reply.status, 400)
  assert.match(reply.text, /value="nonsense"/)
  assert.match(reply.text, /id="email-error">/)
})

eachService('POST /forgot-password 403: without the token of the form', async (_t, service) => {
  await register(service.client(), 'ada')
  assert.equal((await service.client().form('/forgot-password', { email: address })).status, 403)
  assert.equal(service.mails.length, 1)
})

eachService('GET /reset-password 400: a link that has expired, or none', async (_t, service) => {
  await register(service.client(), 'ada')
  await service.client().json('POST', '/api/auth/password/forgot', { email: address })
  const token = await mailToken(service, address, 2)
  service.clock.advance(hour)
  for (const query of [`?token=${token}`, '?token=nonsense', '', '?token=a&token=b']) {
    const reply = await service.client().get(`/reset-password${query}`)
    assert.equal(reply.status, 400)
    assert.match(reply.text, /This link no longer holds/)
  }
})

eachService('POST /reset-password 400: a link that was used while the page was open', async (_t, service) => {
  await register(service.client(), 'ada')
  const client = service.client()
  await client.json('POST', '/api/auth/password/forgot', { email: address })
  const token = await mailToken(service, address, 2)
  const { text } = await client.get(`/reset-password?token=${token}`)
  await client.json('POST', '/api/auth/password/reset', { token, password: fresh })
  const reply = await client.form('/reset-password', { ...hiddenFields(text), password })
  assert.equal(reply.status, 400)
  assert.match(reply.text, /This link no longer holds/)
})

eachService('POST /reset-password 403: without the token of the form', async (_t, service) => {
  await register(service.client(), 'ada')
  const client = service.client()
  await client.json('POST', '/api/auth/password/forgot', { email: address })
  const token = await mailToken(service, address, 2)
  assert.equal((await client.form('/reset-password', { token, password: fresh })).status, 403)
  assert.equal((await client.get(`/reset-password?token=${token}`)).status, 200)
})

eachService(
  'an address is confirmed by the button on the page of the mail, not by opening it',
  async (_t, service) => {
    const owner = service.client()
    await register(owner, 'ada')
    const page = `/verify-email?token=${await mailToken(service, address, 1)}`
    const client = service.client()
    for (let i = 0; i < 3; i++) assert.equal((await client.get(page)).status, 200)
    assert.equal((await owner.get('/api/users/@me')).body.emailVerified, false)
    const reply = await submit(client, page, {})
    assert.equal(reply.status, 303)
    assert.equal(reply.headers.get('location'), '/verify-email?notice=confirmed')
    assert.match((await client.get('/verify-email?notice=confirmed')).text, /Your mail address is confirmed/)
    assert.equal((await owner.get('/api/users/@me')).body.emailVerified, true)
    assert.equal((await client.get(page)).status, 400)
  },
)

eachService('GET and POST /verify-email 400: a link that does not hold', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  const token = await mailToken(service, address, 1)
  const { text } = await client.get(`/verify-email?token=${token}`)
  service.clock.advance(24 * hour)
  assert.equal((await client.get(`/verify-email?token=${token}`)).status, 400)
  const reply = await client.form('/verify-email', hiddenFields(text))
  assert.equal(reply.status, 400)
  assert.match(reply.text, /This link no longer holds/)
})

eachService('POST /verify-email 403: without the token of the form', async (_t, service) => {
  await register(service.client(), 'ada')
  const token = await mailToken(service, address, 1)
  assert.equal((await service.client().form('/verify-email', { token })).status, 403)
})

eachService('no password and no token of a mail or a session is in the log', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  const secrets = [password, fresh, 'wrong horse', client.cookies.get('session') ?? 'none']
  await submit(client, '/login', { login: 'ada', password: 'wrong horse' })
  await client.json('POST', '/api/auth/login', { login: 'ada', password: 'wrong horse' })
  const verify = await mailToken(service, address, 1)
  await submit(client, `/verify-email?token=${verify}`, {})
  await submit(client, '/forgot-password', { email: address })
  const reset = await mailToken(service, address, 2)
  await submit(client, `/reset-password?token=${reset}`, { password: fresh })
  await client.json('POST', '/api/auth/password/reset', { token: reset, password: fresh })
  await client.send('/api/auth/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"login":"ada","password":"${fresh}"`,
  })
  await client.get(`/no/such/page?token=${reset}`)
  await mailsTo(service, address, 3)
  const log = service.log.join('')
  assert.match(log, /"route":"\/reset-password"/)
  for (const secret of [...secrets, verify, reset]) assert.equal(log.includes(secret), false, secret)
})
