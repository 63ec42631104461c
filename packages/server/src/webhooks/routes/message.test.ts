import assert from 'node:assert/strict'
import { eachOutside, makeWebhook } from '../testing.ts'

eachOutside('200 and 204: a message is read, edited and deleted by the token (check 63)', async from => {
  const { webhook, program, service, post, owner, general } = from
  const { id, token } = webhook
  const posted = await post({ content: 'first', username: 'CI', embeds: [{ title: 't' }] })
  const path = `/api/webhooks/${id}/${token}/messages/${posted.body.id}`
  assert.deepEqual((await program.get(path)).body, posted.body)
  service.clock.advance(1000)
  const edited = await program.json('PATCH', path, { content: 'second', username: 'ignored', tts: true })
  assert.equal(edited.status, 200, edited.text)
  assert.deepEqual(edited.body, {
    ...posted.body,
    content: 'second',
    edited_timestamp: '2026-01-15T12:00:01.000Z',
  })
  assert.deepEqual((await program.get(path)).body, edited.body)
  const native = await owner.client.get(`/api/channels/${general.id}/messages/${posted.body.id}`)
  assert.deepEqual([native.body.content, native.body.author.displayName], ['second', 'CI'])
  assert.equal((await program.json('DELETE', path)).status, 204)
  for (const again of [
    await program.json('DELETE', path),
    await program.get(path),
    await program.json('PATCH', path, { content: 'x' }),
  ]) {
    assert.deepEqual([again.status, again.body], [404, { code: 10008, message: 'Unknown Message' }])
  }
})

eachOutside(
  'an edit changes what it names; null and [] empty it, and something must be left (D35)',
  async from => {
    const { program, path, post } = from
    const posted = await post({ content: 'text', embeds: [{ title: 'card' }] })
    const message = `${path}/messages/${posted.body.id}`
    const edit = async (body: object) => {
      const reply = await program.json('PATCH', message, body)
      return [reply.status, reply.body.code ?? reply.body.content, reply.body.embeds?.length]
    }
    assert.deepEqual(await edit({}), [200, 'text', 1])
    assert.equal((await program.get(message)).body.edited_timestamp, null)
    assert.deepEqual(await edit({ embeds: [] }), [200, 'text', 0])
    assert.deepEqual(await edit({ content: null }), [400, 50006, undefined])
    assert.deepEqual(await edit({ content: '', embeds: [{ title: 'a' }, { title: 'b' }] }), [200, '', 2])
    assert.deepEqual(await edit({ embeds: null }), [400, 50006, undefined])
    assert.deepEqual(await edit({ content: 'back', embeds: null }), [200, 'back', 0])
    assert.deepEqual(await edit({ content: 'x'.repeat(2001) }), [400, 50035, undefined])
    assert.deepEqual(await edit({ content: 'back', embeds: [{ fields: [] }] }), [200, 'back', 0])
    assert.deepEqual(await edit({ embeds: [{ fields: [] }] }), [400, 50035, undefined])
    assert.deepEqual(await edit({ attachments: [{ id: '1' }] }), [400, 50035, undefined])
    assert.equal((await program.get(message)).body.content, 'back')
    const payload = await program.send(message, {
      method: 'PATCH',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ payload_json: '{"content":"by form"}' }).toString(),
    })
    assert.equal(payload.body.content, 'by form')
  },
)

eachOutside('404 with 10008: messages of others, of people and of other channels (check 63)', async from => {
  const { program, path, owner, general, server, webhook, post, contents } = from
  const own = await post({ content: 'own' })
  const other = await makeWebhook(owner, general.id)
  const others = await program.json('POST', `${new URL(other.url).pathname}?wait=true`, {
    content: 'of another',
  })
  const person = await owner.client.json('POST', `/api/channels/${general.id}/messages`, {
    content: 'of a person',
  })
  for (const id of [others.body.id, person.body.id, '1234567890123456789', 'x', '1']) {
    for (const [method, body] of [
      ['GET', undefined],
      ['PATCH', { content: 'x' }],
      ['DELETE', undefined],
    ] as const) {
      const reply = await program.json(method, `${path}/messages/${id}`, body)
      assert.deepEqual([reply.status, reply.body.code], [404, 10008], `${method} ${id}`)
    }
  }
  // Once it has moved, what it said elsewhere is out of its reach.
  const made = await owner.client.json('POST', `/api/servers/${server.id}/channels`, { name: 'other' })
  await owner.client.json('PATCH', `/api/channels/${general.id}/webhooks/${webhook.id}`, {
    channelId: made.body.id,
  })
  assert.equal((await program.get(`${path}/messages/${own.body.id}`)).body.code, 10008)
  const unknown = await program.json('DELETE', `/api/webhooks/${webhook.id}/x/messages/${own.body.id}`)
  assert.deepEqual([unknown.status, unknown.body.code], [404, 10015])
  assert.deepEqual(await contents(), ['own', 'of another', 'of a person'])
})

eachOutside(
  'two edits at once: both are taken, one of them stands (check 63)',
  async ({ program, path, post }) => {
    const posted = await post({ content: 'x' })
    const message = `${path}/messages/${posted.body.id}`
    const replies = await Promise.all(
      ['a', 'b', 'c', 'd'].map(content => program.json('PATCH', message, { content })),
    )
    assert.deepEqual(
      replies.map(reply => reply.status),
      [200, 200, 200, 200],
    )
    assert.ok(['a', 'b', 'c', 'd'].includes((await program.get(message)).body.content))
    const deleted = await Promise.all([1, 2, 3].map(() => program.json('DELETE', message)))
    assert.deepEqual(deleted.map(reply => reply.status).sort(), [204, 404, 404])
  },
)

eachOutside('a person with MANAGE_MESSAGES deletes a webhook’s message too (D44)', async from => {
  const { owner, general, program, path, post } = from
  const posted = await post({ content: 'x' })
  const reply = await owner.client.json('DELETE', `/api/channels/${general.id}/messages/${posted.body.id}`)
  assert.equal(reply.status, 204)
  assert.equal((await program.get(`${path}/messages/${posted.body.id}`)).status, 404)
})
