import { isIPv4, isIPv6 } from 'node:net'

/**
 * The key of an IP address for rate limits: the whole IPv4 address, or the first 64 bits of an IPv6 address, because
 * one subscriber usually has a /64. An IPv4-mapped IPv6 address (`::ffff:192.0.2.1`) counts as the IPv4 address. A text
 * that is no address has a key of its own (limits/client-address).
 */
export function ipRateLimitKey(ip: string): string {
  if (isIPv4(ip)) return ip
  const zone = ip.indexOf('%')
  const address = zone < 0 ? ip : ip.slice(0, zone)
  if (!isIPv6(address)) return `unreadable ${ip}`
  const groups = parseIPv6Groups(address)
  if (groups.slice(0, 5).every(group => group === 0) && groups[5] === 0xffff) {
    return groups
      .slice(6)
      .flatMap(group => [group >> 8, group & 0xff])
      .join('.')
  }
  return `${groups
    .slice(0, 4)
    .map(group => group.toString(16))
    .join(':')}::/64`
}

/** The eight 16-bit groups of an address. Requires that `isIPv6` is true for it. */
export function parseIPv6Groups(address: string): number[] {
  const [head = '', tail] = address.split('::')
  const front = parseGroups(head)
  if (tail === undefined) return front
  const back = parseGroups(tail)
  return [...front, ...new Array<number>(8 - front.length - back.length).fill(0), ...back]
}

function parseGroups(part: string): number[] {
  if (part === '') return []
  return part.split(':').flatMap(piece => {
    if (!piece.includes('.')) return [Number.parseInt(piece, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = piece.split('.').map(Number)
    return [(a << 8) | b, (c << 8) | d]
  })
}
