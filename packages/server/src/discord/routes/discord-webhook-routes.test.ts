import assert from 'node:assert/strict'
import { createServer, register } from '@gatehouse/testkit/community'
import { eachService } from '@gatehouse/testkit/service'
import { assertDiscordError } from '../discord-responses-testing.ts'

eachService(
  'the URL of a webhook without its token is 404 before the body, and counts by IP address (discord/webhook-paths)',
  async (_t, service) => {
    const owner = await register(service, 'owner')
    const { general } = await createServer(owner)
    const path = `/api/channels/${general.id}/webhooks`
    const { body } = await owner.client.json('POST', path, { name: 'Robot' })
    // Larger than any body that is read.
    const large = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: 'x'.repeat(2 ** 21),
    }
    for (const version of ['v10', 'v9', 'v10']) {
      assertDiscordError(
        await service.client().send(`/api/${version}/webhooks/${body.id}`, large),
        404,
        10015,
      )
    }
    const reply = await service.client().send(`/api/v10/webhooks/${body.id}`, large)
    assert.deepEqual([reply.status, reply.body.retry_after], [429, 60], reply.text)
    const url = new URL(body.url).pathname
    assert.equal((await service.client().json('POST', url, { content: 'hi' })).status, 204)
  },
  { env: { RATE_LIMITS: 'webhookNotFound=3/60' } },
)
