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

eachWebhook(
  'a delivery has every invalid field, the type and the size of its body (webhooks/delivery-log)',
  async ({ owner, general, webhook, post, postRaw }) => {
    const list = async () =>
      (await owner.client.get(`/api/channels/${general.id}/webhooks/${webhook.id}/deliveries`)).body
    const body = { content: 'x'.repeat(2001), username: 'y'.repeat(81), embeds: [{ title: 'z'.repeat(257) }] }
    assert.equal((await post(body)).status, 400)
    const [rejected] = await list()
    assert.deepEqual(rejected.errors, [
      { field: 'content', reason: 'Must be 2000 or fewer in length.' },
      { field: 'username', reason: 'Must be 80 or fewer in length.' },
      { field: 'embeds[0].title', reason: 'Must be 256 or fewer in length.' },
    ])
    const size = JSON.stringify(body).length
    assert.deepEqual(
      [rejected.field, rejected.bodyBytes, rejected.body.length, rejected.contentType],
      ['content', size, 1024, 'application/json'],
    )
    const type = `text/${webhook.token}; charset=${'x'.repeat(300)}`
    assert.equal((await postRaw('{}', type)).status, 400)
    const [typed] = await list()
    assert.equal(typed.contentType.length, 200)
    assert.ok(typed.contentType.startsWith('text/[token]; charset=xxx'))
    const attachments = [{ image_url: 'https://x.example/a b' }, { author_name: 'n', author_icon: 'x' }]
    await postRaw(
      JSON.stringify({ attachments: [...attachments, 'x'.repeat(5)] }),
      'application/json',
      '/slack',
    )
    const { body: posted } = await post({ content: 'x' })
    const [accepted] = await list()
    assert.deepEqual(
      [accepted.messageId, accepted.errors, accepted.body, accepted.bodyBytes, accepted.contentType],
      [posted.id, [], null, null, null],
    )
  },
)

eachWebhook(
  'the log says which text of Slack and GitHub was cut (webhooks/delivery-log)',
  async ({ owner, general, webhook, postRaw, anonymous, path }) => {
    const lastReason = async () => {
      const url = `/api/channels/${general.id}/webhooks/${webhook.id}/deliveries`
      return (await owner.client.get(url)).body[0].reason
    }
    const slack = async (body: object) => {
      const reply = await postRaw(JSON.stringify(body), 'application/json', '/slack')
      assert.deepEqual([reply.status, reply.text], [200, 'ok'])
      return lastReason()
    }
    const lost = (...names: string[]) => `Not shown, or only as text: ${names.join(', ')}.`
    assert.equal(await slack({ text: 'x'.repeat(9000) }), lost('the end of text (after 4096 characters)'))
    assert.equal(await slack({ text: 'x'.repeat(4096) }), null)
    const fields = Array.from({ length: 26 }, () => ({ title: 't', value: 'v' }))
    const attachment = { title: 't'.repeat(300), text: 'x', fields }
    assert.equal(
      await slack({ attachments: [attachment], username: 'u'.repeat(81) }),
      lost(
        'the end of title (after 256 characters)',
        'attachments.fields after the first 25',
        'the end of username (after 80 characters)',
      ),
    )
    const long = Array.from({ length: 3 }, () => ({ text: 'x'.repeat(3000) }))
    assert.equal(await slack({ attachments: long }), lost('the end of the embeds (after 6000 characters)'))
    const issue = {
      number: 1,
      title: 't'.repeat(300),
      html_url: 'https://github.com/a/b/issues/1',
      body: 'b',
    }
    const event = {
      action: 'opened',
      issue,
      repository: { full_name: 'a/b' },
      sender: { login: 'ada' },
    }
    const github = await anonymous.json('POST', `${path}/github`, event, { 'x-github-event': 'issues' })
    assert.equal(github.status, 204)
    assert.equal(await lastReason(), lost('the end of the title (after 256 characters)'))
  },
)
