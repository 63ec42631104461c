import assert from 'node:assert/strict'
import { createWebhook, eachWebhook } from './webhooks-testing.ts'

eachWebhook('returns, edits and deletes a message with the token (webhooks/own-messages)', async setup => {
  const { webhook, anonymous, service, post, owner, general } = setup
  const { id, token } = webhook
  const posted = await post({ content: 'first', username: 'CI', embeds: [{ title: 't' }] })
  const path = `/api/webhooks/${id}/${token}/messages/${posted.body.id}`
  assert.deepEqual((await anonymous.get(path)).body, posted.body)
  service.clock.advance(1000)
  const edited = await anonymous.json('PATCH', path, { content: 'second', username: 'ignored', tts: true })
  assert.equal(edited.status, 200, edited.text)
  assert.deepEqual(edited.body, {
    ...posted.body,
    content: 'second',
    edited_timestamp: '2026-01-15T12:00:01.000000+00:00',
  })
  assert.deepEqual((await anonymous.get(path)).body, edited.body)
  const native = await owner.client.get(`/api/channels/${general.id}/messages/${posted.body.id}`)
  assert.deepEqual([native.body.content, native.body.author.displayName], ['second', 'CI'])
  assert.equal((await anonymous.json('DELETE', path)).status, 204)
  for (const reply of [
    await anonymous.json('DELETE', path),
    await anonymous.get(path),
    await anonymous.json('PATCH', path, { content: 'x' }),
  ]) {
    assert.deepEqual([reply.status, reply.body], [404, { code: 10008, message: 'Unknown Message' }])
  }
})

eachWebhook(
  'an edit changes present members, null and [] remove a value, and an empty message is 400 ' +
    '(webhooks/files-and-unknown-keys)',
  async setup => {
    const { anonymous, path, post } = setup
    const posted = await post({ content: 'text', embeds: [{ title: 'embed' }] })
    const message = `${path}/messages/${posted.body.id}`
    const edit = async (body: object) => {
      const reply = await anonymous.json('PATCH', message, body)
      return [reply.status, reply.body.code ?? reply.body.content, reply.body.embeds?.length]
    }
    assert.deepEqual(await edit({}), [200, 'text', 1])
    assert.equal((await anonymous.get(message)).body.edited_timestamp, null)
    assert.deepEqual(await edit({ embeds: [] }), [200, 'text', 0])
    assert.deepEqual(await edit({ content: null }), [400, 50006, undefined])
    assert.deepEqual(await edit({ content: '', embeds: [{ title: 'a' }, { title: 'b' }] }), [200, '', 2])
    assert.deepEqual(await edit({ embeds: null }), [400, 50006, undefined])
    assert.deepEqual(await edit({ content: 'back', embeds: null }), [200, 'back', 0])
    assert.deepEqual(await edit({ content: 'x'.repeat(2001) }), [400, 50035, undefined])
    assert.deepEqual(await edit({ content: 'back', embeds: [{ fields: [] }] }), [200, 'back', 0])
    assert.deepEqual(await edit({ embeds: [{ fields: [] }] }), [400, 50035, undefined])
    assert.deepEqual(await edit({ attachments: [{ id: '1' }] }), [400, 50035, undefined])
    assert.equal((await anonymous.get(message)).body.content, 'back')
    const payload = await anonymous.send(message, {
      method: 'PATCH',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ payload_json: '{"content":"by form"}' }).toString(),
    })
    assert.equal(payload.body.content, 'by form')
  },
)

eachWebhook(
  'returns 404 (10008) for messages of other webhooks, users and channels (webhooks/own-messages)',
  async setup => {
    const { anonymous, path, owner, general, server, webhook, post, listContents } = setup
    const own = await post({ content: 'own' })
    const other = await createWebhook(owner, general.id)
    const otherMessage = await anonymous.json('POST', `${new URL(other.url).pathname}?wait=true`, {
      content: 'of another webhook',
    })
    const userMessage = await owner.client.json('POST', `/api/channels/${general.id}/messages`, {
      content: 'of a user',
    })
    for (const id of [otherMessage.body.id, userMessage.body.id, '1234567890123456789', 'x', '1']) {
      for (const [method, body] of [
        ['GET', undefined],
        ['PATCH', { content: 'x' }],
        ['DELETE', undefined],
      ] as const) {
        const reply = await anonymous.json(method, `${path}/messages/${id}`, body)
        assert.deepEqual([reply.status, reply.body.code], [404, 10008], `${method} ${id}`)
      }
    }
    // After a move, messages in the previous channel are not found.
    const otherChannel = await owner.client.json('POST', `/api/servers/${server.id}/channels`, {
      name: 'other',
    })
    await owner.client.json('PATCH', `/api/channels/${general.id}/webhooks/${webhook.id}`, {
      channelId: otherChannel.body.id,
    })
    assert.equal((await anonymous.get(`${path}/messages/${own.body.id}`)).body.code, 10008)
    const unknown = await anonymous.json('DELETE', `/api/webhooks/${webhook.id}/x/messages/${own.body.id}`)
    assert.deepEqual([unknown.status, unknown.body.code], [404, 10015])
    assert.deepEqual(await listContents(), ['own', 'of another webhook', 'of a user'])
  },
)

eachWebhook(
  'concurrent edits all succeed and one deletion of three succeeds (webhooks/own-messages)',
  async ({ anonymous, path, post }) => {
    const posted = await post({ content: 'x' })
    const message = `${path}/messages/${posted.body.id}`
    const replies = await Promise.all(
      ['a', 'b', 'c', 'd'].map(content => anonymous.json('PATCH', message, { content })),
    )
    assert.deepEqual(
      replies.map(reply => reply.status),
      [200, 200, 200, 200],
    )
    assert.ok(['a', 'b', 'c', 'd'].includes((await anonymous.get(message)).body.content))
    const deleted = await Promise.all([1, 2, 3].map(() => anonymous.json('DELETE', message)))
    assert.deepEqual(deleted.map(reply => reply.status).sort(), [204, 404, 404])
  },
)

eachWebhook(
  'a user with MANAGE_MESSAGES deletes a message of the webhook (webhooks/managing)',
  async setup => {
    const { owner, general, anonymous, path, post } = setup
    const posted = await post({ content: 'x' })
    const reply = await owner.client.json('DELETE', `/api/channels/${general.id}/messages/${posted.body.id}`)
    assert.equal(reply.status, 204)
    assert.equal((await anonymous.get(`${path}/messages/${posted.body.id}`)).status, 404)
  },
)
