import { isIPv4, isIPv6 } from 'node:net'

/**
 * The key under which an address is counted by limits (D75): IPv4 whole, IPv6 by its first 64 bits (one household has
 * that many addresses), an IPv4 address in IPv6 clothes (`::ffff:192.0.2.1`) as the IPv4 address. What is no address is
 * `invalid`, all in one bucket.
 */
export function addressKey(ip: string): string {
  if (isIPv4(ip)) return ip
  const zone = ip.indexOf('%')
  const address = zone < 0 ? ip : ip.slice(0, zone)
  if (!isIPv6(address)) return 'invalid'
  const groups = groupsOf(address)
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

/** The eight numbers of 16 bits of an address that `isIPv6` has passed. */
export function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::')
  const front = groupsOfPart(head)
  if (tail === undefined) return front
  const back = groupsOfPart(tail)
  return [...front, ...new Array<number>(8 - front.length - back.length).fill(0), ...back]
}

function groupsOfPart(part: string): number[] {
  if (part === '') return []
  return part.split(':').flatMap(piece => {
    if (!piece.includes('.')) return [Number.parseInt(piece, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = piece.split('.').map(Number)
    return [(a << 8) | b, (c << 8) | d]
  })
}
