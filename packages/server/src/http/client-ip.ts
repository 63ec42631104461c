import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import type { Timers } from '../kit/clock.ts'
import type { Logger } from './log.ts'

export type ClientIpResolver = (request: IncomingMessage) => string

const minuteMs = 60_000
/** More than an IP address with a zone and a port has. */
const maxLoggedLength = 100

/** Whether an address is one of the IP addresses and CIDR blocks. */
export function createProxyMatcher(trustedProxies: readonly string[]): (address: string) => boolean {
  const proxies = new BlockList()
  for (const entry of trustedProxies) {
    const [address = '', prefixLength] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (prefixLength === undefined) proxies.addAddress(address, family)
    else proxies.addSubnet(address, Number(prefixLength), family)
  }
  return address => {
    const version = isIP(address)
    return version !== 0 && proxies.check(address, version === 6 ? 'ipv6' : 'ipv4')
  }
}

/**
 * Returns the client's IP address: the rightmost address of `X-Forwarded-For` that is not a trusted proxy, without its
 * port. If that one is not an IP address, returns its text, so that the client is counted apart from the proxy and from
 * others (limits/client-address). `trustedProxies` are IP addresses and CIDR blocks.
 */
export function createClientIpResolver(
  trustedProxies: readonly string[],
  { logger, timers }: { logger: Pick<Logger, 'warn'>; timers: Timers },
): ClientIpResolver {
  const isProxy = createProxyMatcher(trustedProxies)
  const logged = new Set<string>()

  function logUnreadable(proxy: string, received: string): void {
    if (logged.has(proxy)) return
    logged.add(proxy)
    timers.after(minuteMs, () => logged.delete(proxy))
    logger.warn(
      { proxy, received: received.slice(0, maxLoggedLength) },
      'X-Forwarded-For of a proxy of TRUST_PROXY contains no IP address where that of the client should be',
    )
  }

  return request => {
    let client = request.socket.remoteAddress ?? ''
    if (!isProxy(client)) return client
    // node:http joins several fields of this name with commas. Empty elements are ignored (RFC 9110 §5.6.1).
    const hops = String(request.headers['x-forwarded-for'] ?? '')
      .split(',')
      .map(hop => hop.trim())
      .filter(hop => hop !== '')
    while (isProxy(client)) {
      const hop = hops.pop()
      if (hop === undefined) break
      const previous = removePort(hop)
      if (isIP(previous) === 0) logUnreadable(client, hop)
      client = previous
    }
    return client
  }
}

/** `192.0.2.1:49152`, as Azure Application Gateway writes it, `[2001:db8::1]:49152` and `[2001:db8::1]`. */
function removePort(hop: string): string {
  const [, v6, v4] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(hop) ?? []
  return v6 ?? v4 ?? hop
}
