import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import * as oidc from 'openid-client'

const {
  GATEHOUSE_URL = 'http://localhost:3000',
  CLIENT_ID = '',
  CLIENT_SECRET = '',
  PORT = '3001',
} = process.env
const siteUrl = `http://localhost:${PORT}`
const redirect_uri = `${siteUrl}/callback`

// Omit the last argument if the URL of Gatehouse is https.
const gatehouse = await oidc.discovery(new URL(GATEHOUSE_URL), CLIENT_ID, CLIENT_SECRET, undefined, {
  execute: [oidc.allowInsecureRequests],
})

// In memory, to keep the sample short.
const authorizationRequests = new Map<string, { state: string; nonce: string; verifier: string }>()
const sessions = new Map<string, { name: string; idToken: string }>()

createServer(async (request, response) => {
  const url = new URL(request.url ?? '/', siteUrl)
  const cookie = /(?:^|; )my_site_session=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? ''
  const redirect = (location: string, newCookie = cookie) =>
    response
      .writeHead(303, {
        location,
        'set-cookie': `my_site_session=${newCookie}; HttpOnly; SameSite=Lax; Path=/`,
      })
      .end()

  if (url.pathname === '/sign-in') {
    const authorizationRequest = {
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier: oidc.randomPKCECodeVerifier(),
    }
    const key = randomUUID()
    authorizationRequests.set(key, authorizationRequest)
    const location = oidc.buildAuthorizationUrl(gatehouse, {
      redirect_uri,
      scope: 'openid identify email',
      state: authorizationRequest.state,
      nonce: authorizationRequest.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(authorizationRequest.verifier),
      code_challenge_method: 'S256',
    })
    return redirect(location.href, key)
  }
  if (url.pathname === '/callback') {
    const authorizationRequest = authorizationRequests.get(cookie)
    authorizationRequests.delete(cookie)
    try {
      const tokens = await oidc.authorizationCodeGrant(gatehouse, url, {
        expectedState: authorizationRequest?.state ?? '',
        expectedNonce: authorizationRequest?.nonce ?? '',
        pkceCodeVerifier: authorizationRequest?.verifier ?? '',
      })
      const key = randomUUID()
      // A real site looks up the account by `sub`, which never changes. Names and email addresses can change.
      sessions.set(key, { name: String(tokens.claims()?.name), idToken: tokens.id_token ?? '' })
      return redirect('/', key)
    } catch {
      return response.writeHead(400).end('The sign-in failed. Try again.')
    }
  }
  if (url.pathname === '/sign-out' && request.method === 'POST') {
    const session = sessions.get(cookie)
    sessions.delete(cookie)
    if (!session) return redirect('/')
    const location = oidc.buildEndSessionUrl(gatehouse, {
      id_token_hint: session.idToken,
      post_logout_redirect_uri: siteUrl,
    })
    return redirect(location.href, '')
  }
  const name = sessions.get(cookie)?.name
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' })
  response.end(name === undefined ? 'You are not signed in.' : `Hello ${name}`)
}).listen(Number(PORT), '127.0.0.1', () => console.log('ready'))
