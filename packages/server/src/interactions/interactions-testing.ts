import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { EndpointFormat } from '@gatehouse/protocol/applications'
import type { EventMap } from '@gatehouse/protocol/gateway'
import type { InteractionCreate } from '@gatehouse/protocol/interactions'
import { addBot, createBotApplication } from '@gatehouse/testkit/applications'
import { createServer, type Published, payloads, register, type TestUser } from '@gatehouse/testkit/community'
import type { TestResponse, TestService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import { serveEndpoint, type TestEndpoint } from '../applications/applications-testing.ts'
import { subjects } from '../events/gateway-events.ts'

/** A bot and the interactions that it received. */
export interface TestBot {
  applicationId: string
  botId: string
  token: string
  /** From all its sessions. */
  received: InteractionCreate[]
  /** Waits for the event with this index in `received`. A browser may show a command before the service has it. */
  event(index: number): Promise<InteractionCreate>
  /** Opens a gateway session on the bus, without a WebSocket. */
  connect(sessionId?: string): Promise<{ received: InteractionCreate[]; close(): void }>
  /** Sends a request with the bot token. */
  json(method: string, path: string, body?: unknown): Promise<TestResponse>
  callback(event: InteractionCreate, body: unknown): Promise<TestResponse>
  followup(event: InteractionCreate, body: unknown): Promise<TestResponse>
  /** `path`: `original` or `followup/<id>`. */
  response(method: string, event: InteractionCreate, path: string, body?: unknown): Promise<TestResponse>
}

export interface World {
  service: TestService
  owner: TestUser
  /** A member of the server without any role. */
  ann: TestUser
  serverId: string
  channelId: string
  bot: TestBot
  /** Command ids by name. */
  commands: Record<string, string>
}

export const rollCommand = {
  name: 'roll',
  description: 'Rolls dice',
  options: [
    { type: 'integer', name: 'sides', description: 'How many', required: true, min: 2, max: 100 },
    { type: 'string', name: 'note', description: 'Why' },
  ],
}
const pingCommand = { name: 'ping', description: 'Answers' }

/**
 * Creates a server of `owner` with the member `ann` and a bot with the commands `roll` and `ping`, which is not
 * connected.
 */
export async function createWorld(service: TestService, { permissions = 0n } = {}): Promise<World> {
  const [owner, ann] = [await register(service, 'owner'), await register(service, 'ann')]
  const { server, general } = await createServer(owner, ann)
  const bot = await createBot(service, owner, 'dice_bot')
  await addBot(owner.client, bot.applicationId, server.id, permissions)
  const commands = await putCommands(bot, [rollCommand, pingCommand])
  return { service, owner, ann, serverId: server.id, channelId: general.id, bot, commands }
}

/** Creates an application of `owner` with a bot that is on no server. */
export async function createBot(service: TestService, owner: TestUser, username: string): Promise<TestBot> {
  const fields = { name: `App of ${username}`, redirectUris: ['https://app.example/callback'] }
  return botOnNode(service, await createBotApplication(owner.client, fields, { username }))
}

/** A bot that sends its requests to one node. */
export function botOnNode(
  service: TestService,
  { applicationId, botId, token }: Pick<TestBot, 'applicationId' | 'botId' | 'token'>,
): TestBot {
  const client = service.client()
  const received: InteractionCreate[] = []
  const json: TestBot['json'] = (method, path, body) =>
    client.json(method, path, body, { authorization: `Bot ${token}` })
  const pathOf = ({ id, token }: InteractionCreate) => `/api/interactions/${id}/${token}`
  return {
    applicationId,
    botId,
    token,
    received,
    async event(index) {
      await waitUntil(() => received.length > index)
      return received[index] as InteractionCreate
    },
    async connect(sessionId = 'session') {
      const receivedBySession: InteractionCreate[] = []
      const session = await service.bus.respond(subjects.botSessions(applicationId), async message => {
        const { d } = message as { d: InteractionCreate }
        receivedBySession.push(d)
        received.push(d)
        return { delivered: true, sessionId }
      })
      service.bus.publish(subjects.gatewaySessionConnected(applicationId), {})
      return {
        received: receivedBySession,
        close() {
          session.close()
          service.bus.publish(subjects.gatewaySessionDisconnected(applicationId), { sessionId })
        },
      }
    },
    json,
    callback: (event, body) => json('POST', `${pathOf(event)}/callback`, body),
    followup: (event, body) => json('POST', `${pathOf(event)}/followup`, body),
    response: (method, event, path, body) => json(method, `${pathOf(event)}/${path}`, body),
  }
}

/** Sets an interactions endpoint of the bot. Needs ALLOW_PRIVATE_TARGETS for 127.0.0.1. */
export async function setEndpoint(
  t: TestContext,
  { owner, bot }: World,
  interactionsEndpointFormat: EndpointFormat = 'native',
): Promise<TestEndpoint> {
  const endpoint = await serveEndpoint(t)
  const path = `/api/applications/${bot.applicationId}`
  endpoint.publicKey = (await owner.client.get(path)).body.publicKey
  const body = { interactionsEndpointUrl: endpoint.url, interactionsEndpointFormat }
  const set = await owner.client.json('PATCH', path, body)
  assert.equal(set.status, 200, set.text)
  endpoint.received.length = 0
  return endpoint
}

export async function putCommands(bot: TestBot, commands: unknown[]): Promise<Record<string, string>> {
  const reply = await bot.json('PUT', '/api/applications/@me/commands', commands)
  assert.equal(reply.status, 200, reply.text)
  const registered: { id: string; name: string }[] = reply.body
  return Object.fromEntries(registered.map(({ id, name }) => [name, id]))
}

/** `more`: further fields of the body. */
export function runCommand(
  world: World,
  name: string,
  more: object = {},
  user: TestUser = world.ann,
): Promise<TestResponse> {
  const body = { type: 'command', channelId: world.channelId, commandId: world.commands[name], ...more }
  return user.client.json('POST', '/api/interactions', body)
}

export function pressButton(
  world: World,
  messageId: string,
  customId: string,
  more: object = {},
): Promise<TestResponse> {
  const body = { type: 'component', channelId: world.channelId, messageId, customId, ...more }
  return world.ann.client.json('POST', '/api/interactions', body)
}

/** The event that the bot received for a successful request. */
export async function receivedEvent(
  world: World,
  request: Promise<TestResponse>,
): Promise<InteractionCreate> {
  const reply = await request
  assert.equal(reply.status, 202, reply.text)
  const event = world.bot.received.find(({ id }) => id === reply.body.id)
  assert.ok(event, 'the bot received no event')
  return event
}

/** Calls the callback route with `body` for a successful request. */
export async function respond(
  world: World,
  request: Promise<TestResponse>,
  body: unknown,
): Promise<{ event: InteractionCreate; reply: TestResponse }> {
  const event = await receivedEvent(world, request)
  const reply = await world.bot.callback(event, body)
  assert.equal(reply.status, 200, reply.text)
  return { event, reply }
}

export function buttons(...ids: string[]): unknown[] {
  const components = ids.map(customId => ({ type: 'button', style: 'primary', label: 'Press', customId }))
  return [{ type: 'row', components }]
}

/** The events that were published on a subject after `recordEvents`. */
export interface RecordedEvents {
  of<Name extends keyof EventMap>(name: Name): EventMap[Name][]
}

export async function recordEvents(service: TestService, subject: string): Promise<RecordedEvents> {
  const published: Published[] = []
  await service.bus.subscribe(subject, message =>
    published.push({ subject, ...(message as Omit<Published, 'subject'>) }),
  )
  return { of: name => payloads(published, subject, name) }
}

export async function history(world: World): Promise<TestResponse> {
  const reply = await world.owner.client.get(`/api/channels/${world.channelId}/messages`)
  assert.equal(reply.status, 200, reply.text)
  return reply
}

export function assertError(reply: TestResponse, status: number, code: string): void {
  assert.equal(reply.status, status, reply.text)
  assert.equal(reply.body.code, code, reply.text)
}
