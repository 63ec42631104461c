import assert from 'node:assert/strict'
import type { Message } from '@gatehouse/protocol/messages'
import { withoutProxyUrls } from '@gatehouse/testkit/proxy-urls'
import { derivedRequests } from './derived-requests.fixture.ts'
import { eachWebhook } from './testing.ts'

eachWebhook('accepts requests derived from the source of other programs, except files', async setup => {
  const { postRaw, owner, general } = setup
  const listMessages = async (): Promise<Message[]> =>
    (await owner.client.get(`/api/channels/${general.id}/messages`)).body
  for (const { program, suffix, contentType, body, expected } of derivedRequests) {
    const before = (await listMessages()).length
    const reply = await postRaw(body, contentType, suffix)
    const [message, ...older] = await listMessages()
    if (expected === undefined) {
      assert.equal(reply.status, 400, program)
      assert.match(reply.body.message, /Files are not accepted/)
      assert.equal((await listMessages()).length, before)
      continue
    }
    assert.deepEqual([reply.status, reply.text], suffix === '' ? [204, ''] : [200, 'ok'], program)
    assert.equal(older.length, before)
    assert.ok(message)
    const { author, content, embeds, mentions } = message
    assert.deepEqual(withoutProxyUrls({ name: author.displayName, content, embeds }), expected, program)
    assert.deepEqual(mentions, { users: [], roles: [], everyone: false }, program)
  }
})
