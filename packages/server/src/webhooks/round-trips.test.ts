import assert from 'node:assert/strict'
import { assertRoundTrips } from '@gatehouse/testkit/round-trips'
import { createWebhook, eachWebhook } from './testing.ts'

eachWebhook(
  'a webhook post waits once for PostgreSQL, and twice if the webhook was not used in the last second',
  async ({ service, owner, general, anonymous, path }) => {
    const post = async (url: string, status: number) =>
      assert.equal((await anonymous.json('POST', url, { content: 'x' })).status, status)
    await assertRoundTrips(service, 1, () => post(path, 204))
    await assertRoundTrips(service, 1, () => post(`${path}?wait=true`, 200))
    // One for each attempt of `assertRoundTrips`: the webhook is read before the body, and then kept for a second.
    const unused: string[] = []
    while (unused.length < 5) unused.push(new URL((await createWebhook(owner, general.id)).url).pathname)
    await assertRoundTrips(service, 2, () => post(unused.pop() ?? '', 204))
  },
)
