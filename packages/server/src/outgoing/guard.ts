import { BlockList, isIP } from 'node:net'
import { groupsOf } from '../kit/ip.ts'

export interface Guard {
  /** Whether anything at all may be reached by a scheme: what is sure before a name is resolved. */
  mayUse(scheme: string): boolean
  /** Whether a connection to an IP address may be made. False for what is no address. */
  mayReach(address: string, scheme: string): boolean
}

/**
 * Decides on addresses, never on names: whoever connects asks about the very address that it connects to (check 21).
 * `allowed` are the addresses and CIDR blocks of ALLOW_PRIVATE_TARGETS; what they name may be reached by http too (D50).
 */
export function createGuard(allowed: readonly string[]): Guard {
  const named = { 4: new BlockList(), 6: new BlockList() }
  for (const block of allowed) {
    const [base = '', bits] = block.split('/')
    const { address, version } = plain(base)
    if (version === 0) throw new TypeError('an address or a CIDR block')
    const family = version === 4 ? 'ipv4' : 'ipv6'
    if (bits === undefined) named[version].addAddress(address, family)
    else named[version].addSubnet(address, Number(bits), family)
  }
  const mayUse: Guard['mayUse'] = scheme => scheme === 'https:' || (scheme === 'http:' && allowed.length > 0)
  return {
    mayUse,
    mayReach(text, scheme) {
      const { address, version } = plain(text)
      if (version === 0 || !mayUse(scheme)) return false
      if (named[version].check(address, version === 4 ? 'ipv4' : 'ipv6')) return true
      return scheme === 'https:' && (version === 4 ? isPublic4(address) : isPublic6(address))
    },
  }
}

/** Check 20: an address that is mapped into IPv6 is the IPv4 address. Version 0: no address, or one with a zone. */
function plain(text: string): { address: string; version: 0 | 4 | 6 } {
  const version = text.includes('%') ? 0 : isIP(text)
  if (version === 6) {
    const groups = groupsOf(text)
    if (groups.slice(0, 5).every(group => group === 0) && groups[5] === 0xffff) {
      return { address: lastFour(groups), version: 4 }
    }
    return { address: text, version }
  }
  return { address: text, version: version === 4 ? 4 : 0 }
}

/** The IPv4 address in the last 32 bits. */
function lastFour(groups: readonly number[]): string {
  return groups
    .slice(6)
    .flatMap(group => [group >> 8, group & 0xff])
    .join('.')
}

// The IANA special-purpose registry (RFC 6890), multicast (RFC 5771) and what is reserved (RFC 1112 §4).
const special4 = blocks('ipv4', [
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

// RFC 4291 §2.4: what is routed on the internet. Loopback, unspecified, IPv4-compatible, unique local, link-local and
// multicast addresses are all outside of it.
const global6 = blocks('ipv6', [['2000::', 3]])

const special6 = blocks('ipv6', [
  // RFC 2928: Teredo, benchmarking, ORCHID and the like.
  ['2001::', 23],
  ['2001:db8::', 32],
  // 6to4, obsolete by RFC 7526: whatever IPv4 address it stands for.
  ['2002::', 16],
  ['3fff::', 20],
])

// RFC 6052 §2.1. On a network that has only IPv6, public names resolve to these. The local-use prefix of RFC 8215 is
// outside of `global6`, and stays so.
const nat64 = blocks('ipv6', [['64:ff9b::', 96]])

function isPublic4(address: string): boolean {
  return !special4.check(address, 'ipv4')
}

function isPublic6(address: string): boolean {
  if (nat64.check(address, 'ipv6')) return isPublic4(lastFour(groupsOf(address)))
  return global6.check(address, 'ipv6') && !special6.check(address, 'ipv6')
}

function blocks(family: 'ipv4' | 'ipv6', subnets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList()
  for (const [base, bits] of subnets) list.addSubnet(base, bits, family)
  return list
}
