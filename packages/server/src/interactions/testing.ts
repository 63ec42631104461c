import assert from 'node:assert/strict'
import type { EventMap } from '@gatehouse/protocol/gateway'
import type { InteractionCreate } from '@gatehouse/protocol/interactions'
import { formatPermissions } from '@gatehouse/protocol/permissions'
import { authorizePath, decide } from '../oauth/testing.ts'
import { type Event, subjects } from '../platform/events.ts'
import { found, type Person, type Published, payloads, register } from '../platform/testing.ts'
import type { Reply, TestService } from '../testing.ts'

/** A bot on a server, with its commands, and what it was sent. */
export interface TestBot {
  applicationId: string
  botId: string
  token: string
  /** The interactions that its session was given, once it is connected. */
  received: InteractionCreate[]
  /** A session of the bot, as the gateway holds one. */
  connect(sessionId?: string): Promise<{ received: InteractionCreate[]; close(): void }>
  /** A request with its token. */
  json(method: string, path: string, body?: unknown): Promise<Reply>
  callback(event: InteractionCreate, body: unknown): Promise<Reply>
  followup(event: InteractionCreate, body: unknown): Promise<Reply>
  /** `original`, or `followup/<id>`. */
  response(method: string, event: InteractionCreate, what: string, body?: unknown): Promise<Reply>
}

export interface World {
  service: TestService
  owner: Person
  /** A member of the server without any role. */
  ann: Person
  serverId: string
  channelId: string
  bot: TestBot
  /** Ids of the bot's commands by their names. */
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

/** A server of `owner` with the member `ann` and a bot that has the commands `roll` and `ping`, not yet connected. */
export async function makeWorld(service: TestService, { permissions = 0n } = {}): Promise<World> {
  const [owner, ann] = [await register(service, 'owner'), await register(service, 'ann')]
  const { server, general } = await found(owner, ann)
  const bot = await makeBot(service, owner, 'dice_bot')
  await install(owner, bot, server.id, permissions)
  const commands = await putCommands(bot, [rollCommand, pingCommand])
  return { service, owner, ann, serverId: server.id, channelId: general.id, bot, commands }
}

/** An application of `owner` with a bot that is nowhere yet. */
export async function makeBot(service: TestService, owner: Person, username: string): Promise<TestBot> {
  const body = {
    name: `App of ${username}`,
    type: 'confidential',
    redirectUris: ['https://app.example/callback'],
  }
  const application = await owner.client.json('POST', '/api/applications', body)
  assert.equal(application.status, 201, application.text)
  const applicationId: string = application.body.id
  const made = await owner.client.json('POST', `/api/applications/${applicationId}/bot`, { username })
  assert.equal(made.status, 201, made.text)
  return botAt(service, { applicationId, botId: made.body.bot.id, token: made.body.token })
}

/** A bot as a client of one node. */
export function botAt(
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
    async connect(sessionId = 'session') {
      const own: InteractionCreate[] = []
      const session = await service.bus.respond(subjects.app(applicationId), async message => {
        const { d } = message as { d: InteractionCreate }
        own.push(d)
        received.push(d)
        return { delivered: true, sessionId }
      })
      return {
        received: own,
        close() {
          session.close()
          service.bus.publish(subjects.sessionClosed(applicationId), { sessionId })
        },
      }
    },
    json,
    callback: (event, body) => json('POST', `${pathOf(event)}/callback`, body),
    followup: (event, body) => json('POST', `${pathOf(event)}/followup`, body),
    response: (method, event, what, body) => json(method, `${pathOf(event)}/${what}`, body),
  }
}

/** Adds a bot with its commands by the consent page. */
export async function install(
  owner: Person,
  bot: TestBot,
  serverId: string,
  permissions = 0n,
): Promise<void> {
  const application = { id: bot.applicationId, secret: 'secret', redirectUri: 'https://app.example/callback' }
  const request = {
    scope: 'bot applications.commands',
    permissions: formatPermissions(permissions),
    server_id: serverId,
  }
  const page = await owner.client.get(authorizePath(application, request))
  const done = await decide(owner.client, page, { server_id: serverId })
  assert.equal(done.status, 303, done.text)
}

async function putCommands(bot: TestBot, commands: unknown[]): Promise<Record<string, string>> {
  const reply = await bot.json('PUT', '/api/applications/@me/commands', commands)
  assert.equal(reply.status, 200, reply.text)
  const registered: { id: string; name: string }[] = reply.body
  return Object.fromEntries(registered.map(({ id, name }) => [name, id]))
}

/** `person` uses a command; `more` stands in the body too. */
export function use(
  world: World,
  name: string,
  more: object = {},
  person: Person = world.ann,
): Promise<Reply> {
  const body = { type: 'command', channelId: world.channelId, commandId: world.commands[name], ...more }
  return person.client.json('POST', '/api/interactions', body)
}

export function press(world: World, messageId: string, customId: string, more: object = {}): Promise<Reply> {
  const body = { type: 'component', channelId: world.channelId, messageId, customId, ...more }
  return world.ann.client.json('POST', '/api/interactions', body)
}

/** What the bot is sent where `invoked` goes well. */
export async function eventOf(world: World, invoked: Promise<Reply>): Promise<InteractionCreate> {
  const reply = await invoked
  assert.equal(reply.status, 202, reply.text)
  const event = world.bot.received.find(({ id }) => id === reply.body.id)
  assert.ok(event, 'the bot was not asked')
  return event
}

/** The bot is asked, and answers. */
export async function answered(
  world: World,
  invoked: Promise<Reply>,
  body: unknown,
): Promise<{ event: InteractionCreate; reply: Reply }> {
  const event = await eventOf(world, invoked)
  const reply = await world.bot.callback(event, body)
  assert.equal(reply.status, 200, reply.text)
  return { event, reply }
}

export function buttons(...ids: string[]): unknown[] {
  const components = ids.map(customId => ({ type: 'button', style: 'primary', label: 'Press', customId }))
  return [{ type: 'row', components }]
}

/** What goes out on a subject from now on, by the names of the events. */
export interface Heard {
  of<Name extends keyof EventMap>(name: Name): EventMap[Name][]
}

export async function listen(service: TestService, subject: string): Promise<Heard> {
  const published: Published[] = []
  await service.bus.subscribe(subject, message => published.push({ subject, ...(message as Event) }))
  return { of: name => payloads(published, subject, name) }
}

const patienceMs = 10_000

/** Lets what is under way behind an answer come to `ready`. */
export async function until(ready: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + patienceMs
  while (!(await ready())) {
    assert.ok(performance.now() < end, 'it did not come to pass')
    await new Promise(resolve => setImmediate(resolve))
  }
}

export async function history(world: World): Promise<Reply> {
  const reply = await world.owner.client.get(`/api/channels/${world.channelId}/messages`)
  assert.equal(reply.status, 200, reply.text)
  return reply
}

/** The names of what a 400 finds wrong, as `path code`. */
export function faultsOf(reply: Reply): string[] {
  assert.equal(reply.status, 400, reply.text)
  const errors: { path: string; code: string }[] = reply.body.errors
  return errors.map(({ path, code }) => `${path} ${code}`)
}

export function assertRefused(reply: Reply, status: number, code: string): void {
  assert.equal(reply.status, status, reply.text)
  assert.equal(reply.body.code, code, reply.text)
}
