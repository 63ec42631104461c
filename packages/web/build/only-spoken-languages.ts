import type { Plugin } from 'vite'

const spoken = new Set(['en-US', 'ru-RU'])

/** React Aria brings its words in 34 languages; the client speaks two (i18n/), so the others are left out. */
export function onlySpokenLanguages(): Plugin {
  return {
    name: 'only-spoken-languages',
    enforce: 'pre',
    load(id) {
      const locale = /\/react-(?:aria|stately|aria-components)\/.*\/([a-z]{2}-[A-Z]{2})\.m?js$/.exec(id)?.[1]
      return locale && !spoken.has(locale) ? 'export default {}' : null
    },
  }
}
