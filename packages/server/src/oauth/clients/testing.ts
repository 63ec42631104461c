import type { RequestListener } from 'node:http'
import { createServer } from 'node:http'
import type { TestContext } from 'node:test'
import type { TestService } from '@gatehouse/testkit/service'
import { decide, follow, locationOf, type TestUser } from '../testing.ts'

/** Sets the clock of the service to the current time, because client libraries use the system clock. */
export function useSystemTime(service: TestService): void {
  service.clock.advance(Date.now() - service.clock.now())
}

/** An HTTP server whose URL is known before its listener is set. */
export async function openSite(
  t: TestContext,
): Promise<{ url: string; setListener(listener: RequestListener): void }> {
  let listener: RequestListener = (_request, response) => response.writeHead(503).end()
  const server = createServer((request, response) => listener(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return {
    url: `http://localhost:${address.port}`,
    setListener(newListener) {
      listener = newListener
    },
  }
}

/** Submits the consent page of the authorization request at `location`. Returns the URL of the redirect. */
export async function decideAt(
  user: TestUser,
  location: string,
  decision: 'allow' | 'deny' = 'allow',
): Promise<URL> {
  const { pathname, search } = new URL(location)
  const reply = await follow(user.client, await user.client.get(pathname + search))
  return locationOf(reply.status === 200 ? await decide(user.client, reply, { decision }) : reply)
}
