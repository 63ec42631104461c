import { Agent as HttpAgent, request as httpRequest, type OutgoingHttpHeaders } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { maxEndpointResponseBytes } from '@gatehouse/protocol/limits'
import { systemTimers, type Timers } from '../kit/clock.ts'
import { exchange, OutgoingError, type OutgoingResponse } from './exchange.ts'
import { createIpFilter, type IpFilter } from './ip-filter.ts'
import { createResolver, type Resolve } from './resolver.ts'

// Applies to each scheme. Servers commonly close an idle connection after 5 seconds; `timeout` is less than that.
const agentOptions = {
  keepAlive: true,
  timeout: 4000,
  maxSockets: 64,
  maxTotalSockets: 1024,
  maxFreeSockets: 8,
  scheduling: 'lifo',
} as const

interface SenderOptions {
  filter: IpFilter
  resolve: Resolve
  timers: Timers
  /** Trusted certificates in PEM format, instead of those that Node.js includes. */
  ca?: string | undefined
}

export type Outgoing = ReturnType<typeof createOutgoing>

/**
 * Uses node:http because `fetch` can neither connect to a given IP address (without the package undici) nor return a
 * compressed body as it was received.
 */
export function createOutgoing({
  allowPrivateTargets,
  resolve = createResolver(),
  timers = systemTimers,
  ca,
}: {
  /** ALLOW_PRIVATE_TARGETS: IP addresses and CIDR blocks. */
  allowPrivateTargets: readonly string[]
} & Partial<Omit<SenderOptions, 'filter'>>) {
  const shared = { resolve, timers, ca }
  const endpoints = createSender({ ...shared, filter: createIpFilter(allowPrivateTargets) })
  const pictures = createSender({
    ...shared,
    filter: createIpFilter(allowPrivateTargets, { publicHttp: true }),
  })
  return {
    /** As `isAllowed` below. A host name is resolved and checked only by `post`. */
    isAllowed: endpoints.isAllowed,
    /**
     * Sends one POST request. Resolves with any status except a redirect. Rejects with OutgoingError if the URL is
     * forbidden (bots/outgoing-requests, bots/endpoint-url) or the request fails. Does not retry.
     */
    post(
      url: URL,
      {
        headers,
        body,
        timeoutMs,
      }: { headers: Readonly<Record<string, string>>; body: string | Uint8Array; timeoutMs: number },
    ): Promise<OutgoingResponse> {
      const options = { method: 'POST', headers: { 'content-length': Buffer.byteLength(body), ...headers } }
      return endpoints.send(url, options, body, { timeoutMs, maxBytes: maxEndpointResponseBytes })
    },
    /**
     * Sends one GET request, also by http. Resolves with any status: each redirect is another call, which checks its
     * target. Rejects as `post`.
     */
    get(
      url: URL,
      { accept, ...limits }: { accept: string; timeoutMs: number; maxBytes: number },
    ): Promise<OutgoingResponse> {
      return pictures.send(url, { headers: { accept } }, undefined, { ...limits, returnsRedirects: true })
    },
    /** Aborts the requests in progress and closes idle connections. */
    close(): void {
      endpoints.close()
      pictures.close()
    },
  }
}

/** Sends requests to the targets that the filter allows. */
function createSender({ filter, resolve, timers, ca }: SenderOptions) {
  const http = new HttpAgent({ ...agentOptions, lookup: createLookup('http:') })
  const https = new HttpsAgent({
    ...agentOptions,
    lookup: createLookup('https:'),
    ...(ca === undefined ? {} : { ca }),
  })

  /**
   * The agent calls this function once per connection and connects to the addresses that it returns, so a second DNS
   * response cannot replace the address that was checked (bots/outgoing-requests).
   */
  function createLookup(scheme: string): LookupFunction {
    return (host, { all }, callback) => {
      findAddresses(host, scheme).then(
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

  async function findAddresses(host: string, scheme: string): Promise<[Address, ...Address[]]> {
    const resolved = await resolve(host).catch(() => [])
    const [first, ...rest] = resolved
      .filter(address => filter.allows(address, scheme))
      .map(address => ({ address, family: isIP(address) }))
    if (first === undefined) throw new OutgoingError('host')
    return [first, ...rest]
  }

  /**
   * Checks the scheme and, if the host is an IP address, the address (bots/outgoing-requests, bots/endpoint-url). A
   * host name is resolved and checked only by `send`.
   */
  function isAllowed({ protocol, hostname }: URL): boolean {
    // The URL parser has normalized every spelling of an IP address (bots/outgoing-address-forms).
    const host = hostname.replace(/^\[|\]$/g, '')
    return filter.allowsScheme(protocol) && (isIP(host) === 0 || filter.allows(host, protocol))
  }

  return {
    isAllowed,
    async send(
      url: URL,
      { method = 'GET', headers }: { method?: string; headers: OutgoingHttpHeaders },
      body: string | Uint8Array | undefined,
      limits: { timeoutMs: number; maxBytes: number; returnsRedirects?: boolean },
    ): Promise<OutgoingResponse> {
      // The agents do not call the lookup function if the host is an IP address.
      if (!isAllowed(url)) throw new OutgoingError('host')
      const options = {
        method,
        headers: { 'user-agent': 'Gatehouse', 'accept-encoding': 'identity', ...headers },
      }
      const request =
        url.protocol === 'https:'
          ? httpsRequest(url, { ...options, agent: https })
          : httpRequest(url, { ...options, agent: http })
      return exchange(request, body, { timers, ...limits })
    },
    close(): void {
      http.destroy()
      https.destroy()
    },
  }
}
