import assert from 'node:assert/strict'
import { gatewayPath } from '@gatehouse/protocol/gateway'
import type { ReadState } from '@gatehouse/protocol/read-state'
import type { SelfUser, User } from '@gatehouse/protocol/users'
import { WebSocket } from 'ws'
import { type Person, register } from '../platform/testing.ts'
import type { TestService } from '../testing.ts'

/** What the payloads of the events hold that tests look into; which of it is there, the test says. */
interface Payload {
  id: string
  name: string
  content: string
  serverId: string | null
  permissionOverwrites: unknown[]
  recipient: User
  sessionId: string
  resumeUrl: string
  user: SelfUser
  servers: { id: string; name: string; roles?: string[] }[]
  readStates: ReadState[]
  channelId: string
  messageId: string
  nonce: string
}

export interface Frame {
  op: number
  s?: number
  t?: string
  d: Payload
}

export interface Closed {
  code: number
  reason: string
}

/** A socket of the gateway in the hand of a test. */
export interface GatewayClient {
  socket: WebSocket
  /** Resolves to the next frame that was not taken yet; rejects where the socket closes before. */
  take(): Promise<Frame>
  /** The next dispatch, whatever else comes before it. */
  event(): Promise<Frame>
  /** All frames that came and were not taken. */
  rest(): Frame[]
  send(frame: unknown): void
  sendRaw(data: string | Buffer): void
  closed: Promise<Closed>
}

export interface Headers {
  cookie?: string
  origin?: string
}

const patienceMs = 10_000

export function open(service: Pick<TestService, 'url'>, headers: Headers = {}): GatewayClient {
  const url = new URL(gatewayPath, service.url.replace('http', 'ws'))
  const socket = new WebSocket(url, { headers: { ...headers } })
  const arrived: Frame[] = []
  let waiting: { resolve: (frame: Frame) => void; reject: (error: Error) => void } | undefined
  let over: Closed | undefined
  const closed = Promise.withResolvers<Closed>()
  socket.on('message', data => {
    const frame: Frame = JSON.parse(String(data))
    if (waiting) waiting.resolve(frame)
    else arrived.push(frame)
    waiting = undefined
  })
  socket.on('error', () => {})
  socket.on('close', (code, reason) => {
    over = { code, reason: String(reason) }
    closed.resolve(over)
    waiting?.reject(new Error(`closed with ${code} ${reason}`))
  })
  function take(): Promise<Frame> {
    const frame = arrived.shift()
    if (frame) return Promise.resolve(frame)
    if (over) return Promise.reject(new Error(`closed with ${over.code} ${over.reason}`))
    return within(
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
      }),
      'no frame came',
    )
  }
  return {
    socket,
    take,
    async event() {
      for (;;) {
        const frame = await take()
        if (frame.op === 0) return frame
      }
    },
    rest: () => arrived.splice(0),
    send: frame => socket.send(JSON.stringify(frame)),
    sendRaw: data => socket.send(data),
    closed: within(closed.promise, 'the socket stayed open', 30_000),
  }
}

/** Fails loudly instead of hanging. */
function within<T>(promise: Promise<T>, message: string, ms = patienceMs): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(message)), ms)
  timer.unref()
  const raced = Promise.race([promise, late]).finally(() => clearTimeout(timer))
  raced.catch(() => {})
  return raced
}

/** Up to hello. */
export async function greeted(
  service: Pick<TestService, 'url'>,
  headers: Headers = {},
): Promise<GatewayClient> {
  const client = open(service, headers)
  assert.equal((await client.take()).op, 10)
  return client
}

export interface Joined extends GatewayClient {
  ready: Frame
  sessionId: string
}

/** Up to READY. */
export async function identified(
  service: Pick<TestService, 'url'>,
  { token, headers = {} }: { token?: string; headers?: Headers },
): Promise<Joined> {
  const client = await greeted(service, headers)
  client.send({ op: 2, d: token === undefined ? {} : { token } })
  const ready = await client.take()
  assert.equal(ready.t, 'READY')
  return { ...client, ready, sessionId: ready.d.sessionId }
}

export function headersOf(service: Pick<TestService, 'url'>, person: Person): Headers {
  return { cookie: cookieOf(person), origin: service.url }
}

export function cookieOf(person: Person): string {
  return [...person.client.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
}

/** A person's web client, up to READY. */
export function online(service: Pick<TestService, 'url'>, person: Person): Promise<Joined> {
  return identified(service, { headers: headersOf(service, person) })
}

/** Asks for a resume; what follows is for the test to take. */
export async function resuming(
  service: Pick<TestService, 'url'>,
  session: { sessionId: string; seq: number; token?: string },
  headers: Headers = {},
): Promise<GatewayClient> {
  const client = await greeted(service, headers)
  client.send({ op: 6, d: session })
  return client
}

export interface TestBot {
  owner: Person
  applicationId: string
  userId: string
  token: string
}

/** An application with a bot, made over HTTP. */
export async function makeBot(service: TestService, owner?: Person): Promise<TestBot> {
  const developer = owner ?? (await register(service, 'developer'))
  const application = await developer.client.json('POST', '/api/applications', {
    name: 'Dice',
    type: 'confidential',
  })
  assert.equal(application.status, 201, application.text)
  const bot = await developer.client.json('POST', `/api/applications/${application.body.id}/bot`, {})
  assert.equal(bot.status, 201, bot.text)
  return {
    owner: developer,
    applicationId: application.body.id,
    userId: bot.body.bot.id,
    token: bot.body.token,
  }
}

/** Says something and answers the message. */
export async function say(person: Person, channelId: string, content: string) {
  const reply = await person.client.json('POST', `/api/channels/${channelId}/messages`, { content })
  assert.equal(reply.status, 201, reply.text)
  return reply.body
}

/** The names of the next events, taken in order. */
export async function names(client: GatewayClient, count: number): Promise<(string | undefined)[]> {
  const taken: (string | undefined)[] = []
  while (taken.length < count) taken.push((await client.event()).t)
  return taken
}
