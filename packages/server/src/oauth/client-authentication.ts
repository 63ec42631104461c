import { isId } from '@gatehouse/protocol/ids'
import { type ClientRecord, findClient } from '../applications/index.ts'
import { AppError } from '../errors/app-error.ts'
import { ipRateLimitKey } from '../kit/ip.ts'
import { constantTimeEqual, describeSecret, hashSecret } from '../kit/secret.ts'
import type { RateLimitResult } from '../rate-limits/sliding-window.ts'
import type { Deps } from './oauth-deps.ts'
import { invalidClient, invalidRequest } from './oauth-errors.ts'
import type { Parameters } from './parameters.ts'

/** A request to an endpoint that authenticates the client. */
export interface ClientRequest {
  /** The Authorization header. */
  authorization: string | undefined
  form: Parameters
  ip: string
}

/** What a request says about its client. */
interface ClientCredentials extends Pick<ClientRequest, 'authorization' | 'ip'> {
  client_id?: string | undefined
  client_secret?: string | undefined
}

export type ClientAuthentication = ReturnType<typeof createClientAuthentication>

/** RFC 6749 §2.3: `client_secret_basic`, `client_secret_post`, and `none` for public clients. */
export function createClientAuthentication({ db, rateLimiter }: Pick<Deps, 'db' | 'rateLimiter'>) {
  // sign-in/client-guessing, limits/rates: counts wrong secrets per client and IP address.
  const wrongSecrets = rateLimiter.window('wrongClientSecrets')

  function checkLimit({ allowed, retryAfterMs }: RateLimitResult): void {
    if (allowed) return
    throw new AppError('rate_limited', 'Too many wrong client secrets. Try again later.', {
      retryAfter: retryAfterMs / 1000,
    })
  }

  return {
    /** Throws `invalid_client`, `invalid_request` or `rate_limited`. */
    async authenticateClient(credentials: ClientCredentials): Promise<ClientRecord> {
      const { id, secret } = readCredentials(credentials)
      const client = isId(id) ? await findClient(db, id) : undefined
      const key = `${ipRateLimitKey(credentials.ip)} ${id.slice(0, 32)}`
      // Once the limit is reached, a correct secret is rejected too.
      checkLimit(wrongSecrets.peek(key))
      // Compares for an unknown client too, so that the response time does not show whether the client exists.
      const isCorrect = isCorrectSecret(client, secret)
      if (client && isCorrect) return client
      // Only wrong secrets count. If a request counted before its secret is compared, a client that sends many requests
      // with the correct secret at the same time would reach the limit.
      if (secret !== undefined) checkLimit(await wrongSecrets.hit(key))
      throw invalidClient(reasonOf(client, secret), describeSecret(secret ?? '', 'clientSecret'))
    },
  }
}

/** The client that a request names, also if it is not authenticated. */
export function readClientId(authorization: string | undefined, id: string | undefined): string | undefined {
  return authorization === undefined ? id : parseBasic(authorization)?.id
}

/** A public client has no secret, and must send none. */
function isCorrectSecret(client: ClientRecord | undefined, secret: string | undefined): boolean {
  const storedHash = client?.secretHash ?? null
  const matches = constantTimeEqual(hashSecret(secret ?? ''), storedHash ?? emptySecretHash)
  if (client?.type === 'public') return secret === undefined
  return storedHash !== null && secret !== undefined && matches
}

/** Why the credentials are wrong. */
function reasonOf(client: ClientRecord | undefined, secret: string | undefined): string {
  if (client === undefined) return 'unknown client'
  if (client.type === 'public') return 'a public client must not send a secret'
  return secret === undefined ? 'no client secret' : 'wrong client secret'
}

const emptySecretHash = hashSecret('')

/** `secret` is undefined only without an Authorization header, which always has one, possibly empty. */
function readCredentials({ authorization, client_id: id, client_secret: secret }: ClientCredentials): {
  id: string
  secret: string | undefined
} {
  if (authorization === undefined) {
    if (id === undefined) throw invalidClient('no client_id and no Authorization header')
    return { id, secret }
  }
  const header = parseBasic(authorization)
  if (!header) throw invalidClient('the Authorization header is malformed')
  // RFC 6749 §2.3: a request must not use more than one authentication method.
  if (secret !== undefined) {
    throw invalidRequest('Send the client secret in the Authorization header or in the body, not in both.')
  }
  if (id !== undefined && id !== header.id) {
    throw invalidRequest('The client_id of the body differs from that of the Authorization header.')
  }
  return header
}

/** RFC 7617 §2; id and secret are form-encoded (RFC 6749 §2.3.1). Undefined if the header is malformed. */
function parseBasic(authorization: string): { id: string; secret: string } | undefined {
  const match = /^basic +([A-Za-z0-9+/_-]+={0,2}) *$/i.exec(authorization)
  const text = match?.[1] === undefined ? undefined : Buffer.from(match[1], 'base64').toString('utf8')
  const colon = text?.indexOf(':') ?? -1
  if (text === undefined || colon < 0) return undefined
  try {
    return { id: decodeFormValue(text.slice(0, colon)), secret: decodeFormValue(text.slice(colon + 1)) }
  } catch {
    return undefined
  }
}

function decodeFormValue(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}
