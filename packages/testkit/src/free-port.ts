import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Above 10080, the last bad port (Fetch Standard §2.9), which browsers and `fetch` refuse. */
const firstPort = 10_081

/** Below the ephemeral ports, which outgoing connections use. */
const endOfPorts = 32_000

/** Finds a free port on 127.0.0.1. `pick` returns a port to try. */
export function freePort(pick?: () => number): Promise<number> {
  return freePorts(1, pick)
}

/** Finds `count` consecutive free ports and returns the first. `pick` returns a first port to try. */
export async function freePorts(
  count: number,
  pick = () => randomInt(firstPort, endOfPorts - count + 1),
): Promise<number> {
  for (;;) {
    const first = pick()
    const free = await Promise.all(Array.from({ length: count }, (_, index) => isFree(first + index)))
    if (!free.includes(false)) return first
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
