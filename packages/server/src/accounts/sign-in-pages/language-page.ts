import { isLocale } from '@gatehouse/protocol/locales'
import { preferenceCookie } from '@gatehouse/protocol/preference-cookies'
import { invalid } from '../../errors/app-error.ts'
import { Form } from '../../http/form.ts'
import { pageErrorFormat } from '../../http/html-pages.ts'
import { type Route, route } from '../../http/route.ts'
import { field, type PageDeps, seeOtherWith } from './page-route.ts'
import { parseReturnTo } from './return-to.ts'

/**
 * Sets the locale cookie. It needs no form token: the server stores nothing, and a link on another site can only change
 * the language of this browser.
 */
export function languageRoute({ pages, baseUrl }: PageDeps): Route {
  return route('setLanguage', {
    summary: 'Sets the language of the pages and the web client in this browser.',
    tag: 'Pages',
    caller: { anonymous: true },
    query: Form,
    responses: { 303: null },
    errorFormat: pageErrorFormat(pages),
    handle: async ({ query }) => {
      const locale = field(query, 'locale')
      if (!isLocale(locale)) throw invalid('locale', 'invalid_choice', 'is not a supported language')
      const cookie = preferenceCookie('locale', locale, baseUrl.startsWith('https:'))
      const { status, headers } = seeOtherWith(cookie, parseReturnTo(query.page, baseUrl) ?? '/')
      return { status, headers: { ...headers, 'cache-control': 'no-store' } }
    },
  })
}
