import assert from 'node:assert/strict'
import { eachWebhook } from '../testing.ts'

eachWebhook(
  'returns 200 with a new token, and the old URL is 404 immediately (webhooks/token-reset)',
  async setup => {
    const { owner, general, webhook, anonymous, path } = setup
    const reply = await owner.client.json('POST', `/api/channels/${general.id}/webhooks/${webhook.id}/token`)
    assert.equal(reply.status, 200, reply.text)
    assert.notEqual(reply.body.token, webhook.token)
    assert.ok(reply.body.url.endsWith(reply.body.token))
    assert.deepEqual((await anonymous.json('POST', path, { content: 'x' })).body, {
      code: 10015,
      message: 'Unknown Webhook',
    })
    assert.equal(
      (await anonymous.json('POST', new URL(reply.body.url).pathname, { content: 'x' })).status,
      204,
    )
    const listed = await owner.client.get(`/api/channels/${general.id}/webhooks`)
    assert.equal(listed.body[0].url, reply.body.url)
  },
)
