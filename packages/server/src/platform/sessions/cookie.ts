/** 400 days: what browsers cut longer ages down to (RFC 6265bis §5.5). What is inside decides when it ends. */
const MAX_AGE_SECONDS = 400 * 24 * 60 * 60

/**
 * A `Set-Cookie` value that script cannot read and that only this host gets back; null as `value` removes it.
 * `Lax`, so that it comes along when an application sends a person here (check 47).
 */
export function browserCookie(
  baseUrl: string,
  name: string,
  value: string | null,
  maxAgeSeconds: number = MAX_AGE_SECONDS,
): string {
  const age = value === null ? 0 : maxAgeSeconds
  const secure = baseUrl.startsWith('https:') ? '; Secure' : ''
  return `${name}=${value ?? ''}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${secure}`
}
