import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { startService, type TestService } from '../../packages/server/src/testing.ts'
import { createVisitor } from '../../tools/demo/visitor.ts'
import { freePort } from '../../tools/free-port.ts'
import { createSite } from './site.ts'

export const person = { username: 'ana', displayName: 'Ana <b>', password: 'open-the-gate' }

export interface SiteWorld {
  service: TestService
  siteUrl: string
  /** Sends the person, who is signed in to Gatehouse, to the consent page; resolves to where their decision leads. */
  decide(location: string, decision: 'allow' | 'deny'): Promise<string>
}

/** The service with one person and the two applications of the site, and the site itself. */
export async function startSite(t: TestContext): Promise<SiteWorld> {
  const service = await startService(t)
  const ana = createVisitor(service.url)
  await ana.json('POST', '/api/auth/register', { ...person, email: 'ana@example.org' })

  // The port has to be known before the redirect URIs are registered.
  const port = await freePort()
  const siteUrl = `http://localhost:${port}`

  const application = await ana.json<{ id: string; clientSecret: string }>('POST', '/api/applications', {
    name: 'Lighthouse',
    type: 'confidential',
    redirectUris: [`${siteUrl}/callback`],
  })
  const browserOnly = await ana.json<{ id: string }>('POST', '/api/applications', {
    name: 'Lighthouse in the browser',
    type: 'public',
    redirectUris: [`${siteUrl}/browser`],
  })
  const site = createSite({
    gatehouseUrl: service.url,
    siteUrl,
    clientId: application.id,
    clientSecret: application.clientSecret,
    publicClientId: browserOnly.id,
    clock: service.clock.now,
  }).listen(port, '127.0.0.1')
  await once(site, 'listening')
  t.after(() => {
    site.close()
    site.closeAllConnections()
  })
  return {
    service,
    siteUrl,
    async decide(location, decision) {
      return (await ana.decide(location.slice(service.url.length), decision)) ?? ''
    },
  }
}
