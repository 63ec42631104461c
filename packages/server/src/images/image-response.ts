/**
 * Users upload these bytes and our own origin serves them, so a browser must not run anything in them. Every site may
 * embed them.
 */
const securityHeaders = {
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'cross-origin',
} as const

export const ONE_YEAR_IMMUTABLE = 'public, max-age=31536000, immutable'

export function imageResponse<Body extends Uint8Array | string>(
  body: Body,
  contentType: string,
  cacheControl: string,
) {
  const headers = { ...securityHeaders, 'content-type': contentType, 'cache-control': cacheControl }
  return { status: 200 as const, body, headers }
}
