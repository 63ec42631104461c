/** Of every answer, made once: what is no page shows nothing, loads nothing and stands in no frame. */
export function securityHeaders(baseUrl: string): Record<string, string> {
  return {
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    ...(baseUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  }
}

/** Of the web client's page, beside those. A page of the sign-in has its own (pages.ts). */
export function clientHeaders(baseUrl: string): Record<string, string> {
  const policy = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self' 'unsafe-inline'",
    // Pictures of strangers' embeds: loaded by the reader's browser without a referrer, never by us (D38).
    'img-src': "'self' data: blob: https:",
    'font-src': "'self'",
    'connect-src': `'self' ${baseUrl.replace(/^http/, 'ws')}`,
    'manifest-src': "'self'",
    'form-action': "'self'",
    'base-uri': "'none'",
    'frame-ancestors': "'none'",
  }
  return {
    'content-security-policy': Object.entries(policy)
      .map(([directive, sources]) => `${directive} ${sources}`)
      .join('; '),
    // No Cross-Origin-Opener-Policy: a site may open the sign-in in a window of its own and wait for it.
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    'cache-control': 'no-cache',
  }
}
