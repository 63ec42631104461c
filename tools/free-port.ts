import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Above the last port that browsers and `fetch` refuse to ask (10080, Fetch Standard §2.9, "bad port"). */
const firstPort = 10_081

/** Below those that systems give to outgoing connections: one of them would take it before it is listened on. */
const endOfPorts = 32_000

/** A port that nobody listens on, and that any client asks. `pick` gives one to try. */
export async function freePort(pick = () => randomInt(firstPort, endOfPorts)): Promise<number> {
  for (;;) {
    const port = pick()
    const server = createServer()
    const isFree = await new Promise<boolean>(resolve => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    await new Promise(resolve => server.close(resolve))
    return port
  }
}
