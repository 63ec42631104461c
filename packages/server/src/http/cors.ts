export const rateLimitHeaderNames = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-RateLimit-Reset-After',
  'X-RateLimit-Bucket',
]

const exposed = [
  'WWW-Authenticate',
  'Retry-After',
  ...rateLimitHeaderNames,
  'X-RateLimit-Scope',
  'X-Request-Id',
]

/** The headers of every response of a route with CORS, also of errors and preflight responses (sign-in/cors). */
export const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposed.join(', '),
} as const
