// The baseline of an interaction: two WebSocket hops (user → bot → user) and two durable inserts.
import { createServer } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'
import { createInserts } from './group-commit.ts'
import { listen } from './listen.ts'

const [file = ''] = process.argv.slice(2)
const insert = createInserts(file)
const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
const socketsByPath = new Map<string, WebSocket>()
let last = 0

const server = createServer((_request, response) => response.writeHead(404).end())
server.on('upgrade', (request, socket, head) => {
  sockets.handleUpgrade(request, socket, head, peer => {
    const path = request.url ?? ''
    socketsByPath.set(path, peer)
    peer.on('message', data => {
      const text = String(data)
      const other = path === '/person' ? '/bot' : '/person'
      const { use, answer } = JSON.parse(text)
      void insert(String(++last), path, text).then(() =>
        socketsByPath.get(other)?.send(JSON.stringify({ use, answer })),
      )
    })
  })
})
listen(server)
