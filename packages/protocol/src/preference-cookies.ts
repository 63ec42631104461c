const maxAgeSeconds = 400 * 24 * 60 * 60

/** What a user chose for a browser. The server's pages and the web client read these cookies. */
type Preference = 'locale' | 'theme'

/** `secure`: the URL of the service is https. */
export function preferenceCookieName(name: Preference, secure: boolean): string {
  return `${secure ? '__Host-' : ''}gatehouse_${name}`
}

/** The same text for `Set-Cookie` and for `document.cookie`. */
export function preferenceCookie(name: Preference, value: string, secure: boolean): string {
  const attributes = `Path=/; Max-Age=${maxAgeSeconds}; SameSite=Lax${secure ? '; Secure' : ''}`
  return `${preferenceCookieName(name, secure)}=${value}; ${attributes}`
}
