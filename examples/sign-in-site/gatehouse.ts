import { createHash, randomBytes } from 'node:crypto'
import { type IdToken, verifyIdToken } from './id-token.ts'

/** The part of `/.well-known/openid-configuration` that this site needs. */
interface Discovery {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  jwks_uri: string
  revocation_endpoint: string
}

/** The data of an authorization request that the callback needs. Only this site can read it. */
export interface Attempt {
  state: string
  nonce: string
  verifier: string
}

export interface SignedIn {
  person: IdToken
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
  let discovered: Promise<Discovery> | undefined

  /** Fetched once and cached. A failure is not cached. */
  async function discover(): Promise<Discovery> {
    discovered ??= readDiscovery(url)
    try {
      return await discovered
    } catch (error) {
      discovered = undefined
      throw error
    }
  }

  return {
    async begin(): Promise<{ attempt: Attempt; location: string }> {
      const { authorization_endpoint } = await discover()
      const attempt = { state: random(), nonce: random(), verifier: random() }
      const location = new URL(authorization_endpoint)
      location.search = new URLSearchParams({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: 'openid identify',
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: createHash('sha256').update(attempt.verifier).digest('base64url'),
        code_challenge_method: 'S256',
      }).toString()
      return { attempt, location: location.href }
    },

    /** `answer` is the query of the redirect. Throws if it does not belong to this attempt. */
    async finish(attempt: Attempt, answer: URLSearchParams): Promise<SignedIn> {
      const { issuer, token_endpoint, jwks_uri } = await discover()
      if (answer.get('state') !== attempt.state) throw new Error('This answer belongs to another question.')
      // Reject the response of another issuer (RFC 9207 §2.4).
      if (answer.get('iss') !== issuer) throw new Error('This answer comes from another service.')
      const refusal = answer.get('error')
      if (refusal === 'access_denied') throw new Error('You did not allow it. Nothing was shared.')
      if (refusal) throw new Error(answer.get('error_description') ?? refusal)

      const response = await fetch(token_endpoint, {
        method: 'POST',
        headers: { authorization: basic(clientId, clientSecret) },
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          code: answer.get('code') ?? '',
          redirect_uri: redirectUri,
          code_verifier: attempt.verifier,
        }),
      })
      const tokens = await response.json()
      if (!response.ok) throw new Error(tokens.error_description ?? 'The service gave no tokens.')
      const person = await verifyIdToken(tokens.id_token, {
        keysUrl: jwks_uri,
        issuer,
        clientId,
        nonce: attempt.nonce,
        now: clock(),
      })
      return { person, refreshToken: tokens.refresh_token }
    },

    /** Revoking a refresh token also revokes its access tokens (RFC 7009 §2.1). */
    async forget({ refreshToken }: SignedIn): Promise<void> {
      const { revocation_endpoint } = await discover()
      await fetch(revocation_endpoint, { method: 'POST', body: new URLSearchParams({ token: refreshToken }) })
    },
  }
}

async function readDiscovery(url: string): Promise<Discovery> {
  const response = await fetch(`${url}/.well-known/openid-configuration`)
  const found = await response.json()
  // OpenID Connect Discovery §4.3
  if (!response.ok || found.issuer !== url) throw new Error(`${url} is not where Gatehouse says it is.`)
  return found
}

/** 256 random bits in 43 characters, the minimum length of a code verifier (RFC 7636 §4.1). */
export function random(): string {
  return randomBytes(32).toString('base64url')
}

/** The client id and secret are form-encoded first (RFC 6749 §2.3.1). */
function basic(id: string, secret: string): string {
  const encode = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)
  return `Basic ${btoa(`${encode(id)}:${encode(secret)}`)}`
}
