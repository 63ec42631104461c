export interface NatsTarget {
  servers: string[]
  user?: string
  pass?: string
  token?: string
  tls?: Record<string, never>
}

/**
 * `nats://[user:password@ or token@]host:port`, or several of them with commas between, of one cluster and with the same
 * credentials. `tls://` demands an encrypted connection. Errors do not repeat the text: it may hold a password.
 */
export function parseNatsUrl(text: string): NatsTarget {
  const urls = text.split(',').map(part => URL.parse(part.trim()))
  const target: NatsTarget = { servers: [] }
  for (const url of urls) {
    if (!url?.hostname || !/^(nats|tls):$/.test(url.protocol)) {
      throw new TypeError('not the address of a NATS server: nats://host:port or tls://host:port')
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
