import { BlockList, isIP } from 'node:net'

/**
 * The address of the client behind the proxies that are trusted: the last one of `X-Forwarded-For`, from the right, that
 * is none of them. `trusted`: addresses and CIDR blocks.
 */
export function createClientAddress(
  trusted: readonly string[],
): (remote: string, forwardedFor: string | undefined) => string {
  const proxies = new BlockList()
  for (const entry of trusted) {
    const [address = '', bits] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) proxies.addAddress(address, family)
    else proxies.addSubnet(address, Number(bits), family)
  }
  const isProxy = (address: string) => {
    const version = isIP(address)
    return version !== 0 && proxies.check(address, version === 6 ? 'ipv6' : 'ipv4')
  }
  return (remote, forwardedFor) => {
    let client = remote
    const hops = forwardedFor?.split(',').map(hop => hop.trim()) ?? []
    while (isProxy(client)) {
      const before = hops.pop()
      if (before === undefined || isIP(before) === 0) break
      client = before
    }
    return client
  }
}
