import { createHash, randomBytes } from 'node:crypto'
import { type IdTokenClaims, verifyIdToken } from './id-token.ts'

/** The part of `/.well-known/openid-configuration` that this site needs. */
interface Discovery {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  jwks_uri: string
  revocation_endpoint: string
}

/** The values of an authorization request that the callback needs. */
export interface AuthorizationRequest {
  state: string
  nonce: string
  verifier: string
}

export interface Session {
  user: IdTokenClaims
  refreshToken: string
}

export interface GatehouseOptions {
  url: string
  clientId: string
  clientSecret: string
  redirectUri: string
  clock: () => number
}

/** The authorization code flow: authorization request, callback with a code, token request. */
export function createGatehouse({ url, clientId, clientSecret, redirectUri, clock }: GatehouseOptions) {
  let discovery: Promise<Discovery> | undefined

  /** Fetched once and cached. A failure is not cached. */
  async function discover(): Promise<Discovery> {
    discovery ??= readDiscovery(url)
    try {
      return await discovery
    } catch (error) {
      discovery = undefined
      throw error
    }
  }

  return {
    async startSignIn(): Promise<{ request: AuthorizationRequest; location: string }> {
      const { authorization_endpoint } = await discover()
      const request = { state: random(), nonce: random(), verifier: random() }
      const location = new URL(authorization_endpoint)
      location.search = new URLSearchParams({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: 'openid identify',
        state: request.state,
        nonce: request.nonce,
        code_challenge: createHash('sha256').update(request.verifier).digest('base64url'),
        code_challenge_method: 'S256',
      }).toString()
      return { request, location: location.href }
    },

    /** `response` is the query of the redirect URI. Throws if it is not the response to this request. */
    async finishSignIn(request: AuthorizationRequest, response: URLSearchParams): Promise<Session> {
      const { issuer, token_endpoint, jwks_uri } = await discover()
      if (response.get('state') !== request.state) throw new Error('The state does not match. Sign in again.')
      // RFC 9207 §2.4.
      if (response.get('iss') !== issuer) throw new Error('The response is from another issuer.')
      const error = response.get('error')
      if (error === 'access_denied') throw new Error('You did not allow the sign-in. Nothing was shared.')
      if (error) throw new Error(response.get('error_description') ?? error)

      const tokenResponse = await fetch(token_endpoint, {
        method: 'POST',
        headers: { authorization: basicCredentials(clientId, clientSecret) },
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          code: response.get('code') ?? '',
          redirect_uri: redirectUri,
          code_verifier: request.verifier,
        }),
      })
      const tokens = await tokenResponse.json()
      if (!tokenResponse.ok) throw new Error(tokens.error_description ?? 'The token request failed.')
      const user = await verifyIdToken(tokens.id_token, {
        jwksUri: jwks_uri,
        issuer,
        clientId,
        nonce: request.nonce,
        now: clock(),
      })
      return { user, refreshToken: tokens.refresh_token }
    },

    /** Revoking a refresh token also revokes its access tokens (RFC 7009 §2.1). */
    async revoke({ refreshToken }: Session): Promise<void> {
      const { revocation_endpoint } = await discover()
      await fetch(revocation_endpoint, { method: 'POST', body: new URLSearchParams({ token: refreshToken }) })
    },
  }
}

async function readDiscovery(url: string): Promise<Discovery> {
  const response = await fetch(`${url}/.well-known/openid-configuration`)
  const discovery = await response.json()
  // OpenID Connect Discovery §4.3
  if (!response.ok || discovery.issuer !== url) throw new Error(`The issuer must be ${url}.`)
  return discovery
}

/** 256 random bits in 43 characters, the minimum length of a code verifier (RFC 7636 §4.1). */
export function random(): string {
  return randomBytes(32).toString('base64url')
}

/** The client id and secret are form-encoded first (RFC 6749 §2.3.1). */
function basicCredentials(id: string, secret: string): string {
  const encode = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)
  return `Basic ${btoa(`${encode(id)}:${encode(secret)}`)}`
}
