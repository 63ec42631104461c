import assert from 'node:assert/strict'
import { found, register } from '../platform/testing.ts'
import { eachService } from '../testing.ts'
import { online } from './testing.ts'

eachService(
  'MESSAGE_CREATE bears the nonce in the author’s own sessions, and nowhere else',
  async (_t, service) => {
    const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
    const { general } = await found(ann, bob)
    const direct = await ann.client.json('POST', '/api/users/@me/channels', { recipientId: bob.id })
    const [one, other, his] = [
      await online(service, ann),
      await online(service, ann),
      await online(service, bob),
    ]
    for (const channelId of [general.id, direct.body.id]) {
      const path = `/api/channels/${channelId}/messages`
      const { body } = await ann.client.json('POST', path, { content: 'hello', nonce: 'n-1' })
      assert.equal('nonce' in body, false)
      for (const window of [one, other]) {
        const { t, d } = await window.event()
        assert.deepEqual([t, d], ['MESSAGE_CREATE', { ...body, nonce: 'n-1' }])
      }
      const theirs = await his.event()
      assert.deepEqual([theirs.t, theirs.d], ['MESSAGE_CREATE', body])
      for (const person of [ann, bob]) assert.deepEqual((await person.client.get(path)).body, [body])
      await ann.client.json('POST', path, { content: 'bare' })
      for (const window of [one, other, his]) assert.equal('nonce' in (await window.event()).d, false)
    }
  },
)
