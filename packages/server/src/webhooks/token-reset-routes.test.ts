import assert from 'node:assert/strict'
import { Permission } from '@gatehouse/protocol/permissions'
import { register } from '@gatehouse/testkit/community'
import { sendLateBody } from '@gatehouse/testkit/late-body'
import { sendWhileLocked } from '@gatehouse/testkit/locks'
import { eachWebhook } from './webhooks-testing.ts'

eachWebhook(
  'returns 200 with a new token, and the old URL is 404 immediately (webhooks/token-reset)',
  async setup => {
    const { owner, general, webhook, anonymous, path } = setup
    assert.equal((await anonymous.json('POST', path, { content: 'x' })).status, 204)
    const reply = await owner.client.json('POST', `/api/channels/${general.id}/webhooks/${webhook.id}/token`)
    assert.equal(reply.status, 200, reply.text)
    assert.notEqual(reply.body.token, webhook.token)
    assert.ok(reply.body.url.endsWith(reply.body.token))
    assert.deepEqual((await anonymous.json('POST', path, { content: 'x' })).body, {
      code: 10015,
      message: 'Unknown Webhook',
    })
    assert.equal(
      (await anonymous.json('POST', path, { content: {} })).status,
      404,
      'before the 400 of the body',
    )
    const slack = await anonymous.json('POST', `${path}/slack`, {})
    assert.deepEqual([slack.status, slack.text], [404, 'no_service'])
    assert.equal(
      (await anonymous.json('POST', new URL(reply.body.url).pathname, { content: 'x' })).status,
      204,
    )
    const listed = await owner.client.get(`/api/channels/${general.id}/webhooks`)
    assert.equal(listed.body[0].url, reply.body.url)
    const log = await owner.client.get(`/api/channels/${general.id}/webhooks/${webhook.id}/deliveries`)
    assert.deepEqual(
      log.body.map(({ status }: { status: number }) => status),
      [204, 204],
    )
  },
)

eachWebhook(
  'changes whose token was reset while their body arrived are 404 and change nothing (webhooks/token-reset)',
  async setup => {
    const { owner, general, webhook, anonymous, post, listContents } = setup
    const { id } = (await post({ content: 'first' })).body
    let { url } = webhook
    const reset = async () => {
      const path = `/api/channels/${general.id}/webhooks/${webhook.id}/token`
      url = (await owner.client.json('POST', path)).body.url
    }
    for (const [method, path, body] of [
      ['PATCH', `/messages/${id}`, { content: 'late' }],
      ['DELETE', `/messages/${id}`, {}],
      ['PATCH', '', { name: 'Late' }],
      ['PATCH', '', {}],
      ['DELETE', '', {}],
    ] as const) {
      const request = { method, path: `${new URL(url).pathname}${path}` }
      const reply = await sendLateBody(anonymous, request, body, reset)
      assert.equal(reply.status, 404, `${method} ${path}`)
      assert.deepEqual(reply.body, { code: 10015, message: 'Unknown Webhook' })
    }
    assert.deepEqual(await listContents(), ['first'])
    const listed = await owner.client.get(`/api/channels/${general.id}/webhooks`)
    assert.deepEqual(
      listed.body.map(({ name }: { name: string }) => name),
      [webhook.name],
    )
  },
)

eachWebhook(
  'only the creator sees the token; who replaces it becomes the creator, and their ' +
    'permissions apply (webhooks/token-shown, webhooks/mentions)',
  async ({ owner, server, general, webhook, post, anonymous, service }) => {
    const bob = await register(service, 'bob')
    const invite = await owner.client.json('POST', `/api/servers/${server.id}/invites`, {})
    await bob.client.json('POST', `/api/invites/${invite.body.code}`)
    const overwrite = { type: 'member', allow: String(Permission.MANAGE_WEBHOOKS), deny: '0' }
    await owner.client.json('PUT', `/api/channels/${general.id}/overwrites/${bob.id}`, overwrite)
    const loud = { content: '@everyone', allowed_mentions: { parse: ['everyone'] } }
    assert.equal((await post(loud)).body.mention_everyone, true)

    const list = `/api/channels/${general.id}/webhooks`
    const settings = `${list}/${webhook.id}`
    const { token } = webhook
    const hidden = { token: null, url: null }
    for (const reply of [
      await bob.client.get(list),
      await bob.client.json('PATCH', settings, { name: 'x' }),
    ]) {
      assert.equal(reply.status, 200)
      const [seen] = [reply.body].flat()
      assert.deepEqual({ token: seen.token, url: seen.url }, hidden)
      assert.ok(!reply.text.includes(token))
    }
    const log = await bob.client.get(`${settings}/deliveries`)
    assert.ok(log.status === 200 && !log.text.includes(token))
    const [owned] = (await owner.client.get(list)).body
    assert.deepEqual([owned.token, owned.createdBy.id], [token, owner.id])

    const replaced = await bob.client.json('POST', `${settings}/token`)
    assert.equal(replaced.status, 200, replaced.text)
    assert.equal(replaced.body.createdBy.id, bob.id)
    const quiet = await anonymous.json('POST', `${new URL(replaced.body.url).pathname}?wait=true`, loud)
    assert.deepEqual([quiet.status, quiet.body.mention_everyone], [200, false])
    assert.equal((await bob.client.get(list)).body[0].url, replaced.body.url)
    const [other] = (await owner.client.get(list)).body
    assert.deepEqual([other.token, other.url, other.createdBy.id], [null, null, bob.id])
  },
)

eachWebhook(
  'a post, edit or deletion that waits during a reset is stored before its response or not ' +
    'at all (webhooks/token-reset)',
  async setup => {
    const { owner, general, webhook, anonymous, service, listContents } = setup
    let { path } = setup
    const requests = {
      POST: (_id: string) => anonymous.json('POST', path, { content: 'late' }),
      PATCH: (id: string) => anonymous.json('PATCH', `${path}/messages/${id}`, { content: 'late' }),
      DELETE: (id: string) => anonymous.json('DELETE', `${path}/messages/${id}`),
    }
    for (const [method, send] of Object.entries(requests)) {
      const { id } = (await anonymous.json('POST', `${path}?wait=true`, { content: method })).body
      let afterReset: string[] = []
      const [sent, reset] = await sendWhileLocked(
        service,
        // The write waits after it has found the webhook.
        tx => tx.run`LOCK TABLE messages IN SHARE MODE`,
        () => send(id),
        async () => {
          const reply = await owner.client.json(
            'POST',
            `/api/channels/${general.id}/webhooks/${webhook.id}/token`,
          )
          afterReset = await listContents()
          return reply
        },
      )
      assert.ok(sent.status < 300 || sent.status === 404, `${method}: ${sent.text}`)
      assert.equal(reset.status, 200, reset.text)
      assert.deepEqual(await listContents(), afterReset, method)
      path = new URL(reset.body.url).pathname
    }
  },
)
