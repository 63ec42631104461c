import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CloseCode } from '@gatehouse/protocol/gateway-codes'
import { botEvents, userEvents } from '@gatehouse/protocol/gateway-events'
import { createServer, register } from '@gatehouse/testkit/community'
import { openSession } from '@gatehouse/testkit/gateway-session'
import { eachService, startService } from '@gatehouse/testkit/service'
import { Ajv2020 } from 'ajv/dist/2020.js'

interface Document {
  asyncapi: string
  servers: { gateway: { host: string; protocol: string } }
  channels: { gateway: { address: string; 'x-close-codes': { code: number; description: string }[] } }
  operations: Record<string, { messages: { $ref: string }[] }>
  components: {
    messages: Record<string, { payload: object; examples: { payload: unknown }[] }>
    schemas: Record<string, object>
  }
}

async function readDocument(url: string): Promise<Document> {
  return (await fetch(`${url}/api/asyncapi.json`)).json()
}

function createValidator(document: Document): (name: string, value: unknown) => string | undefined {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(document, 'document')
  return (name, value) => {
    const validate = ajv.compile({ $ref: `document#/components/messages/${name}/payload` })
    return validate(value) ? undefined : ajv.errorsText(validate.errors)
  }
}

test('/api/asyncapi.json has every event and close code, and examples that match their schemas', async t => {
  const service = await startService(t)
  const document = await readDocument(service.url)
  assert.equal(document.asyncapi, '3.0.0')
  const { host } = new URL(service.url)
  assert.deepEqual([document.servers.gateway.host, document.servers.gateway.protocol], [host, 'ws'])
  const codes = document.channels.gateway['x-close-codes'].map(({ code }) => code)
  assert.deepEqual(new Set(codes), new Set(Object.values(CloseCode)))
  const { messages } = document.components
  // Only OpenAPI has a discriminator with a mapping.
  assert.doesNotMatch(JSON.stringify(document), /"discriminator":\{/)
  for (const name of Object.keys({ ...userEvents, ...botEvents })) assert.ok(messages[name], name)
  const validate = createValidator(document)
  for (const [name, { examples }] of Object.entries(messages)) {
    for (const { payload } of examples) assert.equal(validate(name, payload), undefined, name)
  }
  const sent = document.operations.sendBotEvent?.messages.map(({ $ref }) => $ref.split('/').at(-1))
  assert.deepEqual(sent, Object.keys(botEvents))
})

eachService('the events that a user receives match the document', async (_t, service) => {
  const document = await readDocument(service.url)
  const validate = createValidator(document)
  const [ana, ben] = [await register(service, 'ana'), await register(service, 'ben')]
  const { server, general } = await createServer(ana)
  const session = await openSession(service.url, { cookie: ana.client.cookieHeader(), origin: service.url })
  const send = (method: string, path: string, body?: object) =>
    ana.client.request<{ id: string }>(method, path, body)
  const messages = `/api/channels/${general.id}/messages`
  const { id: messageId } = await send('POST', messages, { content: 'hello', nonce: 'n' })
  await send('PATCH', `${messages}/${messageId}`, { content: 'bye' })
  await send('PUT', `/api/channels/${general.id}/read`, { messageId })
  await send('DELETE', `${messages}/${messageId}`)
  await send('PATCH', '/api/users/@me', { displayName: 'Ana A' })
  const { id: channelId } = await send('POST', `/api/servers/${server.id}/channels`, { name: 'news' })
  await send('PATCH', `/api/channels/${channelId}`, { topic: 'News' })
  await send('DELETE', `/api/channels/${channelId}`)
  const roles = `/api/servers/${server.id}/roles`
  const { id: roleId } = await send('POST', roles, { name: 'mods', permissions: '0' })
  await send('PATCH', `${roles}/${roleId}`, { color: 1 })
  const { code } = await ana.client.request<{ code: string }>('POST', `/api/servers/${server.id}/invites`, {})
  await ben.client.request('POST', `/api/invites/${code}`)
  await send('PUT', `/api/servers/${server.id}/members/${ben.id}/roles/${roleId}`)
  await send('DELETE', `/api/servers/${server.id}/members/${ben.id}`)
  await send('DELETE', `${roles}/${roleId}`)
  await send('PATCH', `/api/servers/${server.id}`, { name: 'Renamed' })
  await send('DELETE', `/api/servers/${server.id}`)
  assert.ok(await session.next('SERVER_REMOVE'))
  for (const { t, d } of session.events) assert.equal(validate(t, { op: 0, s: 1, t, d }), undefined, t)
  const received = new Set(session.events.map(({ t }) => t))
  assert.ok(received.size >= 15, [...received].join(' '))
})
