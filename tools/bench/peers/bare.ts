// Bare handlers, which show what the machine can do: they validate nothing and know no users.
import { generateKeyPairSync, sign } from 'node:crypto'
import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { type WebSocket, WebSocketServer } from 'ws'

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

/** Returns the JSON of the response, if it has any. */
async function handle(path: string, body: Buffer): Promise<object | undefined> {
  if (path === '/') return undefined
  if (path === '/token') return issueTokens(String(body))
  if (path === '/broadcast') {
    for (const socket of sockets.clients) socket.send(body, { binary: false })
    return undefined
  }
  const { content } = JSON.parse(String(body))
  const id = await insert(content)
  return path === '/posts?wait=true' ? { id, channel_id: channelId, content } : undefined
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', chunk => chunks.push(chunk))
  request.on('end', async () => {
    const value = await handle(request.url ?? '', Buffer.concat(chunks))
    if (value === undefined) return response.writeHead(204).end()
    const body = JSON.stringify(value)
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    return response.writeHead(200, headers).end(body)
  })
})
server.on('upgrade', (request, socket, head) => {
  const path = request.url ?? ''
  sockets.handleUpgrade(request, socket, head, peer => accept(path, peer))
})

/** A frame of `/user` goes to `/bot` after an insert, and back. The listener must not keep the request in memory. */
function accept(path: string, peer: WebSocket): void {
  users.set(path, peer)
  peer.on('message', data => {
    const other = path === '/user' ? '/bot' : '/user'
    void insert(String(data)).then(() => users.get(other)?.send(String(data)))
  })
}

server.listen(Number(process.env.PORT), '127.0.0.1')
