import { BlockList, isIP } from 'node:net'

/**
 * Returns the client's IP address: the rightmost address of `X-Forwarded-For` that is not a trusted proxy.
 * `trustedProxies` are IP addresses and CIDR blocks.
 */
export function createClientIpResolver(
  trustedProxies: readonly string[],
): (remoteAddress: string, forwardedFor: string | undefined) => string {
  const proxies = new BlockList()
  for (const entry of trustedProxies) {
    const [address = '', prefixLength] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (prefixLength === undefined) proxies.addAddress(address, family)
    else proxies.addSubnet(address, Number(prefixLength), family)
  }
  const isProxy = (address: string) => {
    const version = isIP(address)
    return version !== 0 && proxies.check(address, version === 6 ? 'ipv6' : 'ipv4')
  }
  return (remoteAddress, forwardedFor) => {
    let client = remoteAddress
    const hops = forwardedFor?.split(',').map(hop => hop.trim()) ?? []
    while (isProxy(client)) {
      const previous = hops.pop()
      if (previous === undefined || isIP(previous) === 0) break
      client = previous
    }
    return client
  }
}
