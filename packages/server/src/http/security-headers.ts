// Scheme-source, host-source and keyword-source of CSP 3 §2.3.1, as far as this service uses them. Its grammar has no
// IPv6 literals, but some browsers accept them.
const scheme = '[a-z][a-z0-9+.-]*:'
const host = String.raw`(?:[a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::[0-9]+)?`
const sourceExpression = new RegExp(
  `^(?:'(?:self|none|unsafe-inline)'|${scheme}|(?:${scheme}//)?${host})$`,
  'i',
)

/**
 * The value of `Content-Security-Policy`. Invalid source expressions are omitted, because a `;` or `,` in one would
 * start another directive or policy. A directive without a source becomes `'none'`.
 */
export function contentSecurityPolicy(directives: Readonly<Record<string, readonly string[]>>): string {
  return Object.entries(directives)
    .map(([name, sources]) => {
      const valid = sources.filter(source => sourceExpression.test(source))
      return `${name} ${valid.length > 0 ? valid.join(' ') : "'none'"}`
    })
    .join('; ')
}

/**
 * The headers of every response, built once. Responses contain tokens and private data, so they must not be cached
 * unless the route sets another `Cache-Control`.
 */
export function securityHeaders(baseUrl: string): Record<string, string> {
  return {
    'content-security-policy': contentSecurityPolicy({
      'default-src': ["'none'"],
      'frame-ancestors': ["'none'"],
    }),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(baseUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  }
}

/** The further headers of the web client's page. The sign-in pages have their own (pages.ts). */
export function webClientHeaders(baseUrl: string): Record<string, string> {
  return {
    'content-security-policy': contentSecurityPolicy({
      'default-src': ["'none'"],
      'script-src': ["'self'"],
      'style-src': ["'self'", "'unsafe-inline'"],
      // Not of other hosts (webhooks/media-proxy). `data:` is the QR code of an authenticator app.
      'img-src': ["'self'", 'data:'],
      'font-src': ["'self'"],
      'connect-src': ["'self'", baseUrl.replace(/^http/, 'ws')],
      'manifest-src': ["'self'"],
      'form-action': ["'self'"],
      'base-uri': ["'none'"],
      'frame-ancestors': ["'none'"],
    }),
    // No Cross-Origin-Opener-Policy, because an OAuth client may open the sign-in in a popup and wait for it.
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    'cache-control': 'no-cache',
  }
}
