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

// Leave the last argument out where Gatehouse is at an https address, as it should be.
const gatehouse = await oidc.discovery(new URL(GATEHOUSE_URL), CLIENT_ID, CLIENT_SECRET, undefined, {
  execute: [oidc.allowInsecureRequests],
})

// In memory, for the sake of brevity: what was begun, and who is signed in.
const attempts = new Map<string, { state: string; nonce: string; verifier: string }>()
const sessions = new Map<string, { name: string; idToken: string }>()

createServer(async (request, response) => {
  const url = new URL(request.url ?? '/', siteUrl)
  const key = /(?:^|; )site=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? ''
  const go = (location: string, cookie = key) =>
    response
      .writeHead(303, { location, 'set-cookie': `site=${cookie}; HttpOnly; SameSite=Lax; Path=/` })
      .end()

  if (url.pathname === '/sign-in') {
    const attempt = {
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier: oidc.randomPKCECodeVerifier(),
    }
    const fresh = randomUUID()
    attempts.set(fresh, attempt)
    const location = oidc.buildAuthorizationUrl(gatehouse, {
      redirect_uri,
      scope: 'openid identify email',
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: 'S256',
    })
    return go(location.href, fresh)
  }
  if (url.pathname === '/callback') {
    const attempt = attempts.get(key)
    attempts.delete(key)
    try {
      const tokens = await oidc.authorizationCodeGrant(gatehouse, url, {
        expectedState: attempt?.state ?? '',
        expectedNonce: attempt?.nonce ?? '',
        pkceCodeVerifier: attempt?.verifier ?? '',
      })
      const session = randomUUID()
      // `sub` stays the same for good: keep an account under it, never under a name or an address.
      sessions.set(session, { name: String(tokens.claims()?.name), idToken: tokens.id_token ?? '' })
      return go('/', session)
    } catch {
      return response.writeHead(400).end('The sign-in did not work. Try again.')
    }
  }
  if (url.pathname === '/sign-out' && request.method === 'POST') {
    const session = sessions.get(key)
    sessions.delete(key)
    if (!session) return go('/')
    const location = oidc.buildEndSessionUrl(gatehouse, {
      id_token_hint: session.idToken,
      post_logout_redirect_uri: siteUrl,
    })
    return go(location.href, '')
  }
  const name = sessions.get(key)?.name
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' })
  response.end(name === undefined ? 'Nobody is signed in.' : `Hello ${name}`)
}).listen(Number(PORT), '127.0.0.1', () => console.log('ready'))
