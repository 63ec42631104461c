import assert from 'node:assert/strict'
import { eachService } from '@gatehouse/testkit/service'
import { hiddenFields, password, register, submit } from '../users/users-testing.ts'

eachService('GET /logout returns 200 with a confirmation form and revokes nothing', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  const reply = await client.get('/logout')
  assert.equal(reply.status, 200)
  assert.match(reply.text, /@ada/)
  assert.match(reply.text, /Sign out of this browser\?/)
  assert.equal((await client.get('/api/users/@me')).status, 200)
})

eachService('GET /logout returns 200 without a session', async (_t, service) => {
  const reply = await service.client().get('/logout')
  assert.equal(reply.status, 200)
  assert.match(reply.text, /You are not signed in/)
})

eachService('POST /logout returns 303 and revokes the session', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  const cookie = `gatehouse_session=${client.cookies.get('gatehouse_session')}`
  const reply = await submit(client, '/logout', {})
  assert.equal(reply.status, 303)
  assert.equal(reply.headers.get('location'), '/login?notice=signed-out')
  assert.equal(client.cookies.has('gatehouse_session'), false)
  assert.equal((await service.client().get('/api/users/@me', { cookie })).status, 401)
  assert.match((await client.get('/login?notice=signed-out')).text, /You are signed out/)
})

eachService('POST /logout returns 303 to return_to', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  const reply = await submit(client, '/logout?return_to=%2Finvite%2Fabc', {})
  assert.equal(reply.headers.get('location'), '/invite/abc')
})

eachService(
  'POST /logout returns 403 without a form token, with one of another user, and for a cross-site request',
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
