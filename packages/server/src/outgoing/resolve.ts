import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'

/** The addresses of a name, IPv4 and IPv6; none where it has none. */
export type Resolve = (name: string) => Promise<readonly string[]>

/**
 * The hosts file, then DNS. Not by `dns.lookup`: that one waits on a thread of the few that hash passwords and read files,
 * so that names which take long to resolve would stop the service.
 */
export function createResolver({ hostsFile = '/etc/hosts' } = {}): Resolve {
  const resolver = new Resolver({ timeout: 700, tries: 2 })
  return async name => {
    const host = name.replace(/\.$/, '').toLowerCase()
    // RFC 6761 §6.3
    if (host === 'localhost' || host.endsWith('.localhost')) return ['127.0.0.1', '::1']
    const known = addressesIn(await readFile(hostsFile, 'utf8').catch(() => ''), host)
    if (known.length > 0) return known
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    return found.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []))
  }
}

/** Of a hosts file (hosts(5)). */
function addressesIn(text: string, host: string): string[] {
  return text.split('\n').flatMap(line => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    return isIP(address) !== 0 && names.some(name => name.toLowerCase() === host) ? [address] : []
  })
}
