import type { Locale } from '@gatehouse/protocol/locales'
import type { Plugin } from 'vite'

/** The texts of React Aria for each language of the client. */
const regions: Readonly<Record<Locale, string>> = { en: 'en-US', ru: 'ru-RU' }
const supported = new Set(Object.values(regions))

/** React Aria has its texts in 34 languages. Removes those that the client does not support (core/i18n/). */
export function onlySupportedLanguages(): Plugin {
  return {
    name: 'only-supported-languages',
    enforce: 'pre',
    load(id) {
      const locale = /\/react-(?:aria|stately|aria-components)\/.*\/([a-z]{2}-[A-Z]{2})\.m?js$/.exec(id)?.[1]
      return locale && !supported.has(locale) ? 'export default {}' : null
    },
  }
}
