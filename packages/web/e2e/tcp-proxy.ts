import { connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** A TCP proxy in front of the service that can be interrupted, to simulate a lost network. */
export interface TcpProxy {
  url: string
  /** Closes every connection and rejects new ones. */
  interrupt(): void
  restore(): void
}

/** Listens on `port` of 127.0.0.1 and forwards every connection to `servicePort`. */
export async function startTcpProxy(t: TestContext, port: number, servicePort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let accepting = true
  const track = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
  }
  const server = createServer(client => {
    track(client)
    if (!accepting) return client.destroy()
    const upstream = connect(servicePort, '127.0.0.1')
    track(upstream)
    client.pipe(upstream).pipe(client)
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
  })
  const interrupt = () => {
    accepting = false
    for (const socket of sockets) socket.destroy()
  }
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  t.after(() => {
    interrupt()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${port}`,
    interrupt,
    restore() {
      accepting = true
    },
  }
}
