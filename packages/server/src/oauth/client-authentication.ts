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
}

/** What is read of the client, and whether the same statement has stored new tokens for its code or refresh token. */
export interface Attempt {
  client: ClientRecord | undefined
  areTokensStored: boolean
}

export type ClientAuthentication = ReturnType<typeof createClientAuthentication>

/** RFC 6749 §2.3: `client_secret_basic`, `client_secret_post`, and `none` for public clients. */
export function createClientAuthentication({ db, rateLimiter }: Pick<Deps, 'db' | 'rateLimiter'>) {
  // sign-in/client-guessing, limits/rates: counts wrong secrets per client and IP address.
  const wrongSecrets = rateLimiter.window('wrongClientSecrets')

  /** Throws `invalid_client`, `invalid_request` or `rate_limited`. */
  async function authenticateClient(request: ClientRequest): Promise<ClientRecord> {
    const read = async ({ id }: ClientCredentials) => ({
      client: await findClient(db, id),
      areTokensStored: false,
    })
    return (await authenticateAndTryExchange(request, read)).client
  }

  /**
   * Like `authenticateClient`. `readAndTryExchange` reads the client and may exchange the code or refresh token with the same
   * statement. It runs before the secret is compared, so this statement must check `secretHash`: see `exchangeCodeWithAllChecks`.
   */
  async function authenticateAndTryExchange<A extends Attempt>(
    { authorization, form, ip }: ClientRequest,
    readAndTryExchange: (credentials: ClientCredentials) => Promise<A>,
  ): Promise<{ client: ClientRecord; attempt: A }> {
    const { id, secret } = readCredentials(authorization, form)
    const secretHash = secret === undefined ? null : hashSecret(secret)
    const key = `${ipRateLimitKey(ip)} ${id.slice(0, 32)}`
    const checkLimit = ({ allowed, retryAfterMs }: RateLimitResult) => {
      if (allowed) return
      throw new AppError('rate_limited', 'Too many wrong client secrets. Try again later.', {
        retryAfter: retryAfterMs / 1000,
      })
    }
    // 1. Once the limit is reached, a correct secret is rejected too.
    checkLimit(wrongSecrets.peek(key))
    const attempt = isId(id) ? await readAndTryExchange({ id, secretHash }) : undefined
    // 2. The statement has checked the secret and stored the tokens.
    if (attempt?.client && attempt.areTokensStored) return { client: attempt.client, attempt }
    // 3. Parallel requests may have reached the limit since the read.
    checkLimit(wrongSecrets.peek(key))
    // 4. `exchangeCodeWithAllChecks` and `rotateGrantWithAllChecks` have the same comparison in SQL.
    const storedHash = attempt?.client?.secretHash ?? null
    // Compares for an unknown client too, so that the response time does not show whether the client exists.
    const matches = constantTimeEqual(secretHash ?? emptySecretHash, storedHash ?? emptySecretHash)
    if (attempt?.client) {
      const isAuthenticated =
        attempt.client.type === 'public'
          ? secret === undefined
          : storedHash !== null && secret !== undefined && matches
      if (isAuthenticated) return { client: attempt.client, attempt }
    }
    // 5. Only wrong secrets count. If a request counted before its secret is compared, a client that sends many requests with the
    // correct secret at the same time would reach the limit.
    if (secret !== undefined) checkLimit(await wrongSecrets.hit(key))
    throw invalidClient()
  }

  return { authenticateClient, authenticateAndTryExchange }
}

const emptySecretHash = hashSecret('')

interface Credentials {
  id: string
  /** Undefined only without an Authorization header, which always has a secret, possibly an empty one. */
  secret: string | undefined
}

function readCredentials(authorization: string | undefined, form: Parameters): Credentials {
  const id = form.get('client_id')
  const secret = form.get('client_secret')
  if (authorization === undefined) {
    if (id === undefined) throw invalidClient()
    return { id, secret }
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
