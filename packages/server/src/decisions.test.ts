import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { makeBot } from './gateway/testing.ts'
import { found, register } from './platform/testing.ts'
import { type Client, eachService, type Reply, startService } from './testing.ts'

async function answersWith(status: number, reply: Promise<Reply>): Promise<Reply['body']> {
  const { status: actual, text, body } = await reply
  assert.equal(actual, status, text)
  return body
}

eachService(
  'D63: what is made answers 201, what is deleted 204, also a second time 404',
  async (_t, service) => {
    const [{ client: ann }, ben] = [await register(service, 'ann'), await register(service, 'ben')]
    const make = (path: string, body: object = {}) => answersWith(201, ann.json('POST', path, body))
    const gone = async (path: string) => {
      await answersWith(204, ann.json('DELETE', path))
      await answersWith(404, ann.json('DELETE', path))
    }
    const server = await make('/api/servers', { name: 'Server' })
    const of = `/api/servers/${server.id}`
    const channel = await make(`${of}/channels`, { name: 'second' })
    const role = await make(`${of}/roles`, { name: 'Crew', permissions: '0' })
    const { code } = await make(`${of}/invites`)
    await answersWith(200, ben.client.json('POST', `/api/invites/${code}`))
    const message = await make(`/api/channels/${channel.id}/messages`, { content: 'x' })
    const webhook = await make(`/api/channels/${channel.id}/webhooks`, { name: 'Hook' })
    const application = await make('/api/applications', { name: 'Dice', type: 'public' })
    await make(`/api/applications/${application.id}/bot`)
    await make('/api/users/@me/channels', { recipientId: ben.id })
    await answersWith(200, ann.json('POST', '/api/users/@me/channels', { recipientId: ben.id }))

    const overwrite = `/api/channels/${channel.id}/overwrites/${role.id}`
    await answersWith(204, ann.json('PUT', overwrite, { type: 'role', allow: '0', deny: '0' }))
    const held = `${of}/members/${ben.id}/roles/${role.id}`
    await answersWith(204, ann.json('PUT', held))
    await answersWith(204, ann.json('DELETE', held))
    await gone(overwrite)
    await gone(`/api/channels/${channel.id}/messages/${message.id}`)
    await gone(`/api/channels/${channel.id}/webhooks/${webhook.id}`)
    await gone(`${of}/roles/${role.id}`)
    await gone(`/api/channels/${channel.id}`)
    await gone(`${of}/members/${ben.id}`)
    await gone(`/api/applications/${application.id}`)
    await gone(of)
  },
)

eachService(
  'D58: @everyone is the role with the id of the server: changed, but not deleted, renamed or given',
  async (_t, service) => {
    const [ann, ben] = [await register(service, 'ann'), await register(service, 'ben')]
    const { server } = await found(ann, ben)
    const roles = `/api/servers/${server.id}/roles`
    const everyone = `${roles}/${server.id}`
    const listed = async () => (await ben.client.get(roles)).body
    assert.deepEqual(
      (await listed()).map(({ id, name }: { id: string; name: string }) => [id, name]),
      [[server.id, '@everyone']],
    )
    const changed = await answersWith(200, ann.client.json('PATCH', everyone, { permissions: '0' }))
    assert.deepEqual([changed.id, changed.permissions], [server.id, '0'])
    assert.deepEqual((await ben.client.get(`/api/servers/${server.id}/channels`)).body, [])
    await answersWith(400, ann.client.json('PATCH', everyone, { name: 'All' }))
    await answersWith(409, ann.client.json('DELETE', everyone))
    const held = `/api/servers/${server.id}/members/${ben.id}/roles/${server.id}`
    for (const method of ['PUT', 'DELETE']) {
      const { status } = await ann.client.json(method, held)
      assert.ok(status === 400 || status === 404 || status === 409, `${method}: ${status}`)
    }
    assert.deepEqual((await ben.client.get(`/api/servers/${server.id}/members/${ben.id}`)).body.roles, [])
    assert.deepEqual(await listed(), [changed])
  },
)

test('D38, check 17: pictures that a message names are stored as addresses, and fetched by nobody here', async t => {
  let connections = 0
  const server = createServer(socket => {
    connections++
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  const picture = `http://127.0.0.1:${address.port}/a.png`
  // Where it may reach them, it still does not.
  const service = await startService(t, { env: { ALLOW_PRIVATE_TARGETS: '127.0.0.0/8' } })
  const ann = await register(service, 'ann')
  const { general } = await found(ann)
  const messages = `/api/channels/${general.id}/messages`
  const { url } = (await ann.client.json('POST', `/api/channels/${general.id}/webhooks`, { name: 'Hook' }))
    .body
  const embeds = [{ title: 't', url: picture, image: { url: picture }, thumbnail: { url: picture } }]
  const said = { content: picture, avatar_url: picture, embeds }
  const { pathname } = new URL(url)
  const posted = await answersWith(200, service.client().json('POST', `${pathname}?wait=true`, said))
  assert.equal(posted.author.avatar, picture)
  const [read] = await answersWith(200, ann.client.get(messages))
  assert.deepEqual([read.author.avatar, read.embeds[0].image.url], [picture, picture])
  service.clock.advance(60_000)
  await answersWith(200, ann.client.get(`${messages}/${posted.id}`))
  assert.equal(connections, 0)
})

interface Operation {
  method: string
  path: string
}

/** Every endpoint that takes a body, as the service itself says. */
async function takingBodies(client: Client): Promise<Operation[]> {
  const { body } = await client.get('/api/openapi.json')
  const paths: Record<string, Record<string, { requestBody?: object }>> = body.paths
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { requestBody }]) => requestBody !== undefined)
      .map(([method]) => ({ method: method.toUpperCase(), path })),
  )
}

test('D66: how large and how deep a body may be holds for every route', async t => {
  const service = await startService(t, { env: { RATE_LIMITS: 'off' } })
  const ann = await register(service, 'ann')
  const { server, general } = await found(ann)
  const bot = await makeBot(service, ann)
  const webhook = (await ann.client.json('POST', `/api/channels/${general.id}/webhooks`, { name: 'Hook' }))
    .body
  const [, , , hookId = '', hookToken = ''] = new URL(webhook.url).pathname.split('/')
  const known = new Map([
    ['webhooks/{id}', `webhooks/${hookId}`],
    ['{token}', hookToken],
  ])
  const operations = await takingBodies(ann.client)
  assert.ok(operations.length > 40, `${operations.length} endpoints take a body`)
  const large = JSON.stringify({ x: 'x'.repeat(1024 * 1024) })
  let tried = 0
  const deep = `${'{"x":'.repeat(33)}1${'}'.repeat(33)}`
  for (const { method, path } of operations) {
    // RFC 6749 §4: forms, which have no depth.
    const form = path.startsWith('/api/oauth2/')
    let address = path
    for (const [from, to] of known) address = address.replace(from, to)
    address = address.replaceAll(/\{\w+\}/g, server.id)
    const send = async (body: string) => {
      const type = form ? 'application/x-www-form-urlencoded' : 'application/json'
      const headers = { 'content-type': type, 'x-github-event': 'push' }
      const asPerson = await ann.client.send(address, { method, headers, body })
      if (asPerson.status !== 401) return asPerson
      const authorization = `Bot ${bot.token}`
      return service.client().send(address, { method, headers: { ...headers, authorization }, body })
    }
    const { status } = await send(large)
    // Pictures, whose size has its own tests.
    if (status === 415) continue
    assert.equal(status, 413, `${method} ${address}`)
    if (form) continue
    tried++
    const refused = await send(deep)
    assert.equal(refused.status, 400, `${method} ${address}: ${refused.text}`)
    assert.match(
      refused.text,
      /malformed|deep|nest|50109|invalid_payload|invalid_request/i,
      `${method} ${address}`,
    )
  }
  assert.ok(tried > 40, `${tried} of them take JSON`)
})
