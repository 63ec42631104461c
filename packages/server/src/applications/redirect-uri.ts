/**
 * Whether an address may be registered for the redirect of a sign-in (D10; RFC 9700 §2.6, RFC 8252 §7). Undefined where
 * it may, else what is wrong with it, in words.
 */
export function redirectUriFault(uri: string): string | undefined {
  // RFC 3986 §2: what is not of these characters is read one way by us and another by a browser.
  if (!/^[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=%]+$/.test(uri)) {
    return uri.includes('#')
      ? 'must not have a fragment'
      : 'must be an absolute address without spaces or controls'
  }
  if (!URL.canParse(uri)) return 'must be an absolute address'
  const url = new URL(uri)
  if (url.username !== '' || url.password !== '') return 'must not have a user or a password'
  switch (url.protocol) {
    case 'https:':
      return uri.toLowerCase().startsWith('https://') ? undefined : 'must be an absolute address'
    case 'http:':
      if (!uri.toLowerCase().startsWith('http://')) return 'must be an absolute address'
      return isLoopback(uri) ? undefined : 'must be https: http is for localhost, 127.0.0.1 and [::1]'
    default:
      // RFC 8252 §7.1: a private-use scheme is a domain name turned round, so it has a dot.
      return /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(url.protocol) && uri.startsWith(url.protocol)
        ? undefined
        : 'must be https, or a scheme of your own with a dot in its name'
  }
}

/** As it is written: addresses are compared as whole strings, so another spelling of the same host is another. */
function isLoopback(uri: string): boolean {
  return /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])([:/?]|$)/i.test(uri)
}
