import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import type { AuditLogEntry } from '@gatehouse/protocol/audit-log'
import { gatewayPath } from '@gatehouse/protocol/gateway'
import type { Intent } from '@gatehouse/protocol/intents'
import type { ReadState } from '@gatehouse/protocol/read-state'
import type { ReportState } from '@gatehouse/protocol/reports'
import type { OwnershipTransfer } from '@gatehouse/protocol/servers'
import type { Shard } from '@gatehouse/protocol/shards'
import type { SelfUser, User } from '@gatehouse/protocol/users'
import { createBotApplication } from '@gatehouse/testkit/applications'
import { register, type TestUser } from '@gatehouse/testkit/community'
import type { TestService } from '@gatehouse/testkit/service'
import { waitUntil } from '@gatehouse/testkit/wait-until'
import { WebSocket } from 'ws'

/** Members of all payloads that tests read. Each event has only some of them. */
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
  shard: number[]
  channelId: string
  messageId: string
  nonce: string
  transfer: OwnershipTransfer | null
  /** Of an invite. */
  code: string
  /** Of a block. */
  userId: string
  /** Of a report. */
  state: ReportState
  muted: boolean
  /** Of an entry of an audit log. */
  action: AuditLogEntry['action']
  actor: AuditLogEntry['actor']
  target: AuditLogEntry['target']
  changes: AuditLogEntry['changes']
  /** Of an interaction. */
  token: string
}

export interface Frame<D = Payload> {
  op: number
  s?: number
  t?: string
  d: D
}

export interface CloseEvent {
  code: number
  reason: string
}

export interface GatewayClient<D = Payload> {
  socket: WebSocket
  /** Rejects if the connection closes first. */
  nextFrame(): Promise<Frame<D>>
  /** Skips frames with other opcodes. */
  nextDispatch(): Promise<Frame<D>>
  /** Removes and returns the frames that were received but not read. */
  takeFrames(): Frame<D>[]
  send(frame: unknown): void
  sendRaw(data: string | Buffer): void
  closed: Promise<CloseEvent>
}

export interface Headers {
  cookie?: string
  origin?: string
}

const frameTimeoutMs = 60_000

/** The text of a frame. */
export type ReadFrame = (data: Buffer, isBinary: boolean) => string

function readText(data: Buffer, isBinary: boolean): string {
  assert.equal(isBinary, false)
  return data.toString()
}

export function openSocket<D = Payload>(
  service: Pick<TestService, 'url'>,
  headers: Headers = {},
  path: string = gatewayPath,
  read: ReadFrame = readText,
): GatewayClient<D> {
  const url = new URL(path, service.url.replace('http', 'ws'))
  const socket = new WebSocket(url, { headers: { ...headers } })
  const received: Frame<D>[] = []
  let waiting: { resolve: (frame: Frame<D>) => void; reject: (error: Error) => void } | undefined
  let closeEvent: CloseEvent | undefined
  const closed = Promise.withResolvers<CloseEvent>()
  socket.on('message', (data, isBinary) => {
    assert.ok(Buffer.isBuffer(data))
    const frame: Frame<D> = JSON.parse(read(data, isBinary))
    if (waiting) waiting.resolve(frame)
    else received.push(frame)
    waiting = undefined
  })
  socket.on('error', () => {})
  socket.on('close', (code, reason) => {
    closeEvent = { code, reason: String(reason) }
    closed.resolve(closeEvent)
    waiting?.reject(new Error(`closed with ${code} ${reason}`))
  })
  function nextFrame(): Promise<Frame<D>> {
    const frame = received.shift()
    if (frame) return Promise.resolve(frame)
    if (closeEvent) {
      return Promise.reject(new Error(`closed with ${closeEvent.code} ${closeEvent.reason}`))
    }
    return withTimeout(
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
      }),
      'no frame was received',
    )
  }
  return {
    socket,
    nextFrame,
    async nextDispatch() {
      for (;;) {
        const frame = await nextFrame()
        if (frame.op === 0) return frame
      }
    },
    takeFrames: () => received.splice(0),
    send: frame => socket.send(JSON.stringify(frame)),
    sendRaw: data => socket.send(data),
    // Counts from the opening of the socket.
    closed: withTimeout(closed.promise, 'the socket was not closed', 240_000),
  }
}

function withTimeout<T>(promise: Promise<T>, message: string, ms = frameTimeoutMs): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(message)), ms)
  timer.unref()
  const raced = Promise.race([promise, timeout]).finally(() => clearTimeout(timer))
  raced.catch(() => {})
  return raced
}

/** Opens a WebSocket and reads HELLO. */
export async function connectSocket(
  service: Pick<TestService, 'url'>,
  headers: Headers = {},
): Promise<GatewayClient> {
  const client = openSocket(service, headers)
  assert.equal((await client.nextFrame()).op, 10)
  return client
}

export interface IdentifiedClient extends GatewayClient {
  ready: Frame
  sessionId: string
}

/** A client that identifies with a raw TCP connection and reads nothing after READY. */
export async function openSlowSocket(
  t: TestContext,
  service: Pick<TestService, 'url'>,
  { cookie, path = gatewayPath, identify = {} }: { cookie?: string; path?: string; identify?: object },
): Promise<Socket> {
  const { hostname, port, host, origin } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  t.after(() => socket.destroy())
  socket.on('error', () => {})
  let text = ''
  socket.on('data', chunk => {
    text += chunk.toString('latin1')
  })
  const head = [
    `GET ${path} HTTP/1.1`,
    `Host: ${host}`,
    `Origin: ${origin}`,
    ...(cookie === undefined ? [] : [`Cookie: ${cookie}`]),
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  await waitUntil(() => text.includes('"op":10'))
  // A masked text frame (RFC 6455 §5.2). The mask is zero, so the payload is unchanged.
  const payload = JSON.stringify({ op: 2, d: identify })
  assert.ok(payload.length < 126)
  socket.write(Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0, ...Buffer.from(payload)]))
  await waitUntil(() => text.includes('READY'))
  socket.pause()
  return socket
}

/** Opens a WebSocket, identifies and reads READY. */
export async function identify(
  service: Pick<TestService, 'url'>,
  {
    token,
    intents,
    shard,
    headers = {},
  }: { token?: string; intents?: readonly Intent[]; shard?: Shard; headers?: Headers },
): Promise<IdentifiedClient> {
  const client = await connectSocket(service, headers)
  client.send({ op: 2, d: { token, intents, shard } })
  const ready = await client.nextFrame()
  assert.equal(ready.t, 'READY')
  return { ...client, ready, sessionId: ready.d.sessionId }
}

export function sessionHeaders(service: Pick<TestService, 'url'>, person: Pick<TestUser, 'client'>): Headers {
  return { cookie: cookieHeader(person), origin: service.url }
}

export function cookieHeader(person: Pick<TestUser, 'client'>): string {
  return [...person.client.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
}

/** Connects a user with their session cookie, up to READY. */
export function connectUser(service: Pick<TestService, 'url'>, person: TestUser): Promise<IdentifiedClient> {
  return identify(service, { headers: sessionHeaders(service, person) })
}

/** Sends a resume. The test reads the response. */
export async function resumeSession(
  service: Pick<TestService, 'url'>,
  session: { sessionId: string; seq: number; token?: string },
  headers: Headers = {},
): Promise<GatewayClient> {
  const client = await connectSocket(service, headers)
  client.send({ op: 6, d: session })
  return client
}

/** Closes the connection without a close frame. Resolves when the service has noticed it. */
export async function terminate(
  service: Pick<TestService, 'client'>,
  client: Pick<GatewayClient, 'socket'>,
): Promise<void> {
  const countConnected = async () =>
    Number((await service.client().get('/metrics')).text.match(/sessions\{.*?\} (\d+)/)?.[1])
  const before = await countConnected()
  client.socket.terminate()
  while ((await countConnected()) >= before) await new Promise(resolve => setImmediate(resolve))
}

export interface TestBot {
  owner: TestUser
  applicationId: string
  userId: string
  token: string
}

/** Creates an application with a bot. */
export async function createBot(service: TestService, owner?: TestUser): Promise<TestBot> {
  const developer = owner ?? (await register(service, 'developer'))
  const { applicationId, botId, token } = await createBotApplication(developer.client)
  return { owner: developer, applicationId, userId: botId, token }
}

/** The same user, as a client of the other node. */
export function clientOn(service: TestService, person: TestUser): TestUser {
  const client = service.client()
  for (const [name, value] of person.client.cookies) client.cookies.set(name, value)
  return { ...person, client }
}

/** Returns the new message. */
export async function sendMessage(person: TestUser, channelId: string, content: string) {
  const reply = await person.client.json('POST', `/api/channels/${channelId}/messages`, { content })
  assert.equal(reply.status, 201, reply.text)
  return reply.body
}

/** The names of the next dispatches, in order. */
export async function takeEventNames(client: GatewayClient, count: number): Promise<(string | undefined)[]> {
  const names: (string | undefined)[] = []
  while (names.length < count) names.push((await client.nextDispatch()).t)
  return names
}

/** Posts numbered messages until `stop` is called, which resolves to their number. */
export function sendNumbered(person: TestUser, channelId: string) {
  let isStopping = false
  let count = 0
  async function run(): Promise<number> {
    while (!isStopping) await sendMessage(person, channelId, String(++count))
    return count
  }
  const running = run()
  return {
    stop() {
      isStopping = true
      return running
    },
  }
}
