import { preferenceCookie, preferenceCookieName } from '@gatehouse/protocol/preference-cookies'

type Name = Parameters<typeof preferenceCookieName>[0]

/** What the user chose for this browser, from a cookie that the pages of the server read too. */
export function readPreference(name: Name, cookies: string, secure: boolean): string | undefined {
  const start = `${preferenceCookieName(name, secure)}=`
  return cookies
    .split('; ')
    .find(cookie => cookie.startsWith(start))
    ?.slice(start.length)
}

export function isSecure(): boolean {
  return window.location.protocol === 'https:'
}

/** Browsers have the Cookie Store API only with HTTPS, so this writes `document.cookie`. */
export function storePreference(name: Name, value: string): void {
  document.cookie = preferenceCookie(name, value, isSecure())
}
