import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { createApplication } from '@gatehouse/testkit/applications'
import { createClient } from '@gatehouse/testkit/client'
import { freePort } from '@gatehouse/testkit/free-port'
import { startService, type TestService } from '@gatehouse/testkit/service'
import { createSite } from './site.ts'

export const person = { username: 'ana', displayName: 'Ana <b>', password: 'open-the-gate' }

export interface SiteWorld {
  service: TestService
  siteUrl: string
  /** Submits the consent page as the user, who is signed in to Gatehouse. Resolves to the URL of the redirect. */
  decide(location: string, decision: 'allow' | 'deny'): Promise<string>
}

/** Starts the service with one user and the two applications of the site, and starts the site. */
export async function startSite(t: TestContext): Promise<SiteWorld> {
  const service = await startService(t)
  const ana = createClient(service.url)
  await ana.request('POST', '/api/auth/register', { ...person, email: 'ana@example.org' })

  // The redirect URIs contain the port, so it must be known before they are registered.
  const port = await freePort()
  const siteUrl = `http://localhost:${port}`

  const application = await createApplication(ana, {
    name: 'Lighthouse',
    redirectUris: [`${siteUrl}/callback`],
  })
  const browserOnly = await createApplication(ana, {
    name: 'Lighthouse in the browser',
    type: 'public',
    redirectUris: [`${siteUrl}/browser`],
  })
  const site = createSite({
    gatehouseUrl: service.url,
    siteUrl,
    clientId: application.id,
    clientSecret: application.clientSecret ?? '',
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
      return (await ana.submitForm(location.slice(service.url.length), decision)) ?? ''
    },
  }
}
