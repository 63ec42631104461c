import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { maxEndpointAnswerBytes } from '@gatehouse/protocol/limits'
import { systemTimers, type Timers } from '../kit/clock.ts'
import { exchange, type OutgoingAnswer } from './exchange.ts'
import { createGuard } from './guard.ts'
import { OutgoingError } from './outgoing-error.ts'
import { createResolver, type Resolve } from './resolve.ts'

export type { OutgoingAnswer } from './exchange.ts'

interface OutgoingDeps {
  /** ALLOW_PRIVATE_TARGETS: addresses and CIDR blocks. */
  allowPrivateTargets: readonly string[]
  resolve?: Resolve
  timers?: Timers
  /** Certificates to trust, in PEM, in the place of those that come with the runtime. */
  ca?: string
}

interface Post {
  headers: Readonly<Record<string, string>>
  body: string | Uint8Array
  timeoutMs: number
  maxBytes?: number
}

export interface Outgoing {
  /** False for what is refused whatever its name resolves to: the scheme, or an address that is written out (D31, D50). */
  mayReach(url: URL): boolean
  /**
   * One POST, answered with whatever status is no redirect. Rejects with OutgoingError for what is refused (D31, D50) and
   * for what went wrong; never tries again.
   */
  post(url: URL, post: Post): Promise<OutgoingAnswer>
  /** Breaks off what is under way. */
  close(): void
}

// Of each scheme. Less than the 5 seconds after which servers commonly close a connection that is not used.
const pool = {
  keepAlive: true,
  timeout: 4000,
  maxSockets: 64,
  maxTotalSockets: 1024,
  maxFreeSockets: 8,
  scheduling: 'lifo',
} as const

/**
 * By node:http and not by fetch: that one neither takes the address to connect to nor leaves an answer compressed, and
 * would want a package for the first.
 */
export function createOutgoing({
  allowPrivateTargets,
  resolve = createResolver(),
  timers = systemTimers,
  ca,
}: OutgoingDeps): Outgoing {
  const guard = createGuard(allowPrivateTargets)
  const http = new HttpAgent({ ...pool, lookup: lookupFor('http:') })
  const https = new HttpsAgent({
    ...pool,
    lookup: lookupFor('https:'),
    ...(ca === undefined ? {} : { ca }),
  })

  /** D31: a name is resolved once for a connection, and the connection goes to an address that was checked here. */
  function lookupFor(scheme: string): LookupFunction {
    return (name, { all }, callback) => {
      addressesOf(name, scheme).then(
        addresses => {
          const [first] = addresses
          if (all === true) callback(null, addresses)
          else callback(null, first.address, first.family)
        },
        (error: Error) => callback(error, ''),
      )
    }
  }

  type Address = { address: string; family: number }

  async function addressesOf(name: string, scheme: string): Promise<[Address, ...Address[]]> {
    const found = await resolve(name).catch(() => [])
    if (found.length === 0) throw new OutgoingError('dns')
    const [first, ...rest] = found
      .filter(address => guard.mayReach(address, scheme))
      .map(address => ({ address, family: isIP(address) }))
    if (first === undefined) throw new OutgoingError('refused_address')
    return [first, ...rest]
  }

  // Check 19: the parser has made an address of whatever was written. No lookup is made for it.
  function mayReach({ protocol, hostname }: URL): boolean {
    const host = hostname.replace(/^\[|\]$/g, '')
    return guard.mayUse(protocol) && (isIP(host) === 0 || guard.mayReach(host, protocol))
  }

  return {
    mayReach,
    async post(url, { headers, body, timeoutMs, maxBytes = maxEndpointAnswerBytes }) {
      if (!mayReach(url)) throw new OutgoingError('refused_address')
      const options = {
        method: 'POST',
        headers: {
          'user-agent': 'Gatehouse',
          'accept-encoding': 'identity',
          'content-length': Buffer.byteLength(body),
          ...headers,
        },
      }
      const request =
        url.protocol === 'https:'
          ? httpsRequest(url, { ...options, agent: https })
          : httpRequest(url, { ...options, agent: http })
      return exchange(request, body, { timers, timeoutMs, maxBytes })
    },
    close() {
      http.destroy()
      https.destroy()
    },
  }
}
