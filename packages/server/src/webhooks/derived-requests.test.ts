import assert from 'node:assert/strict'
import type { Message } from '@gatehouse/protocol/messages'
import { withoutProxyUrls } from '@gatehouse/testkit/proxy-urls'
import { derivedRequests } from './derived-requests.fixture.ts'
import { eachWebhook } from './webhooks-testing.ts'

eachWebhook('accepts requests derived from the source of other programs, except files', async setup => {
  const { anonymous, path, owner, general } = setup
  const listMessages = async (): Promise<Message[]> =>
    (await owner.client.get(`/api/channels/${general.id}/messages`)).body
  for (const request of derivedRequests) {
    const { program, suffix, version, query = '', contentType, body, expected } = request
    const before = (await listMessages()).length
    const base = version === undefined ? path : path.replace('/api/', `/api/${version}/`)
    const reply = await anonymous.send(`${base}${suffix}${query}`, {
      method: 'POST',
      headers: { 'content-type': contentType },
      body,
    })
    const [message, ...older] = await listMessages()
    if (expected === undefined) {
      assert.equal(reply.status, 400, program)
      assert.match(reply.body.message, /Files are not accepted/)
      assert.equal((await listMessages()).length, before)
      continue
    }
    const returned = query !== ''
    assert.equal(reply.status, suffix === '' && !returned ? 204 : 200, `${program}: ${reply.text}`)
    if (!returned) assert.equal(reply.text, suffix === '' ? '' : 'ok')
    assert.equal(older.length, before)
    assert.ok(message)
    const { author, content, embeds, mentions } = message
    assert.deepEqual(withoutProxyUrls({ name: author.displayName, content, embeds }), expected, program)
    assert.deepEqual(mentions, { users: [], roles: [], everyone: false }, program)
  }
})
