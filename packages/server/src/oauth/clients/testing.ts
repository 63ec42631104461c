import type { RequestListener } from 'node:http'
import { createServer } from 'node:http'
import type { TestContext } from 'node:test'
import type { TestService } from '../../testing.ts'
import { decide, follow, locationOf, type TestPerson } from '../testing.ts'

/** Clients look at the time of day by themselves: the service is brought to it. */
export function toTheTimeOfDay(service: TestService): void {
  service.clock.advance(Date.now() - service.clock.now())
}

/** A site on a loopback port, which is known before what it does. */
export async function openSite(
  t: TestContext,
): Promise<{ url: string; answerWith(listener: RequestListener): void }> {
  let listener: RequestListener = (_request, response) => response.writeHead(503).end()
  const server = createServer((request, response) => listener(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://localhost:${address.port}`,
    answerWith(given) {
      listener = given
    },
  }
}

/** A person is sent to `location` by a client, allows it, and is sent back: where to. */
export async function allowAt(
  person: TestPerson,
  location: string,
  decision: 'allow' | 'deny' = 'allow',
): Promise<URL> {
  const { pathname, search } = new URL(location)
  const reply = await follow(person.client, await person.client.get(pathname + search))
  return locationOf(reply.status === 200 ? await decide(person.client, reply, { decision }) : reply)
}
