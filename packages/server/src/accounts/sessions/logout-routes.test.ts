import assert from 'node:assert/strict'
import { eachService } from '@gatehouse/testkit/service'
import { register } from '../users/users-testing.ts'

const path = '/api/users/@me/sessions'

eachService('POST logout returns 204, revokes the session and removes its cookie', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  const cookie = `gatehouse_session=${client.cookies.get('gatehouse_session')}`
  const reply = await client.json('POST', '/api/auth/logout')
  assert.equal(reply.status, 204)
  assert.match(reply.headers.getSetCookie()[0] ?? '', /^gatehouse_session=; Path=\/; Max-Age=0;/)
  assert.equal((await service.client().get(path, { cookie })).status, 401)
})
