// Bare `ws`: sends the body of each POST request to all connected sockets.
import { WebSocketServer } from 'ws'
import { createBodyServer, listen } from './listen.ts'

const sockets = new WebSocketServer({ noServer: true, clientTracking: true, perMessageDeflate: false })

const server = createBodyServer((frame, response) => {
  for (const socket of sockets.clients) socket.send(frame, { binary: false })
  response.writeHead(204).end()
})
server.on('upgrade', (request, socket, head) => {
  sockets.handleUpgrade(request, socket, head, peer => peer.on('message', () => undefined))
})
listen(server)
