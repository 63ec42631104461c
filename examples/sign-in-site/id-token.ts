/** The claims of an ID token that this site uses. */
export interface IdTokenClaims {
  /** Never changes. Use it as the key of the account. */
  sub: string
  preferred_username: string
  name: string
  picture: string
}

interface Expected {
  /** `jwks_uri` of the discovery document. */
  jwksUri: string
  issuer: string
  clientId: string
  nonce: string
  /** Milliseconds since the Unix epoch. */
  now: number
}

interface Key extends JsonWebKey {
  kid?: string
}

// The clocks of the site and the service may differ.
const leewaySeconds = 60

/** Verifies an ID token (OpenID Connect Core §3.1.3.7) and returns its claims. */
export async function verifyIdToken(token: string, expected: Expected): Promise<IdTokenClaims> {
  const [header = '', payload = '', signature = ''] = token.split('.')
  const { alg, kid } = decode(header)
  // The token must not choose its own algorithm.
  if (alg !== 'RS256') throw new Error('The ID token must be signed with RS256.')
  const { keys }: { keys: Key[] } = await (await fetch(expected.jwksUri)).json()
  const jwk = keys.find(key => key.kid === kid)
  if (!jwk) throw new Error('The ID token is signed with an unknown key.')

  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['verify'])
  const signed = new TextEncoder().encode(`${header}.${payload}`)
  const isValid = await crypto.subtle.verify(algorithm, key, Buffer.from(signature, 'base64url'), signed)
  if (!isValid) throw new Error('The signature of the ID token is invalid.')

  const claims = decode(payload)
  const now = expected.now / 1000
  if (claims.iss !== expected.issuer) throw new Error('The ID token is from another issuer.')
  if (claims.aud !== expected.clientId) throw new Error('The ID token is for another client.')
  if (claims.nonce !== expected.nonce) throw new Error('The nonce of the ID token does not match.')
  if (!(claims.exp > now - leewaySeconds)) throw new Error('The ID token has expired.')
  if (!(claims.iat < now + leewaySeconds)) throw new Error('The ID token was issued in the future.')
  return claims
}

function decode(part: string) {
  return JSON.parse(Buffer.from(part, 'base64url').toString())
}
