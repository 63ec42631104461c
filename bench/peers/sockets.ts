// Bare `ws`: sends the body of each POST request to all connected sockets.
import { createServer } from 'node:http'
import { WebSocketServer } from 'ws'
import { listen } from './listen.ts'

const sockets = new WebSocketServer({ noServer: true, clientTracking: true, perMessageDeflate: false })

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', chunk => chunks.push(chunk))
  request.on('end', () => {
    const frame = Buffer.concat(chunks)
    for (const socket of sockets.clients) socket.send(frame, { binary: false })
    response.writeHead(204).end()
  })
})
server.on('upgrade', (request, socket, head) => {
  sockets.handleUpgrade(request, socket, head, peer => peer.on('message', () => undefined))
})
listen(server)
