export interface NatsTarget {
  servers: string[]
  user?: string
  pass?: string
  token?: string
  tls?: Record<string, never>
}

/**
 * Parses `nats://[user:password@ or token@]host:port`, or a comma-separated list for one cluster with the same
 * credentials. `tls://` requires an encrypted connection. Errors do not contain the text, because it may have a
 * password.
 */
export function parseNatsUrl(text: string): NatsTarget {
  const urls = text.split(',').map(part => URL.parse(part.trim()))
  const target: NatsTarget = { servers: [] }
  for (const url of urls) {
    if (!url?.hostname || !/^(nats|tls):$/.test(url.protocol)) {
      throw new TypeError('The NATS URL must be nats://host:port or tls://host:port.')
    }
    target.servers.push(`${url.hostname}:${url.port || '4222'}`)
    if (url.protocol === 'tls:') target.tls = {}
    if (url.password) {
      target.user = decodeURIComponent(url.username)
      target.pass = decodeURIComponent(url.password)
    } else if (url.username) target.token = decodeURIComponent(url.username)
  }
  return target
}
