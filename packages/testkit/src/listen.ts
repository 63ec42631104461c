import { createServer, type RequestListener } from 'node:http'
import { createServer as createTcpServer, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** A server on 127.0.0.1. After the test, it is closed with all of its connections. */
export interface ListeningServer {
  port: number
  /** `http://127.0.0.1:PORT` */
  url: string
  /** The open connections. */
  sockets: ReadonlySet<Socket>
  /** The number of connections so far, with those that are closed. */
  connections(): number
}

export async function listen(t: TestContext, server: Server): Promise<ListeningServer> {
  const sockets = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  const { port } = address
  return { port, url: `http://127.0.0.1:${port}`, sockets, connections: () => connections }
}

export function listenHttp(t: TestContext, listener: RequestListener): Promise<ListeningServer> {
  return listen(t, createServer(listener))
}

/** Errors of a socket are ignored. */
export function listenTcp(t: TestContext, listener: (socket: Socket) => void): Promise<ListeningServer> {
  return listen(
    t,
    createTcpServer(socket => {
      socket.on('error', () => {})
      listener(socket)
    }),
  )
}
