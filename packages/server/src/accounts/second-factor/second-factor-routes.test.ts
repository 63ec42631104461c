import assert from 'node:assert/strict'
import { eachService } from '@gatehouse/testkit/service'
import { register } from '../users/users-testing.ts'
import {
  addPasskey,
  addTotp,
  createAuthenticator,
  noFactors,
  factorsPath as path,
} from './second-factor-testing.ts'

eachService('GET second-factors returns 200 with the factors in order of creation', async (_t, service) => {
  const client = service.client()
  await register(client, 'ada')
  const none = await client.get(path)
  assert.equal(none.status, 200)
  assert.deepEqual(none.body, noFactors)
  await addTotp(service, client)
  await addPasskey(service, client, createAuthenticator(service.url), 'Phone')
  service.clock.advance(1)
  await addPasskey(service, client, createAuthenticator(service.url), 'Key ring')
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

eachService('GET second-factors returns the factors of the current user only', async (_t, service) => {
  const ada = service.client()
  await register(ada, 'ada')
  await addTotp(service, ada)
  const bob = service.client()
  await register(bob, 'bob')
  assert.deepEqual((await bob.get(path)).body, noFactors)
})
