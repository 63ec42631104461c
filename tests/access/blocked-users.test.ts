import assert from 'node:assert/strict'
import { addBot } from '@gatehouse/testkit/applications'
import { createServer, register } from '@gatehouse/testkit/community'
import { buttons, createBot } from '@gatehouse/testkit/interactions'
import { eachService, type TestResponse, type TestService } from '@gatehouse/testkit/service'
import { readTable } from './access.ts'

/**
 * What the routes of conversations and interactions respond in a direct message of ann: to a person and to a bot whom
 * she blocks, and to ann in the conversation with the bot. `access.test.ts` has the routes of servers.
 */
const table = `
route                                                  person bot ann
GET    /api/users/@me/channels                         200    200 200
POST   /api/users/@me/channels                         200    200 200
PATCH  /api/users/@me/channels/:id                     204    403 204
GET    /api/channels/:id                               200    200 200
PATCH  /api/channels/:id                               403    403 403
DELETE /api/channels/:id                               403    403 403
PUT    /api/channels/:id/overwrites/:targetId          403    403 403
DELETE /api/channels/:id/overwrites/:targetId          403    403 403
GET    /api/channels/:id/messages                      200    200 200
POST   /api/channels/:id/messages                      403    403 201
GET    /api/channels/:id/messages/:messageId           200    200 200
PATCH  /api/channels/:id/messages/:messageId           403    403 200
DELETE /api/channels/:id/messages/:messageId           204    204 204
POST   /api/channels/:id/messages/:messageId/reports   201    403 201
PUT    /api/channels/:id/read                          204    403 204
GET    /api/channels/:id/commands                      200    403 200
POST   /api/interactions                               404    403 403
POST   /api/interactions/autocomplete                  404    403 404
GET    /api/interactions/:id                           404    403 200
POST   /api/interactions/:id/:token/callback           401    403 401
POST   /api/interactions/:id/:token/followup           401    403 401
PATCH  /api/interactions/:id/:token/followup/:messageId 401   403 401
DELETE /api/interactions/:id/:token/followup/:messageId 401   204 401
GET    /api/interactions/:id/:token/original           401    200 401
PATCH  /api/interactions/:id/:token/original           401    403 401
DELETE /api/interactions/:id/:token/original           401    204 401
`

const prefixes = ['/api/users/@me/channels', '/api/channels/:id', '/api/interactions']

/** The rows of the table: a route with a status for each caller. */
function readRows(): [route: string, statuses: readonly number[]][] {
  const [, ...lines] = table.trim().split('\n')
  return lines.map(line => {
    const [method = '', path = '', ...statuses] = line.split(/\s+/)
    return [`${method} ${path}`, statuses.map(Number)]
  })
}

type Send = (method: string, path: string, body?: unknown) => Promise<TestResponse>

/** A conversation of ann with one of the callers, before the block. */
interface Conversation {
  id: string
  recipientId: string
  send: Send
  /** A message of the caller, and one of the other. */
  own(): Promise<string>
  ofOther: string
}

async function createWorld(service: TestService) {
  const [ann, bob] = [await register(service, 'ann'), await register(service, 'bob')]
  const { server } = await createServer(ann, bob)
  const bot = await createBot(service, ann, 'robot')
  await addBot(ann.client, bot.applicationId, server.id, 0n)
  await bot.connect()
  const sendAs = {
    person: bob.client.json.bind(bob.client) as Send,
    bot: bot.json as Send,
    ann: ann.client.json.bind(ann.client) as Send,
  }
  const converse = async (send: Send, recipientId: string, other: Send): Promise<Conversation> => {
    const opened = await send('POST', '/api/users/@me/channels', { recipientId })
    assert.ok(opened.status < 300, opened.text)
    const { id } = opened.body
    const write = async (author: Send) => {
      const body = { content: 'Hello', ...(author === sendAs.bot ? { components: buttons('yes') } : {}) }
      return (await author('POST', `/api/channels/${id}/messages`, body)).body.id
    }
    return { id, recipientId, send, own: () => write(send), ofOther: await write(other) }
  }
  const conversations = {
    person: await converse(sendAs.person, ann.id, sendAs.ann),
    bot: await converse(sendAs.bot, ann.id, sendAs.ann),
    ann: await converse(sendAs.ann, bot.botId, sendAs.bot),
  }
  return { ann, bob, bot, conversations }
}

type World = Awaited<ReturnType<typeof createWorld>>

/** Ann presses a button of the bot, which responds and follows up, unless `isNew`. */
async function press({ ann, bot, conversations }: World, isNew: boolean) {
  const { id: channelId, ofOther: messageId } = conversations.ann
  const body = { type: 'component', channelId, messageId, customId: 'yes' }
  const { id } = await ann.client.request<{ id: string }>('POST', '/api/interactions', body)
  const event = bot.received.find(one => one.id === id)
  assert.ok(event, 'the bot received no event')
  if (isNew) return { id, token: event.token, messageId: '' }
  assert.equal((await bot.callback(event, { type: 'message', data: { content: 'Done' } })).status, 200)
  return { id, token: event.token, messageId: (await bot.followup(event, { content: 'More' })).body.id }
}

/** The request of a route, with what it is about. Call the result when ann blocks the caller. */
async function prepare(
  world: World,
  route: string,
  conversation: Conversation,
): Promise<() => Promise<TestResponse>> {
  const [method = '', path = ''] = route.split(' ')
  const { id, recipientId, send, own, ofOther } = conversation
  const ofInteraction = path.includes('/interactions/:id')
    ? await press(world, path.endsWith('/callback'))
    : undefined
  const messageId = route.includes('/reports') || path.endsWith('/read') ? ofOther : await own()
  const params: Record<string, string> = { id, messageId, targetId: recipientId, ...ofInteraction }
  const url = path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? '')
  const content = { content: 'Hello again' }
  const bodies: Record<string, unknown> = {
    'POST /api/users/@me/channels': { recipientId },
    'PATCH /api/users/@me/channels/:id': { muted: true },
    'PATCH /api/channels/:id': { name: 'general' },
    'PUT /api/channels/:id/overwrites/:targetId': { type: 'member', allow: '0', deny: '0' },
    'POST /api/channels/:id/messages/:messageId/reports': { reason: 'Spam' },
    'PUT /api/channels/:id/read': { messageId },
    'POST /api/interactions': { type: 'component', channelId: id, messageId: ofOther, customId: 'yes' },
    'POST /api/interactions/autocomplete': {
      channelId: id,
      commandId: ofOther,
      focused: 'word',
      options: [],
    },
    'POST /api/interactions/:id/:token/callback': { type: 'message', data: content },
  }
  return () => send(method, url, bodies[route] ?? (['POST', 'PATCH'].includes(method) ? content : undefined))
}

eachService(
  'each route of conversations and interactions responds to a blocked user and bot with the status of the table ' +
    '(community/blocks, community/direct-message-acceptance)',
  async (_t, service) => {
    const rows = readRows()
    const routes = readTable().filter(({ path }) => prefixes.some(prefix => path.startsWith(prefix)))
    assert.deepEqual(rows.map(([route]) => route).toSorted(), routes.map(({ route }) => route).toSorted())
    const world = await createWorld(service)
    const requests: { about: string; status: number; send(): Promise<TestResponse> }[] = []
    for (const [route, statuses] of rows) {
      for (const [index, [name, conversation]] of Object.entries(world.conversations).entries()) {
        const send = await prepare(world, route, conversation)
        requests.push({ about: `${route} as ${name}`, status: statuses[index] ?? 0, send })
      }
    }
    const { ann, bob, bot } = world
    for (const userId of [bob.id, bot.botId]) await ann.client.call('createBlock', { userId })
    const differences: string[] = []
    for (const { about, status, send } of requests) {
      const reply = await send()
      if (reply.status !== status)
        differences.push(`${about}: ${reply.status} instead of ${status}: ${reply.text}`)
    }
    assert.deepEqual(differences, [])
  },
)
