import { connect, type Socket } from 'node:net'
import { setPriority } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { gatewayPath } from '@gatehouse/protocol/gateway'
import { maxConnections, maxJsonValues } from '@gatehouse/protocol/limits'
import { addBot } from '@gatehouse/testkit/applications'
import { createClient, type TestResponse } from '@gatehouse/testkit/client'
import { sharp } from '@gatehouse/testkit/sharp'
import WebSocket from 'ws'
import type { HostileAccount, HostileResult } from './hostile.fault.ts'

const account: HostileAccount = workerData
const { url, cookie, channelId, commandId, ownChannelId, roleId, webhookPath, login, password } = account
const server = `/api/servers/${account.serverId}`
const ownChannel = `/api/channels/${ownChannelId}`
/** All requests come from one IP address. */
const ofIp = { 'x-forwarded-for': '192.0.2.1' }
const headers = { cookie, 'sec-fetch-site': 'same-origin', ...ofIp }
const client = createClient(url)
const send = (method: string, path: string, body?: unknown, sent: Record<string, string> = headers) =>
  client.json(method, path, body, sent)
const sendBytes = (
  method: string,
  path: string,
  type: string,
  body: string | Uint8Array<ArrayBuffer>,
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
const emptyObjects = `[${'{},'.repeat(maxJsonValues / 2 - 1)}{}]`
/** The most pixels that the service decodes (limits/image-pixels). */
const image = { width: 4096, height: 4096, channels: 3, background: 'grey' } as const
const picture = new Uint8Array(await sharp({ create: image }).toColourspace('b-w').png().toBuffer())
let number = 0

/** Changes with each call. */
const permissions = () => String((number++ % 2) << 10)

const requests: (() => Promise<TestResponse>)[] = [
  () => send('GET', `${server}/channels`),
  () => send('GET', `${server}/roles`),
  () => send('GET', `${server}/members?channelId=${ownChannelId}`),
  () => send('GET', '/api/users/@me/servers'),
  () => send('GET', `/api/channels/${channelId}/messages?limit=100`),
  () => send('POST', `/api/channels/${channelId}/messages`, { content: longText }),
  () => send('POST', `${ownChannel}/messages`, { content: longText }),
  () => send('POST', '/api/interactions', { type: 'command', channelId, commandId, options: [] }),
  () => send('POST', '/api/servers', { name: `Server ${number++}` }),
  () => send('POST', '/api/applications', { name: `App ${number++}`, type: 'public', redirectUris }),
  () => send('POST', `${server}/channels`, { name: `more-${number++}` }),
  () => send('POST', `${server}/roles`, { name: `more ${number++}`, permissions: '0' }),
  () => send('POST', `${server}/invites`, {}),
  () => send('PATCH', `${server}/roles/${account.serverId}`, { permissions: permissions() }),
  () => send('PATCH', `${server}/roles/${roleId}`, { permissions: permissions() }),
  () => send('PATCH', '/api/users/@me', { displayName: `Mallory ${number++}` }),
  () => sendBytes('PUT', '/api/users/@me/avatar', 'image/png', picture),
  () => sendBytes('POST', '/api/servers', json, unknownMembers),
  () => sendBytes('POST', '/api/servers', json, emptyObjects),
  () => sendBytes('POST', '/api/auth/login', json, unknownMembers, ofIp),
  () => send('POST', `${ownChannel}/webhooks`, { name: `Hook ${number++}` }),
  () => send('PUT', `${ownChannel}/overwrites/${roleId}`, { type: 'role', allow: '0', deny: permissions() }),
  () =>
    send('PUT', `/api/channels/${account.categoryId}/overwrites/${account.serverId}`, {
      ...{ type: 'role', allow: '0', deny: permissions() },
    }),
  // A client of its own, because a sign-in replaces the session of the cookie.
  () => createClient(url).json('POST', '/api/auth/login', { login, password }, ofIp),
  () => send('POST', `${webhookPath}?wait=true`, { content: longText }),
  () => send('POST', '/api/webhooks/1/unknown', { content: longText }),
  () => sendBytes('POST', '/api/v10/webhooks/1', json, unknownMembers, ofIp),
  () => send('POST', '/api/auth/login', { login: 'ana', password: 'wrong password' }, ofIp),
  () => send('POST', '/api/auth/password/forgot', { email: 'ana@example.org' }, ofIp),
]

const statuses = new Map<number, number>()
let isOver = false

async function repeat(request: () => Promise<TestResponse>): Promise<void> {
  while (!isOver) {
    // A refused connection is not a response.
    const { status } = await request().catch(() => ({ status: 0 }))
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
}

/** Keeps connections to the gateway open that never read after READY. Every other one does not even identify. */
async function keepSocketsOpen(): Promise<void> {
  const sockets = new Set<WebSocket>()
  function openSocket(identifies: boolean): void {
    const options = { headers: { ...headers, origin: url } }
    const socket = new WebSocket(new URL(gatewayPath, url.replace('http', 'ws')), options)
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.on('open', () => {
      if (identifies) socket.send(JSON.stringify({ op: 2, d: {} }))
      socket.once('message', () => socket.pause())
    })
  }
  while (!isOver) {
    for (let i = sockets.size; i < 300; i++) openSocket(i % 2 === 0)
    await wait(250)
  }
  for (const socket of sockets) socket.terminate()
}

/** Keeps 25 compressed sessions of its bot connected, and takes the bot out of its server and back again and again. */
async function keepBot(): Promise<void> {
  const { token, applicationId, botId } = account.bot
  const sockets = new Set<WebSocket>()
  function openSocket(compress: string): void {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v10/gateway/ws?v=10&compress=${compress}`)
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    const properties = { os: 'linux', browser: 'x', device: 'x' }
    socket.once('message', () =>
      socket.send(JSON.stringify({ op: 2, d: { token, intents: 0x3e7d, properties } })),
    )
  }
  const owner = createClient(url)
  for (const pair of cookie.split('; ')) {
    const [name = '', value = ''] = pair.split('=')
    owner.cookies.set(name, value)
  }
  while (!isOver) {
    for (let i = sockets.size; i < maxConnections; i++)
      openSocket(i % 2 === 0 ? 'zlib-stream' : 'zstd-stream')
    const { status } = await send('DELETE', `${server}/members/${botId}`)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    // Beyond a rate, the consent page is 429.
    await addBot(owner, applicationId, account.serverId).catch(() => wait(100))
  }
  for (const socket of sockets) socket.terminate()
}

/** Keeps 100 connections open that request a long list again and again, and never read it. */
async function keepSlowReaders(): Promise<void> {
  const readers: Socket[] = []
  const { hostname, port } = new URL(url)
  const fields = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}`)
  const request = [`GET ${server}/channels HTTP/1.1`, ...fields, '\r\n'].join('\r\n')
  while (!isOver) {
    const socket = connect(Number(port), hostname)
    socket.pause().on('error', () => {})
    socket.write(request.repeat(10))
    readers.push(socket)
    if (readers.length > 100) readers.shift()?.destroy()
    await wait(250)
  }
  for (const reader of readers) reader.destroy()
}

// Only of this thread. The other side of a network would not take processor time from the service.
setPriority(19)
parentPort?.once('message', () => {
  isOver = true
})
await Promise.all([keepSocketsOpen(), keepSlowReaders(), keepBot(), ...requests.map(repeat)])
parentPort?.postMessage(statuses satisfies HostileResult)
parentPort?.close()
