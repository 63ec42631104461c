import assert from 'node:assert/strict'
import { createServer, register } from '@gatehouse/testkit/community'
import { eachService } from '@gatehouse/testkit/service'
import { connectUser } from '../gateway-testing.ts'

eachService('only the sessions of the author receive the nonce in MESSAGE_CREATE', async (_t, service) => {
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { general } = await createServer(ann, bob)
  const direct = await ann.client.json('POST', '/api/users/@me/channels', { recipientId: bob.id })
  await bob.client.call('openDirectMessage', { body: { recipientId: ann.id } })
  const [annClient, annOtherClient, bobClient] = [
    await connectUser(service, ann),
    await connectUser(service, ann),
    await connectUser(service, bob),
  ]
  for (const channelId of [general.id, direct.body.id]) {
    const path = `/api/channels/${channelId}/messages`
    const { body } = await ann.client.json('POST', path, { content: 'hello', nonce: 'n-1' })
    assert.equal('nonce' in body, false)
    for (const client of [annClient, annOtherClient]) {
      const { t, d } = await client.nextDispatch()
      assert.deepEqual([t, d], ['MESSAGE_CREATE', { ...body, nonce: 'n-1' }])
    }
    const received = await bobClient.nextDispatch()
    assert.deepEqual([received.t, received.d], ['MESSAGE_CREATE', body])
    for (const user of [ann, bob]) assert.deepEqual((await user.client.get(path)).body, [body])
    await ann.client.json('POST', path, { content: 'no nonce' })
    for (const client of [annClient, annOtherClient, bobClient])
      assert.equal('nonce' in (await client.nextDispatch()).d, false)
  }
})
