import assert from 'node:assert/strict'
import { createApplication } from '@gatehouse/testkit/applications'
import { createServer, register } from '@gatehouse/testkit/community'
import { eachService } from '@gatehouse/testkit/service'

eachService(
  'an unverified user cannot post through a new webhook or bot with ' +
    'REQUIRE_VERIFIED_EMAIL=on (community/unverified-email)',
  async (_t, service) => {
    // From before the setting was changed.
    const ann = await register(service, 'ann')
    const { general } = await createServer(ann)
    const path = `/api/channels/${general.id}/webhooks`
    const webhook = (await ann.client.json('POST', path, { name: 'Old' })).body
    const application = await createApplication(ann.client)
    const other = await createApplication(ann.client)
    assert.equal((await ann.client.json('POST', `/api/applications/${application.id}/bot`, {})).status, 201)
    Object.assign(service.config, { requireVerifiedEmail: true })
    await service.restart()

    for (const [url, body] of [
      [path, { name: 'New' }],
      [`${path}/${webhook.id}/token`, undefined],
      [`/api/applications/${other.id}/bot`, {}],
      [`/api/applications/${application.id}/bot/token`, undefined],
    ] as const) {
      const reply = await ann.client.json('POST', url, body)
      assert.deepEqual([reply.status, reply.body.code], [403, 'email_not_verified'], url)
    }
    const { pathname } = new URL(webhook.url)
    assert.equal((await service.client().json('POST', pathname, { content: 'x' })).status, 204)
    await service.db.run`UPDATE users SET email_verified = 1`
    assert.equal((await ann.client.json('POST', path, { name: 'New' })).status, 201)
  },
)
