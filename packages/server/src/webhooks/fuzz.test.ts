import assert from 'node:assert/strict'
import type { WebhookDelivery } from '@gatehouse/protocol/webhooks'
import fc from 'fast-check'
import { body, contentType, damagedRequest, object } from './fuzz.fixture.ts'
import { eachWebhook, type WebhookSetup } from './webhooks-testing.ts'

const suffix = fc.constantFrom('', '?wait=true', '/slack', '/github')
const event = fc.constantFrom('push', 'issues', 'pull_request', 'gollum', 'release')
const posts = fc.oneof(
  { weight: 3, arbitrary: fc.record({ suffix, type: contentType, body, event }) },
  { weight: 1, arbitrary: fc.tuple(damagedRequest, event).map(([post, name]) => ({ ...post, event: name })) },
)

async function listDeliveries({ owner, general, webhook }: WebhookSetup): Promise<WebhookDelivery[]> {
  const reply = await owner.client.get(`/api/channels/${general.id}/webhooks/${webhook.id}/deliveries`)
  assert.equal(reply.status, 200)
  return reply.body
}

function assertNoErrorLogged(lines: readonly string[]): void {
  assert.deepEqual(
    lines.filter(line => line.includes('"level":50')),
    [],
  )
}

eachWebhook(
  'never returns 500 for a message, and a rejected message appears only in the delivery log',
  async setup => {
    const { anonymous, path, service, webhook } = setup
    let expectedCount = 0
    const statuses: number[] = []
    const checked = fc.asyncProperty(posts, async post => {
      const reply = await anonymous.send(`${path}${post.suffix}`, {
        method: 'POST',
        headers: { 'content-type': post.type, 'x-github-event': post.event },
        body: post.body,
      })
      statuses.unshift(reply.status)
      assert.ok([200, 204, 400].includes(reply.status), `${reply.status} ${reply.text}`)
      const count = await service.db.get<{ count: number }>`SELECT COUNT(*) AS count FROM messages`
      // A GitHub event that is not posted is 204 too.
      if (post.suffix === '/github' && reply.status === 204) expectedCount = count?.count ?? expectedCount
      else if (reply.status < 300) expectedCount++
      assert.equal(count?.count, expectedCount)
    })
    await fc.assert(checked, { seed: 20_260_115, numRuns: 600 })
    assert.deepEqual([...new Set(statuses)].sort(), [200, 204, 400])
    const deliveries = await listDeliveries(setup)
    assert.deepEqual(
      deliveries.map(({ status }) => status),
      statuses.slice(0, 100),
    )
    for (const { status, messageId, reason, body: excerpt } of deliveries) {
      if (status === 400) assert.ok(messageId === null && reason !== null)
      // Only a GitHub event that is not posted has a reason instead of a message.
      else assert.ok((reason === null) === (messageId !== null) && excerpt === null)
      assert.ok(!excerpt?.includes(webhook.token) && Buffer.byteLength(excerpt ?? '') <= 1024)
    }
    assertNoErrorLogged(service.log)
  },
)

eachWebhook(
  'never returns 500 for an update of a message or webhook, and a rejected update changes nothing',
  async setup => {
    const { anonymous, path, post, owner, general, service } = setup
    const message = `${path}/messages/${(await post({ content: 'original' })).body.id}`
    const channel = `/api/channels/${general.id}/webhooks`
    const created = await owner.client.json('POST', channel, { name: 'Managed' })
    const managed = `${channel}/${created.body.id}`
    const seen = new Set<string>()

    const byToken = fc.asyncProperty(
      fc.constantFrom(message, path, path.replace('/api/', '/api/v10/')),
      contentType,
      body,
      async (target, type, bytes) => {
        const before = await anonymous.get(target)
        const reply = await anonymous.send(target, {
          method: 'PATCH',
          headers: { 'content-type': type },
          body: bytes,
        })
        seen.add(`${target === message ? 'message' : 'webhook'} ${reply.status}`)
        assert.ok([200, 400].includes(reply.status), `${reply.status} ${reply.text}`)
        const after = await anonymous.get(target)
        assert.deepEqual(after.body, reply.status === 200 ? reply.body : before.body)
      },
    )
    await fc.assert(byToken, { seed: 7, numRuns: 200 })

    const list = async () => (await owner.client.get(channel)).body
    const members = fc.oneof(object, fc.record({ name: fc.string({ unit: 'binary', maxLength: 100 }) }))
    const bySession = fc.asyncProperty(fc.constantFrom('POST', 'PATCH'), members, async (method, json) => {
      const before = await list()
      const reply = await owner.client.json(method, method === 'POST' ? channel : managed, json)
      seen.add(`${method} ${reply.status}`)
      assert.ok([200, 201, 400].includes(reply.status), `${reply.status} ${reply.text}`)
      if (reply.status === 201) await owner.client.json('DELETE', `${channel}/${reply.body.id}`)
      if (reply.status === 400) assert.deepEqual(await list(), before)
    })
    await fc.assert(bySession, { seed: 7, numRuns: 200 })
    for (const each of [
      'message 200',
      'message 400',
      'webhook 200',
      'webhook 400',
      'POST 201',
      'POST 400',
      'PATCH 200',
    ])
      assert.ok(seen.has(each), `${each} did not occur: ${[...seen].join(', ')}`)
    assertNoErrorLogged(service.log)
  },
)

eachWebhook(
  'deletes a message even if the request has a body',
  async ({ anonymous, path, post, service }) => {
    const requests = fc.sample(fc.tuple(contentType, body), { seed: 7, numRuns: 40 })
    for (const [type, bytes] of requests) {
      const target = `${path}/messages/${(await post({ content: 'x' })).body.id}`
      const headers = { 'content-type': type }
      const reply = await anonymous.send(target, { method: 'DELETE', headers, body: bytes })
      assert.equal(reply.status, 204, reply.text)
      assert.equal((await anonymous.get(target)).status, 404)
    }
    assertNoErrorLogged(service.log)
  },
)
