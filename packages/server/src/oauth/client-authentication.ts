import { isId } from '@gatehouse/protocol/ids'
import { wrongSecretsPerMinute } from '@gatehouse/protocol/limits'
import { type ClientRecord, findClient } from '../applications/index.ts'
import { AppError } from '../kit/app-error.ts'
import type { Clock } from '../kit/clock.ts'
import { addressKey } from '../kit/ip.ts'
import { hashSecret, sameSecret } from '../kit/secret.ts'
import { createSlidingWindow } from '../kit/sliding-window.ts'
import type { Database } from '../storage/database.ts'
import { invalidClient, OAuthError } from './errors.ts'
import type { Parameters } from './parameters.ts'

/** How a client shows who it is: header and form of one request. */
export interface Presented {
  authorization: string | undefined
  form: Parameters
  ip: string
}

/** Throws `invalid_client`, `invalid_request`, or `rate_limited`. */
export type AuthenticateClient = (presented: Presented) => Promise<ClientRecord>

interface Credentials {
  id: string
  secret: string | undefined
  /** By the header, which a public application has no use for. */
  basic: boolean
}

const noSecret = hashSecret('')

/** RFC 6749 §2.3: `client_secret_basic`, `client_secret_post`, and `none` for public applications. */
export function createClientAuthentication(deps: {
  db: Database
  clock: Clock
  rateLimits: boolean
}): AuthenticateClient {
  // D75: wrong secrets of one client from one address.
  const wrong = createSlidingWindow({
    clock: deps.clock,
    limit: wrongSecretsPerMinute,
    windowMs: 60_000,
    maxKeys: 50_000,
  })

  return async ({ authorization, form, ip }) => {
    const { id, secret, basic } = credentials(authorization, form)
    const client = isId(id) ? await findClient(deps.db, id) : undefined
    const key = `${addressKey(ip)} ${id.slice(0, 32)}`
    // From here on nothing is awaited: tries at the same moment cannot pass the limit together.
    const before = wrong.peek(key)
    if (deps.rateLimits && !before.allowed) {
      throw new AppError('rate_limited', 'Too many wrong client secrets. Try again later.', {
        retryAfter: before.retryAfterMs / 1000,
      })
    }
    if (client?.type === 'public' && secret === undefined && !basic) return client
    // An unknown client costs the same comparison as a wrong secret.
    const right = sameSecret(hashSecret(secret ?? ''), client?.secretHash ?? noSecret)
    if (client?.type === 'confidential' && client.secretHash !== null && secret !== undefined && right)
      return client
    if (secret !== undefined) wrong.hit(key)
    throw invalidClient()
  }
}

function credentials(authorization: string | undefined, form: Parameters): Credentials {
  const id = form.get('client_id')
  const secret = form.get('client_secret')
  if (authorization === undefined) {
    if (id === undefined) throw invalidClient()
    return { id, secret, basic: false }
  }
  const fromHeader = readBasic(authorization)
  if (!fromHeader) throw invalidClient()
  // RFC 6749 §2.3: one method in a request.
  if (secret !== undefined)
    throw new OAuthError('invalid_request', 'Send the client secret in one place only.')
  if (id !== undefined && id !== fromHeader.id) {
    throw new OAuthError('invalid_request', 'The client_id of the body is not that of the header.')
  }
  return { ...fromHeader, basic: true }
}

/** RFC 7617 §2, with id and secret encoded as in a form (RFC 6749 §2.3.1). Undefined where it is malformed. */
function readBasic(authorization: string): { id: string; secret: string } | undefined {
  const match = /^basic +([A-Za-z0-9+/_-]+={0,2}) *$/i.exec(authorization)
  const text = match?.[1] === undefined ? undefined : Buffer.from(match[1], 'base64').toString('utf8')
  const colon = text?.indexOf(':') ?? -1
  if (text === undefined || colon < 0) return undefined
  try {
    return { id: decode(text.slice(0, colon)), secret: decode(text.slice(colon + 1)) }
  } catch {
    return undefined
  }
}

function decode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}
