import { isLocale, type Locale, localeCookieName } from '@gatehouse/protocol/locales'

/** The locale cookie, which the client and the pages of the server share. */
export function readChosenLocale(cookies: string, secure: boolean): Locale | undefined {
  const start = `${localeCookieName(secure)}=`
  const value = cookies
    .split('; ')
    .find(cookie => cookie.startsWith(start))
    ?.slice(start.length)
  return isLocale(value) ? value : undefined
}
