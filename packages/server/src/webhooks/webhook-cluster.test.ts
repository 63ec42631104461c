import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNodes } from '@gatehouse/testkit/service'
import { setUpWebhook } from './webhooks-testing.ts'

test('token reset and rate limit apply on both nodes (webhooks/token-reset, webhooks/rate-limit)', async t => {
  const [first, second] = (await startNodes(t)) ?? []
  if (!first || !second) return
  const setup = await setUpWebhook(first)
  const { owner, general, webhook, listContents } = setup
  const settings = `/api/channels/${general.id}/webhooks/${webhook.id}`
  const clients = [first.client(), second.client()] as const
  const post = async (node: 0 | 1, path: string, content: string): Promise<number> =>
    (await clients[node].json('POST', path, { content })).status
  /** NATS numbers the writes of a bucket. */
  async function nextRevision(): Promise<number> {
    await first?.bus.kv.set('key', 'value', 1000)
    return (await first?.bus.kv.get('key'))?.revision ?? Number.NaN
  }

  const before = await nextRevision()
  const statuses = await Promise.all(
    Array.from({ length: 20 }, (_, i) => post(i % 2 === 0 ? 0 : 1, setup.path, 'counted')),
  )
  assert.equal(statuses.filter(status => status === 204).length, 5)
  assert.equal(statuses.filter(status => status === 429).length, 15)
  first.clock.advance(2000)

  const star = { action: 'created', repository: { full_name: 'octo/hello' }, sender: { login: 'mona' } }
  const headers = { 'x-github-event': 'star', 'x-github-delivery': '72d3162e' }
  const deliveries = await Promise.all(
    clients.map(client => client.json('POST', `${setup.path}/github`, star, headers)),
  )
  assert.deepEqual(
    deliveries.map(({ status }) => status),
    [204, 204],
  )
  assert.deepEqual(await listContents(), [...Array.from({ length: 5 }, () => 'counted'), ''])

  // Ephemeral messages have a bucket of their own, because a full bucket drops the oldest values (bots/ephemeral).
  assert.equal(await nextRevision(), before + 1)

  const reset = await owner.client.json('POST', `${settings}/token`)
  const path = new URL(reset.body.url).pathname
  assert.deepEqual([await post(1, setup.path, 'old'), await post(1, path, 'new')], [404, 204])
  assert.equal((await owner.client.json('DELETE', settings)).status, 204)
  assert.deepEqual([await post(1, path, 'deleted'), await post(0, path, 'deleted')], [404, 404])
  assert.equal((await listContents()).at(-1), 'new')
})
