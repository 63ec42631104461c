import type { Server } from 'node:http'

/** Listens on a free port and sends the port to the parent process. Exits when the parent disconnects. */
export function listen(server: Server): void {
  server.keepAliveTimeout = 72_000
  process.on('disconnect', () => process.exit())
  server.listen(0, '127.0.0.1', 4096, () => {
    const address = server.address()
    process.send?.({ port: typeof address === 'object' && address ? address.port : 0 })
  })
}
