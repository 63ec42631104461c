import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxBodyBytes, maxGithubBodyBytes } from '@gatehouse/protocol/limits'
import { createOperator } from '@gatehouse/testkit/administration'
import { createServer, register } from '@gatehouse/testkit/community'
import { listenTcp } from '@gatehouse/testkit/listen'
import { eachService, startService, type TestClient, type TestResponse } from '@gatehouse/testkit/service'
import { createBot } from './gateway/gateway-testing.ts'

async function expectStatus(status: number, reply: Promise<TestResponse>): Promise<TestResponse['body']> {
  const { status: actual, text, body } = await reply
  assert.equal(actual, status, text)
  return body
}

eachService(
  'returns 201 for a created resource, 204 for a deleted one, and 404 for a second deletion (community/status-codes)',
  async (_t, service) => {
    const [{ client: ann }, ben] = [await register(service, 'ann'), await register(service, 'ben')]
    const make = (path: string, body: object = {}) => expectStatus(201, ann.json('POST', path, body))
    const deleteTwice = async (path: string) => {
      await expectStatus(204, ann.json('DELETE', path))
      await expectStatus(404, ann.json('DELETE', path))
    }
    const server = await make('/api/servers', { name: 'Server' })
    const base = `/api/servers/${server.id}`
    const channel = await make(`${base}/channels`, { name: 'second' })
    const role = await make(`${base}/roles`, { name: 'Crew', permissions: '0' })
    const { code } = await make(`${base}/invites`)
    await expectStatus(200, ben.client.json('POST', `/api/invites/${code}`))
    const message = await make(`/api/channels/${channel.id}/messages`, { content: 'x' })
    const webhook = await make(`/api/channels/${channel.id}/webhooks`, { name: 'Hook' })
    const application = await make('/api/applications', { name: 'Dice', type: 'public' })
    await make(`/api/applications/${application.id}/bot`)
    await make('/api/users/@me/channels', { recipientId: ben.id })
    await expectStatus(200, ann.json('POST', '/api/users/@me/channels', { recipientId: ben.id }))

    const overwrite = `/api/channels/${channel.id}/overwrites/${role.id}`
    await expectStatus(204, ann.json('PUT', overwrite, { type: 'role', allow: '0', deny: '0' }))
    const memberRole = `${base}/members/${ben.id}/roles/${role.id}`
    await expectStatus(204, ann.json('PUT', memberRole))
    await expectStatus(204, ann.json('DELETE', memberRole))
    await deleteTwice(overwrite)
    await deleteTwice(`/api/channels/${channel.id}/messages/${message.id}`)
    await deleteTwice(`/api/channels/${channel.id}/webhooks/${webhook.id}`)
    await deleteTwice(`${base}/roles/${role.id}`)
    await deleteTwice(`/api/channels/${channel.id}`)
    await deleteTwice(`${base}/members/${ben.id}`)
    await deleteTwice(`/api/applications/${application.id}`)
    await deleteTwice(base)
  },
)

eachService(
  '@everyone has the id of the server and can be changed, but not deleted, renamed or ' +
    'assigned (community/everyone-role)',
  async (_t, service) => {
    const [ann, ben] = [await register(service, 'ann'), await register(service, 'ben')]
    const { server } = await createServer(ann, ben)
    const roles = `/api/servers/${server.id}/roles`
    const everyone = `${roles}/${server.id}`
    const listRoles = async () => (await ben.client.get(roles)).body
    assert.deepEqual(
      (await listRoles()).map(({ id, name }: { id: string; name: string }) => [id, name]),
      [[server.id, '@everyone']],
    )
    const changed = await expectStatus(200, ann.client.json('PATCH', everyone, { permissions: '0' }))
    assert.deepEqual([changed.id, changed.permissions], [server.id, '0'])
    assert.deepEqual((await ben.client.get(`/api/servers/${server.id}/channels`)).body, [])
    await expectStatus(400, ann.client.json('PATCH', everyone, { name: 'All' }))
    await expectStatus(409, ann.client.json('DELETE', everyone))
    const memberRole = `/api/servers/${server.id}/members/${ben.id}/roles/${server.id}`
    for (const method of ['PUT', 'DELETE']) {
      const { status } = await ann.client.json(method, memberRole)
      assert.ok(status === 400 || status === 404 || status === 409, `${method}: ${status}`)
    }
    assert.deepEqual((await ben.client.get(`/api/servers/${server.id}/members/${ben.id}`)).body.roles, [])
    assert.deepEqual(await listRoles(), [changed])
  },
)

test('stores the image URLs of a message and requests none before a reader does (webhooks/avatar-url)', async t => {
  const imageServer = await listenTcp(t, socket => socket.destroy())
  const imageUrl = `${imageServer.url}/a.png`
  // The configuration would allow the requests.
  const service = await startService(t, { env: { ALLOW_PRIVATE_TARGETS: '127.0.0.0/8' } })
  const ann = await register(service, 'ann')
  const { general } = await createServer(ann)
  const messages = `/api/channels/${general.id}/messages`
  const { url } = (await ann.client.json('POST', `/api/channels/${general.id}/webhooks`, { name: 'Hook' }))
    .body
  const embeds = [{ title: 't', url: imageUrl, image: { url: imageUrl }, thumbnail: { url: imageUrl } }]
  const message = { content: imageUrl, avatar_url: imageUrl, embeds }
  const { pathname } = new URL(url)
  const posted = await expectStatus(200, service.client().json('POST', `${pathname}?wait=true`, message))
  assert.equal(posted.author.avatar_url, imageUrl)
  assert.match(posted.author.avatar, /^[0-9a-f]{32}$/)
  const [read] = await expectStatus(200, ann.client.get(messages))
  assert.deepEqual([read.author.avatar, read.embeds[0].image.url], [imageUrl, imageUrl])
  service.clock.advance(60_000)
  await expectStatus(200, ann.client.get(`${messages}/${posted.id}`))
  assert.equal(imageServer.connections(), 0)
})

interface Operation {
  method: string
  path: string
}

/** Every endpoint with a request body, from the OpenAPI document. */
async function listOperationsWithBody(client: TestClient): Promise<Operation[]> {
  const { body } = await client.get('/api/openapi.json')
  const paths: Record<string, Record<string, { requestBody?: object }>> = body.paths
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { requestBody }]) => requestBody !== undefined)
      .map(([method]) => ({ method: method.toUpperCase(), path })),
  )
}

test('every route limits the size and depth of a body (community/message-length)', async t => {
  const service = await startService(t, { env: { RATE_LIMITS: 'off' } })
  // Others are told that the routes for administrators do not exist.
  const ann = await createOperator(service)
  const { server, general } = await createServer(ann)
  const bot = await createBot(service, ann)
  const webhook = (await ann.client.json('POST', `/api/channels/${general.id}/webhooks`, { name: 'Hook' }))
    .body
  const [, , , hookId = '', hookToken = ''] = new URL(webhook.url).pathname.split('/')
  const known = new Map([
    ['webhooks/{id}', `webhooks/${hookId}`],
    ['{token}', hookToken],
  ])
  const operations = await listOperationsWithBody(ann.client)
  assert.ok(operations.length > 40, `${operations.length} endpoints have a body`)
  const exceed = (bytes: number) => JSON.stringify({ x: 'x'.repeat(bytes) })
  let count = 0
  const deep = `${'{"x":'.repeat(33)}1${'}'.repeat(33)}`
  for (const { method, path } of operations) {
    // The OAuth endpoints take forms, which have no depth (RFC 6749 §4).
    const form = path.startsWith('/api/oauth2/')
    let url = path
    for (const [from, to] of known) url = url.replace(from, to)
    url = url.replaceAll(/\{\w+\}/g, server.id)
    const send = async (body: string) => {
      const type = form ? 'application/x-www-form-urlencoded' : 'application/json'
      const headers = { 'content-type': type, 'x-github-event': 'push' }
      const asUser = await ann.client.send(url, { method, headers, body })
      if (asUser.status !== 401) return asUser
      const authorization = `Bot ${bot.token}`
      return service.client().send(url, { method, headers: { ...headers, authorization }, body })
    }
    const { status } = await send(exceed(path.endsWith('/github') ? maxGithubBodyBytes : maxBodyBytes))
    // Endpoints for images have their own tests.
    if (status === 415) continue
    assert.equal(status, 413, `${method} ${url}`)
    if (form) continue
    count++
    const refused = await send(deep)
    assert.equal(refused.status, 400, `${method} ${url}: ${refused.text}`)
    assert.match(
      refused.text,
      /malformed|deep|nest|50109|invalid_payload|invalid_request/i,
      `${method} ${url}`,
    )
  }
  assert.ok(count > 40, `${count} of them take JSON`)
})
