import assert from 'node:assert/strict'
import type { IncomingMessage, RequestListener } from 'node:http'
import { Auth, type AuthConfig } from '@auth/core'
import { eachService, type TestService } from '@gatehouse/testkit/service'
import { makeApplication, signUp, type TestApplication } from '../oauth-testing.ts'
import { decideAt, openSite, useSystemTime } from './client-testing.ts'

/** The refresh example of the documentation, but each request of the session refreshes the tokens. */
function configOf(service: TestService, app: TestApplication): AuthConfig {
  const secret = app.secret ?? ''
  return {
    basePath: '/auth',
    secret: 'a secret that is longer than thirty-two characters',
    trustHost: true,
    providers: [
      {
        id: 'gatehouse',
        name: 'Gatehouse',
        type: 'oidc',
        issuer: service.url,
        clientId: app.id,
        clientSecret: secret,
        checks: ['pkce', 'state', 'nonce'],
        authorization: { params: { scope: 'openid profile email' } },
      },
    ],
    callbacks: {
      async jwt({ token, account, profile }) {
        if (account) return { ...token, sub: profile?.sub ?? '', refresh: account.refresh_token }
        const response = await fetch(`${service.url}/api/oauth2/token`, {
          method: 'POST',
          headers: { authorization: `Basic ${btoa(`${app.id}:${secret}`)}` },
          body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: String(token.refresh) }),
        })
        const tokens = await response.json()
        return { ...token, refresh: tokens.refresh_token, refreshed: Number(token.refreshed ?? 0) + 1 }
      },
      session: ({ session, token }) => ({ ...session, sub: token.sub, refreshed: token.refreshed }),
    },
    logger: { error: () => undefined },
  }
}

function listenerOf(url: string, config: AuthConfig): RequestListener {
  return async (request, response) => {
    const result = await Auth(await toRequest(url, request), config)
    const headers = [...result.headers].filter(([name]) => name !== 'set-cookie')
    response.setHeaders(new Map(headers))
    response.setHeader('set-cookie', result.headers.getSetCookie())
    response.writeHead(result.status).end(Buffer.from(await result.arrayBuffer()))
  }
}

async function toRequest(url: string, request: IncomingMessage): Promise<Request> {
  const body: Buffer[] = []
  for await (const chunk of request) body.push(chunk)
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value))
  const { method = 'GET' } = request
  return new Request(new URL(request.url ?? '/', url), {
    method,
    headers,
    ...(method === 'POST' ? { body: Buffer.concat(body) } : {}),
  })
}

async function startSignIn(service: TestService, site: string) {
  const visitor = service.client()
  const { csrfToken } = (await visitor.get(`${site}/auth/csrf`)).body
  const away = await visitor.form(`${site}/auth/signin/gatehouse`, { csrfToken, callbackUrl: `${site}/home` })
  return { visitor, location: away.headers.get('location') ?? '' }
}

eachService('@auth/core: sign-in and refresh', async (t, service) => {
  useSystemTime(service)
  const ada = await signUp(service, 'ada')
  const site = await openSite(t)
  const app = await makeApplication(ada, { redirectUris: [`${site.url}/auth/callback/gatehouse`] })
  site.setListener(listenerOf(site.url, configOf(service, app)))
  const { visitor, location } = await startSignIn(service, site.url)
  const back = await decideAt(ada, location)
  const signedIn = await visitor.get(back.href)
  assert.equal(signedIn.headers.get('location'), `${site.url}/home`, signedIn.text)
  for (const refreshed of [1, 2]) {
    const { body } = await visitor.get(`${site.url}/auth/session`)
    assert.equal(body.sub, ada.id)
    assert.equal(body.user.name, 'Name of ada')
    assert.equal(body.user.email, ada.email)
    assert.match(body.user.image, new RegExp(`^${service.url}/images/users/`))
    assert.equal(body.refreshed, refreshed)
  }
})

eachService('@auth/core: access_denied', async (t, service) => {
  useSystemTime(service)
  const ada = await signUp(service, 'ada')
  const site = await openSite(t)
  const app = await makeApplication(ada, { redirectUris: [`${site.url}/auth/callback/gatehouse`] })
  site.setListener(listenerOf(site.url, configOf(service, app)))
  const { visitor, location } = await startSignIn(service, site.url)
  const response = await visitor.get((await decideAt(ada, location, 'deny')).href)
  assert.match(response.headers.get('location') ?? '', /error/)
  assert.equal((await visitor.get(`${site.url}/auth/session`)).body, null)
})
