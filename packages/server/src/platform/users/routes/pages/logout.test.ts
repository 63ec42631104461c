import assert from 'node:assert/strict'
import { eachService } from '../../../../testing.ts'
import { hiddenFields, password, register, submit } from '../../testing.ts'

eachService('GET /logout 200: asks first, and changes nothing', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  const reply = await client.get('/logout')
  assert.equal(reply.status, 200)
  assert.match(reply.text, /@ada/)
  assert.match(reply.text, /Sign out of this browser\?/)
  assert.equal((await client.get('/api/users/@me')).status, 200)
})

eachService('GET /logout 200: for who is not signed in', async (_t, service) => {
  const reply = await service.client().get('/logout')
  assert.equal(reply.status, 200)
  assert.match(reply.text, /You are not signed in/)
})

eachService('POST /logout 303: the session has ended', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  const cookie = `session=${client.cookies.get('session')}`
  const reply = await submit(client, '/logout', {})
  assert.equal(reply.status, 303)
  assert.equal(reply.headers.get('location'), '/login?notice=signed-out')
  assert.equal(client.cookies.has('session'), false)
  assert.equal((await service.client().get('/api/users/@me', { cookie })).status, 401)
  assert.match((await client.get('/login?notice=signed-out')).text, /You are signed out/)
})

eachService('POST /logout 303: back to where the person came from', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  const reply = await submit(client, '/logout?return_to=%2Finvite%2Fabc', {})
  assert.equal(reply.headers.get('location'), '/invite/abc')
})

eachService(
  "POST /logout 403: without the token of the form, with another person's, and from another site",
  async (_t, service) => {
    const ada = service.client()
    await register(ada, 'ada')
    const bob = service.client()
    await register(bob, 'bob')
    const token = hiddenFields((await ada.get('/logout')).text).form_token ?? ''
    assert.equal((await bob.form('/logout', {})).status, 403)
    assert.equal((await bob.form('/logout', { form_token: token })).status, 403)
    assert.equal((await submit(bob, '/logout', {}, { 'sec-fetch-site': 'cross-site' })).status, 403)
    assert.equal((await bob.get('/api/users/@me')).status, 200)
    assert.equal((await bob.json('POST', '/api/auth/login', { login: 'bob', password })).status, 200)
  },
)
