const names = ['proxy_url', 'proxy_icon_url', 'avatarProxyUrl']

/**
 * A copy of a response without the URLs that the service adds for pictures (webhooks/media-proxy), for tests of other
 * members.
 */
export function withoutProxyUrls<T>(body: T): T {
  return JSON.parse(JSON.stringify(body, (key, value) => (names.includes(key) ? undefined : value)))
}
