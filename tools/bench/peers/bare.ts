// Bare handlers, which show what the machine can do: they validate nothing and know no users.
import { generateKeyPairSync, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { type WebSocket, WebSocketServer } from 'ws'
import { listen } from './listen.ts'

const db = new DatabaseSync('bare.db')
db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000;')
db.exec('CREATE TABLE posts (id TEXT PRIMARY KEY, channel_id TEXT NOT NULL, content TEXT NOT NULL)')
const insertPost = db.prepare('INSERT INTO posts (id, channel_id, content) VALUES (?, ?, ?)')
const channelId = '1000000000000000000'
let last = 1_000_000_000_000_000_000n
let queue: { id: string; content: string; resolve: (id: string) => void }[] = []

/** A durable insert. All of one turn of the event loop share a commit. */
function insert(content: string): Promise<string> {
  return new Promise(resolve => {
    if (queue.length === 0) setImmediate(commitQueue)
    queue.push({ id: String(++last), content, resolve })
  })
}

function commitQueue(): void {
  const batch = queue
  queue = []
  db.exec('BEGIN IMMEDIATE')
  for (const { id, content } of batch) insertPost.run(id, channelId, content)
  db.exec('COMMIT')
  for (const { id, resolve } of batch) resolve(id)
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const signAsync = promisify(sign)
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

/** The tokens of a token endpoint that only signs. */
async function issueTokens(form: string): Promise<object> {
  const claims = { sub: '1', aud: new URLSearchParams(form).get('client_id') ?? '', iat: Date.now() }
  const input = `${encode({ alg: 'RS256', typ: 'JWT', kid: 'bare' })}.${encode(claims)}`
  const signature = await signAsync('RSA-SHA256', Buffer.from(input), privateKey)
  return { access_token: 'a', refresh_token: 'r', id_token: `${input}.${signature.toString('base64url')}` }
}

const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
const users = new Map<string, WebSocket>()

async function respond({ url }: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
  if (url === '/token') return respondJson(response, await issueTokens(String(body)))
  if (url === '/broadcast') {
    for (const socket of sockets.clients) socket.send(body, { binary: false })
    response.writeHead(204).end()
    return
  }
  const { content } = JSON.parse(String(body))
  const id = await insert(content)
  if (url === '/posts?wait=true') respondJson(response, { id, channel_id: channelId, content })
  else response.writeHead(204).end()
}

function respondJson(response: ServerResponse, value: object): void {
  const body = JSON.stringify(value)
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  response.writeHead(200, headers).end(body)
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', chunk => chunks.push(chunk))
  request.on('end', () => void respond(request, Buffer.concat(chunks), response))
})
// A frame of `/user` goes to `/bot` after an insert, and back.
server.on('upgrade', (request, socket, head) => {
  sockets.handleUpgrade(request, socket, head, peer => {
    const path = request.url ?? ''
    users.set(path, peer)
    peer.on('message', async data => {
      const text = String(data)
      await insert(text)
      users.get(path === '/user' ? '/bot' : '/user')?.send(text)
    })
  })
})
listen(server)
