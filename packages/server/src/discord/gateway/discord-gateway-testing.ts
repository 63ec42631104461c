import assert from 'node:assert/strict'
import zlib from 'node:zlib'
import type { PrivilegedIntent } from '@gatehouse/protocol/intents'
import { addBot } from '@gatehouse/testkit/applications'
import { createServer, register, type TestUser } from '@gatehouse/testkit/community'
import type { TestService } from '@gatehouse/testkit/service'
import {
  createBot,
  type Frame,
  type GatewayClient,
  type Headers,
  openSocket,
  type ReadFrame,
  type TestBot,
} from '../../gateway/gateway-testing.ts'

/** A payload of Discord's gateway, which is not validated. */
type Payload = ReturnType<typeof JSON.parse>

export type DiscordFrame = Frame<Payload>
export type DiscordClient = GatewayClient<Payload>

/** The bits of the intents. */
export const bit = {
  guilds: 1 << 0,
  members: 1 << 1,
  moderation: 1 << 2,
  webhooks: 1 << 5,
  invites: 1 << 6,
  presences: 1 << 8,
  messages: 1 << 9,
  directMessages: 1 << 12,
  messageContent: 1 << 15,
} as const

/** By the value of `compress`. */
const decompress: Readonly<Record<string, (stream: Buffer) => Buffer>> = {
  'zlib-stream': stream => zlib.inflateSync(stream, { finishFlush: zlib.constants.Z_SYNC_FLUSH }),
  'zstd-stream': stream => zlib.zstdDecompressSync(stream, { finishFlush: zlib.constants.ZSTD_e_flush }),
}

/** Reads the frames of one connection, which are one stream if it asked for compression. */
function createFrameReader(query: string): ReadFrame | undefined {
  const inflate = decompress[new URLSearchParams(query).get('compress') ?? '']
  if (inflate === undefined) return undefined
  let stream = Buffer.alloc(0)
  let length = 0
  return (data, isBinary) => {
    assert.ok(isBinary)
    stream = Buffer.concat([stream, data])
    const text = inflate(stream)
    const frame = text.subarray(length).toString()
    length = text.length
    return frame
  }
}

interface ConnectOptions {
  query?: string
  headers?: Headers
}

/** Opens a WebSocket to Discord's gateway and reads HELLO. */
export async function connectDiscord(
  service: Pick<TestService, 'url'>,
  { query = '?v=10&encoding=json', headers }: ConnectOptions = {},
): Promise<DiscordClient> {
  const read = createFrameReader(query)
  const client = openSocket<Payload>(service, headers, `/api/v10/gateway/ws${query}`, read)
  const hello = await client.nextFrame()
  assert.deepEqual(hello, { t: null, s: null, op: 10, d: { heartbeat_interval: 41_250 } })
  return client
}

export interface DiscordSession extends DiscordClient {
  ready: DiscordFrame
  sessionId: string
}

/** Opens a WebSocket, identifies and reads READY. */
export async function identifyDiscord(
  service: Pick<TestService, 'url'>,
  d: { token: string; intents?: number | string; shard?: readonly number[]; large_threshold?: number },
  options?: ConnectOptions,
): Promise<DiscordSession> {
  const client = await connectDiscord(service, options)
  client.send({ op: 2, d: { properties: { os: 'linux' }, intents: bit.guilds, ...d } })
  const ready = await client.nextFrame()
  assert.equal(ready.t, 'READY')
  return { ...client, ready, sessionId: ready.d.session_id }
}

/** The next event with this name. */
export async function nextEvent(client: DiscordClient, name: string): Promise<Payload> {
  for (;;) {
    const { t, d } = await client.nextDispatch()
    if (t === name) return d
  }
}

/** The next event, which has this name. */
export async function takeEvent(client: DiscordClient, name: string): Promise<Payload> {
  const { t, d } = await client.nextDispatch()
  assert.equal(t, name, JSON.stringify(d))
  return d
}

/** Opens a WebSocket and sends a resume. The test reads the response. */
export async function resumeDiscord(
  service: Pick<TestService, 'url'>,
  d: { token: string; session_id: string; seq: number },
  options?: ConnectOptions,
): Promise<DiscordClient> {
  const client = await connectDiscord(service, options)
  client.send({ op: 6, d })
  return client
}

/** A bot on a server of Ada, who owns its application too. */
export async function createDiscordWorld(
  service: TestService,
  privilegedIntents: readonly PrivilegedIntent[] = ['members', 'messageContent'],
) {
  const ada = await register(service, 'ada')
  const { server, general } = await createServer(ada)
  const bot = await createBot(service, ada)
  await setPrivilegedIntents(bot, privilegedIntents)
  await addBot(ada.client, bot.applicationId, server.id)
  return { ada, bot, server, general }
}

export async function setPrivilegedIntents(
  { owner, applicationId }: TestBot,
  privilegedIntents: readonly PrivilegedIntent[],
): Promise<void> {
  await call(owner, 'PATCH', `/api/applications/${applicationId}`, { privilegedIntents })
}

/** Sends a request to our API, which succeeds, and returns the body of the response. */
export async function call(user: TestUser, method: string, path: string, body?: unknown): Promise<Payload> {
  const reply = await user.client.json(method, path, body)
  assert.ok(reply.status < 300, reply.text)
  return reply.body
}

/** The user joins the server with an invite. */
export async function joinServer(owner: TestUser, user: TestUser, serverId: string): Promise<void> {
  const { code } = await call(owner, 'POST', `/api/servers/${serverId}/invites`, {})
  await call(user, 'POST', `/api/invites/${code}`)
}
