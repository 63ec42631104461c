import assert from 'node:assert/strict'
import { eachOutside } from '../testing.ts'

eachOutside('200: what came of the last posts, newest first, and why some were refused', async from => {
  const { owner, general, webhook, raw, post, program, path, service } = from
  const deliveries = () => owner.client.get(`/api/channels/${general.id}/webhooks/${webhook.id}/deliveries`)
  assert.deepEqual((await deliveries()).body, [])
  const posted = await post({ content: 'x' })
  service.clock.advance(1)
  await post({ embeds: [{ title: 'x'.repeat(300) }], username: webhook.token })
  await raw('{"text":""}', undefined, '/slack')
  await program.json('POST', `${path}/github`, {}, { 'x-github-event': 'ping' })
  await raw('x'.repeat(1024 * 1024 + 1), 'application/json')
  await raw('{', 'application/json')
  const reply = await deliveries()
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
      ['github', 204, null, null],
      ['slack', 400, 'text', 'there is nothing to show: no text, no attachment, no known block'],
      ['message', 400, 'embeds[0].title', 'Must be 256 or fewer in length.'],
      ['message', 200, null, null],
    ],
  )
  const first = reply.body.at(-1)
  assert.deepEqual(
    [first.messageId, first.body, first.at],
    [posted.body.id, null, '2026-01-15T12:00:00.000Z'],
  )
  const refused = reply.body.at(-2)
  assert.equal(refused.at, '2026-01-15T12:00:00.001Z')
  assert.ok(refused.body.startsWith('{"embeds":[{"title":"xxx'))
  assert.equal(reply.text.includes(webhook.token), false)
})

eachOutside(
  'bodies are cut to 1 KiB at a whole character, without the token wherever it stands',
  async from => {
    const { owner, general, webhook, raw } = from
    const bodies = ['é'.repeat(2000), `${'x'.repeat(1000)}${webhook.token}`, `a\u0000${webhook.token}b`]
    for (const body of bodies) await raw(body, 'text/plain')
    const reply = await owner.client.get(`/api/channels/${general.id}/webhooks/${webhook.id}/deliveries`)
    const kept = reply.body.map((entry: { body: string }) => entry.body).reverse()
    assert.deepEqual(kept, ['é'.repeat(512), `${'x'.repeat(1000)}[token]`, 'a\ufffd[token]b'])
  },
)

eachOutside(
  'the last 100 posts are kept, those of each webhook by themselves; they go with it',
  async from => {
    const { owner, general, webhook, post, service } = from
    const path = `/api/channels/${general.id}/webhooks/${webhook.id}/deliveries`
    for (let i = 0; i < 60; i++) await post({ content: String(i) })
    assert.equal((await owner.client.get(path)).body.length, 60)
    for (let i = 0; i < 60; i++) await post({ content: 1 })
    service.clock.advance(1000)
    const reply = await owner.client.get(path)
    assert.equal(reply.body.length, 100)
    assert.deepEqual(
      [200, 400].map(
        status => reply.body.filter((entry: { status: number }) => entry.status === status).length,
      ),
      [40, 60],
    )
    await post({ content: 1 })
    await owner.client.json('DELETE', `/api/channels/${general.id}/webhooks/${webhook.id}`)
    // What was still to be written has nowhere to go, and that is no error.
    service.clock.advance(1000)
    await service.restart()
    const left = await service.db.get<{ count: number }>`SELECT COUNT(*) AS count FROM webhook_deliveries`
    assert.equal(left?.count, 0)
    assert.equal(
      service.log.some(line => line.includes('"level":50')),
      false,
    )
  },
)

eachOutside('the log outlasts a restart', async ({ owner, general, webhook, post, service }) => {
  await post({ content: 'x' })
  await service.restart()
  const reply = await owner.client.get(`/api/channels/${general.id}/webhooks/${webhook.id}/deliveries`)
  assert.equal(reply.body.length, 1)
})
