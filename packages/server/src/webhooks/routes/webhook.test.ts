import assert from 'node:assert/strict'
import { codeAt, eachOutside } from '../testing.ts'

eachOutside('200: by its token a webhook says what it is, without its creator (check 61)', async from => {
  const { webhook, program, general, server, service } = from
  const { id, token } = webhook
  const reply = await program.get(`/api/webhooks/${id}/${token}`)
  assert.equal(reply.status, 200)
  assert.deepEqual(reply.body, {
    id,
    type: 1,
    channel_id: general.id,
    guild_id: server.id,
    name: 'Alerts',
    avatar: null,
    token,
    application_id: null,
    url: `${service.url}/api/webhooks/${id}/${token}`,
  })
  // Check 24: from BASE_URL alone.
  const spoofed = await program.get(`/api/webhooks/${id}/${token}`, { 'x-forwarded-host': 'evil.example' })
  assert.equal(spoofed.body.url, reply.body.url)
})

eachOutside('200: PATCH changes the name and nothing else (D44, check 61)', async from => {
  const { path, program, general, server, owner } = from
  const made = await owner.client.json('POST', `/api/servers/${server.id}/channels`, { name: 'other' })
  const reply = await program.json('PATCH', path, {
    name: ' New\u202ename ',
    channel_id: made.body.id,
    avatar: 'data:image/png;base64,AAAA',
    token: 'x',
  })
  assert.equal(reply.status, 200, reply.text)
  assert.deepEqual([reply.body.name, reply.body.channel_id, reply.body.avatar], ['Newname', general.id, null])
  assert.equal((await program.json('PATCH', path, {})).body.name, 'Newname')
  assert.equal((await program.json('PATCH', path, { name: null })).body.name, 'Newname')
  assert.equal((await program.get(path)).body.name, 'Newname')
})

eachOutside('400: a name that is none', async ({ path, program }) => {
  for (const [name, code] of [
    ['', 'BASE_TYPE_BAD_LENGTH'],
    ['\u200b', 'BASE_TYPE_BAD_LENGTH'],
    ['x'.repeat(81), 'BASE_TYPE_MAX_LENGTH'],
    [1, 'BASE_TYPE_CONVERT'],
    ['a\u0000', 'BASE_TYPE_BAD_TEXT'],
  ] as const) {
    const reply = await program.json('PATCH', path, { name })
    assert.deepEqual([reply.status, codeAt(reply, 'name')], [400, code])
  }
})

eachOutside('204: DELETE ends it; its messages stay (D40)', async ({ path, program, post, contents }) => {
  await post({ content: 'stays' })
  assert.equal((await program.json('DELETE', path)).status, 204)
  for (const method of ['GET', 'DELETE'] as const) {
    const reply = await program.json(method, path)
    assert.deepEqual([reply.status, reply.body], [404, { code: 10015, message: 'Unknown Webhook' }])
  }
  assert.equal((await program.json('PATCH', path, { name: 'x' })).status, 404)
  assert.deepEqual(await contents(), ['stays'])
})
