import type { RequestListener } from 'node:http'
import type { TestContext } from 'node:test'
import type { TestUser } from '@gatehouse/testkit/community'
import { listenHttp } from '@gatehouse/testkit/listen'
import type { TestService } from '@gatehouse/testkit/service'
import { decide, follow, locationOf } from '../oauth-testing.ts'

/** Sets the clock of the service to the current time, because client libraries use the system clock. */
export function useSystemTime(service: TestService): void {
  service.clock.advance(Date.now() - service.clock.now())
}

/** An HTTP server whose URL is known before its listener is set. */
export async function openSite(
  t: TestContext,
): Promise<{ url: string; setListener(listener: RequestListener): void }> {
  let listener: RequestListener = (_request, response) => response.writeHead(503).end()
  const { port } = await listenHttp(t, (request, response) => listener(request, response))
  return {
    url: `http://localhost:${port}`,
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
