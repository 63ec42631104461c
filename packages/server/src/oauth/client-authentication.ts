import { isId } from '@gatehouse/protocol/ids'
import { type ClientRecord, findClient } from '../applications/index.ts'
import { AppError } from '../kit/app-error.ts'
import { ipRateLimitKey } from '../kit/ip.ts'
import { constantTimeEqual, hashSecret } from '../kit/secret.ts'
import type { RateLimitResult } from '../rate-limits/sliding-window.ts'
import type { Deps } from './deps.ts'
import { invalidClient, invalidRequest } from './errors.ts'
import type { Parameters } from './parameters.ts'

/** A request to an endpoint that authenticates the client. */
export interface ClientRequest {
  /** The Authorization header. */
  authorization: string | undefined
  form: Parameters
  ip: string
}

/** What the client has sent. `secretHash` is null without a secret. */
export interface ClientCredentials {
  id: string
  secretHash: string | null
  /** Whether too many wrong secrets were sent, so that the request will be rejected. */
  isLimited: boolean
}

/** Reads the client. What it does beyond that must check `secretHash` itself. */
export type FindClient = (credentials: ClientCredentials) => Promise<ClientRecord | undefined>

export type AuthenticateClient = ReturnType<typeof createClientAuthentication>

/** RFC 6749 §2.3: `client_secret_basic`, `client_secret_post`, and `none` for public clients. */
export function createClientAuthentication({ db, rateLimiter }: Pick<Deps, 'db' | 'rateLimiter'>) {
  // sign-in/client-guessing: counts wrong secrets per client and IP address.
  const wrongSecrets = rateLimiter.window('wrongClientSecrets')

  /** Throws `invalid_client`, `invalid_request` or `rate_limited`. */
  return async (
    { authorization, form, ip }: ClientRequest,
    find: FindClient = ({ id }) => findClient(db, id),
  ): Promise<ClientRecord> => {
    const { id, secret, basic } = readCredentials(authorization, form)
    const secretHash = secret === undefined ? null : hashSecret(secret)
    const key = `${ipRateLimitKey(ip)} ${id.slice(0, 32)}`
    const checkLimit = ({ allowed, retryAfterMs }: RateLimitResult) => {
      if (allowed) return
      throw new AppError('rate_limited', 'Too many wrong client secrets. Try again later.', {
        retryAfter: retryAfterMs / 1000,
      })
    }
    const isLimited = !wrongSecrets.peek(key).allowed
    const client = isId(id) ? await find({ id, secretHash, isLimited }) : undefined
    // After the read, so that requests that a client sends at the same time do not all pass.
    checkLimit(wrongSecrets.peek(key))
    if (client?.type === 'public' && secret === undefined && !basic) return client
    // Compares for an unknown client too, so that the response time does not show whether the client exists.
    const matches = constantTimeEqual(secretHash ?? emptySecretHash, client?.secretHash ?? emptySecretHash)
    if (client?.type === 'confidential' && client.secretHash !== null && secret !== undefined && matches) {
      return client
    }
    // Counts after the comparison. If every request counted until its secret is found correct, requests that a client sends at the
    // same time would reach the limit.
    if (secret !== undefined) checkLimit(await wrongSecrets.hit(key))
    throw invalidClient()
  }
}

const emptySecretHash = hashSecret('')

interface Credentials {
  id: string
  secret: string | undefined
  /** Whether they are in the Authorization header. Public clients cannot use it. */
  basic: boolean
}

function readCredentials(authorization: string | undefined, form: Parameters): Credentials {
  const id = form.get('client_id')
  const secret = form.get('client_secret')
  if (authorization === undefined) {
    if (id === undefined) throw invalidClient()
    return { id, secret, basic: false }
  }
  const header = parseBasic(authorization)
  if (!header) throw invalidClient()
  // RFC 6749 §2.3: a request must not use more than one authentication method.
  if (secret !== undefined) {
    throw invalidRequest('Send the client secret in the Authorization header or in the body, not in both.')
  }
  if (id !== undefined && id !== header.id) {
    throw invalidRequest('The client_id of the body differs from that of the Authorization header.')
  }
  return { ...header, basic: true }
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
