import assert from 'node:assert/strict'
import type { Message } from '@gatehouse/protocol/messages'
import { withoutProxyUrls } from '@gatehouse/testkit/proxy-urls'
import { sentRequests } from './sent-requests.fixture.ts'
import { eachWebhook } from './webhooks-testing.ts'

eachWebhook('accepts every shape of body that programs send, except files', async setup => {
  const { anonymous, path, owner, general } = setup
  const listMessages = async (): Promise<Message[]> =>
    (await owner.client.get(`/api/channels/${general.id}/messages`)).body
  for (const { shape, suffix, version, query = '', contentType, body, expected } of sentRequests) {
    const before = (await listMessages()).length
    const base = version === undefined ? path : path.replace('/api/', `/api/${version}/`)
    const reply = await anonymous.send(`${base}${suffix}${query}`, {
      method: 'POST',
      headers: { 'content-type': contentType },
      body,
    })
    const [message, ...older] = await listMessages()
    if (expected === undefined) {
      assert.equal(reply.status, 400, shape)
      assert.match(reply.body.message, /Files are not accepted/)
      assert.equal((await listMessages()).length, before)
      continue
    }
    const wait = query.startsWith('?wait=')
    assert.equal(reply.status, suffix === '' && !wait ? 204 : 200, `${shape}: ${reply.text}`)
    if (!wait) assert.equal(reply.text, suffix === '' ? '' : 'ok')
    assert.equal(older.length, before)
    assert.ok(message)
    const { author, content, embeds, mentions } = message
    assert.deepEqual(withoutProxyUrls({ name: author.displayName, content, embeds }), expected, shape)
    assert.deepEqual(mentions, { users: [], roles: [], everyone: false }, shape)
  }
})
