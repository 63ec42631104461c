import { isIP } from 'node:net'

// RFC 1123 §2.1: letters, digits and hyphens, no hyphen at either end; RFC 1035 §2.3.4: at most 63 characters.
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

/**
 * Whether `hostname` of a parsed URL is a domain name or an IP literal. The URL parser also accepts other characters
 * (`;`, `'`, `_`); it has already converted the name to ASCII and numbers to an IPv4 address.
 */
export function isValidHost(hostname: string): boolean {
  const literal = /^\[(.*)\]$/.exec(hostname)?.[1]
  if (literal !== undefined) return isIP(literal) === 6
  // RFC 1034 §3.1: a name may end with the empty label of the root.
  const name = hostname.replace(/\.$/, '')
  return name.length <= 253 && name.split('.').every(part => label.test(part))
}
