import assert from 'node:assert/strict'
import { eachWebhook, errorCodeAt } from '../testing.ts'

const star = {
  action: 'created',
  repository: { full_name: 'octo/hello', html_url: 'https://github.com/octo/hello', stargazers_count: 1 },
  sender: { login: 'mona', html_url: 'https://github.com/mona' },
}

eachWebhook(
  'returns 204 and posts an event from JSON or a form as an embed, but no ping or unknown event (webhooks/github)',
  async setup => {
    const { webhook, anonymous, owner, general, postRaw, path } = setup
    const { id, token } = webhook
    const send = (event: string, body: unknown) =>
      anonymous.json('POST', `/api/webhooks/${id}/${token}/github`, body, { 'x-github-event': event })
    for (const [event, body] of [
      ['star', star],
      ['ping', { zen: 'x', hook_id: 1 }],
      ['from_the_future', {}],
    ] as const) {
      const reply = await send(event, body)
      assert.deepEqual([reply.status, reply.text], [204, ''])
    }
    const form = await anonymous.send(`${path}/github`, {
      method: 'POST',
      headers: { 'x-github-event': 'star', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ payload: JSON.stringify(star) }).toString(),
    })
    assert.equal(form.status, 204)
    const { body } = await owner.client.get(`/api/channels/${general.id}/messages`)
    assert.equal(body.length, 2)
    assert.deepEqual(body[0].embeds, body[1].embeds)
    assert.deepEqual(
      [body[0].author.displayName, body[0].embeds[0].title, body[0].embeds[0].author.name],
      ['Alerts', '[octo/hello] New star added', 'mona'],
    )
    const withoutHeader = await postRaw(JSON.stringify(star), 'application/json', '/github')
    assert.deepEqual([withoutHeader.status, withoutHeader.body.code], [400, 50035])
    assert.ok(errorCodeAt(withoutHeader, 'X-GitHub-Event'))
  },
)

eachWebhook('posts an event with the same X-GitHub-Delivery once in 15 minutes', async setup => {
  const { anonymous, path, service, listContents } = setup
  const send = (delivery: string) =>
    anonymous.json('POST', `${path}/github`, star, {
      'x-github-event': 'star',
      'x-github-delivery': delivery,
    })
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => send('72d3162e-cc78-11e3-81ab-4c9367dc0958')),
  )
  assert.deepEqual([...new Set(replies.map(reply => reply.status))], [204])
  assert.equal((await listContents()).length, 1)
  await send('other')
  assert.equal((await listContents()).length, 2)
  service.clock.advance(15 * 60_000)
  await send('other')
  assert.equal((await listContents()).length, 3)
  // A malformed id is not remembered.
  await send('a b > *')
  await send('a b > *')
  assert.equal((await listContents()).length, 5)
})

eachWebhook(
  'returns 400, 404 and 413 in the format of Discord',
  async ({ anonymous, path, webhook, listContents }) => {
    const send = (body: string, to = `${path}/github`) =>
      anonymous.send(to, {
        method: 'POST',
        headers: { 'x-github-event': 'star', 'content-type': 'application/json' },
        body,
      })
    for (const [body, status, code] of [
      ['{', 400, 50109],
      ['[]', 400, 50035],
      ['', 400, 50035],
      ['x'.repeat(1024 * 1024 + 1), 413, 40005],
    ] as const) {
      const reply = await send(body)
      assert.deepEqual([reply.status, reply.body.code], [status, code], body.slice(0, 20))
    }
    const unknown = await send('{}', `/api/webhooks/${webhook.id}/x/github`)
    assert.deepEqual([unknown.status, unknown.body.code], [404, 10015])
    assert.deepEqual(await listContents(), [])
  },
)
