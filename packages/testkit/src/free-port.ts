import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'

/** Above 10080, the last bad port (Fetch Standard §2.9), which browsers and `fetch` refuse. */
const firstPort = 10_081

/** Below the ephemeral ports, which outgoing connections use. */
const endOfPorts = 32_000

/** The ports that this process has reserved. */
const reserved = new Set<number>()

/**
 * Finds a free port on 127.0.0.1 that no other call and no other process gets until this one ends. `pick` returns a
 * port to try, also one of an earlier call.
 */
export function freePort(pick?: () => number): Promise<number> {
  return freePorts(1, pick)
}

/** Finds `count` consecutive free ports and returns the first. `pick` returns a first port to try. */
export async function freePorts(count: number, pick?: () => number): Promise<number> {
  for (;;) {
    const first = pick?.() ?? randomInt(firstPort, endOfPorts - count + 1)
    const ports = Array.from({ length: count }, (_, index) => first + index)
    if (pick === undefined && ports.some(port => reserved.has(port))) continue
    const free = await Promise.all(ports.map(async port => (await isFree(port)) && reserve(port)))
    if (!free.includes(false)) return first
  }
}

/**
 * Binds a UDP socket to the port, because a test stops its service and starts it on the same port again. Returns false
 * if another process has reserved it.
 */
function reserve(port: number): Promise<boolean> {
  if (reserved.has(port)) return Promise.resolve(true)
  return new Promise(resolve => {
    const socket = createSocket('udp4')
    socket.once('error', () => {
      socket.close()
      resolve(false)
    })
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => {
      socket.unref()
      reserved.add(port)
      resolve(true)
    })
  })
}

function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
