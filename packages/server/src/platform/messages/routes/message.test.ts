import assert from 'node:assert/strict'
import type { Message } from '@gatehouse/protocol/messages'
import { eachService } from '../../../testing.ts'
import { found, register } from '../../testing.ts'

const unknown = '1234567890123456789'

eachService('PATCH /api/channels/:id/messages/:messageId: 200, 400, 401, 403, 404', async (_t, service) => {
  const [ann, bob, eve] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'eve'),
  ]
  const { general } = await found(ann, bob)
  const messages = `/api/channels/${general.id}/messages`
  const message: Message = (await bob.client.json('POST', messages, { content: `hello <@${ann.id}>` })).body
  const path = `${messages}/${message.id}`
  service.clock.advance(1000)
  {
    const reply = await bob.client.json('PATCH', path, { content: `bye <@${ann.id}> <@${bob.id}>` })
    assert.equal(reply.status, 200)
    const editedAt = new Date(service.clock.now()).toISOString()
    // D46: whom the original did not notify is not notified.
    assert.deepEqual(reply.body, { ...message, content: `bye <@${ann.id}> <@${bob.id}>`, editedAt })
    const asked = await bob.client.json('PATCH', path, {
      content: `bye <@${bob.id}>`,
      allowedMentions: { parse: ['users'] },
    })
    assert.deepEqual(asked.body.mentions.users, [bob.id])
    assert.deepEqual((await bob.client.get(path)).body, asked.body)
  }
  for (const body of [{ content: '' }, { content: null }, { content: 'x'.repeat(2001) }, { nonce: 'x' }]) {
    assert.equal((await bob.client.json('PATCH', path, body)).status, 400, JSON.stringify(body))
  }
  assert.equal(
    (await bob.client.json('PATCH', path, { embeds: [{ title: 'x' }] })).body.errors[0].path,
    'embeds',
  )
  assert.equal((await service.client().json('PATCH', path, { content: 'x' })).status, 401)
  {
    const reply = await ann.client.json('PATCH', path, { content: 'x' })
    assert.equal(reply.status, 403)
    assert.equal(reply.body.code, 'missing_permission')
  }
  assert.equal((await eve.client.json('PATCH', path, { content: 'x' })).status, 404)
  assert.equal((await bob.client.json('PATCH', `${messages}/${unknown}`, { content: 'x' })).status, 404)
})

eachService('DELETE /api/channels/:id/messages/:messageId: 204, 401, 403, 404', async (_t, service) => {
  const [ann, bob, cem, eve] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'cem'),
    await register(service, 'eve'),
  ]
  const { general } = await found(ann, bob, cem)
  const messages = `/api/channels/${general.id}/messages`
  const say = async () => `${messages}/${(await bob.client.json('POST', messages, { content: 'x' })).body.id}`
  const path = await say()
  assert.equal((await service.client().json('DELETE', path)).status, 401)
  {
    const reply = await cem.client.json('DELETE', path)
    assert.equal(reply.status, 403)
    assert.match(reply.body.message, /MANAGE_MESSAGES/)
  }
  assert.equal((await eve.client.json('DELETE', path)).status, 404)
  assert.equal((await bob.client.json('DELETE', `${messages}/${unknown}`)).status, 404)
  assert.equal((await bob.client.json('DELETE', path)).status, 204)
  assert.equal((await bob.client.json('DELETE', path)).status, 404)
  assert.equal((await bob.client.get(path)).status, 404)
  assert.equal((await ann.client.json('DELETE', await say())).status, 204)
})
