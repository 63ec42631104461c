import assert from 'node:assert/strict'
import { png } from '@gatehouse/testkit/images'
import type { TestResponse } from '@gatehouse/testkit/service'
import { Ajv } from 'ajv'
import { eachWebhook, type WebhookSetup } from '../webhooks-testing.ts'
import { typedClients } from './typed-clients.fixture.ts'

type Shape = keyof typeof typedClients

const embed = {
  title: 'Build 7',
  description: 'all green',
  url: 'https://ci.example/7',
  timestamp: '2026-01-02T03:04:05Z',
  color: 65280,
  footer: { text: 'ci', icon_url: 'https://ci.example/i.png' },
  image: { url: 'https://ci.example/graph.png' },
  thumbnail: { url: 'https://ci.example/t.png' },
  author: { name: 'CI', url: 'https://ci.example', icon_url: 'https://ci.example/a.png' },
  fields: [{ name: 'a', value: 'b' }],
}

/** Requests every kind of response with a body from every route in Discord's format. */
async function collectResponses({ owner, general, webhook, anonymous, path, post, postRaw }: WebhookSetup) {
  const responses: { what: string; status: number; shape: Shape; reply: TestResponse }[] = []
  const add = (what: string, status: number, shape: Shape, reply: TestResponse) =>
    responses.push({ what, status, shape, reply })
  const wrongPath = `${path.slice(0, -1)}${path.endsWith('x') ? 'y' : 'x'}`

  add('GET webhook', 200, 'webhook', await anonymous.get(path))
  const settings = `/api/channels/${general.id}/webhooks/${webhook.id}`
  const changed = await owner.client.json('PATCH', settings, { avatar: 'https://ci.example/hook.png' })
  assert.equal(changed.status, 200)
  add('GET webhook with an avatar', 200, 'webhook', await anonymous.get(path))
  add('PATCH webhook', 200, 'webhook', await anonymous.json('PATCH', path, { name: 'Renamed' }))
  add('POST text', 200, 'message', await post({ content: 'plain' }))
  const full = {
    content: `hello <@${owner.id}>`,
    username: 'CI',
    avatar_url: 'https://ci.example/a.png',
    embeds: [embed, { title: 'second' }],
  }
  const posted = await post(full)
  add('POST with all members', 200, 'message', posted)
  const message = `${path}/messages/${posted.body.id}`
  add('GET message', 200, 'message', await anonymous.get(message))
  add('PATCH message', 200, 'message', await anonymous.json('PATCH', message, { content: 'edited' }))
  const uploaded = await owner.client.send('/api/users/@me/avatar', {
    method: 'PUT',
    headers: { 'content-type': 'image/png' },
    body: png,
  })
  assert.equal(uploaded.status, 200, uploaded.text)
  add('POST that mentions a user with an avatar', 200, 'message', await post(full))

  add('400 empty', 400, 'error', await post({}))
  add(
    '400 invalid',
    400,
    'error',
    await post({ content: {}, embeds: [{ title: 'x'.repeat(257), color: -1 }] }),
  )
  add('400 not an object', 400, 'error', await post([]))
  add('400 not JSON', 400, 'error', await postRaw('{', 'application/json'))
  add('400 wrong wait', 400, 'error', await postRaw('{}', 'application/json', '?wait=maybe'))
  add('404 webhook', 404, 'error', await anonymous.get(wrongPath))
  add('404 message', 404, 'error', await anonymous.get(`${path}/messages/${webhook.id}`))
  add('405', 405, 'error', await anonymous.json('PUT', path, {}))
  add('413', 413, 'error', await post({ content: 'x'.repeat(1024 * 1024) }))
  return responses
}

async function collectRateLimited({ anonymous, path, post }: WebhookSetup) {
  const replies = []
  const { body } = await post({ content: 'x' })
  for (let i = 0; i < 5; i++) replies.push(await anonymous.json('POST', path, { content: 'x' }))
  for (let i = 0; i < 6; i++) replies.push(await anonymous.json('DELETE', `${path}/messages/${body.id}`))
  return replies.filter(({ status }) => status === 429)
}

function assertValid(what: string, schema: object, value: unknown): void {
  const ajv = new Ajv({ strict: false, allErrors: true })
  assert.ok(ajv.validate(schema, value), `${what}: ${ajv.errorsText()} in ${JSON.stringify(value)}`)
}

eachWebhook('typed clients parse every response of the webhook routes', async setup => {
  for (const { what, status, shape, reply } of await collectResponses(setup)) {
    assert.equal(reply.status, status, `${what}: ${reply.text}`)
    assertValid(what, typedClients[shape], reply.body)
    assertValid(what, typedClients.headers, Object.fromEntries(reply.headers))
  }
})

eachWebhook(
  'typed clients wait after 429',
  async setup => {
    const replies = await collectRateLimited(setup)
    assert.equal(replies.length, 2)
    for (const { body, headers } of replies) {
      assertValid('429', typedClients.rateLimited, body)
      assertValid('429', typedClients.headers, Object.fromEntries(headers))
      assertValid('429', typedClients.rateLimitedHeaders, Object.fromEntries(headers))
    }
  },
  { rateLimits: 'on' },
)
