import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { type TestContext, test } from 'node:test'
import { inspect } from 'node:util'
import { listenHttp } from '@gatehouse/testkit/listen'
import { systemTimers } from './clock.ts'
import { ApiError, InvalidError } from './errors.ts'
import { createWebhook } from './webhook.ts'

const token = 'a-Z_0'.repeat(14).slice(0, 68)

const posted = {
  id: '11',
  type: 0,
  channel_id: '12',
  webhook_id: '10',
  content: 'Deployed',
  author: {
    id: '10',
    username: 'CI',
    avatar: '0123456789abcdef0123456789abcdef',
    avatar_url: 'https://example.org/a.png',
    bot: true,
    discriminator: '0000',
    public_flags: 0,
  },
  embeds: [],
  attachments: [],
  components: [],
  mentions: [],
  mention_roles: [],
  mention_everyone: false,
  pinned: false,
  tts: false,
  timestamp: '2026-01-15T12:00:00.000000+00:00',
  edited_timestamp: null,
  flags: 0,
}

async function start(t: TestContext, ...listeners: RequestListener[]) {
  const requests: string[] = []
  const { url } = await listenHttp(t, async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    requests.push(`${request.method} ${request.url} ${body}`.trim())
    listeners[Math.min(requests.length, listeners.length) - 1]?.(request, response)
  })
  const delays: number[] = []
  const webhook = createWebhook(`${url}/api/webhooks/10/${token}`, {
    // It stands still: the delays are those that the responses name.
    clock: () => 0,
    timers: {
      after(ms, work, kind) {
        if (ms > 10_000) return systemTimers.after(ms, work, kind)
        delays.push(ms)
        queueMicrotask(work)
        return () => {}
      },
    },
  })
  return { webhook, requests, delays }
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): RequestListener {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }
}

test('send posts a message and returns it with the property names of this package', async t => {
  const { webhook, requests } = await start(t, json(200, posted))
  const message = await webhook.send({
    content: 'Deployed',
    username: 'CI',
    avatarUrl: 'https://example.org/a.png',
    allowedMentions: { parse: [] },
  })
  assert.deepEqual(message, {
    id: '11',
    channelId: '12',
    content: 'Deployed',
    embeds: [],
    author: { username: 'CI', avatar: 'https://example.org/a.png' },
    createdAt: '2026-01-15T12:00:00.000Z',
    editedAt: null,
  })
  assert.deepEqual(requests, [
    `POST /api/webhooks/10/${token}?wait=true ` +
      '{"content":"Deployed","username":"CI","avatar_url":"https://example.org/a.png","allowed_mentions":{"parse":[]}}',
  ])
})

test('gets, edits and deletes a message at its URL', async t => {
  const { webhook, requests } = await start(t, json(200, posted), json(200, posted), (_, response) =>
    response.writeHead(204).end(),
  )
  await webhook.get('11')
  await webhook.edit('11', { content: 'Changed' })
  await webhook.delete('11')
  const address = `/api/webhooks/10/${token}/messages/11`
  assert.deepEqual(requests, [
    `GET ${address}`,
    `PATCH ${address} {"content":"Changed"}`,
    `DELETE ${address}`,
  ])
})

test('an edit takes the message as an object, so that a text is never taken for an id', async t => {
  const { webhook, requests } = await start(t)
  const call = webhook.edit as (...args: unknown[]) => Promise<unknown>
  await assert.rejects(
    call('11', 'Changed'),
    /^TypeError: webhook\.edit: argument 2 must be an object, such as/,
  )
  await assert.rejects(call({ content: 'Changed' }, '11'), TypeError)
  assert.deepEqual(requests, [])
})

test('400 throws InvalidError with field errors', async t => {
  const { webhook } = await start(
    t,
    json(400, {
      code: 50035,
      message: 'Invalid Form Body',
      errors: {
        embeds: { 0: { title: { _errors: [{ code: 'BASE_TYPE_MAX_LENGTH', message: 'Too long.' }] } } },
      },
    }),
  )
  await assert.rejects(webhook.send('x'), (error: InvalidError) => {
    assert.ok(error instanceof InvalidError)
    assert.deepEqual(error.fieldErrors, [
      { path: 'embeds[0].title', code: 'BASE_TYPE_MAX_LENGTH', message: 'Too long.' },
    ])
    return true
  })
})

test('retries 429 after Retry-After', async t => {
  const limited = json(
    429,
    { message: 'Slow down.', retry_after: 1.2, global: false },
    { 'retry-after': '2' },
  )
  const { webhook, requests, delays } = await start(t, limited, json(200, posted))
  await webhook.send('x')
  assert.equal(requests.length, 2)
  assert.deepEqual(delays, [2000])
})

test('404 throws an error that does not contain the URL', async t => {
  const { webhook } = await start(t, json(404, { code: 10015, message: 'Unknown Webhook' }))
  await assert.rejects(webhook.send('x'), (error: ApiError) => {
    assert.ok(error instanceof ApiError)
    assert.deepEqual([error.status, error.code], [404, '10015'])
    assert.doesNotMatch(inspect(error, { depth: Number.POSITIVE_INFINITY }), new RegExp(token))
    return true
  })
})

test('printing a webhook does not expose its token', () => {
  const webhook = createWebhook(`https://chat.example.org/api/v10/webhooks/10/${token}`)
  const printed = [
    inspect(webhook),
    inspect(webhook, { depth: Number.POSITIVE_INFINITY, showHidden: true, customInspect: false }),
    String(webhook),
    JSON.stringify(webhook),
  ]
  assert.deepEqual([printed[0], printed[2], printed[3]], ['Webhook(10)', 'Webhook(10)', '{"id":"10"}'])
  assert.doesNotMatch(printed.join(), new RegExp(token))
})

test('rejects an invalid webhook URL without repeating it in the message', () => {
  for (const url of [`https://x/api/webhooks/10/${token}/slack`, `/api/webhooks/10/${token}`, token]) {
    assert.throws(
      () => createWebhook(url),
      (error: Error) => !inspect(error).includes(token),
    )
  }
})
