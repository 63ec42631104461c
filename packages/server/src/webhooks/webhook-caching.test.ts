import assert from 'node:assert/strict'
import { eachWebhook } from './webhooks-testing.ts'

eachWebhook(
  'every response of a webhook route has Cache-Control: no-store (webhooks/no-store)',
  async setup => {
    const { owner, general, webhook, anonymous, path, post, postRaw } = setup
    const posted = await post({ content: 'x' })
    const message = `${path}/messages/${posted.body.id}`
    const channelPath = `/api/channels/${general.id}/webhooks`
    const event = JSON.stringify({ zen: 'x' })
    const replies = [
      posted,
      await anonymous.get(path),
      await anonymous.get(path.replace('/api/', '/api/v10/')),
      await anonymous.json('PATCH', path, { name: 'Renamed' }),
      await postRaw('content=x', 'application/x-www-form-urlencoded'),
      await anonymous.get(message),
      await anonymous.json('PATCH', message, { content: 'y' }),
      await anonymous.json('DELETE', message),
      await postRaw('{"text":"x"}', 'application/json', '/slack'),
      await anonymous.send(`${path}/github`, {
        method: 'POST',
        headers: { 'x-github-event': 'ping', 'content-type': 'application/json' },
        body: event,
      }),
      // Errors.
      await post({}),
      await postRaw('{', 'application/json'),
      await postRaw('', 'application/json', '/slack'),
      await postRaw('', 'application/json', '/github'),
      await anonymous.json('PUT', path, {}),
      await anonymous.get(message),
      await anonymous.get(`${path}x`),
      await anonymous.get(`${path}/unknown`),
      await postRaw('x'.repeat(2 * 1024 * 1024), 'application/json'),
      // Routes of a session.
      await owner.client.get(channelPath),
      await owner.client.json('POST', channelPath, { name: 'Second' }),
      await owner.client.json('PATCH', `${channelPath}/${webhook.id}`, { name: 'Third' }),
      await owner.client.get(`${channelPath}/${webhook.id}/deliveries`),
      await owner.client.json('POST', `${channelPath}/${webhook.id}/token`),
      await anonymous.json('DELETE', path),
    ]
    assert.deepEqual(
      replies.map(({ status, headers }) => [status, headers.get('cache-control')]),
      replies.map(({ status }) => [status, 'no-store']),
    )
    const statuses = new Set(replies.map(({ status }) => status))
    assert.deepEqual([...statuses].sort(), [200, 201, 204, 400, 404, 405, 413])
  },
)
