import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNodes } from '../testing.ts'
import { outside } from './testing.ts'

test('two nodes are one: checks 62 and 64: an address that is replaced is dead on both, posts count together', async t => {
  const [here, there] = (await startNodes(t)) ?? []
  if (!here || !there) return
  const from = await outside(here)
  const { owner, general, webhook, contents } = from
  const settings = `/api/channels/${general.id}/webhooks/${webhook.id}`
  const clients = [here.client(), there.client()] as const
  const post = async (node: 0 | 1, path: string, content: string): Promise<number> =>
    (await clients[node].json('POST', path, { content })).status

  const statuses = await Promise.all(
    Array.from({ length: 20 }, (_, i) => post(i % 2 === 0 ? 0 : 1, from.path, 'counted')),
  )
  assert.equal(statuses.filter(status => status === 204).length, 5)
  assert.equal(statuses.filter(status => status === 429).length, 15)
  here.clock.advance(2000)

  const star = { action: 'created', repository: { full_name: 'octo/hello' }, sender: { login: 'mona' } }
  const headers = { 'x-github-event': 'star', 'x-github-delivery': '72d3162e' }
  const deliveries = await Promise.all(
    clients.map(client => client.json('POST', `${from.path}/github`, star, headers)),
  )
  assert.deepEqual(
    deliveries.map(({ status }) => status),
    [204, 204],
  )
  assert.deepEqual(await contents(), [...Array.from({ length: 5 }, () => 'counted'), ''])

  const renewed = await owner.client.json('POST', `${settings}/token`)
  const path = new URL(renewed.body.url).pathname
  assert.deepEqual([await post(1, from.path, 'old'), await post(1, path, 'new')], [404, 204])
  assert.equal((await owner.client.json('DELETE', settings)).status, 204)
  assert.deepEqual([await post(1, path, 'gone'), await post(0, path, 'gone')], [404, 404])
  assert.equal((await contents()).at(-1), 'new')
})
