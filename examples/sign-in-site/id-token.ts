/** Who signed in. */
export interface IdToken {
  /** Stays the same for good: the key to keep an account under. */
  sub: string
  preferred_username: string
  name: string
  picture: string
}

interface Expected {
  /** Where the service publishes its keys (JWKS). */
  keysUrl: string
  issuer: string
  clientId: string
  nonce: string
  /** Milliseconds. */
  now: number
}

interface Key extends JsonWebKey {
  kid?: string
}

// Two clocks are never quite the same.
const leewaySeconds = 60

/** The claims of an id_token, after every check of OpenID Connect Core §3.1.3.7 that a site has to make. */
export async function verifyIdToken(token: string, expected: Expected): Promise<IdToken> {
  const [header = '', payload = '', signature = ''] = token.split('.')
  const { alg, kid } = decode(header)
  // The site decides how it is signed, not the token.
  if (alg !== 'RS256') throw new Error('The id_token is not signed as agreed.')
  const { keys }: { keys: Key[] } = await (await fetch(expected.keysUrl)).json()
  const jwk = keys.find(key => key.kid === kid)
  if (!jwk) throw new Error('The id_token is signed with an unknown key.')

  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['verify'])
  const signed = new TextEncoder().encode(`${header}.${payload}`)
  const isSigned = await crypto.subtle.verify(algorithm, key, Buffer.from(signature, 'base64url'), signed)
  if (!isSigned) throw new Error('The signature of the id_token is wrong.')

  const claims = decode(payload)
  const now = expected.now / 1000
  if (claims.iss !== expected.issuer) throw new Error('The id_token comes from another service.')
  if (claims.aud !== expected.clientId) throw new Error('The id_token is for another site.')
  if (claims.nonce !== expected.nonce) throw new Error('The id_token belongs to another sign-in.')
  if (!(claims.exp > now - leewaySeconds)) throw new Error('The id_token has expired.')
  if (!(claims.iat < now + leewaySeconds)) throw new Error('The id_token comes from the future.')
  return claims
}

function decode(part: string) {
  return JSON.parse(Buffer.from(part, 'base64url').toString())
}
