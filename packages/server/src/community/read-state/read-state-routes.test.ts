import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { createServer, register } from '@gatehouse/testkit/community'
import { eachService } from '@gatehouse/testkit/service'

const unknown = '1234567890123456789'

eachService('PUT /api/channels/:id/read: 204, 400, 404', async (_t, service) => {
  const [ann, bob, eve] = [
    await register(service, 'ann'),
    await register(service, 'bob'),
    await register(service, 'eve'),
  ]
  const { server, general } = await createServer(ann, bob)
  const second = (await ann.client.json('POST', `/api/servers/${server.id}/channels`, { name: 'second' }))
    .body
  const message = await ann.client.json('POST', `/api/channels/${general.id}/messages`, { content: 'hello' })
  const messageId = message.body.id
  const path = `/api/channels/${general.id}/read`
  for (const _attempt of [1, 2]) {
    const reply = await bob.client.json('PUT', path, { messageId })
    assert.deepEqual([reply.status, reply.text], [204, ''])
  }
  for (const body of [{}, { messageId: 'x' }, { messageId: 5 }, { messageId, more: 1 }]) {
    assert.equal((await bob.client.json('PUT', path, body)).status, 400, JSON.stringify(body))
  }
  const missing = await bob.client.json('PUT', path, { messageId: unknown })
  assert.equal(missing.status, 404)
  // The same response for a message of another channel, an unknown channel, and a channel that the user cannot view.
  for (const [user, channelId] of [
    [bob, second.id],
    [bob, unknown],
    [eve, general.id],
  ] as const) {
    const reply = await user.client.json('PUT', `/api/channels/${channelId}/read`, { messageId })
    assert.deepEqual([reply.status, reply.body], [404, missing.body])
  }
  const overwrite = { type: 'member', allow: '0', deny: Permission.VIEW_CHANNEL.toString() }
  await ann.client.json('PUT', `/api/channels/${general.id}/overwrites/${bob.id}`, overwrite)
  assert.equal((await bob.client.json('PUT', path, { messageId })).status, 404)
})

eachService('the newest of several concurrent marks remains', async (_t, service) => {
  const ann = await register(service, 'ann')
  const { general } = await createServer(ann)
  const ids: string[] = []
  for (const content of ['one', 'two', 'three', 'four']) {
    ids.push((await ann.client.json('POST', `/api/channels/${general.id}/messages`, { content })).body.id)
  }
  await Promise.all(
    [...ids, ...ids.toReversed()].map(messageId =>
      ann.client.json('PUT', `/api/channels/${general.id}/read`, { messageId }),
    ),
  )
  const rows = await service.db.all<{ lastReadId: string }>`SELECT last_read_id FROM read_marks`
  assert.deepEqual(
    rows.map(row => row.lastReadId),
    [ids.at(-1)],
  )
})
