import assert from 'node:assert/strict'
import type { Message } from '@gatehouse/protocol/messages'
import { derived } from './senders.fixture.ts'
import { eachOutside } from './testing.ts'

eachOutside('what programs send by their source is taken and shown, but for files', async from => {
  const { raw, owner, general } = from
  const list = async (): Promise<Message[]> =>
    (await owner.client.get(`/api/channels/${general.id}/messages`)).body
  for (const { program, suffix, contentType, body, shown } of derived) {
    const before = (await list()).length
    const reply = await raw(body, contentType, suffix)
    const [message, ...older] = await list()
    if (shown === undefined) {
      assert.equal(reply.status, 400, program)
      assert.match(reply.body.message, /Files are not accepted/)
      assert.equal((await list()).length, before)
      continue
    }
    assert.deepEqual([reply.status, reply.text], suffix === '' ? [204, ''] : [200, 'ok'], program)
    assert.equal(older.length, before)
    assert.ok(message)
    const { author, content, embeds, mentions } = message
    assert.deepEqual({ name: author.displayName, content, embeds }, shown, program)
    assert.deepEqual(mentions, { users: [], roles: [], everyone: false }, program)
  }
})
