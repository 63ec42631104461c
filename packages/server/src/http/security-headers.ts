/** Headers of every answer, made once. A page of the sign-in sets a Content-Security-Policy of its own (pages.ts). */
export function securityHeaders(baseUrl: string): Record<string, string> {
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
    'cross-origin-resource-policy': 'cross-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    ...(baseUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  }
}
