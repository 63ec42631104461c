import assert from 'node:assert/strict'
import { eachService } from '../../../testing.ts'
import { register } from '../../users/testing.ts'
import { addApp, addPasskey, createAuthenticator, noFactors, factorsPath as path } from '../testing.ts'

eachService('GET second-factors 200: nothing at first, then what was added', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  const none = await client.get(path)
  assert.equal(none.status, 200)
  assert.deepEqual(none.body, noFactors)
  await addApp(service, client)
  await addPasskey(client, createAuthenticator(service.url), 'Phone')
  service.clock.advance(1)
  await addPasskey(client, createAuthenticator(service.url), 'Key ring')
  const { body } = await client.get(path)
  assert.equal(body.totp, true)
  assert.equal(body.recoveryCodesLeft, 10)
  assert.deepEqual(
    body.passkeys.map(({ name }: { name: string }) => name),
    ['Phone', 'Key ring'],
  )
  assert.deepEqual(Object.keys(body.passkeys[0]).toSorted(), ['createdAt', 'id', 'lastUsedAt', 'name'])
  assert.equal(body.passkeys[0].lastUsedAt, null)
})

eachService("GET second-factors 200: a person's own alone", async (_t, service) => {
  const ada = service.client()
  await register(ada, 'ada')
  await addApp(service, ada)
  const bob = service.client()
  await register(bob, 'bob')
  assert.deepEqual((await bob.get(path)).body, noFactors)
})

eachService('GET second-factors 401: for a person who is signed in, and nobody else', async (_t, service) => {
  assert.equal((await service.client().get(path)).status, 401)
  const replies = await Promise.all([
    service.client().json('POST', `${path}/totp`),
    service.client().json('POST', `${path}/passkeys/options`),
    service.client().json('POST', `${path}/recovery-codes`),
  ])
  assert.deepEqual(
    replies.map(({ status }) => status),
    [401, 401, 401],
  )
})

eachService('403 cross_site: nobody adds a factor from another site', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  const reply = await client.json('POST', `${path}/totp`, undefined, { 'sec-fetch-site': 'cross-site' })
  assert.equal(reply.status, 403)
  assert.equal(reply.body.code, 'cross_site')
})
