import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Above the last port that browsers and `fetch` refuse to ask (10080, Fetch Standard §2.9, "bad port"). */
const firstPort = 10_081

/** Below those that systems give to outgoing connections: one of them would take it before it is listened on. */
const endOfPorts = 32_000

/** A port that nobody listens on, and that any client asks. `pick` gives one to try. */
export function freePort(pick?: () => number): Promise<number> {
  return freePorts(1, pick)
}

/** The first of `count` such ports in a row. `pick` gives a first one to try. */
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
