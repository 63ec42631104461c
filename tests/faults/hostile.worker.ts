import { connect, type Socket } from 'node:net'
import { setPriority } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { crc32, deflateSync } from 'node:zlib'
import { gatewayPath } from '@gatehouse/protocol/gateway'
import { maxJsonValues } from '@gatehouse/protocol/limits'
import { createClient, type TestResponse } from '@gatehouse/testkit/client'
import WebSocket from 'ws'

/** What the hostile account attacks with. Its requests come from one IP address. */
export interface HostileAccount {
  url: string
  cookie: string
  ip: string
  /** A channel that the others use. */
  channelId: string
  commandId: string
  /** Its own server at the caps. */
  serverId: string
  ownChannelId: string
  roleId: string
  webhookPath: string
  login: string
  password: string
}

/** The number of responses by status. */
export type HostileResult = Record<number, number>

const { url, cookie, ip, ...target } = workerData as HostileAccount
const headers = { cookie, 'x-forwarded-for': ip, 'sec-fetch-site': 'same-origin' }
const client = createClient(url)
/** Without the session. */
const ofIp = { 'x-forwarded-for': ip }
const send = (method: string, path: string, body?: unknown, sent: Record<string, string> = headers) =>
  client.json(method, path, body, sent)
const sendBytes = (
  method: string,
  path: string,
  type: string,
  body: string | Buffer<ArrayBuffer>,
  sent: object = headers,
) => client.send(path, { method, headers: { ...sent, 'content-type': type }, body })
const json = 'application/json'
const redirectUris = ['https://a.example/']
const longText = 'x'.repeat(2000)
/** The most members that are parsed (limits/json-values), which no route knows: nearly 1 MiB. */
const unknownMembers = JSON.stringify({
  name: 'x',
  ...Object.fromEntries(Array.from({ length: maxJsonValues - 2 }, (_none, i) => [`member-${i}`, 12_345])),
})
/** The most pixels that the service decodes (limits/image-pixels). */
const picture = createPng(4096)
const emptyObjects = `[${'{},'.repeat(maxJsonValues / 2 - 1)}{}]`
const server = `/api/servers/${target.serverId}`
let number = 0

/** Changes with each call. */
const permissions = () => String((number++ % 2) << 10)
const { channelId, ownChannelId, commandId, roleId, login, password } = target

const requests: (() => Promise<TestResponse>)[] = [
  () => send('GET', `${server}/channels`),
  () => send('GET', `${server}/roles`),
  () => send('GET', `${server}/members?channelId=${ownChannelId}`),
  () => send('GET', '/api/users/@me/servers'),
  () => send('GET', `/api/channels/${channelId}/messages?limit=100`),
  () => send('POST', `/api/channels/${channelId}/messages`, { content: longText }),
  () => send('POST', `/api/channels/${ownChannelId}/messages`, { content: longText }),
  () => send('POST', '/api/interactions', { type: 'command', channelId, commandId, options: [] }),
  () => send('POST', '/api/servers', { name: `Server ${number++}` }),
  () => send('POST', '/api/applications', { name: `App ${number++}`, type: 'public', redirectUris }),
  () => send('POST', `${server}/channels`, { name: `more-${number++}` }),
  () => send('POST', `${server}/roles`, { name: `more ${number++}`, permissions: '0' }),
  () => send('POST', `${server}/invites`, {}),
  () => send('PATCH', `${server}/roles/${target.serverId}`, { permissions: permissions() }),
  () => send('PATCH', `${server}/roles/${roleId}`, { permissions: permissions() }),
  () => send('PATCH', '/api/users/@me', { displayName: `Mallory ${number++}` }),
  () => sendBytes('PUT', '/api/users/@me/avatar', 'image/png', picture),
  () => sendBytes('POST', '/api/servers', json, unknownMembers),
  () => sendBytes('POST', '/api/servers', json, emptyObjects),
  () => sendBytes('POST', '/api/auth/login', json, unknownMembers, ofIp),
  () => send('POST', `/api/channels/${ownChannelId}/webhooks`, { name: `Hook ${number++}` }),
  () =>
    send('PUT', `/api/channels/${ownChannelId}/overwrites/${roleId}`, {
      type: 'role',
      allow: '0',
      deny: permissions(),
    }),
  // A client of its own, because a sign-in replaces the session of the cookie.
  () => createClient(url).json('POST', '/api/auth/login', { login, password }, ofIp),
  () => send('POST', `${target.webhookPath}?wait=true`, { content: longText }),
  () => send('POST', '/api/webhooks/1/unknown', { content: longText }),
  () => send('POST', '/api/auth/login', { login: 'ana', password: 'wrong password' }, ofIp),
  () => send('POST', '/api/auth/password/forgot', { email: 'ana@example.org' }, ofIp),
]

// Only of this thread. The other side of a network would not take processor time from the service.
setPriority(19)

const result: HostileResult = {}
let isOver = false
const sockets = new Set<WebSocket>()
const slowReaders = 100

async function repeat(request: () => Promise<TestResponse>): Promise<void> {
  while (!isOver) {
    // A refused connection is not a response.
    const status = await request().then(
      response => response.status,
      () => 0,
    )
    result[status] = (result[status] ?? 0) + 1
  }
}

/** Opens a connection and never reads from it after READY, if it identifies at all. */
function openSlowSocket(identifies: boolean): void {
  const socket = new WebSocket(new URL(gatewayPath, url.replace('http', 'ws')), {
    headers: { ...headers, origin: url },
  })
  sockets.add(socket)
  socket.on('error', () => {})
  socket.on('close', () => sockets.delete(socket))
  socket.on('open', () => {
    if (identifies) socket.send(JSON.stringify({ op: 2, d: {} }))
    socket.once('message', () => socket.pause())
  })
}

/** A grey square (PNG, ISO/IEC 15948). */
function createPng(size: number): Buffer<ArrayBuffer> {
  const uint32 = (value: number) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return bytes
  }
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    return Buffer.concat([uint32(data.length), body, uint32(crc32(body))])
  }
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', Buffer.concat([uint32(size), uint32(size), Buffer.from([8, 0, 0, 0, 0])])),
    chunk('IDAT', deflateSync(Buffer.alloc((size + 1) * size))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Requests a long list again and again on one connection, and never reads it. */
function openSlowReader(): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.pause().on('error', () => {})
  const fields = Object.entries({ host: 'localhost', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  socket.write(`GET ${server}/channels HTTP/1.1\r\n${fields.join('')}\r\n`.repeat(10))
  return socket
}

async function keepSlowReaders(): Promise<void> {
  const readers: Socket[] = []
  while (!isOver) {
    readers.push(openSlowReader())
    if (readers.length > slowReaders) readers.shift()?.destroy()
    await wait(250)
  }
  for (const reader of readers) reader.destroy()
}

async function keepSocketsOpen(): Promise<void> {
  while (!isOver) {
    for (let i = sockets.size; i < 300; i++) openSlowSocket(i % 2 === 0)
    await wait(250)
  }
  for (const socket of sockets) socket.terminate()
}

parentPort?.once('message', () => {
  isOver = true
})
await Promise.all([keepSocketsOpen(), keepSlowReaders(), ...requests.map(repeat)])
parentPort?.postMessage(result)
parentPort?.close()
