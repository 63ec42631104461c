import { BlockList, isIP } from 'node:net'
import { parseIPv6Groups } from '../kit/ip.ts'

export type IpFilter = ReturnType<typeof createIpFilter>

/**
 * Decides which IP addresses outgoing requests may connect to. Check the address of the connection, not a host name
 * (bots/outgoing-requests). `allowed` is ALLOW_PRIVATE_TARGETS: IP addresses and CIDR blocks, which may be reached by
 * http too (bots/endpoint-url). With `publicHttp`, so may public addresses.
 */
export function createIpFilter(allowed: readonly string[], { publicHttp = false } = {}) {
  const allowLists = { 4: new BlockList(), 6: new BlockList() }
  for (const block of allowed) {
    const [base = '', bits] = block.split('/')
    const { address, version } = normalize(base)
    if (version === 0) throw new TypeError(`"${block}" is neither an IP address nor a CIDR block.`)
    const family = version === 4 ? 'ipv4' : 'ipv6'
    if (bits === undefined) allowLists[version].addAddress(address, family)
    else allowLists[version].addSubnet(address, Number(bits), family)
  }

  /** Whether any address may be reached by this scheme. Needs no name resolution. */
  function allowsScheme(scheme: string): boolean {
    return scheme === 'https:' || (scheme === 'http:' && (publicHttp || allowed.length > 0))
  }

  return {
    allowsScheme,
    /** Whether a connection to an IP address is allowed. False if `ip` is not an IP address. */
    allows(ip: string, scheme: string): boolean {
      const { address, version } = normalize(ip)
      if (version === 0 || !allowsScheme(scheme)) return false
      if (allowLists[version].check(address, version === 4 ? 'ipv4' : 'ipv6')) return true
      return (
        (publicHttp || scheme === 'https:') && (version === 4 ? isPublicIpv4(address) : isPublicIpv6(address))
      )
    },
  }
}

/**
 * Converts an IPv4-mapped IPv6 address to the IPv4 address (bots/outgoing-address-forms). Version 0 means that `ip` is
 * not an IP address or has a zone id.
 */
function normalize(ip: string): { address: string; version: 0 | 4 | 6 } {
  const version = ip.includes('%') ? 0 : isIP(ip)
  if (version === 6) {
    const groups = parseIPv6Groups(ip)
    if (groups.slice(0, 5).every(group => group === 0) && groups[5] === 0xffff) {
      return { address: embeddedIpv4(groups), version: 4 }
    }
    return { address: ip, version }
  }
  return { address: ip, version: version === 4 ? 4 : 0 }
}

/** The IPv4 address in the last 32 bits of an IPv6 address. */
function embeddedIpv4(groups: readonly number[]): string {
  return groups
    .slice(6)
    .flatMap(group => [group >> 8, group & 0xff])
    .join('.')
}

// IANA special-purpose addresses (RFC 6890), multicast (RFC 5771) and reserved addresses (RFC 1112 section 4).
const specialIpv4 = createBlockList('ipv4', [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
])

// Global unicast (RFC 4291 section 2.4). Loopback, unspecified, IPv4-compatible, unique local, link-local and multicast
// addresses are outside this block.
const globalUnicastIpv6 = createBlockList('ipv6', [['2000::', 3]])

const specialIpv6 = createBlockList('ipv6', [
  // IETF protocol assignments (RFC 2928), among them Teredo, benchmarking and ORCHID.
  ['2001::', 23],
  // Documentation (RFC 3849, RFC 9637).
  ['2001:db8::', 32],
  ['3fff::', 20],
  // 6to4 (obsolete, RFC 7526), whatever IPv4 address is embedded.
  ['2002::', 16],
])

// The well-known NAT64 prefix (RFC 6052 section 2.1): on an IPv6-only network, public host names resolve to these. The
// local-use prefix of RFC 8215 is outside `globalUnicastIpv6` and stays forbidden.
const nat64 = createBlockList('ipv6', [['64:ff9b::', 96]])

function isPublicIpv4(address: string): boolean {
  return !specialIpv4.check(address, 'ipv4')
}

function isPublicIpv6(address: string): boolean {
  if (nat64.check(address, 'ipv6')) return isPublicIpv4(embeddedIpv4(parseIPv6Groups(address)))
  return globalUnicastIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6')
}

function createBlockList(
  family: 'ipv4' | 'ipv6',
  subnets: readonly (readonly [string, number])[],
): BlockList {
  const list = new BlockList()
  for (const [base, bits] of subnets) list.addSubnet(base, bits, family)
  return list
}
