import assert from 'node:assert/strict'
import type { WebhookDelivery } from '@gatehouse/protocol/webhooks'
import fc from 'fast-check'
import { body, contentType, damaged, object } from './fuzz.fixture.ts'
import { eachOutside, type Outside } from './testing.ts'

const suffix = fc.constantFrom('', '?wait=true', '/slack', '/github')
const event = fc.constantFrom('push', 'issues', 'pull_request', 'gollum', 'release')
const posts = fc.oneof(
  { weight: 3, arbitrary: fc.record({ suffix, type: contentType, body, event }) },
  { weight: 1, arbitrary: fc.tuple(damaged, event).map(([post, name]) => ({ ...post, event: name })) },
)

async function log({ owner, general, webhook }: Outside): Promise<WebhookDelivery[]> {
  const reply = await owner.client.get(`/api/channels/${general.id}/webhooks/${webhook.id}/deliveries`)
  assert.equal(reply.status, 200)
  return reply.body
}

function assertNoFault(lines: readonly string[]): void {
  assert.deepEqual(
    lines.filter(line => line.includes('"level":50')),
    [],
  )
}

eachOutside(
  'no body, however wrong, is our fault, and what was refused is nowhere but in the log',
  async from => {
    const { program, path, service, webhook } = from
    let taken = 0
    const statuses: number[] = []
    const checked = fc.asyncProperty(posts, async post => {
      const reply = await program.send(`${path}${post.suffix}`, {
        method: 'POST',
        headers: { 'content-type': post.type, 'x-github-event': post.event },
        body: post.body,
      })
      statuses.unshift(reply.status)
      assert.ok([200, 204, 400].includes(reply.status), `${reply.status} ${reply.text}`)
      const count = await service.db.get<{ count: number }>`SELECT COUNT(*) AS count FROM messages`
      // An event of GitHub that is not shown is 204 too.
      if (post.suffix === '/github' && reply.status === 204) taken = count?.count ?? taken
      else if (reply.status < 300) taken++
      assert.equal(count?.count, taken)
    })
    await fc.assert(checked, { seed: 20_260_115, numRuns: 600 })
    assert.deepEqual([...new Set(statuses)].sort(), [200, 204, 400])
    const deliveries = await log(from)
    assert.deepEqual(
      deliveries.map(({ status }) => status),
      statuses.slice(0, 100),
    )
    for (const { status, messageId, reason, body: kept } of deliveries) {
      if (status === 400) assert.ok(messageId === null && reason !== null)
      else assert.ok(reason === null && kept === null)
      assert.ok(!kept?.includes(webhook.token) && Buffer.byteLength(kept ?? '') <= 1024)
    }
    assertNoFault(service.log)
  },
)

eachOutside(
  'no change of a message or of a webhook, however wrong, is our fault, and what was refused changed nothing',
  async from => {
    const { program, path, post, owner, general, service } = from
    const message = `${path}/messages/${(await post({ content: 'as it was' })).body.id}`
    const channel = `/api/channels/${general.id}/webhooks`
    const made = await owner.client.json('POST', channel, { name: 'Managed' })
    const managed = `${channel}/${made.body.id}`
    const seen = new Set<string>()

    const byToken = fc.asyncProperty(
      fc.constantFrom(message, path, path.replace('/api/', '/api/v10/')),
      contentType,
      body,
      async (target, type, bytes) => {
        const before = await program.get(target)
        const reply = await program.send(target, {
          method: 'PATCH',
          headers: { 'content-type': type },
          body: bytes,
        })
        seen.add(`${target === message ? 'message' : 'webhook'} ${reply.status}`)
        assert.ok([200, 400].includes(reply.status), `${reply.status} ${reply.text}`)
        const after = await program.get(target)
        assert.deepEqual(after.body, reply.status === 200 ? reply.body : before.body)
      },
    )
    await fc.assert(byToken, { seed: 7, numRuns: 200 })

    const list = async () => (await owner.client.get(channel)).body
    const members = fc.oneof(object, fc.record({ name: fc.string({ unit: 'binary', maxLength: 100 }) }))
    const natively = fc.asyncProperty(fc.constantFrom('POST', 'PATCH'), members, async (method, json) => {
      const before = await list()
      const reply = await owner.client.json(method, method === 'POST' ? channel : managed, json)
      seen.add(`${method} ${reply.status}`)
      assert.ok([200, 201, 400].includes(reply.status), `${reply.status} ${reply.text}`)
      if (reply.status === 201) await owner.client.json('DELETE', `${channel}/${reply.body.id}`)
      if (reply.status === 400) assert.deepEqual(await list(), before)
    })
    await fc.assert(natively, { seed: 7, numRuns: 200 })
    for (const each of [
      'message 200',
      'message 400',
      'webhook 200',
      'webhook 400',
      'POST 201',
      'POST 400',
      'PATCH 200',
    ])
      assert.ok(seen.has(each), `${each} never came: ${[...seen].join(', ')}`)
    assertNoFault(service.log)
  },
)

eachOutside(
  'a body that nobody asked for is no fault of ours either, and the deletion is done',
  async ({ program, path, post, service }) => {
    const bytes = fc.sample(fc.tuple(contentType, body), { seed: 7, numRuns: 40 })
    for (const [type, sent] of bytes) {
      const target = `${path}/messages/${(await post({ content: 'x' })).body.id}`
      const headers = { 'content-type': type }
      const reply = await program.send(target, { method: 'DELETE', headers, body: sent })
      assert.equal(reply.status, 204, reply.text)
      assert.equal((await program.get(target)).status, 404)
    }
    assertNoFault(service.log)
  },
)
