import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer as createTcpServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { toDiscordToken } from '@gatehouse/protocol/bot-token'
import type { Channel } from '@gatehouse/protocol/channels'
import type { EventMap } from '@gatehouse/protocol/gateway'
import type { EnteredOption } from '@gatehouse/protocol/interactions'
import type { Message } from '@gatehouse/protocol/messages'
import { allPermissions, Permission } from '@gatehouse/protocol/permissions'
import type { Server } from '@gatehouse/protocol/servers'
import { addBot, type BotApplication, createBotApplication } from '@gatehouse/testkit/applications'
import { createCertificate } from '@gatehouse/testkit/certificate'
import { createTestClock } from '@gatehouse/testkit/clock'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import type { EngineName } from '@gatehouse/testkit/databases'
import { listen } from '@gatehouse/testkit/listen'
import { startNodes, startService, type TestService } from '@gatehouse/testkit/service'
import { cookieHeader, identify } from '../../gateway/gateway-testing.ts'

/** Of a bot: the command line. */
export type BotProgram = readonly [command: string, ...args: string[]]

export interface WorldOptions {
  env?: Readonly<Record<string, string>>
  /** The bot gets the address of an HTTPS server in front of the service. */
  https?: boolean
  /** The bot gets its token in Discord's form. */
  discordToken?: boolean
}

/** The environment of the bots. */
interface BotEnvironment {
  /** Without the version. */
  API_URL: string
  /** discord.py does not ask for it. */
  GATEWAY_URL: string
  BOT_TOKEN: string
  /** The file with the certificate of the HTTPS server. */
  NODE_EXTRA_CA_CERTS?: string
}

/** A user who is connected to the gateway, as with the web client. */
export interface Person extends TestUser {
  /** Removes and returns the first event that matches. Waits for it if it was not received yet. */
  sees<Name extends keyof EventMap>(
    name: Name,
    matches?: (d: EventMap[Name]) => boolean,
  ): Promise<EventMap[Name]>
  /** Waits for a message of the bot in the channel that is no response. */
  hears(content: string, channelId?: string): Promise<Message>
  /** Whether the user has received a message with this content that was not read. */
  hasHeard(content: string): boolean
  /** The next response of the bot to an interaction: the first one or a follow-up. */
  seesResponse(interactionId: string): Promise<Message>
  /** The same. Rejects if its content is another. */
  hearsResponse(interactionId: string, content: string): Promise<Message>
  /** Waits until the message has this content. */
  seesEdited(message: Message, content: string): Promise<Message>
  say(content: string, channelId?: string): Promise<Message>
  /** Runs a command in `general`. Returns the id of the interaction. */
  run(command: string, options?: readonly EnteredOption[], targetId?: string): Promise<string>
  /** Presses a button, or uses a select menu with `values`. */
  use(message: Message, customId: string, values?: string[]): Promise<string>
  commandId(name: string): Promise<string>
}

/** A server with two members, a channel `bot-log` and a bot, whose process is connected through a relay. */
export interface BotWorld {
  service: TestService
  relay: Relay
  /** The owner of the server. */
  ana: Person
  ben: Person
  server: Server
  general: Channel
  log: Channel
  bot: BotApplication
  /** Waits until the bot has written this to `bot-log`. */
  logs(content: string): Promise<unknown>
  /** Connects a user to the gateway. */
  connect(user: TestUser): Promise<Person>
}

/** By name, in their order: each needs the first one. */
export type Stories<World = BotWorld> = Readonly<Record<string, (world: World) => Promise<void>>>

/** Longer than any wait on a busy machine. */
const waitMs = 60_000
const intents = ['members', 'messageContent'] as const

// Libraries compare the times of ids with those of the machine.
const createClock = () => createTestClock(Date.now())

export async function startWorld(
  t: TestContext,
  program: BotProgram,
  engine: EngineName,
  options: WorldOptions = {},
): Promise<BotWorld> {
  const relay = await openRelay(t, () => service.config.port, options.https)
  const env = { BASE_URL: relay.url, ...options.env }
  const service = await startService(t, { engine, clock: createClock(), env })
  return fillWorld(t, program, service, relay, options)
}

/** A world of two nodes. */
export interface WorldOfNodes extends BotWorld {
  /** New connections of the bot are to the node of the people. */
  moveBot(): void
}

/** The people are connected to one node and the bot to another. Skips the test if there are no nodes. */
export async function startWorldOfNodes(
  t: TestContext,
  program: BotProgram,
): Promise<WorldOfNodes | undefined> {
  let port = 0
  const relay = await openRelay(t, () => port)
  const nodes = await startNodes(t, undefined, { BASE_URL: relay.url }, createClock())
  if (nodes === undefined) return undefined
  const [service, other] = nodes
  port = other.config.port
  const moveBot = () => {
    port = service.config.port
  }
  return { ...(await fillWorld(t, program, service, relay)), moveBot }
}

async function fillWorld(
  t: TestContext,
  program: BotProgram,
  service: TestService,
  relay: Relay,
  { discordToken = false }: WorldOptions = {},
): Promise<BotWorld> {
  const owner = await register(service, 'ana')
  const member = await register(service, 'ben')
  const { server, general } = await createServer(owner, member)
  const log = await owner.client.call('createChannel', { id: server.id, body: { name: 'bot-log' } })
  const bot = await createBotApplication(owner.client, { name: 'Logger' }, { username: 'logger' })
  await owner.client.call('updateApplication', {
    id: bot.applicationId,
    body: { privilegedIntents: [...intents] },
  })
  await addBot(owner.client, bot.applicationId, server.id, allPermissions & ~Permission.ADMINISTRATOR)
  const connectPerson = (user: TestUser) => connectUser({ service, bot, general }, user)
  const ana = await connectPerson(owner)
  const world: BotWorld = {
    service,
    relay,
    ana,
    ben: await connectPerson(member),
    server,
    general,
    log,
    bot,
    logs: content =>
      ana.sees('MESSAGE_CREATE', message => message.channelId === log.id && message.content === content),
    connect: connectPerson,
  }
  startBot(t, program, {
    API_URL: `${relay.url}/api`,
    GATEWAY_URL: `${relay.url.replace('http', 'ws')}/api/v10/gateway/ws`,
    BOT_TOKEN: discordToken ? toDiscordToken(bot.botId, bot.token) : bot.token,
    ...(relay.certificateFile && { NODE_EXTRA_CA_CERTS: relay.certificateFile }),
  })
  return world
}

/** Kills the process after the test. What it printed is shown if the test fails. */
function startBot(t: TestContext, [command, ...args]: BotProgram, environment: BotEnvironment): void {
  const child: ChildProcess = spawn(command, args, {
    env: { ...process.env, ...environment, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', data => output.push(String(data)))
  t.after(async () => {
    if (!t.passed) t.diagnostic(output.join(''))
    if (child.exitCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
}

async function connectUser(
  { service, bot, general }: Pick<BotWorld, 'service' | 'bot' | 'general'>,
  user: TestUser,
): Promise<Person> {
  const headers = { cookie: cookieHeader(user), origin: service.config.baseUrl }
  const { socket } = await identify(service, { headers })
  const unread: { t: string; d: unknown }[] = []
  let wake = Promise.withResolvers<void>()
  socket.on('message', data => {
    const frame = JSON.parse(String(data))
    if (frame.op === 0) unread.push(frame)
    wake.resolve()
    wake = Promise.withResolvers()
  })
  const describe = () =>
    unread.map(({ t, d }) => `${t} ${(d as { content?: string }).content ?? ''}`).join('\n')
  const sees: Person['sees'] = async (name, matches = () => true) => {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      late.reject(new Error(`${user.username} saw no such ${name}, but:\n${describe()}`))
    }, waitMs)
    try {
      for (;;) {
        const index = unread.findIndex(({ t, d }) => t === name && matches(d as never))
        if (index >= 0) return unread.splice(index, 1)[0]?.d as never
        await Promise.race([wake.promise, late.promise])
      }
    } finally {
      clearTimeout(timer)
    }
  }
  const seesResponse: Person['seesResponse'] = interactionId =>
    sees('MESSAGE_CREATE', ({ interaction }) => interaction?.id === interactionId)
  const commandId: Person['commandId'] = async name => {
    const commands = await user.client.call('listAvailableCommands', { id: general.id })
    const found = commands.find(command => command.name === name)
    assert.ok(found, `${user.username} has no command ${name}`)
    return found.id
  }
  const interact: (body: object) => Promise<string> = async body => {
    const given = { channelId: general.id, ...body } as never
    return (await user.client.call('createInteraction', { body: given })).id
  }
  return {
    ...user,
    sees,
    commandId,
    hears: (content, channelId = general.id) =>
      sees(
        'MESSAGE_CREATE',
        ({ author, interaction, ...message }) =>
          author.id === bot.botId &&
          message.channelId === channelId &&
          message.content === content &&
          !interaction,
      ),
    seesResponse,
    async hearsResponse(interactionId, content) {
      const message = await seesResponse(interactionId)
      assert.equal(message.content, content)
      return message
    },
    seesEdited: ({ id }, content) =>
      sees('MESSAGE_UPDATE', message => message.id === id && message.content === content),
    hasHeard: content => unread.some(({ d }) => (d as { content?: string }).content === content),
    say: (content, channelId = general.id) =>
      user.client.call('createMessage', { id: channelId, body: { content } }),
    run: async (command, options = [], targetId = undefined) =>
      interact({
        type: 'command',
        commandId: await commandId(command),
        ...(targetId === undefined ? { options } : { targetId }),
      }),
    use: ({ id: messageId }, customId, values) =>
      interact({ type: 'component', messageId, customId, ...(values && { values }) }),
  }
}

/** A proxy in front of the service, for TCP or TLS. */
interface Relay {
  url: string
  certificateFile: string | undefined
  /** Ends all connections without a word. New ones wait until `release`. */
  cut(): void
  release(): void
}

async function openRelay(t: TestContext, port: () => number, https = false): Promise<Relay> {
  const waiting: Socket[] = []
  let isCut = false
  function forward(socket: Socket): void {
    const upstream = connect(port(), '127.0.0.1')
    socket.pipe(upstream)
    upstream.once('data', (first: Buffer) => {
      // As proxies do, the response to an upgrade is sent before the frames: seyfert loses what arrives with it.
      const end = first.indexOf('\r\n\r\n') + 4
      socket.write(first.subarray(0, end))
      socket.write(first.subarray(end))
      upstream.pipe(socket)
    })
    upstream.on('error', () => socket.destroy())
    socket.on('close', () => upstream.destroy())
    upstream.on('close', () => socket.destroy())
  }
  function accept(socket: Socket): void {
    socket.on('error', () => {})
    if (isCut) waiting.push(socket)
    else forward(socket)
  }
  const certificate = https ? createCertificate('localhost') : undefined
  const server = certificate ? createTlsServer(certificate, accept) : createTcpServer(accept)
  const { url, port: relayPort, sockets } = await listen(t, server)
  return {
    url: certificate ? `https://localhost:${relayPort}` : url,
    certificateFile: certificate && (await writeTemporary(t, certificate.cert)),
    cut() {
      isCut = true
      for (const socket of sockets) socket.destroy()
    },
    release() {
      isCut = false
      for (const socket of waiting.splice(0)) forward(socket)
    },
  }
}

async function writeTemporary(t: TestContext, content: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bot-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'certificate.pem')
  await writeFile(file, content)
  return file
}
