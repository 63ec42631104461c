import { connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** A way to the service that can be cut: what a lost network looks like to a browser. */
export interface Way {
  url: string
  /** Ends every connection and takes none. */
  cut(): void
  heal(): void
}

/** Listens on `port` and hands everything on to `servicePort`, both of this machine. */
export async function interruptible(t: TestContext, port: number, servicePort: number): Promise<Way> {
  const open = new Set<Socket>()
  let whole = true
  const keep = (socket: Socket) => {
    open.add(socket)
    socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket))
  }
  const server = createServer(from => {
    keep(from)
    if (!whole) return from.destroy()
    const to = connect(servicePort, '127.0.0.1')
    keep(to)
    from.pipe(to).pipe(from)
    from.on('close', () => to.destroy())
    to.on('close', () => from.destroy())
  })
  const cut = () => {
    whole = false
    for (const socket of open) socket.destroy()
  }
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  t.after(() => {
    cut()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${port}`,
    cut,
    heal() {
      whole = true
    },
  }
}
