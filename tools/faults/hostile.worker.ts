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
const post = (path: string, body: unknown) => client.json('POST', path, body, headers)
const get = (path: string) => client.get(path, headers)
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
const postText = (path: string, body: string, sent: Record<string, string>) =>
  client.send(path, { method: 'POST', headers: { ...sent, 'content-type': 'application/json' }, body })
let number = 0

const requests: (() => Promise<TestResponse>)[] = [
  () => get(`${server}/channels`),
  () => get(`${server}/roles`),
  () => get(`${server}/members?channelId=${target.ownChannelId}`),
  () => get('/api/users/@me/servers'),
  () => get(`/api/channels/${target.channelId}/messages?limit=100`),
  () => post(`/api/channels/${target.channelId}/messages`, { content: longText }),
  () => post(`/api/channels/${target.ownChannelId}/messages`, { content: longText }),
  () =>
    post('/api/interactions', {
      type: 'command',
      channelId: target.channelId,
      commandId: target.commandId,
      options: [],
    }),
  () => post('/api/servers', { name: `Server ${number++}` }),
  () =>
    post('/api/applications', {
      name: `App ${number++}`,
      type: 'public',
      redirectUris: ['https://a.example/'],
    }),
  () => post(`${server}/channels`, { name: `more-${number++}` }),
  () => post(`${server}/roles`, { name: `more ${number++}`, permissions: '0' }),
  () => post(`${server}/invites`, {}),
  () =>
    client.json(
      'PATCH',
      `${server}/roles/${target.serverId}`,
      { permissions: String((number++ % 2) << 10) },
      headers,
    ),
  () =>
    client.json(
      'PATCH',
      `${server}/roles/${target.roleId}`,
      { permissions: String((number++ % 2) << 10) },
      headers,
    ),
  () => client.json('PATCH', '/api/users/@me', { displayName: `Mallory ${number++}` }, headers),
  () =>
    client.send('/api/users/@me/avatar', {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'image/png' },
      body: picture,
    }),
  () => postText('/api/servers', unknownMembers, headers),
  () => postText('/api/servers', emptyObjects, headers),
  () => postText('/api/auth/login', unknownMembers, { 'x-forwarded-for': ip }),
  () => post(`/api/channels/${target.ownChannelId}/webhooks`, { name: `Hook ${number++}` }),
  () =>
    client.json(
      'PUT',
      `/api/channels/${target.ownChannelId}/overwrites/${target.roleId}`,
      { type: 'role', allow: '0', deny: String((number++ % 2) << 10) },
      headers,
    ),
  () =>
    // A client of its own, because a sign-in replaces the session of the cookie.
    createClient(url).json(
      'POST',
      '/api/auth/login',
      { login: target.login, password: target.password },
      { 'x-forwarded-for': ip },
    ),
  () => post(`${target.webhookPath}?wait=true`, { content: longText }),
  () => post('/api/webhooks/1/unknown', { content: longText }),
  () =>
    client.json(
      'POST',
      '/api/auth/login',
      { login: 'ana', password: 'wrong password' },
      { 'x-forwarded-for': ip },
    ),
  () =>
    client.json('POST', '/api/auth/password/forgot', { email: 'ana@example.org' }, { 'x-forwarded-for': ip }),
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
