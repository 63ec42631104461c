import assert from 'node:assert/strict'
import { eachWebhook } from './webhooks-testing.ts'

eachWebhook(
  'returns 200 with the last deliveries, newest first, and the reasons of failures (webhooks/delivery-log)',
  async setup => {
    const { owner, general, webhook, postRaw, post, anonymous, path, service } = setup
    const listDeliveries = () =>
      owner.client.get(`/api/channels/${general.id}/webhooks/${webhook.id}/deliveries`)
    assert.deepEqual((await listDeliveries()).body, [])
    const posted = await post({ content: 'x' })
    service.clock.advance(1)
    await post({ embeds: [{ title: 'x'.repeat(300) }], username: webhook.token })
    await postRaw('{"text":""}', undefined, '/slack')
    await anonymous.json('POST', `${path}/github`, {}, { 'x-github-event': 'ping' })
    await postRaw('x'.repeat(1024 * 1024 + 1), 'application/json')
    await postRaw('{', 'application/json')
    const reply = await listDeliveries()
    assert.equal(reply.status, 200)
    assert.deepEqual(
      reply.body.map((entry: Record<string, unknown>) => [
        entry.route,
        entry.status,
        entry.field,
        entry.reason,
      ]),
      [
        ['message', 400, null, 'The body is not JSON.'],
        ['message', 413, null, 'The body is larger than 1 MiB.'],
        ['github', 204, null, 'Ping received: GitHub can reach this webhook. A ping creates no message.'],
        ['slack', 400, 'text', 'the message has no text, no attachment and no supported block'],
        ['message', 400, 'embeds[0].title', 'Must be 256 or fewer in length.'],
        ['message', 200, null, null],
      ],
    )
    const first = reply.body.at(-1)
    assert.deepEqual(
      [first.messageId, first.body, first.at],
      [posted.body.id, null, '2026-01-15T12:00:00.000Z'],
    )
    const failed = reply.body.at(-2)
    assert.equal(failed.at, '2026-01-15T12:00:00.001Z')
    assert.ok(failed.body.startsWith('{"embeds":[{"title":"xxx'))
    assert.equal(reply.text.includes(webhook.token), false)
  },
)

eachWebhook('logs a GitHub event that is not posted with the reason', async setup => {
  const { owner, general, webhook, anonymous, path } = setup
  const send = async (event: string, body: object, delivery = '') => {
    const headers = { 'x-github-event': event, ...(delivery === '' ? {} : { 'x-github-delivery': delivery }) }
    const reply = await anonymous.json('POST', `${path}/github`, body, headers)
    assert.equal(reply.status, 204, reply.text)
    const log = await owner.client.get(`/api/channels/${general.id}/webhooks/${webhook.id}/deliveries`)
    return [log.body[0].reason, log.body[0].messageId === null]
  }
  const commit = { id: 'abc', message: 'Fix' }
  for (const [event, body, reason] of [
    ['ping', { zen: 'x' }, /^Ping received/],
    ['push', {}, /^Ignored: the event "push" has no "ref" and "commits"\./],
    ['push', { ref: 'refs/heads/main', commits: [] }, /^Ignored: the push has no commits\./],
    [
      'issues',
      { action: 'labeled' },
      /^Ignored: "issues" events with the action "labeled" are not posted\.$/,
    ],
    ['issues', {}, /^Ignored: the event "issues" has no "action" and "issue"\./],
    ['issues', { action: 'opened' }, /^Ignored: the event "issues" has no "issue"\./],
    [
      'check_run',
      { action: 'completed', check_run: null },
      /^Ignored: the event "check_run" has no "check_run"\./,
    ],
    ['fork', {}, /^Ignored: the event "fork" has no "forkee"\./],
    ['label', { action: 'created' }, /^Ignored: events of the type "label" are not posted\.$/],
    ['status', { state: 'pending' }, /^Ignored: this "status" event is not posted\.$/],
  ] as const) {
    const [loggedReason, noMessage] = await send(event, body)
    assert.match(loggedReason, reason)
    assert.equal(noMessage, true)
  }
  const push = { ref: 'refs/heads/main', commits: [commit] }
  assert.deepEqual(await send('push', push, 'one'), [null, false])
  assert.deepEqual(await send('push', push, 'one'), [
    'Ignored: an event with this X-GitHub-Delivery was posted before.',
    true,
  ])
})

eachWebhook(
  'truncates bodies to 1 KiB without splitting a character and removes the token (webhooks/delivery-log)',
  async setup => {
    const { owner, general, webhook, postRaw } = setup
    const bodies = ['é'.repeat(2000), `${'x'.repeat(1000)}${webhook.token}`, `a\u0000${webhook.token}b`]
    for (const body of bodies) await postRaw(body, 'text/plain')
    const reply = await owner.client.get(`/api/channels/${general.id}/webhooks/${webhook.id}/deliveries`)
    const excerpts = reply.body.map((entry: { body: string }) => entry.body).reverse()
    assert.deepEqual(excerpts, ['é'.repeat(512), `${'x'.repeat(1000)}[token]`, 'a\ufffd[token]b'])
  },
)

eachWebhook(
  'stores the last 100 deliveries of a webhook and deletes them with the webhook (webhooks/delivery-log)',
  async setup => {
    const { owner, general, webhook, post, service } = setup
    const path = `/api/channels/${general.id}/webhooks/${webhook.id}/deliveries`
    for (let i = 0; i < 60; i++) await post({ content: String(i) })
    assert.equal((await owner.client.get(path)).body.length, 60)
    for (let i = 0; i < 60; i++) await post({ content: {} })
    service.clock.advance(1000)
    const reply = await owner.client.get(path)
    assert.equal(reply.body.length, 100)
    assert.deepEqual(
      [200, 400].map(
        status => reply.body.filter((entry: { status: number }) => entry.status === status).length,
      ),
      [40, 60],
    )
    await post({ content: {} })
    await owner.client.json('DELETE', `/api/channels/${general.id}/webhooks/${webhook.id}`)
    // The pending delivery of the deleted webhook is discarded without an error.
    service.clock.advance(1000)
    await service.restart()
    const remaining = await service.db.get<{
      count: number
    }>`SELECT COUNT(*) AS count FROM webhook_deliveries`
    assert.equal(remaining?.count, 0)
    assert.equal(
      service.log.some(line => line.includes('"level":50')),
      false,
    )
  },
)

eachWebhook('deliveries persist across a restart', async ({ owner, general, webhook, post, service }) => {
  await post({ content: 'x' })
  await service.restart()
  const reply = await owner.client.get(`/api/channels/${general.id}/webhooks/${webhook.id}/deliveries`)
  assert.equal(reply.body.length, 1)
})

eachWebhook('logs a post once if its message is created but cannot be formatted', async setup => {
  const { owner, general, webhook, post, service } = setup
  // Only formatting reads this column of the mentioned user.
  await service.db.run`ALTER TABLE users RENAME COLUMN email_verified TO renamed`
  const reply = await post({ content: `hi <@${owner.id}>` })
  await service.db.run`ALTER TABLE users RENAME COLUMN renamed TO email_verified`
  assert.equal(reply.status, 500)
  const { body: messages } = await owner.client.get(`/api/channels/${general.id}/messages`)
  assert.deepEqual(
    messages.map(({ content }: { content: string }) => content),
    [`hi <@${owner.id}>`],
  )
  const log = await owner.client.get(`/api/channels/${general.id}/webhooks/${webhook.id}/deliveries`)
  assert.deepEqual(
    log.body.map((entry: { status: number; messageId: string }) => [entry.status, entry.messageId]),
    [[500, messages[0].id]],
  )
})
