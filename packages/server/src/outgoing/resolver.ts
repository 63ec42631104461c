import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'

/** Resolves a host name to its IPv4 and IPv6 addresses; empty if it has none. */
export type Resolve = (name: string) => Promise<readonly string[]>

/**
 * Reads the hosts file, then queries DNS. Does not use `dns.lookup`, which blocks a thread of the libuv pool: slow
 * names would delay password hashing and file access.
 */
export function createResolver({ hostsFile = '/etc/hosts' } = {}): Resolve {
  const resolver = new Resolver({ timeout: 700, tries: 2 })
  return async name => {
    const host = name.replace(/\.$/, '').toLowerCase()
    // RFC 6761 section 6.3
    if (host === 'localhost' || host.endsWith('.localhost')) return ['127.0.0.1', '::1']
    const listed = parseHosts(await readFile(hostsFile, 'utf8').catch(() => ''), host)
    if (listed.length > 0) return listed
    const results = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    return results.flatMap(result => (result.status === 'fulfilled' ? result.value : []))
  }
}

/** The addresses of `host` in the text of a hosts file (hosts(5)). */
function parseHosts(text: string, host: string): string[] {
  return text.split('\n').flatMap(line => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    return isIP(address) !== 0 && names.some(name => name.toLowerCase() === host) ? [address] : []
  })
}
